// Where a coroutine goes on.
//
//   co_await pool.schedule();                             // on a worker of that pool, at the level of the caller
//   co_await pool.at(pilfer::priority::high).schedule();  // and at that level from now on
//   co_await pilfer::yield();                             // in the same pool, after what waits there already
//
// Throws  task_cancelled if the coroutine is to stop, before or after.
#pragma once

#include <coroutine>
#include <stop_token>

#include <pilfer/coro/task.hpp>
#include <pilfer/detail/resume.hpp>
#include <pilfer/pool.hpp>

namespace pilfer {
namespace detail {

// The part that both share: whether to stop.
class stopping_awaiter {
 public:
  [[nodiscard]] static bool await_ready() noexcept { return false; }
  void await_resume() const {
    if (stop_->stop_requested()) [[unlikely]]
      throw_task_cancelled();
  }

 protected:
  // True: it is to stop, and need not suspend for that.
  template <class Promise>
  [[nodiscard]] bool is_stopped(std::coroutine_handle<Promise> who) noexcept {
    stop_ = &stop_of(who);
    return stop_->stop_requested();
  }

 private:
  const std::stop_token* stop_ = &never_stopped;
};

class [[nodiscard]] schedule_awaiter : public stopping_awaiter {
 public:
  explicit schedule_awaiter(const resume_place& where) noexcept : next_(where) {}
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> who) noexcept {
    if (is_stopped(who)) return false;
    resume_later(next_, who);
    return true;
  }

 private:
  resume_job next_;
};

class [[nodiscard]] yield_awaiter : public stopping_awaiter {
 public:
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> who) {
    if (is_stopped(who)) return false;
    next_.where = place_of_caller();
    resume_last(next_, who);
    return true;
  }

 private:
  resume_job next_;
};

}  // namespace detail

template <class Derived>
detail::schedule_awaiter detail::takes_tasks<Derived>::schedule() const {
  return schedule_awaiter(place_at(here()));
}
inline detail::schedule_awaiter pool::schedule(priority wanted) { return at(wanted).schedule(); }

[[nodiscard]] inline detail::yield_awaiter yield() noexcept { return {}; }

}  // namespace pilfer
