// Coroutines await futures.
//
//   int sum = co_await pool.submit(add, 1, 2);
//   auto [index, value] = co_await pilfer::when_any(first, pilfer::sleep_for(1s));   // `first` is still there if the time is over
//
// Calls     nothing: the task runs as it would. The coroutine suspends, and is resumed in the pool that it is in.
// Takes     the result, once, as get() does: the future is empty afterwards. An lvalue is awaited where it is, and stays as it is if the
//           coroutine is stopped or another alternative of a when_any was first.
// Throws    what the task threw; task_cancelled if it did not run, or if the coroutine is to stop, which does not stop the task;
//           std::future_error if there is no task.
#pragma once

#include <mutex>
#include <type_traits>
#include <utility>

#include <pilfer/coro/waiter.hpp>
#include <pilfer/future.hpp>

namespace pilfer {
namespace detail {

// Future: a future, or a reference to one.
template <class R, class Future>
class [[nodiscard]] future_waiter final : public waiter, private follower {
 public:
  explicit future_waiter(Future&& from)
      : waiter(from.state().end().guard()), follower{&serve_it}, from_(std::forward<Future>(from)) {}
  future_waiter(future_waiter&& from) noexcept
      : waiter(std::move(from)), follower{&serve_it}, from_(std::forward<Future>(from.from_)) {}
  ~future_waiter() override { abandon(); }

  R await_resume() {
    end();
    return from_.get();
  }

 private:
  [[nodiscard]] task_end& end_of_task() const noexcept { return from_.state().end(); }
  [[nodiscard]] bool try_enter(wake_ups& /*others*/) noexcept override { return !end_of_task().watch() && claim(); }
  void line_up(wake_ups& /*others*/) noexcept override { end_of_task().put(*this); }
  void step_out(wake_ups& /*others*/) noexcept override { end_of_task().step_out(); }
  static void serve_it(follower& self, std::unique_lock<std::mutex>& guard) noexcept {
    auto& me = static_cast<future_waiter&>(self);
    wake_ups woken;
    if (me.claim()) {
      woken.add(me);
    } else {
      me.leave();
    }
    guard.unlock();
  }

  Future from_;
};

}  // namespace detail

template <class R>
[[nodiscard]] detail::future_waiter<R, future<R>> operator co_await(future<R>&& from) {
  return detail::future_waiter<R, future<R>>(std::move(from));
}
template <class R>
[[nodiscard]] detail::future_waiter<R, future<R>&> operator co_await(future<R>& from) {
  return detail::future_waiter<R, future<R>&>(from);
}

}  // namespace pilfer
