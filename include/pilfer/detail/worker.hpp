// A worker: a place where a thread of the pool, or a caller from outside, works.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>

#include <pilfer/detail/counter.hpp>
#include <pilfer/detail/deferred_call.hpp>
#include <pilfer/detail/job.hpp>
#include <pilfer/detail/lane.hpp>
#include <pilfer/detail/parking.hpp>
#include <pilfer/detail/places.hpp>
#include <pilfer/detail/run_record.hpp>
#include <pilfer/detail/scope_stack.hpp>
#include <pilfer/detail/task_lanes.hpp>
#include <pilfer/detail/task_level.hpp>
#include <pilfer/detail/task_memory.hpp>
#include <pilfer/detail/watch.hpp>
#include <pilfer/statistics.hpp>

namespace pilfer::detail {

class scheduler;
class inside_scope;
struct worker;

using pool_places = places<ext::default_sync>;

// A worker that the calling thread is. A thread that calls into a second pool is a worker of both: the innermost comes first.
struct held_place {
  worker* self = nullptr;
  held_place* outer = nullptr;
};

// What its thread knows of the sleep that it is in, or that it was in last. Only that thread touches it.
struct rest_of_worker {
  pool_places::vacated place = pool_places::vacated::taken;
  bool is_wanted = false;            // to run something else
  std::uint64_t started_before = 0;  // tasks of the pool that had begun, where no thread could be made
  // Since when this worker has slept with limits, no thread could be made, and no task of the pool has begun. The epoch: not so.
  std::chrono::steady_clock::time_point polls_since;
};

// What a worker does, as far as a report of all of them can tell. A hint.
enum class activity : std::uint8_t { nothing, looks, parked, runs, waits, blocked, spare };

// What a worker keeps of the events that it looks for: see src/runtime/events.hpp. Only its thread touches it, but for `out`.
struct worker_events {
  lookout<ext::default_sync> out;  // where it sleeps while it waits for events, too
  deferred_call deferred;          // for a completion that it will take itself
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

struct alignas(ext::isolation_bytes) worker {
  static constexpr unsigned max_depth = 1U << run_id::depth_bits;

  worker(scheduler& s, unsigned i);
  ~worker();
  worker(const worker&) = delete;
  worker& operator=(const worker&) = delete;

  // Is it the worker of a thread of the pool, and not a caller's seat? Others take it for a hint.
  [[nodiscard]] bool has_thread() const noexcept { return has_thread_.load(places_orders::relaxed); }  // hint
  void note(activity now) noexcept { does.store(now, places_orders::relaxed); }                        // hint
  void set_thread(bool now) noexcept { has_thread_.store(now, places_orders::relaxed); }               // hint

  scheduler& home;
  const unsigned index;
  std::unique_ptr<lane> queue;
  task_lanes tasks;
  worker_counters counts;
  unsigned depth = 0;  // nested executions
  latch_sleeper bed;   // for joins
  pool_places::member crew;
  held_place place{this, nullptr};  // of its thread
  rest_of_worker rest;
  const inside_scope* innermost =
      nullptr;  // task or stolen fork; others read it while the thread sleeps (wait_graph.hpp)
  ext::default_sync::atomic<activity> does{activity::nothing};
  worker_events events;
  std::array<run_record<ext::default_sync>, max_depth> runs;  // by depth

  task_scope* scope = nullptr;  // of the task that runs here
  task_level level;             // the same; of the pool's callers, if there is none
  scope_stack<task_scope, ext::default_sync> scopes;
  task_memory memory;

  struct hunting;  // what a thief remembers between two attempts: src/runtime/search.hpp
  std::unique_ptr<hunting> hunt;
  struct by_level;  // of a pool with several levels; src/runtime/level_queues.hpp
  std::unique_ptr<by_level> levels;

 private:
  ext::default_sync::atomic<bool> has_thread_{false};
};

}  // namespace pilfer::detail
