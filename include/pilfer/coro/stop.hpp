// A token of one's own for a task.
//
//   auto page = co_await pilfer::with_stop(button.get_token(), load(url));
//
// The task is asked to stop by that token, and by the one of who awaits it, whichever comes first.
#pragma once

#include <concepts>
#include <coroutine>
#include <exception>
#include <optional>
#include <stop_token>
#include <system_error>
#include <utility>

#include <pilfer/coro/task.hpp>

namespace pilfer {
namespace detail {

// Stops when one of those does that it follows, or when it is told to. Does not move.
class linked_stop : immovable {
 public:
  explicit linked_stop(const std::stop_token& outer) : token_(source_.get_token()) { link(from_outer_, outer); }
  linked_stop(const std::stop_token& outer, const std::stop_token& other) : linked_stop(outer) {
    link(from_other_, other);
  }

  void request_stop() noexcept { source_.request_stop(); }
  [[nodiscard]] const std::stop_token& token() const noexcept { return token_; }

 private:
  struct passing_on {
    void operator()() const noexcept { to->request_stop(); }
    linked_stop* to;
  };
  using connection = std::optional<std::stop_callback<passing_on>>;
  void link(connection& place, const std::stop_token& from) {
    if (from.stop_possible()) place.emplace(from, passing_on{this});
  }

  std::stop_source source_;
  std::stop_token token_;
  connection from_outer_;
  connection from_other_;
};

[[nodiscard]] std::exception_ptr cancelled_error() noexcept;  // a task_cancelled

// A result that carries an error, as those of I/O do: it was cancelled.
template <class T>
[[nodiscard]] bool says_cancelled(const T& value) noexcept {
  if constexpr (requires {
                  { value.error() } -> std::convertible_to<std::error_code>;
                }) {
    return value.error() == std::errc::operation_canceled;
  } else {
    return false;
  }
}

// Awaits a task under a token that outlives it. Its result stays where it is: nothing is thrown.
template <class T>
struct run_under {
  coro_owner<T>& work;
  const std::stop_token& stop;
  [[nodiscard]] static constexpr bool await_ready() noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> parent) noexcept {
    work.promise().begin(parent, stop);
    return hand_over(work.handle());
  }
  void await_resume() const noexcept {}
};

}  // namespace detail

template <class T>
task<T> with_stop(std::stop_token stop, task<T> work) {
  const std::stop_token outer = co_await this_stop_token();
  const detail::linked_stop both(outer, stop);
  detail::coro_owner<T> frame = std::move(work).release();
  detail::run_under<T> run{frame, both.token()};
  co_await run;
  co_return frame.promise().result.take();
}

}  // namespace pilfer
