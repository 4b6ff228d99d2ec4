// A pool of workers.
//
//   pilfer::pool pool;                               // as many workers as this process may use
//   long r = pool.run([] { return fib(40); });       // the caller works too
//   auto page = pool.submit(load, url);              // a future
//   pool.at(pilfer::priority::high).detach(answer, request);
//
// pool(N) is N threads of work in all: a caller that is inside takes a worker's place. One queue, the default scheduler's, is inlined
// into fork_join. In a program that is linked with pilfer::research, PILFER_SCHEDULER=NAME or an option replaces it at run time by any
// other of scheduler_names(), at the price of an indirect call per fork: pilfer/research.hpp.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <pilfer/detail/async_task.hpp>
#include <pilfer/detail/context.hpp>
#include <pilfer/detail/limit.hpp>
#include <pilfer/future.hpp>
#include <pilfer/pool_options.hpp>
#include <pilfer/priority.hpp>

namespace pilfer {

struct pool_statistics;  // in pilfer/statistics.hpp

namespace detail {
// Of the pool of the calling task, or of the default one.
[[nodiscard]] runtime& runtime_of_caller();

class schedule_awaiter;

// The task of a coroutine function, with a std::future. In pilfer/coro/call.hpp.
template <class Call, class... Parts>
auto async_coroutine_at(const task_target& to, Parts&&... parts);  // NOLINT(readability-redundant-declaration): there

// Of a coroutine function, which is refused, what its coroutine returns.
template <class F>
using run_result = typename result_of_call<task_result<F>>::type;

[[noreturn, gnu::cold]] void throw_negative_workers();  // std::invalid_argument
[[gnu::error("pilfer: a pool cannot have a negative number of workers")]] void refuse_negative_workers();

template <std::signed_integral Number>
[[nodiscard, gnu::always_inline]] inline std::size_t checked_workers(Number workers) {
  if (workers < 0) {
    if (__builtin_constant_p(workers)) refuse_negative_workers();
    throw_negative_workers();
  }
  return static_cast<std::size_t>(workers);
}

// What a pool does with tasks. Derived: a pool, or a pool at a level. From any thread.
//
// Takes     f(args...), or f(stop_token, args...) if it takes one: that of the pool. Everything is copied or moved, as by std::thread. f may
//           be a coroutine function, which returns a pilfer::task<T>, and instead of f and args there may be a coroutine: the result is a T
//           then, and the task ends when the coroutine does. pilfer/coro/call.hpp has the rest.
// Throws    std::bad_alloc; what copying throws; std::invalid_argument for a null pointer or an empty std::function; std::future_error
//           for an empty coroutine; too_many_tasks (pool_options::when_full).
template <class Derived>
class takes_tasks {
 public:
  // The future has the task's result.
  template <class F, class... Args>
    requires(!is_priority<F>)
  future_of<F, Args...> submit(F&& f, Args&&... args) const {
    return submit_task(here(), std::forward<F>(f), std::forward<Args>(args)...);
  }
  // The same as a std::future, for code that wants one. To wait for it inside the pool, use pilfer::get.
  template <class F, class... Args>
    requires(!is_priority<F>)
  auto async(F&& f, Args&&... args) const {
    static_assert(!is_made_coroutine<F> || can_be_task<F, Args...>,
                  "pilfer: a coroutine that was made has its arguments and is given away: write async(f(args...)), or "
                  "async(std::move(coroutine))");
    static_assert(
        can_be_task<F, Args...> || is_made_coroutine<F>,
        "pilfer: a task calls f(args...) with copies, and cannot with these: write async(f, args...) for f(args...), "
        "wrap references in std::ref, and give away what cannot be copied by std::move");
    using call = bound_call_of<F, Args...>;
    if constexpr (!can_be_task<F, Args...>) {
      return std::future<typename result_of_call<typename call::result>::type>();
    } else if constexpr (is_coroutine<typename call::result>) {
      return async_coroutine_at<call>(here(), std::forward<F>(f), std::forward<Args>(args)...);
    } else {
      return async_task<call>(here(), std::forward<F>(f), std::forward<Args>(args)...);
    }
  }
  // A task that only the pool's destructor waits for. What it throws goes to pool_options::on_error.
  template <class F, class... Args>
    requires(!is_priority<F>)
  void detach(F&& f, Args&&... args) const {
    spawn_task(here(), std::forward<F>(f), std::forward<Args>(args)...);
  }
  // co_await pool.schedule(): the coroutine is resumed on a worker of this pool. In pilfer/coro/schedule.hpp.
  //   Throws  co_await: task_cancelled
  [[nodiscard]] schedule_awaiter schedule() const;

 private:
  friend Derived;
  takes_tasks() = default;
  ~takes_tasks() = default;
  [[nodiscard]] task_target here() const noexcept { return access::target_of(static_cast<const Derived&>(*this)); }
};
}  // namespace detail

// A pool, at a level of priority: tasks that are given to it have that level instead of the calling task's. Valid as long as the pool.
class pool_at : public detail::takes_tasks<pool_at> {
 public:
  explicit pool_at(const detail::task_target& to) noexcept : target_(to) {}  // for the library

 private:
  friend struct detail::access;
  [[nodiscard]] const detail::task_target& target() const noexcept { return target_; }

  const detail::task_target target_;
};

// What pool::shutdown leaves unfinished: true if that is nothing.
struct shutdown_report {
  std::size_t tasks = 0;       // submitted and detached ones
  std::size_t coroutines = 0;  // those that have begun
  [[nodiscard]] explicit operator bool() const noexcept { return tasks == 0 && coroutines == 0; }
};

class pool : public detail::takes_tasks<pool>, detail::immovable {
 public:
  // Starts the threads. Where they cannot be created the pool is smaller, down to the caller alone: see statistics().
  //   Throws  std::invalid_argument for an unknown name, a name or an option that needs pilfer::research where the program is not
  //           linked with it, a negative number of workers, too many of them, too many levels, a negative ageing, or a block size
  //           that is not allowed.
  explicit pool(const pool_options& options = {});
  explicit pool(std::size_t workers) : pool(pool_options{.workers = workers}) {}
  // A constant below 0 does not compile, if the compiler optimizes.
  template <std::signed_integral Number>
  [[gnu::always_inline]] explicit pool(Number workers) : pool(detail::checked_workers(workers)) {}
  // Waits for submitted and detached tasks, then for the threads. Requires that nobody is inside run(), and that no group is left.
  ~pool();

  // Calls f, or f(context), inside the pool and returns its result.
  //   Calls   on this thread, if a place is free; otherwise on a worker's thread, while this one sleeps. A worker of this pool
  //           calls it at once.
  //   Throws  what f throws; std::bad_alloc if there is neither a thread nor memory for another worker.
  template <class F>
  detail::run_result<F> run(F&& f);

  // submit, async, detach and schedule: see detail::takes_tasks.
  using takes_tasks::async, takes_tasks::detach, takes_tasks::schedule, takes_tasks::submit;
  // The same at that level: pool.at(priority::high).submit(f, args...).
  //   Throws  std::invalid_argument if the pool has no such level.
  [[nodiscard]] pool_at at(priority wanted) const { return pool_at(detail::target_at(*runtime_, nullptr, wanted)); }

  // As many places from now on; 0: as many as this process may use. More threads start, or some fall asleep when they have nothing
  // to do: a running task is never interrupted.
  //   Throws  std::invalid_argument as the constructor.
  void resize(std::size_t workers);

  // Returns when no submitted or detached task is unfinished. Others may submit meanwhile: then it returns later.
  //   Throws  std::logic_error inside of this pool, where it might wait for its own caller.
  void drain();

  // Asks all work of this pool to stop: its groups, those made in its tasks, its coroutines and their waits, submitted and detached
  // tasks. What has not begun does not begin, also what comes later: get() throws task_cancelled, groups and statistics count it.
  // Nothing that runs is interrupted. Irreversible. From any thread. Returns false if a stop was requested before.
  //   Calls   callbacks of the tokens, on this thread.
  bool request_stop() noexcept;
  [[nodiscard]] bool stop_requested() const noexcept;
  // What submitted and detached work has; stopped by request_stop.
  [[nodiscard]] std::stop_token stop_token() const noexcept;
  // Requests a stop, and waits for submitted and detached work at most so long. Returns what has not ended; the destructor waits for it.
  //   Throws  std::logic_error inside of this pool, as drain().
  template <class Rep, class Period>
  shutdown_report shutdown(std::chrono::duration<Rep, Period> limit) {
    return shutdown_within(detail::limit_of(limit));
  }

  // Places: how many threads may work at a time, callers included. So many threads need not exist: see statistics().threads_missing.
  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] unsigned levels() const noexcept;
  [[nodiscard]] pool_statistics statistics() const;
  // What each worker does, and what each thread that sleeps in a wait waits for: text for people, of changing form.
  [[nodiscard]] std::string describe() const;

 private:
  friend struct detail::access;
  [[nodiscard]] detail::task_target target() const noexcept { return {*runtime_, nullptr}; }
  [[nodiscard]] shutdown_report shutdown_within(std::chrono::nanoseconds limit);
  std::unique_ptr<detail::runtime> runtime_;

 public:  // What at() replaces: not after version 0.1.
  template <class F, class... Args>
  [[deprecated("write pool.at(priority).submit(f, args...)")]] auto submit(priority wanted, F&& f, Args&&... args) {
    return at(wanted).submit(std::forward<F>(f), std::forward<Args>(args)...);
  }
  template <class F, class... Args>
  [[deprecated("write pool.at(priority).async(f, args...)")]] auto async(priority wanted, F&& f, Args&&... args) {
    return at(wanted).async(std::forward<F>(f), std::forward<Args>(args)...);
  }
  template <class F, class... Args>
  [[deprecated("write pool.at(priority).detach(f, args...)")]] void detach(priority wanted, F&& f, Args&&... args) {
    at(wanted).detach(std::forward<F>(f), std::forward<Args>(args)...);
  }
  [[deprecated("write pool.at(priority).schedule()")]] [[nodiscard]] detail::schedule_awaiter schedule(priority wanted);
};

// The same of all pools of the process, one after the other: for a debugger, or a watchdog of the program's own.
[[nodiscard]] std::string describe_pools();

// What PILFER_SCHEDULER and pool_options::scheduler may be in this program: "default" alone, unless it is linked with
// pilfer::research.
[[nodiscard]] std::vector<std::string> scheduler_names();

// The pool that free functions use outside of any other. Made on first use, never destroyed: tasks that are detached there are
// abandoned when main returns, unless main calls drain().
[[nodiscard]] pool& default_pool();
// default_pool().drain(), if there is one.
void drain();

// The pool of the calling task, or the default one, at that level.
//   Throws  std::invalid_argument if the pool has no such level.
[[nodiscard]] inline pool_at at(priority wanted) {
  return pool_at(detail::target_at(detail::runtime_of_caller(), nullptr, wanted));
}
// Submits to the pool of the calling task; outside of every pool to the default one.
template <class F, class... Args>
  requires(!detail::is_priority<F>)
detail::future_of<F, Args...> submit(F&& f, Args&&... args) {
  return detail::submit_task({detail::runtime_of_caller(), nullptr}, std::forward<F>(f), std::forward<Args>(args)...);
}
template <class F, class... Args>  // Not after version 0.1.
[[deprecated("write pilfer::at(priority).submit(f, args...)")]] auto submit(priority wanted, F&& f, Args&&... args) {
  return at(wanted).submit(std::forward<F>(f), std::forward<Args>(args)...);
}

// Which worker of its pool the calling thread is: no two at a time have the same number. Spare workers, and those of callers, have
// numbers beyond the pool's size; all are below worker_limit. None: outside of every pool.
[[nodiscard]] std::optional<std::size_t> worker_index() noexcept;
inline constexpr std::size_t worker_limit = 1024;

// --- Implementation.

template <class F>
detail::run_result<F> pool::run(F&& f) {
  static_assert(
      detail::are_task_callables<F>,
      "pilfer: pool.run calls f() or f(context), and this f cannot be called so; write run([&] { return f(x); "
      "})");
  static_assert(!detail::any_coroutine<F>,
                "pilfer: pool.run does not run coroutine functions; use pilfer::sync_wait(pool, f()) instead");
  if constexpr (detail::are_task_callables<F> && !detail::any_coroutine<F>) {
    return detail::call_inside([this](const detail::inside_call& call) { detail::run_in(*runtime_, call); },
                               std::forward<F>(f));
  } else {
    return detail::refused_call<detail::run_result<F>>();
  }
}

}  // namespace pilfer
