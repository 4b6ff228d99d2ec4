// What pool.submit returns: the result of a task, some time later.
//
//   auto answer = pool.submit(compute, 42);   // from any thread, inside or outside of the pool
//   use(answer.get());                        // runs it here if nobody has begun it; helps, inside the pool; sleeps, outside
//
// A future that is dropped does not stop its task and does not wait for it; the pool's destructor does.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <future>
#include <type_traits>
#include <utility>

#include <pilfer/detail/immovable.hpp>
#include <pilfer/detail/limit.hpp>
#include <pilfer/detail/task.hpp>

namespace pilfer {

// What get() throws if the task did not run because its group or its pool was to stop, and co_await if the coroutine was to stop while it waited.
class task_cancelled : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "pilfer: the task was stopped before it ended"; }
};

namespace detail {

[[noreturn, gnu::cold]] void throw_no_future();       // std::future_error: no_state
[[noreturn, gnu::cold]] void throw_task_cancelled();  // task_cancelled
[[nodiscard]] bool is_task_cancelled(const std::exception_ptr& error) noexcept;

// Says that a task has ended, and keeps those that wait for that: a `completion`, which src/runtime/ alone looks into.
class task_end : immovable {
 public:
  task_end() noexcept;

  void tell() noexcept;  // once; what it belongs to may be gone when this returns
  [[nodiscard]] bool is_told() const noexcept;
  [[nodiscard]] void* room() noexcept { return room_; }

 private:
  alignas(8) std::byte room_[64];
};

// A task with room for its result.
template <class R>
class promised : public task {
 public:
  using task::task;
  ~promised() {
    if (result_ == result::kept) kept_.discard();
  }

  [[nodiscard]] task_end& end() noexcept { return end_; }
  // After its end.
  value_of<R> take() {
    if (std::exchange(result_, result::taken) == result::cancelled) throw_task_cancelled();
    return kept_.take();
  }

 protected:
  template <class Call>
  void keep_result_of(Call& call) noexcept {
    kept_.keep_result_of([&]() -> R { return call(*this); });
    result_ = result::kept;
  }
  void keep_cancelled() noexcept { result_ = result::cancelled; }

 private:
  enum class result : std::uint8_t { none, kept, cancelled, taken };
  outcome<R> kept_;
  result result_ = result::none;
  task_end end_;
};

template <class Call>
class submitted_task final : public promised<typename Call::result> {
 public:
  template <class... Parts>
  submitted_task(const job_class& type, const task_target& to, Parts&&... parts)
      : promised<typename Call::result>(type, to, task::uses_with_future), call_(std::forward<Parts>(parts)...) {}
  ~submitted_task() {}  // NOLINT(modernize-use-equals-default): run_call ends the call

  static void run_call(job& self) noexcept {
    auto& me = static_cast<submitted_task&>(task::of(self));
    if (me.is_cancelled()) {
      me.keep_cancelled();
      me.report_cancelled();
    } else {
      me.keep_result_of(me.call_);
    }
    me.call_.~Call();
    me.end().tell();
  }

 private:
  union {
    Call call_;
  };
};

// By a worker of its pool: runs it, or helps. By a worker of another: that pool gets another one meanwhile. False: the time ran out.
//   Throws  std::logic_error if it would wait for itself, std::runtime_error if no thread has room on its stack for what it waits for.
[[nodiscard]] bool wait_for_task(task& work, task_end& end, std::chrono::nanoseconds limit);

}  // namespace detail

template <class R>
class [[nodiscard]] future {
 public:
  future() noexcept = default;  // of nothing
  ~future() { let_go(); }
  future(future&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  future& operator=(future&& other) noexcept {
    if (this != &other) {
      let_go();
      state_ = std::exchange(other.state_, nullptr);
    }
    return *this;
  }

  [[nodiscard]] bool valid() const noexcept { return state_ != nullptr; }
  [[nodiscard]] bool is_ready() const { return state().end().is_told(); }
  // All of these: std::future_error if there is no task. A wait without a limit may run the task, inside the pool also what it has
  // forked. One with a limit runs nothing, so that it ends in time; a limit of 0 only looks.
  void wait() const { static_cast<void>(wait_nanoseconds(std::chrono::nanoseconds{-1})); }
  template <class Rep, class Period>
  [[nodiscard]] bool wait_for(std::chrono::duration<Rep, Period> limit) const {  // false: the time ran out
    return wait_nanoseconds(detail::limit_of(limit));
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool wait_until(std::chrono::time_point<Clock, Duration> when) const {
    return wait_for(when - Clock::now());
  }
  // Waits, and gives the result away: once.
  //   Throws  what the task threw; task_cancelled.
  R get() {
    wait();
    future mine(std::move(*this));
    return static_cast<R>(mine.state_->take());
  }

  // As a std::future, whose get() and wait() do as this one's; its status is `deferred`.
  [[nodiscard]] operator std::future<R>() && {  // NOLINT(google-explicit-constructor): so that it can be passed on
    return std::async(std::launch::deferred, [mine = std::move(*this)]() mutable -> R { return mine.get(); });
  }

  // Used by who makes it.
  explicit future(detail::promised<R>* state) noexcept : state_(state) {}

 private:
  [[nodiscard]] detail::promised<R>& state() const {
    if (state_ == nullptr) detail::throw_no_future();
    return *state_;
  }
  [[nodiscard]] bool wait_nanoseconds(std::chrono::nanoseconds limit) const {
    return detail::wait_for_task(state(), state().end(), limit);
  }
  void let_go() noexcept {
    if (state_ != nullptr) state_->let_go();
  }

  detail::promised<R>* state_ = nullptr;
};

namespace detail {

// The task of a coroutine function, with a future for what the coroutine returns. In pilfer/coro/call.hpp.
template <class Call>
class submitted_coroutine;

// The result of a call: of a coroutine function, what the coroutine returns.
template <class R>
struct result_of_call {
  using type = R;
};
template <class T>
struct result_of_call<pilfer::task<T>> {
  using type = T;
};
template <class F, class... Args>
using future_of = future<typename result_of_call<typename bound_call_of<F, Args...>::result>::type>;

// Throws std::bad_alloc: nothing ran.
template <class F, class... Args>
future_of<F, Args...> submit_task(const task_target& to, F&& f, Args&&... args) {
  static_assert(!is_task_object<F>,
                "pilfer: a pilfer::task is not a callable; write group.spawn(f, args...) instead of "
                "group.spawn(f(args...)), or pilfer::spawn(group, f(args...))");
  static_assert(
      can_be_task<F, Args...> || is_task_object<F>,
      "pilfer: a task calls f(args...) with copies, and cannot with these: write submit(f, args...) for f(args...), "
      "wrap references in std::ref, and give away what cannot be copied by std::move");
  if constexpr (can_be_task<F, Args...>) {
    using call = bound_call_of<F, Args...>;
    using kind =
        std::conditional_t<is_coroutine<typename call::result>, submitted_coroutine<call>, submitted_task<call>>;
    kind* const work = make_task<kind>(to, std::forward<F>(f), std::forward<Args>(args)...);
    if (work == nullptr) throw_no_memory();
    future_of<F, Args...> result(work);
    launch(*work);
    return result;
  } else {
    return {};
  }
}

}  // namespace detail
}  // namespace pilfer
