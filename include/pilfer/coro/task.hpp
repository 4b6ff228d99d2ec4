// A coroutine: a computation that may suspend itself without blocking a thread.
//
//   pilfer::task<int> answer(pilfer::pool& pool) {
//     co_await pool.schedule();              // goes on on a worker of that pool
//     co_return co_await twice(21);          // twice() is a task, too: it begins when it is awaited
//   }
//   int v = pilfer::sync_wait(answer(pool));
//
// Calls     nothing until it is awaited, once: co_await std::move(t), or co_await of a call. Then it runs on the awaiting thread until it
//           suspends, and whoever resumes it goes on with the awaiting coroutine when it ends, on the same worker.
// Throws    co_await throws what the task has thrown; std::future_error for a task that was awaited before, or moved away.
// Stopping  a task has the std::stop_token of who awaits it: co_await pilfer::this_stop_token(). Suspensions that wait throw task_cancelled
//           when it is to stop.
// Lifetime  a task that was never awaited frees its frame. Arguments are copied or moved into the frame, references are not.
// Cost      a frame of the thread's own memory and two jumps: some nanoseconds, whatever is awaited in a loop or how deeply.
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <memory>
#include <stop_token>
#include <type_traits>
#include <utility>

#include <pilfer/coro/call.hpp>
#include <pilfer/detail/coro_frames.hpp>
#include <pilfer/detail/coro_transfer.hpp>
#include <pilfer/detail/kept_result.hpp>
#include <pilfer/future.hpp>

namespace pilfer {

template <class T = void>
class task;

namespace detail {

// What every coroutine of ours has. An awaiter gets at it by await_suspend(std::coroutine_handle<P>), P derived from this.
class coro_promise_base {
 public:
  using end_function = std::coroutine_handle<> (*)(coro_promise_base&) noexcept;

  // To stop or not: of the coroutine that awaits this one; at the root, of what it was started by. It lives longer than the
  // coroutine; to keep it beyond, copy it.
  [[nodiscard]] const std::stop_token& stop() const noexcept { return *stop_; }

  // Before it is resumed for the first time: who goes on when it ends.
  void begin(std::coroutine_handle<> continuation, const std::stop_token& stop) noexcept {
    peer_ = continuation.address();
    on_end_ = nullptr;
    stop_ = &stop;
  }
  // The same, if no coroutine awaits it: `on_end` is called when its frame is suspended for good, which may be destroyed in there. What
  // it returns is resumed next.
  void begin(end_function on_end, void* owner, const std::stop_token& stop) noexcept {
    peer_ = owner;
    on_end_ = on_end;
    stop_ = &stop;
  }
  [[nodiscard]] void* owner() const noexcept { return peer_; }

  [[nodiscard]] std::coroutine_handle<> end() noexcept {
    if (on_end_ == nullptr) [[likely]]
      return hand_over(std::coroutine_handle<>::from_address(peer_));
    return on_end_(*this);
  }

  static void* operator new(std::size_t bytes) { return coro_frames::allocate(bytes); }
  static void operator delete(void* frame, std::size_t bytes) noexcept { coro_frames::free(frame, bytes); }

 private:
  // Left as they are until it begins.
  void* peer_;                   // NOLINT(cppcoreguidelines-pro-type-member-init)
  end_function on_end_;          // NOLINT(cppcoreguidelines-pro-type-member-init)
  const std::stop_token* stop_;  // NOLINT(cppcoreguidelines-pro-type-member-init)
};

inline const std::stop_token never_stopped;

// The token of any coroutine; one that never stops, if it is not of ours.
template <class Promise>
[[nodiscard]] const std::stop_token& stop_of([[maybe_unused]] std::coroutine_handle<Promise> who) noexcept {
  if constexpr (std::is_base_of_v<coro_promise_base, Promise>) {
    return who.promise().stop();
  } else {
    return never_stopped;
  }
}

struct coro_final {
  [[nodiscard]] static bool await_ready() noexcept { return false; }
  template <class Promise>
  static std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> ended) noexcept {
    return ended.promise().end();
  }
  static void await_resume() noexcept {}
};

template <class T>
struct task_promise;

template <class T>
struct task_promise_base : coro_promise_base {
  [[nodiscard]] pilfer::task<T> get_return_object() noexcept;
  [[nodiscard]] static std::suspend_always initial_suspend() noexcept { return {}; }
  [[nodiscard]] static coro_final final_suspend() noexcept { return {}; }
  void unhandled_exception() noexcept { result.keep_error(std::current_exception()); }

  kept_result<T> result;
};

template <class T>
struct task_promise final : task_promise_base<T> {
  void return_value(T&& value) noexcept(std::is_nothrow_move_constructible_v<T>) {
    this->result.keep(std::move(value));
  }
  void return_value(const T& value) noexcept(std::is_nothrow_copy_constructible_v<T>) { this->result.keep(value); }
};
template <class T>
struct task_promise<T&> final : task_promise_base<T&> {
  void return_value(T& value) noexcept { this->result.keep(std::addressof(value)); }
};
template <>
struct task_promise<void> final : task_promise_base<void> {
  void return_void() noexcept { result.keep(); }
};

// Owns a frame.
template <class T>
class coro_owner {
 public:
  using handle_type = std::coroutine_handle<task_promise<T>>;

  coro_owner() noexcept = default;
  explicit coro_owner(handle_type frame) noexcept : frame_(frame) {}
  coro_owner(coro_owner&& from) noexcept : frame_(std::exchange(from.frame_, nullptr)) {}
  coro_owner& operator=(coro_owner&& from) noexcept {
    coro_owner old(std::exchange(frame_, std::exchange(from.frame_, nullptr)));
    return *this;
  }
  ~coro_owner() {
    if (frame_) frame_.destroy();
  }

  [[nodiscard]] explicit operator bool() const noexcept { return static_cast<bool>(frame_); }
  [[nodiscard]] task_promise<T>& promise() const noexcept { return frame_.promise(); }
  [[nodiscard]] handle_type handle() const noexcept { return frame_; }
  [[nodiscard]] handle_type release() noexcept { return std::exchange(frame_, nullptr); }

 private:
  handle_type frame_;
};

}  // namespace detail

template <class T>
class [[nodiscard]] task {
  static_assert(!std::is_rvalue_reference_v<T>, "pilfer: a task returns values and lvalue references");

 public:
  using value_type = T;
  using promise_type = detail::task_promise<T>;

  task() noexcept = default;
  explicit task(std::coroutine_handle<promise_type> frame) noexcept : frame_(frame) {}

  // Is there something to await?
  [[nodiscard]] explicit operator bool() const noexcept { return static_cast<bool>(frame_); }

  // Begins it, and takes its result. Its frame is gone when the full expression ends.
  [[nodiscard]] auto operator co_await() && {
    if (!frame_) [[unlikely]]
      detail::throw_no_future();
    return awaiter(std::move(frame_));
  }

  // Used by what starts tasks. Empty afterwards.
  //   Throws  std::future_error if it is empty already.
  [[nodiscard]] detail::coro_owner<T> release() && {
    if (!frame_) [[unlikely]]
      detail::throw_no_future();
    return std::move(frame_);
  }

 private:
  class awaiter {
   public:
    explicit awaiter(detail::coro_owner<T> frame) noexcept : frame_(std::move(frame)) {}

    [[nodiscard]] static bool await_ready() noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> parent) noexcept {
      const auto child = frame_.handle();  // once: what is resumed next hangs on it
      child.promise().begin(parent, detail::stop_of(parent));
      return detail::hand_over(child);
    }
    T await_resume() { return frame_.promise().result.take(); }

   private:
    detail::coro_owner<T> frame_;
  };

  detail::coro_owner<T> frame_;
};

namespace detail {

template <class T>
pilfer::task<T> task_promise_base<T>::get_return_object() noexcept {
  using promise = task_promise<T>;
  return pilfer::task<T>(std::coroutine_handle<promise>::from_promise(static_cast<promise&>(*this)));
}

// Answers at once, with the token of who asks.
struct stop_query {
  [[nodiscard]] static bool await_ready() noexcept { return false; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> who) noexcept {
    stop = &stop_of(who);
    return false;
  }
  [[nodiscard]] std::stop_token await_resume() const noexcept { return *stop; }

  const std::stop_token* stop = nullptr;
};

}  // namespace detail

// std::stop_token stop = co_await pilfer::this_stop_token();
[[nodiscard]] inline detail::stop_query this_stop_token() noexcept { return {}; }

}  // namespace pilfer
