// How a pool is made.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>

#include <pilfer/detail/callable.hpp>
#include <pilfer/detail/coroutine_function.hpp>

namespace pilfer {

namespace detail {

// What a std::function is made of, unless it is a coroutine function, which that would call and not run.
template <class... Args>
class hook {
  using function = std::function<void(Args...)>;

 public:
  hook() noexcept = default;
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, hook> && std::is_constructible_v<function, F>)
  hook(F&& f)  // NOLINT(google-explicit-constructor,bugprone-forwarding-reference-overload): as std::function
      : function_(std::forward<F>(f)) {
    static_assert(!coroutine_function<F&, Args...>,
                  "pilfer: a pool does not run coroutine functions as hooks; call pool.detach(f()) inside the hook");
  }
  operator const function&() const noexcept { return function_; }  // NOLINT(google-explicit-constructor)
  [[nodiscard]] explicit operator bool() const noexcept { return static_cast<bool>(function_); }

 private:
  function function_;
};

}  // namespace detail

// What a worker may do while a join waits for work that was stolen.
enum class waiting : std::uint8_t {
  descendants,  // run only what the waited-for task has forked: no surprises under a mutex, no deeper stack
  any_work,     // run anything: more throughput for some programs, none of those promises
};

// Which tasks of other workers a worker looks for before it begins a less urgent one. docs/guarantees.md.
enum class priority_rule : std::uint8_t {
  strict,   // all of them
  relaxed,  // those of about sqrt(n) others, by chance
  global,  // one level for the whole pool, which sinks when no worker finds work at it; for comparisons: needs pilfer::research
};

// What becomes of a task for which a pool has no room: pool_options::max_pending.
enum class overflow : std::uint8_t {
  block,       // a caller from outside of all pools sleeps until there is room; a worker runs the task at once
  run_inline,  // the caller runs the task at once
  refuse,      // the call throws too_many_tasks
};

// What spawn, submit, async and detach throw where there is no room, and the pool refuses. Nothing was moved or counted.
class too_many_tasks : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override {
    return "pilfer: as many tasks are pending as the pool may have (pool_options::max_pending)";
  }
};

inline constexpr unsigned most_levels = 8;

struct pool_options {
  // Threads that work at a time, a caller inside included; 0: as many as this process may use (affinity mask, cgroup
  // quota, PILFER_WORKERS).
  std::size_t workers = 0;
  // By name: "default", "ws-chase-lev", "bwos-lifo", …; empty: PILFER_SCHEDULER, else the default. All but
  // "default" need pilfer::research (pilfer/research.hpp).
  std::string scheduler = {};  // NOLINT(readability-redundant-member-init): g++ warns without
  // Victim policy by name: "rand", "seq", "last", "best_of_two", "best_of_many", "numa", or "probabilistic-" and one of
  // them; empty: PILFER_VICTIM, else "rand".
  std::string victim = {};  // NOLINT(readability-redundant-member-init): g++ warns without
  // Entries per block of the queues that have blocks, "bwos-lifo" and "bwos-fifo", of forks and of tasks: a power of two, 8 to
  // 4096; 0: PILFER_BLOCK_ENTRIES, else 32. There are 2048 / block_entries blocks, but 8 at least and 64 at most. Other queues
  // make no use of it.
  std::size_t block_entries = 0;
  waiting wait = waiting::descendants;
  // Threads that the pool makes, spare ones for waits that sleep included; 0: 500 more than workers. At most 768.
  std::size_t max_threads = 0;
  // What the names of these threads begin with, in debuggers, top(1), /proc and pool::describe(): worker 3 is "NAME/3", of which the
  // kernel keeps 15 bytes; a long name is cut. Callers keep their names. Empty: "pilfer". No control characters.
  std::string name = {};  // NOLINT(readability-redundant-member-init)
  // The size of their stacks, in whole pages; 128 KiB at least. 0: the system's default, mostly 8 MiB. Callers have their own.
  std::size_t stack_bytes = 0;
  // When all threads of the pool sleep in waits or block, and no more can be made, a waiter runs tasks that it does not wait for. False:
  // it never does; a wait for a group or a future that stands still for a second, because nothing may run what is queued, throws
  // std::runtime_error.
  bool strangers = true;
  // So many spawned, submitted, async and detached tasks of the pool, of all its groups, may be pending: not begun. 0: any number.
  // Forks and coroutines that are resumed do not count. A pool with a limit takes a lock for each task.
  std::size_t max_pending = 0;
  // And what becomes of one more. docs/tasks.md.
  overflow when_full = overflow::block;
  // Levels of priority, 1 to most_levels. With one, nothing is looked at and nothing is paid.
  unsigned levels = 1;
  priority_rule rule = priority_rule::strict;
  // A task that has waited for so long in its queue rises by one level, and so on; zero: never. Costs a lock and two readings of the
  // clock per task.
  std::chrono::nanoseconds ageing{0};
  // Counts inversions, at the price of a walk over all queues before and after each look for work: for tests and
  // measurements. Needs pilfer::research in a pool with several levels; has no effect in one with one level.
  bool count_inversions = false;
  // False: the pool has a thread for each worker, and callers sleep while these run what they were given, so that every task runs on a
  // thread that on_worker_start has prepared. Only where no thread can be made do callers work all the same.
  bool callers_work = true;
  // When a thread has waited for something of this pool, its destructor included, and for so long no task has begun or ended, standard
  // error says once what each worker does and what each wait waits for. 0: PILFER_WATCHDOG, in seconds, else never.
  std::chrono::nanoseconds watchdog{0};
  // Called by each thread of the pool when it starts and before it ends, with its worker_index(); not for callers. Must not throw.
  detail::hook<std::size_t> on_worker_start = {};  // NOLINT(readability-redundant-member-init)
  detail::hook<std::size_t> on_worker_stop = {};   // NOLINT(readability-redundant-member-init)
  // Gets what a detached task throws; may be called by several threads at a time. None: std::terminate.
  detail::hook<std::exception_ptr> on_error = {};  // NOLINT(readability-redundant-member-init)
};

}  // namespace pilfer
