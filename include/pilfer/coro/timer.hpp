// Waiting for a time, and for no longer than that.
//
//   co_await pilfer::sleep_for(50ms);                              // its worker does something else
//   co_await pilfer::sleep_until(next);
//   std::optional<page> p = co_await pilfer::with_deadline(steady_clock::now() + 2s, load(url));   // none: the time ran out
//
// Times     never early. Late by what the system takes to wake a thread, and the pool to begin a task. A time that has passed is not
//           waited for; one that is centuries away is never. Times of other clocks are translated when the wait begins, and looked
//           at again when it ends: a clock that is set forward meanwhile is noticed late.
// Stopping  a sleep throws task_cancelled when the coroutine's stop_token is stopped, before or during it.
// Threads   one for the whole process, started by the first wait and asleep unless a deadline comes; it only puts coroutines into
//           the queues of their pools. It is never joined: a program may end while it sleeps.
// Cost      a timer is part of the coroutine's frame: no allocation. Adding one is O(1), and a system call if it is earlier than all
//           others; taking it back, by a stop or at the end of with_deadline, O(log n).
#pragma once

#include <chrono>
#include <coroutine>
#include <exception>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

#include <pilfer/coro/stop.hpp>
#include <pilfer/coro/task.hpp>
#include <pilfer/coro/waiter.hpp>
#include <pilfer/detail/limit.hpp>
#include <pilfer/detail/timer_heap.hpp>

namespace pilfer {

namespace detail {

using steady_time = std::chrono::steady_clock::time_point;

template <class Rep, class Period>
[[nodiscard]] steady_time time_after(std::chrono::duration<Rep, Period> limit) noexcept {
  const std::chrono::nanoseconds ns = limit_of(limit);
  return ns.count() < 0 ? steady_time::max() : std::chrono::steady_clock::now() + ns;
}
// Far away a difference might be no time of that unit.
using far_seconds = std::chrono::duration<double>;
template <class Now, class When>
[[nodiscard]] far_seconds far_difference(const Now& now, const When& when) noexcept {
  return far_seconds(when.time_since_epoch()) - far_seconds(now.time_since_epoch());
}
template <class Clock, class Duration>
[[nodiscard]] bool is_ahead(std::chrono::time_point<Clock, Duration> when) noexcept {
  const auto now = Clock::now();
  const far_seconds far = far_difference(now, when);
  return far > far_seconds(1) || (far > far_seconds(-1) && now < when);
}
template <class Clock, class Duration>
[[nodiscard]] steady_time steady_time_of(std::chrono::time_point<Clock, Duration> when) noexcept {
  if constexpr (std::is_same_v<std::chrono::time_point<Clock, Duration>, steady_time>) {
    return when;
  } else {
    const auto now = Clock::now();
    const far_seconds far = far_difference(now, when);
    if (far > far_seconds(1e8)) return steady_time::max();
    return far < far_seconds(-1) ? steady_time::min() : time_after(when - now);
  }
}

// A waiter with a time. Its guard is that of all timers.
class timed_waiter : public waiter, public timer_heap::entry {
 protected:
  explicit timed_waiter(steady_time when) noexcept;
  timed_waiter(timed_waiter&&) noexcept = default;
  ~timed_waiter() override = default;
  //   Throws  std::system_error if no thread can be created.
  void prepare() final;

 private:
  friend class timer_thread;
  bool try_enter(wake_ups& others) noexcept final;
  void line_up(wake_ups& others) noexcept final;
  void step_out(wake_ups& others) noexcept final;
};

class [[nodiscard]] sleep_awaiter final : public timed_waiter {
 public:
  explicit sleep_awaiter(steady_time when) noexcept : timed_waiter(when) {}
  ~sleep_awaiter() override { abandon(); }
  sleep_awaiter(sleep_awaiter&&) noexcept = default;  // before it is awaited

  template <class Promise>
  [[nodiscard]] bool await_suspend(std::coroutine_handle<Promise> who) {
    prepare();
    return begin(stop_of(who), who);
  }
  void await_resume() { end(); }
};

// Asks a task to stop at a time, in the pool of who has made it; or when `above` is stopped.
class time_limit final : public timed_waiter {
 public:
  //   Throws  std::bad_alloc, std::system_error
  time_limit(steady_time when, const std::stop_token& above);
  ~time_limit() override { abandon(); }  // only after end(), unless the coroutine is destroyed where it is suspended

  [[nodiscard]] const std::stop_token& token() const noexcept { return token_; }
  // After end(): the time ran out before it, and `above` was not stopped.
  [[nodiscard]] bool ran_out() const noexcept { return rang_ && !above_.stop_requested(); }

  // co_await: afterwards it asks nobody any more.
  struct end_awaiter {
    time_limit& of;
    [[nodiscard]] bool await_ready() const noexcept { return of.withdraw(); }
    [[nodiscard]] bool await_suspend(std::coroutine_handle<> who) const noexcept { return of.await_ring(who); }
    void await_resume() const noexcept {}
  };
  [[nodiscard]] end_awaiter end() noexcept { return {*this}; }

 private:
  struct stop_both {
    std::stop_source what;
    void operator()() noexcept { what.request_stop(); }
  };
  static pilfer::task<void> ring(std::stop_source what);
  static std::coroutine_handle<> end_of_ring(coro_promise_base& ended) noexcept;
  [[nodiscard]] bool await_ring(std::coroutine_handle<> who) noexcept;

  std::stop_source source_;
  const std::stop_token token_;
  const std::stop_token above_;
  coro_owner<void> ringer_;
  bool rang_ = false;  // under the guard; then for good
  std::coroutine_handle<> next_;
  std::stop_callback<stop_both> link_;
};

// None, or false, if the time ran out.
template <class T>
using limited = std::conditional_t<std::is_void_v<T>, bool, std::optional<std::remove_reference_t<value_of<T>>>>;

}  // namespace detail

// Throws  task_cancelled; std::system_error if the process may not have the timers' thread.
template <class Rep, class Period>
[[nodiscard]] detail::sleep_awaiter sleep_for(std::chrono::duration<Rep, Period> limit) noexcept {
  return detail::sleep_awaiter(detail::time_after(limit));
}
[[nodiscard]] inline detail::sleep_awaiter sleep_until(std::chrono::steady_clock::time_point when) noexcept {
  return detail::sleep_awaiter(when);
}
template <class Clock, class Duration>
task<void> sleep_until(std::chrono::time_point<Clock, Duration> when) {
  do {
    co_await sleep_until(detail::steady_time_of(when));
  } while (detail::is_ahead(when));
}

// Awaits the task; when the time has come it is asked to stop, and awaited nevertheless. A task that ends all the same has its result
// returned, so nothing that it has got is lost; none, for a task<void> false, says that it ended by task_cancelled, or by a
// result whose error() is std::errc::operation_canceled, and that this was for the time.
//   Throws  what the task throws; task_cancelled if the awaiting coroutine itself was to stop; std::bad_alloc, std::system_error before
//           the task began.
template <class Clock, class Duration, class T>
task<detail::limited<T>> with_deadline(std::chrono::time_point<Clock, Duration> when, task<T> work) {
  static_assert(!std::is_reference_v<T>, "with_deadline gives values: return a pointer or a std::reference_wrapper");
  detail::coro_owner<T> frame = std::move(work).release();
  const std::stop_token above = co_await this_stop_token();
  detail::time_limit limit(detail::steady_time_of(when), above);
  detail::run_under<T> run{frame, limit.token()};
  co_await run;
  co_await limit.end();
  auto& result = frame.promise().result;
  const std::exception_ptr error = result.error();
  if (error != nullptr && limit.ran_out() && detail::is_task_cancelled(error)) co_return {};
  if constexpr (std::is_void_v<T>) {
    result.take();
    co_return true;
  } else {
    detail::limited<T> value(result.take());
    if (limit.ran_out() && detail::says_cancelled(*value)) value.reset();
    co_return std::move(value);
  }
}

}  // namespace pilfer
