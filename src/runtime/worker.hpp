// A worker: a seat at which a thread of the pool works, or a caller from outside.
//
// It has two sides, by type. A `worker_face` is what any thread may use; the roster of a pool hands out nothing else. A `worker` is the whole,
// and only the thread that sits there has it: every function that takes a `worker& self` is called by that thread.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>

#include <pilfer/detail/protocol/deferred_call.hpp>
#include <pilfer/detail/protocol/parking.hpp>
#include <pilfer/detail/protocol/places.hpp>
#include <pilfer/detail/protocol/run_record.hpp>
#include <pilfer/detail/protocol/scope_stack.hpp>
#include <pilfer/detail/protocol/watch.hpp>
#include <pilfer/statistics.hpp>

#include "counter.hpp"
#include "lane.hpp"
#include "latch.hpp"
#include "task_lanes.hpp"
#include "task_level.hpp"
#include "task_memory.hpp"

namespace pilfer::detail {

struct runtime;
class inside_scope;

using latch_sleeper = sleeper<ext::default_sync>;
using pool_places = places<ext::default_sync>;
using pool_parking = parking<ext::default_sync>;

// A worker that the calling thread is. A thread that calls into a second pool is a worker of both: the innermost comes first.
struct held_place {
  worker* self = nullptr;
  held_place* outer = nullptr;
};

// What its thread knows of the sleep that it is in, or that it was in last.
struct rest_of_worker {
  pool_places::vacated place = pool_places::vacated::taken;
  bool is_wanted = false;            // to run something else
  std::uint64_t started_before = 0;  // tasks of the pool that had begun, where no thread could be made
  // Since when this worker has slept with limits, no thread could be made, and no task of the pool has begun. The epoch: not so.
  std::chrono::steady_clock::time_point polls_since;
};

// What a worker does, as far as a report of all of them can tell. A hint.
enum class activity : std::uint8_t { nothing, looks, parked, runs, waits, blocked, spare };

// What a worker keeps of the events that it looks for: see events.hpp.
struct worker_events {
  deferred_call deferred;  // for a completion that it will take itself
  watch<ext::default_sync>::duty duty;
  bool is_reaping_busy = false;  // takes completions, and has tasks that would come first
  unsigned reaps = 0;
  std::size_t until_reap = 0;   // jobs that come before the next look at the events
  std::size_t jobs_unsent = 0;  // that may have prepared something since it was submitted
};

// As worker_statistics, one counter each.
struct worker_counters {
  counter steals_taken, steals_empty, steals_lost, steals_private, leapfrogged, strangers, requests, exposed, unstolen,
      signals, barriers, waits, sleeps_at_joins, late_waits, ran_strangers, parks, wakes, injected, run_inline,
      suppressed, tasks, cancelled, inversions, lifted, aged, gave_way, io_completed, io_stolen, pushes, pops, fences,
      cas;
  std::array<counter, most_levels> steals_of_level, tasks_of_level, drained_ns;
  [[nodiscard]] worker_statistics values() const noexcept;
};

// By any thread. What is protected, the worker's thread alone may use.
class alignas(ext::isolation_bytes) worker_face : immovable {
 public:
  static constexpr unsigned max_depth = 1U << run_id::depth_bits;

  runtime& home;
  const unsigned index;

  // By thieves, and by a worker that asks whether it may sleep.
  [[nodiscard]] lane& forks() const noexcept { return *queue; }
  [[nodiscard]] const task_lanes& spawned() const noexcept { return tasks; }
  [[nodiscard]] bool has_items() const noexcept { return queue->has_items() || tasks.has_items(); }
  void leave_requests() const noexcept;
  // By waiters.
  [[nodiscard]] const run_record<ext::default_sync>& run_at(unsigned depth) const noexcept { return runs[depth]; }
  // By the thread of another worker in the wait graph, while this worker's thread sleeps there.
  [[nodiscard]] const inside_scope* innermost_work() const noexcept { return innermost; }

  [[nodiscard]] const worker_counters& counted() const noexcept { return counts; }
  [[nodiscard]] activity what_it_does() const noexcept { return does.load(places_orders::relaxed); }  // hint
  [[nodiscard]] bool has_thread() const noexcept {
    return is_threads.load(places_orders::relaxed);
  }  // hint: not a caller's seat
  [[nodiscard]] lookout<ext::default_sync>& watched_from() noexcept { return out; }

 protected:
  worker_face(runtime& pool, unsigned number) noexcept;
  ~worker_face();

  // NOLINTBEGIN(readability-identifier-naming): public members of `worker`
  std::unique_ptr<fork_lane> queue;
  task_lanes tasks;
  worker_counters counts;
  lookout<ext::default_sync> out;                             // where it sleeps while it waits for events, too
  std::array<run_record<ext::default_sync>, max_depth> runs;  // by depth
  const inside_scope* innermost = nullptr;                    // task or stolen fork
  ext::default_sync::atomic<activity> does{activity::nothing};
  ext::default_sync::atomic<bool> is_threads{false};
  // NOLINTEND(readability-identifier-naming)
};

struct worker final : worker_face {
  worker(runtime& pool, pool_parking& sleepers, task_level of_callers, unsigned number);
  ~worker();

  using worker_face::counts;
  using worker_face::innermost;
  using worker_face::out;
  using worker_face::queue;
  using worker_face::runs;
  using worker_face::tasks;

  void note(activity now) noexcept { does.store(now, places_orders::relaxed); }          // hint
  void set_thread(bool now) noexcept { is_threads.store(now, places_orders::relaxed); }  // hint
  // After work was published in a queue that does not say so itself.
  void call_sleeper() noexcept {
    if (sleepers_.notify()) [[unlikely]]
      counts.wakes.add();
  }
  // The same off the fork path.
  void call_sleeper_fenced() noexcept {
    if (sleepers_.notify_fenced()) counts.wakes.add();
  }

  unsigned depth = 0;  // nested executions
  latch_sleeper bed;   // for joins
  pool_places::member crew;
  held_place place{this, nullptr};  // of its thread
  rest_of_worker rest;
  worker_events events;

  const task_level callers_level;  // of a thread that runs no task
  task_scope* scope = nullptr;     // of the task that runs here
  task_level level;                // the same; of the pool's callers, if there is none
  scope_stack<task_scope, ext::default_sync> scopes;
  const task_memory::pointer memory;  // for tasks that it spawns
  // Its queue of tasks in a pool with one level and the default scheduler: what it spawns goes there without a call. Null in any other pool.
  task_deque* plain_tasks = nullptr;

  struct hunting;  // what a thief remembers between two attempts: search.hpp
  std::unique_ptr<hunting> hunt;
  struct by_level;  // of a pool with several levels: level_queues.hpp
  std::unique_ptr<by_level> levels;

 private:
  pool_parking& sleepers_;
};

}  // namespace pilfer::detail
