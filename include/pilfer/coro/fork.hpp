// A coroutine that runs beside the one that forks it.
//
//   auto left = co_await pilfer::fork(sum(first_half));       // help-first: the child is queued, this coroutine goes on
//   long right = co_await sum(second_half);
//   long total = right + co_await std::move(left).join();
//
// Calls     fork: thieves take the child. fork_now: work-first: the child runs at once, and this coroutine's continuation is what thieves
//           take; so a program on one worker runs in the order of its text, and needs no more memory than a serial one.
// Joining   once. If the child has not ended, the parent suspends, and goes on where the child ends. A child that was not joined is
//           waited for by its handle's destructor, with the thread: another worker takes its place. Its result is dropped.
// Lifetime  the handle is to be joined, or to end, before the coroutine that has forked it.
// Throws    join: what the child has thrown. co_await fork: std::future_error if there is no task.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <pilfer/coro/task.hpp>
#include <pilfer/detail/protocol/coro_join.hpp>
#include <pilfer/detail/resume.hpp>

namespace pilfer {
namespace detail {

using fork_join_word = coro_join<ext::default_sync>;

// In src/coro/. At the end of a forked child; the owner is its fork_join_word.
[[nodiscard]] std::coroutine_handle<> end_of_fork(coro_promise_base& ended) noexcept;
// Sleeps until it has ended.
void wait_for_fork(fork_join_word& child) noexcept;

// A child, and the word that it and its parent meet at. Neither moves.
template <class T>
struct fork_state {
  explicit fork_state(coro_owner<T> child) noexcept : work(std::move(child)) {}
  static void* operator new(std::size_t bytes) { return coro_frames::allocate(bytes); }
  static void operator delete(void* memory, std::size_t bytes) noexcept { coro_frames::free(memory, bytes); }

  coro_owner<T> work;
  fork_join_word join;
  resume_job begin;
};

}  // namespace detail

// What fork returns.
template <class T>
class [[nodiscard]] forked {
  using state = detail::fork_state<T>;

 public:
  explicit forked(std::unique_ptr<state> child) noexcept : child_(std::move(child)) {}
  forked(forked&&) noexcept = default;
  forked& operator=(forked&& from) noexcept {
    forked old(std::exchange(child_, std::move(from.child_)));
    return *this;
  }
  ~forked() {
    if (child_ != nullptr && !child_->join.is_done()) detail::wait_for_fork(child_->join);
  }

  // Has it ended?
  [[nodiscard]] bool is_done() const noexcept { return child_->join.is_done(); }

  // co_await std::move(child).join()
  //   Throws  std::future_error if it was joined before.
  [[nodiscard]] auto join() && {
    if (child_ == nullptr) detail::throw_no_future();
    return joining(std::move(child_));
  }

 private:
  class joining {
   public:
    explicit joining(std::unique_ptr<state> child) noexcept : child_(std::move(child)) {}
    [[nodiscard]] bool await_ready() const noexcept { return child_->join.is_done(); }
    bool await_suspend(std::coroutine_handle<> parent) noexcept {
      return child_->join.wait_with(reinterpret_cast<std::uintptr_t>(parent.address()));
    }
    T await_resume() { return child_->work.promise().result.take(); }

   private:
    std::unique_ptr<state> child_;
  };

  std::unique_ptr<state> child_;
};

namespace detail {

enum class fork_order : std::uint8_t { parent_first, child_first };

template <class T, fork_order Order>
class [[nodiscard]] fork_awaiter {
 public:
  explicit fork_awaiter(coro_owner<T> child) : child_(std::make_unique<fork_state<T>>(std::move(child))) {}

  [[nodiscard]] static bool await_ready() noexcept { return false; }
  template <class Promise>
  auto await_suspend(std::coroutine_handle<Promise> parent) {
    resume_job& queued = Order == fork_order::parent_first ? child_->begin : next_;
    queued.where = place_of_caller();
    const auto child = child_->work.handle();
    child.promise().begin(&end_of_fork, &child_->join, stop_of(parent));
    if constexpr (Order == fork_order::parent_first) {
      resume_later(queued, child);
      return false;
    } else {
      resume_later(queued, parent);
      return hand_over(child);
    }
  }
  [[nodiscard]] pilfer::forked<T> await_resume() noexcept { return pilfer::forked<T>(std::move(child_)); }

 private:
  std::unique_ptr<fork_state<T>> child_;
  resume_job next_;
};

}  // namespace detail

template <class T>
[[nodiscard]] auto fork(task<T> child) {
  return detail::fork_awaiter<T, detail::fork_order::parent_first>(std::move(child).release());
}
template <class T>
[[nodiscard]] auto fork_now(task<T> child) {
  return detail::fork_awaiter<T, detail::fork_order::child_first>(std::move(child).release());
}

}  // namespace pilfer
