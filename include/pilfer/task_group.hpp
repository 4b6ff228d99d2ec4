// Tasks that are spawned one by one and awaited together.
//
//   pilfer::task_group group;
//   for (auto& part : parts) group.spawn(process, std::ref(part));
//   group.wait();                                    // rethrows the first exception
//   pilfer::task_group all({.stop_on_error = true}); // the first exception stops the other tasks, too
//
// Calls     each task exactly once, on a thread of the pool; at once, on the calling thread, if a queue is full or there is no
//           memory; not at all if the group is to stop before the task began: then it is counted as cancelled.
// Waiting   a worker that waits runs this group's own tasks, and what its running tasks have forked; nothing else. When there is
//           nothing of that to be had it sleeps, and another worker has its place.
// Stopping  a group is stopped with the std::stop_token it was given, with the group of the task that made it, and with the pools of both.
// Lifetime  as long as one likes, as a member too; spawn may be called by several threads, also while others wait. A wait returns
//           when no task is unfinished; the group can be used again. The destructor waits. A pool outlives its groups.
// Cost      a task that a worker spawns, and runs while it waits, is one block of the worker's own memory, one push, one pop and one claim: no lock, and
//           no word that other workers write; so on each worker, also where stolen tasks spawn into the same group. With a future, from
//           outside of the pool and in pools with several levels a task takes a lock, too.
#pragma once

#include <chrono>
#include <cstddef>
#include <exception>
#include <stop_token>
#include <utility>
#include <vector>

#include <pilfer/detail/context.hpp>
#include <pilfer/detail/limit.hpp>
#include <pilfer/detail/task.hpp>
#include <pilfer/future.hpp>
#include <pilfer/priority.hpp>

namespace pilfer {

class pool;

// What became of a group's tasks since the last wait.
struct group_outcome {
  std::size_t failed = 0;     // ended by an exception
  std::size_t cancelled = 0;  // did not run, because the group was to stop
};

struct group_options {
  std::stop_token stop = {};  // stops the group
  // The first exception of a spawned task stops the others, for good; wait() throws it. Those of submitted tasks are for their futures.
  bool stop_on_error = false;
};

class task_group : detail::immovable {
 public:
  // In the pool of the calling task; outside of every pool in the default one.
  //   Throws  std::bad_alloc
  task_group() : task_group(group_options{}) {}
  explicit task_group(std::stop_token stop) : task_group(group_options{.stop = std::move(stop)}) {}
  explicit task_group(group_options options);
  explicit task_group(pool& home) : task_group(home, group_options{}) {}
  task_group(pool& home, std::stop_token stop) : task_group(home, group_options{.stop = std::move(stop)}) {}
  task_group(pool& home, group_options options);
  // Waits. Exceptions that nobody has waited for are dropped, and counted in the pool's statistics.
  ~task_group();

  // f(args...), or f(stop_token, args...) if it takes one. Everything is copied or moved, as by std::thread: std::ref for references.
  // A coroutine function, which returns a pilfer::task, is run to the end of its coroutine: pilfer/coro/call.hpp.
  //   Throws  what copying throws; std::invalid_argument for a null pointer or an empty std::function; std::bad_alloc for a coroutine
  //           function.
  template <class F, class... Args>
    requires(!detail::is_priority<F>)
  void spawn(F&& f, Args&&... args) {
    detail::spawn_task({home(), scope_}, std::forward<F>(f), std::forward<Args>(args)...);
  }
  // At a level of its own, instead of the calling task's.
  //   Throws  std::invalid_argument, too, if the pool has no such level.
  template <class F, class... Args>
  void spawn(priority wanted, F&& f, Args&&... args) {
    detail::spawn_task(detail::target_at(home(), scope_, wanted), std::forward<F>(f), std::forward<Args>(args)...);
  }
  // The same, with a future for its result or its exception; wait() does not throw that one.
  //   Throws  std::bad_alloc, too.
  template <class F, class... Args>
  detail::future_of<F, Args...> submit(F&& f, Args&&... args) {
    return detail::submit_task({home(), scope_}, std::forward<F>(f), std::forward<Args>(args)...);
  }
  template <class F, class... Args>
  detail::future_of<F, Args...> submit(priority wanted, F&& f, Args&&... args) {
    return detail::submit_task(detail::target_at(home(), scope_, wanted), std::forward<F>(f),
                               std::forward<Args>(args)...);
  }

  //   Throws  the first exception that came; errors() has all of them.
  group_outcome wait();
  // False: the time ran out; then nothing is thrown. Runs no task, so that it ends in time; a limit of 0 only looks.
  template <class Rep, class Period>
  [[nodiscard]] bool wait_for(std::chrono::duration<Rep, Period> limit) {
    return wait_limited(detail::limit_of(limit));
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool wait_until(std::chrono::time_point<Clock, Duration> when) {
    return wait_for(when - Clock::now());
  }
  // Those that the last wait found, in the order of their coming. Where several threads wait for the same tasks, one of them throws.
  [[nodiscard]] std::vector<std::exception_ptr> errors() const;
  [[nodiscard]] group_outcome outcome() const noexcept;

  // Tasks that have not begun will not; those that run can ask. For good. False: it was to stop already.
  bool request_stop() noexcept;
  [[nodiscard]] bool stop_requested() const noexcept;
  [[nodiscard]] std::stop_token stop_token();
  [[nodiscard]] std::size_t unfinished() const noexcept;  // a hint, while others spawn and run

 private:
  friend struct detail::access;
  [[nodiscard]] detail::runtime& home() const noexcept;
  bool wait_limited(std::chrono::nanoseconds limit);
  void throw_first();

  detail::task_scope* scope_;
};

// The token of the group whose task calls this; in a task without a group, of its pool; outside of every pool, one that never stops.
[[nodiscard]] std::stop_token current_stop_token();

}  // namespace pilfer
