// What pool.submit returns: the result of a task, some time later.
//
//   auto answer = pool.submit(compute, 42);   // from any thread, inside or outside of the pool
//   use(answer.get());                        // runs the task here if it has not begun; helps, inside the pool; sleeps, outside
//   auto page = pool.submit(load, url).then(render);                    // goes on with the result, in a task of the pool
//   pool.submit(save, text).on_done(post_to_main_loop, [](auto saved) { report(saved); });   // for threads that must not wait
//
// A future that is dropped does not stop its task and does not wait for it; the pool's destructor does. Coroutines await futures:
// pilfer/coro/future.hpp.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>
#include <variant>

#include <pilfer/detail/immovable.hpp>
#include <pilfer/detail/limit.hpp>
#include <pilfer/detail/task.hpp>

namespace pilfer {

template <class R>
class future;

// What get() throws if the task did not run because its group or its pool was to stop, and co_await if the coroutine was to stop while it waited.
class task_cancelled : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "pilfer: the task was stopped before it ended"; }
};

namespace detail {

[[noreturn, gnu::cold]] void throw_task_cancelled();  // task_cancelled
[[nodiscard]] bool is_task_cancelled(const std::exception_ptr& error) noexcept;

// What is to happen when a task has ended.
struct follower {
  // Called once, by the thread that has ended the task, with the guard of the task's end held; releases it. It must not touch that end afterwards.
  void (*serve)(follower& self, std::unique_lock<std::mutex>& guard) noexcept;
};

// Says that a task has ended: a `completion` for threads that wait, a `follower_slot` for what follows. src/runtime/ alone looks into it.
class task_end : immovable {
 public:
  task_end() noexcept;

  // Once, by a thread that keeps the task from being destroyed.
  void tell() noexcept;
  [[nodiscard]] bool is_told() const noexcept;
  // These with the guard held. watch returns false if it has been told; put is called right after it has returned true.
  [[nodiscard]] std::mutex& guard() noexcept;
  [[nodiscard]] bool watch() noexcept;
  void put(follower& next) noexcept;
  void step_out() noexcept;
  [[nodiscard]] void* room() noexcept { return room_; }

 private:
  alignas(8) std::byte room_[80];
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
class submitted_task : public promised<typename Call::result> {
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

// A task that begins later. Task: a submitted or a spawned one.
template <class Task>
class deferred_task : public Task {
 public:
  template <class... Parts>
  deferred_task(const job_class& type, const task_target& to, Parts&&... parts)
      : Task(type, to, std::forward<Parts>(parts)...) {
    defer(*this);
  }
};
// When another one has ended.
template <class Task>
class following_task final : public deferred_task<Task>, private follower {
 public:
  template <class... Parts>
  following_task(const job_class& type, const task_target& to, Parts&&... parts)
      : deferred_task<Task>(type, to, std::forward<Parts>(parts)...), follower{&launch_it} {}
  // `first` is kept by what this task is to do.
  void follow(task_end& first) noexcept {
    {
      const std::lock_guard guard(first.guard());
      if (first.watch()) {
        first.put(*this);
        return;
      }
    }
    launch_deferred(*this);
  }

 private:
  static void launch_it(follower& self, std::unique_lock<std::mutex>& guard) noexcept {
    guard.unlock();
    launch_deferred(static_cast<following_task&>(self));
  }
};

template <class F, class R>
struct takes_value : std::is_invocable<F, R> {};
template <class F>
struct takes_value<F, void> : std::is_invocable<F> {};
// In this order: a generic lambda that takes the value need not compile with the future.
template <class F, class R>
inline constexpr bool can_follow = std::disjunction_v<takes_value<F, R>, std::is_invocable<F, future<R>>>;
template <class F, class R>
inline constexpr bool can_be_called_back = std::disjunction_v<std::is_invocable<F, future<R>>, std::is_invocable<F>>;

template <class F, class Post>
class posted_call;
template <class R, class F>
auto follow(future<R>& first, F&& next);
template <class R, class F>
void call_when_done(future<R>& done, F&& f);

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

  // A future for the result of next(value), of next() if the task returns nothing, or else of next(future<R>): a task of the same pool, at the
  // caller's level, that begins when this one has ended. If this one throws or does not run, a `next` of the first two kinds is not called, and
  // its future has that exception. `next` may be a coroutine function. This future gives its task away.
  //   Requires  that the pool exists.
  //   Throws    std::bad_alloc, before anything was moved; what copying `next` throws.
  template <class F>
  auto then(F&& next) && {
    static_assert(
        detail::can_follow<std::decay_t<F>, R>,
        "pilfer: then calls next(value), next() after a future<void>, or next(future), and cannot with this one");
    if constexpr (detail::can_follow<std::decay_t<F>, R>) {
      return detail::follow(*this, std::forward<F>(next));
    } else {
      return future<detail::likely_result<F>>();
    }
  }
  // Calls f(future<R>) or f() when the task has ended, also if it did not run: in a task of its pool that is never cancelled. What f throws
  // goes to pool_options::on_error.
  //   Requires, Throws  as then.
  template <class F>
  void on_done(F&& f) && {
    constexpr bool is_callable = detail::can_be_called_back<std::decay_t<F>, R>;
    static_assert(is_callable, "pilfer: on_done calls f(future) or f(), and cannot with this one");
    if constexpr (is_callable) detail::call_when_done(*this, std::forward<F>(f));
  }
  // The same on another thread: post(call), which runs in that task of the pool, hands over `call`, which takes no argument and can be copied.
  template <class Post, class F>
  void on_done(Post&& post, F&& f) && {
    using call = detail::posted_call<std::decay_t<F>, std::decay_t<Post>>;
    std::move(*this).on_done(call(std::forward<F>(f), std::forward<Post>(post)));
  }

  // As a std::future, whose get() and wait() do as this one's; its status is `deferred`.
  [[nodiscard]] operator std::future<R>() && {  // NOLINT(google-explicit-constructor): so that it can be passed on
    return std::async(std::launch::deferred, [mine = std::move(*this)]() mutable -> R { return mine.get(); });
  }

  // For the library: by what makes it, and by what follows it.
  explicit future(detail::promised<R>* state) noexcept : state_(state) {}
  //   Throws  std::future_error if there is no task.
  [[nodiscard]] detail::promised<R>& state() const {
    if (state_ == nullptr) detail::throw_no_future();
    return *state_;
  }

 private:
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
template <class Call>
using submitted_kind =
    std::conditional_t<is_coroutine<typename Call::result>, submitted_coroutine<Call>, submitted_task<Call>>;
template <class F, class... Args>
future_of<F, Args...> submit_task(const task_target& to, F&& f, Args&&... args) {
  static_assert(!is_made_coroutine<F> || can_be_task<F, Args...>,
                "pilfer: a coroutine that was made has its arguments and is given away: write submit(f(args...)), or "
                "submit(std::move(coroutine))");
  static_assert(
      can_be_task<F, Args...> || is_made_coroutine<F>,
      "pilfer: a task calls f(args...) with copies, and cannot with these: write submit(f, args...) for f(args...), "
      "wrap references in std::ref, and give away what cannot be copied by std::move");
  if constexpr (can_be_task<F, Args...>) {
    using kind = submitted_kind<bound_call_of<F, Args...>>;
    kind* const work = make_task<kind>(to, std::forward<F>(f), std::forward<Args>(args)...);
    if (work == nullptr) throw_no_memory();
    future_of<F, Args...> result(work);
    launch(*work);
    return result;
  } else {
    return {};
  }
}

// --- What follows a task.

// A callable, and the future that it is for: what a following task calls.
template <class R, class F>
class call_with_future {
 public:
  static constexpr bool wants_token = false;

  template <class G>
  call_with_future(future<R>& from, G&& f) : f_(std::forward<G>(f)) {
    require_callable(f_);
    from_ = std::move(from);
  }

 protected:
  F f_;
  future<R> from_;
};

template <class R, class F>
class next_call : call_with_future<R, F> {
  using base = call_with_future<R, F>;
  using base::f_;
  using base::from_;

 public:
  using base::base;
  using base::wants_token;
  using result = typename std::conditional_t<
      !takes_value<F, R>::value, std::invoke_result<F, future<R>>,
      std::conditional_t<std::is_void_v<R>, std::invoke_result<F>, std::invoke_result<F, R>>>::type;
  result operator()(const task& /*self*/) { return call(); }
  result call_with(const std::stop_token& /*stop*/) { return call(); }

 private:
  result call() {
    if constexpr (!takes_value<F, R>::value) {
      return std::invoke(std::move(f_), std::move(from_));
    } else if constexpr (std::is_void_v<R>) {
      from_.get();
      return std::invoke(std::move(f_));
    } else if constexpr (std::is_object_v<R>) {  // kept: a coroutine function may refer to it
      return std::invoke(std::move(f_), std::move(value_.emplace(from_.get())));
    } else {
      return std::invoke(std::move(f_), from_.get());
    }
  }

  std::optional<std::conditional_t<std::is_object_v<R>, R, std::monostate>> value_;
};

template <class R, class F>
class done_call : call_with_future<R, F> {
 public:
  using call_with_future<R, F>::call_with_future;
  void operator()(const task& /*self*/) {
    if constexpr (std::is_invocable_v<F, future<R>>) {
      std::invoke(std::move(this->f_), std::move(this->from_));
    } else {
      std::invoke(std::move(this->f_));
    }
  }
};

// Executors may copy what they are given: it is a pointer to the call.
template <class F, class Post>
class posted_call {
 public:
  template <class G, class P>
  posted_call(G&& f, P&& post) : f_(std::forward<G>(f)), post_(std::forward<P>(post)) {
    require_callable(f_, post_);
  }
  template <class... Done>
    requires(std::is_invocable_v<F, Done...>)
  void operator()(Done... done) {
    auto call = [f = std::move(f_), ... with = std::move(done)]() mutable {
      std::invoke(std::move(f), std::move(with)...);
    };
    std::invoke(std::move(post_), [kept = std::make_shared<decltype(call)>(std::move(call))] { (*kept)(); });
  }

 private:
  F f_;
  Post post_;
};

// Throws std::bad_alloc: nothing was moved.
template <class Task, class R, class F>
[[nodiscard]] Task& make_follower(future<R>& first, F&& f) {
  Task* const work = make_task<Task>({home_of(first.state()), nullptr}, first, std::forward<F>(f));
  if (work == nullptr) throw_no_memory();
  return *work;
}
template <class R, class F>
auto follow(future<R>& first, F&& next) {
  using call = next_call<R, std::decay_t<F>>;
  task_end& end = first.state().end();
  auto& work = make_follower<following_task<submitted_kind<call>>>(first, std::forward<F>(next));
  future<typename result_of_call<typename call::result>::type> result(&work);
  work.follow(end);
  return result;
}
template <class R, class F>
void call_when_done(future<R>& done, F&& f) {
  task_end& end = done.state().end();
  using kind = following_task<spawned_task<done_call<R, std::decay_t<F>>, stopping::ignored>>;
  make_follower<kind>(done, std::forward<F>(f)).follow(end);
}

}  // namespace detail
}  // namespace pilfer
