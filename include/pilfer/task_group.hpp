// Tasks that are spawned one by one and awaited together.
//
//   pilfer::task_group group;
//   for (auto& part : parts) group.spawn(process, std::ref(part));
//   group.at(pilfer::priority::high).spawn(answer(request));         // a coroutine, at a level of its own
//   group.wait();                                    // rethrows the first exception
//   pilfer::task_group all({.stop_on_error = true}); // the first exception stops the other tasks, too
//
// Calls     each task exactly once, on a thread of the pool; at once, on the calling thread, if a queue is full or there is no
//           memory; not at all if the group is to stop before the task began: then it is counted as cancelled.
// Waiting   a worker that waits runs this group's own tasks, and what its running tasks have forked; nothing else. When there is
//           nothing of that to be had it sleeps, and another worker has its place.
// Stopping  a group is stopped with the std::stop_token it was given, with the group of the task that made it, and with the pools of both.
// Lifetime  of any length. spawn may be called by several threads, also while others wait. A wait returns when no task is unfinished; the
//           group can be used again. The destructor waits. A pool outlives its groups. A group can be moved, by a thread that alone uses it; what
//           is left has no tasks and takes none, until a group is assigned to it.
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

namespace detail {
// What a group does with tasks. Derived: a group, or a group at a level.
//
// Takes     f(args...), or f(stop_token, args...) if it takes one: that of the group. Everything is copied or moved, as by std::thread:
//           std::ref for references. f may be a coroutine function, which returns a pilfer::task, and instead of f and args there may be a
//           coroutine: the task ends when the coroutine does. pilfer/coro/call.hpp has the rest.
// Throws    what copying throws; std::invalid_argument for a null pointer or an empty std::function; std::future_error for an empty
//           coroutine; std::logic_error if the group was moved away; too_many_tasks (pool_options::when_full); std::bad_alloc for
//           coroutines, and submit.
template <class Derived>
class takes_group_tasks {
 public:
  template <class F, class... Args>
    requires(!is_priority<F>)
  void spawn(F&& f, Args&&... args) {
    spawn_task(here(), std::forward<F>(f), std::forward<Args>(args)...);
  }
  // The same, with a future for its result or its exception; wait() does not throw that one.
  template <class F, class... Args>
    requires(!is_priority<F>)
  future_of<F, Args...> submit(F&& f, Args&&... args) {
    return submit_task(here(), std::forward<F>(f), std::forward<Args>(args)...);
  }

 private:
  friend Derived;
  takes_group_tasks() = default;
  ~takes_group_tasks() = default;
  [[nodiscard]] task_target here() const { return access::target_of(static_cast<const Derived&>(*this)); }
};
}  // namespace detail

// A group, at a level of priority: tasks that are spawned there have that level instead of the calling task's. Valid as long as the group.
class group_at : public detail::takes_group_tasks<group_at> {
 public:
  explicit group_at(const detail::task_target& to) noexcept : target_(to) {}  // for the library

 private:
  friend struct detail::access;
  [[nodiscard]] const detail::task_target& target() const noexcept { return target_; }

  const detail::task_target target_;
};

class task_group : public detail::takes_group_tasks<task_group> {
 public:
  // In the pool of the calling task; outside of every pool in the default one.
  //   Throws  std::bad_alloc
  task_group() : task_group(group_options{}) {}
  explicit task_group(std::stop_token stop) : task_group(group_options{.stop = std::move(stop)}) {}
  explicit task_group(group_options options);
  explicit task_group(pool& home) : task_group(home, group_options{}) {}
  task_group(pool& home, std::stop_token stop) : task_group(home, group_options{.stop = std::move(stop)}) {}
  task_group(pool& home, group_options options);
  task_group(task_group&& from) noexcept : scope_(std::exchange(from.scope_, nullptr)) {}
  // Waits for its own tasks first, as the destructor.
  task_group& operator=(task_group&& from) noexcept {
    if (this != &from) {
      const task_group old(std::move(*this));
      scope_ = std::exchange(from.scope_, nullptr);
    }
    return *this;
  }
  // Waits. Exceptions that no wait has thrown are dropped, and counted in the pool's statistics.
  ~task_group() {
    if (scope_ != nullptr) end();
  }

  // spawn and submit: see detail::takes_group_tasks. The same at a level:
  //   Throws  std::invalid_argument if the pool has no such level.
  [[nodiscard]] group_at at(priority wanted) {
    const detail::task_target here = target();
    return group_at(detail::target_at(here.home, here.group, wanted));
  }
  using takes_group_tasks::spawn, takes_group_tasks::submit;

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
  // Calls f() once when no task of the group is unfinished, as a task of its pool without a group, which is never cancelled. Then wait() does not
  // block, and throws the first exception. Until then tasks of the group take a lock each. What f throws goes to pool_options::on_error.
  //   Throws  std::bad_alloc; std::logic_error if the group was moved away; too_many_tasks (pool_options::when_full).
  template <class F>
  void on_done(F&& f) {
    constexpr bool is_callable = detail::can_be_task<F>;
    static_assert(is_callable, "pilfer: on_done calls f(), and cannot with this one");
    if constexpr (is_callable) {
      using kind = detail::deferred_task<detail::spawned_task<detail::bound_call_of<F>, detail::stopping::ignored>>;
      kind* const work = detail::make_task<kind>({target().home, nullptr}, std::forward<F>(f));
      if (work == nullptr) detail::throw_no_memory();
      detail::launch_when_done(scope(), *work);
    }
  }
  // The same on another thread: post(call) hands over `call`, which takes no argument and can be copied. See future::on_done.
  template <class Post, class F>
  void on_done(Post&& post, F&& f) {
    on_done(detail::posted_call<std::decay_t<F>, std::decay_t<Post>>(std::forward<F>(f), std::forward<Post>(post)));
  }
  // Those that the last wait found, in the order of their coming. Where several threads wait for the same tasks, one of them throws.
  [[nodiscard]] std::vector<std::exception_ptr> errors() const;
  [[nodiscard]] group_outcome outcome() const;

  // Prevents tasks that have not begun from beginning; those that run can ask. Irreversible. Returns false if a stop was requested before.
  bool request_stop();
  [[nodiscard]] bool stop_requested() const;
  [[nodiscard]] std::stop_token stop_token();
  [[nodiscard]] std::size_t unfinished() const;  // a hint, while others spawn and run

 private:
  friend struct detail::access;
  [[nodiscard]] detail::task_target target() const;
  [[nodiscard]] detail::task_scope& scope() const {
    if (scope_ == nullptr) [[unlikely]]
      refuse_moved();
    return *scope_;
  }
  [[noreturn, gnu::cold]] static void refuse_moved();
  void end() noexcept;
  bool wait_limited(std::chrono::nanoseconds limit);
  void throw_first();

  detail::task_scope* scope_;  // null: moved away

 public:  // What at() replaces: not after version 0.1.
  template <class F, class... Args>
  [[deprecated("write group.at(priority).spawn(f, args...)")]] void spawn(priority wanted, F&& f, Args&&... args) {
    at(wanted).spawn(std::forward<F>(f), std::forward<Args>(args)...);
  }
  template <class F, class... Args>
  [[deprecated("write group.at(priority).submit(f, args...)")]] auto submit(priority wanted, F&& f, Args&&... args) {
    return at(wanted).submit(std::forward<F>(f), std::forward<Args>(args)...);
  }
};

// The token of the group whose task calls this; in a task without a group, of its pool; outside of every pool, one that never stops.
[[nodiscard]] std::stop_token current_stop_token();

}  // namespace pilfer
