// A coroutine that a test begins on its own thread: it is known to be in line when the constructor returns.
#pragma once

#include <condition_variable>
#include <exception>
#include <mutex>
#include <stop_token>
#include <utility>

#include <gtest/gtest.h>

#include <pilfer/coro/task.hpp>
#include <pilfer/detail/coro_transfer.hpp>
#include <pilfer/future.hpp>

namespace pilfer::test {

enum class ending : unsigned char { none_yet, normal, cancelled, failed };

class begun {
 public:
  explicit begun(task<void> work, std::stop_token stop = {})
      : stop_(std::move(stop)), frame_(std::move(work).release()) {
    frame_.promise().begin(&end, this, stop_);
    detail::resume_here(frame_.handle());
  }
  begun(const begun&) = delete;
  begun& operator=(const begun&) = delete;
  ~begun() {
    if (frame_) static_cast<void>(wait());
  }

  [[nodiscard]] bool has_ended() {
    const std::lock_guard lock(mutex_);
    return how_ != ending::none_yet;
  }
  [[nodiscard]] ending wait() {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return how_ != ending::none_yet; });
    return how_;
  }
  // Where it is suspended. Nobody may be about to resume it.
  void destroy() { static_cast<void>(detail::coro_owner<void>(std::move(frame_))); }

 private:
  static ending judge(const std::exception_ptr& error) {
    if (error == nullptr) return ending::normal;
    try {
      std::rethrow_exception(error);
    } catch (const task_cancelled&) {
      return ending::cancelled;
    } catch (...) {
      return ending::failed;
    }
  }
  static std::coroutine_handle<> end(detail::coro_promise_base& ended) noexcept {
    begun& me = *static_cast<begun*>(ended.owner());
    const ending how = judge(me.frame_.promise().result.error());
    const std::lock_guard lock(me.mutex_);  // who waits ends `me` as soon as it is free
    me.how_ = how;
    me.ended_.notify_all();
    return std::noop_coroutine();
  }

  const std::stop_token stop_;
  detail::coro_owner<void> frame_;
  std::mutex mutex_;
  std::condition_variable ended_;
  ending how_ = ending::none_yet;
};

}  // namespace pilfer::test
