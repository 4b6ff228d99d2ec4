// What can run in a pool: the tasks in its workers' queues, and what came from outside. A pool with one level has `one_level`, any other
// pool `several_levels`. Nothing outside of these two asks how many levels there are.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <pilfer/detail/protocol/parking.hpp>
#include <pilfer/pool_options.hpp>

#include "injector.hpp"
#include "roster.hpp"
#include "search.hpp"
#include "spawned_job.hpp"
#include "worker.hpp"

namespace pilfer::detail {

// What a waiter may begin, and when.
class wait_rules : immovable {
 public:
  virtual ~wait_rules() = default;

  // A wait for a group begins. Returns true if the waiter has lifted its tasks: then task_scope::end_lift() ends that.
  [[nodiscard]] virtual bool lift(worker& self, task_scope& awaited) noexcept = 0;
  // A wait with a limit for one task, which another worker must find at the waiter's level.
  virtual void lift(worker& self, spawned_job& awaited) noexcept = 0;

  // What a waiter keeps of its looks for the tasks of a group.
  struct group_look {
    bool is_patient = true;      // it gives way, if it must
    bool has_given_way = false;  // and has done so: the same look goes on
    unsigned urgency = 0;        // of the last look
    level_set passed;            // levels at which a stranger lies on top of its own queue
  };
  // The next task of a group for its waiter.
  struct next_task {
    spawned_job* work = nullptr;  // claimed for the caller
    bool has_entry = false;       // its entry came out of the caller's queue
    bool again = false;           // none, but the look has changed something
    bool must_give_way = false;   // first
  };
  [[nodiscard]] virtual next_task next_of(worker& self, task_scope& awaited, group_look& look) noexcept = 0;
  // How urgent it is for a waiter to begin a task of that level.
  [[nodiscard]] virtual unsigned urgency_of(const worker& self, unsigned level) const noexcept = 0;
  // Is something more urgent than that waiting, which must begin before?
  [[nodiscard]] virtual bool must_give_way(worker& self, unsigned urgency) noexcept = 0;
  [[nodiscard]] virtual bool must_still_give_way(const worker& self, unsigned urgency) const noexcept = 0;
  // May a waiter steal a task of that level, which it waits for in the end?
  [[nodiscard]] virtual bool may_leapfrog(const worker& self, unsigned level) const noexcept = 0;
  // The caller has claimed a task whose entry is still in a queue.
  virtual void bury(const spawned_job& work) noexcept = 0;
  // A waiter begins a task that it has claimed. Returns the level at which the task runs.
  [[nodiscard]] virtual unsigned begin(worker& self, const spawned_job& work) noexcept = 0;
};

class ready_set : immovable {
 public:
  using lane_maker = std::function<std::unique_ptr<task_lane>(worker& owner, unsigned level)>;
  struct neighbours {
    const roster& workers;
    const search& thieves;
    parking<ext::default_sync>& sleepers;
    std::function<std::size_t()> places;  // how many there are; a hint
    lane_maker make_lane;                 // empty: the pool has no tasks
  };
  //   Throws  std::invalid_argument for a number of levels or an ageing that is not allowed, std::bad_alloc.
  [[nodiscard]] static std::unique_ptr<ready_set> make(const pool_options& options, neighbours told);

  virtual ~ready_set() = default;

  [[nodiscard]] unsigned levels() const noexcept { return levels_; }
  // The level of a thread that runs no task.
  [[nodiscard]] task_level level_of_callers() const noexcept { return task_level::of_caller(levels_ / 2); }
  [[nodiscard]] virtual wait_rules& rules() noexcept = 0;

  // Gives a new worker its queues of tasks.
  //   Throws  std::bad_alloc, what the maker throws.
  virtual void equip(worker& fresh);
  // A caller takes that seat, and leaves it.
  virtual void enter(worker& seat) noexcept = 0;
  virtual void leave(worker& seat) noexcept = 0;
  // Passes on what lies in the worker's queues of tasks: thieves may not be able to see it.
  virtual void give_away(worker& self) noexcept = 0;
  // At the end of the pool, when all threads have ended: only tombstones are left.
  virtual void clear() noexcept;

  // Work comes. Before a task can be seen: will it rise in time? Then watch() comes after it was published.
  [[nodiscard]] virtual bool will_rise(spawned_job& fresh) noexcept = 0;
  virtual void watch(spawned_job& published) noexcept = 0;
  // By a worker, into its own queue. Returns false if there is no room.
  [[nodiscard]] virtual bool push(worker& self, job& work) noexcept = 0;
  // By any thread, into the injection queue. `by` is null if the caller is not a worker.
  virtual void inject(worker* by, job& work) noexcept = 0;

  // Work is found, or null. By a worker that has nothing on its stack and nothing in its queue of forks.
  [[nodiscard]] virtual job* find(worker& self) noexcept = 0;
  // By a worker that waits, in its own queues of tasks, too.
  [[nodiscard]] virtual job* find_stranger(worker& self) noexcept = 0;
  // By a worker that waits, not in its own queues.
  [[nodiscard]] virtual job* find_elsewhere(worker& self) noexcept = 0;
  [[nodiscard]] bool has_injected() const noexcept { return outside_.has_any(); }  // hint
  [[nodiscard]] injector& outside() noexcept { return outside_; }

  // The level of a task, or of a fork that the caller has stolen.
  [[nodiscard]] virtual unsigned level_of(const job& work) const noexcept = 0;
  // Before a worker begins something of that level on top of its stack: thieves find its forks from now on.
  virtual void begin_nested(worker& self, unsigned level) noexcept = 0;

 protected:
  ready_set(unsigned levels, neighbours told) : levels_(levels), told_(std::move(told)) {}
  [[nodiscard]] const neighbours& told() const noexcept { return told_; }

 private:
  const unsigned levels_;
  const neighbours told_;
  injector outside_;
};

// As often as Tokio does, a worker looks first at what came from outside: so that does not wait for ever.
[[nodiscard]] inline bool is_outside_first(worker& self) noexcept { return ++self.hunt->looks % 61 == 0; }

// By its owner: takes everything out of a queue of tasks, drops tombstones, and returns the rest in the order in which they can be put back. A
// fixed array can be used up by tasks that thieves have taken, until its owner finds it empty.
[[nodiscard]] std::vector<job*> take_live(task_lane& queue) noexcept;
inline constexpr std::size_t few_tasks = 256;  // to go through when a queue says it is full

}  // namespace pilfer::detail
