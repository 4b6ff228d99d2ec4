// Waits: a join whose other half was stolen, a group, a future. A waiter runs only what it waits for: parts that have not begun, and
// descendants of the parts that other workers run. README.md has the argument.
#pragma once

#include <chrono>

#include <pilfer/detail/protocol/completion.hpp>
#include <pilfer/pool_options.hpp>

#include "crew.hpp"
#include "events.hpp"
#include "execution.hpp"
#include "ready_set.hpp"
#include "rest.hpp"
#include "roster.hpp"
#include "stand_in.hpp"
#include "worker.hpp"

namespace pilfer::detail {

// Something that a worker of a pool can wait for.
class awaited_work : public sleepable {
 public:
  // The execution of it, or of a part of it. None: it has not begun, or that is not known.
  [[nodiscard]] virtual run_id runner() const noexcept = 0;
  // Runs a part of it. Returns false if the worker can get no part.
  virtual bool advance(worker& self, run_id runner) noexcept = 0;
  // Would the sleep ever end? Not if no thread runs it, and none will. A waiter that may sleep does so next.
  [[nodiscard]] virtual bool may_sleep(run_id runner) noexcept = 0;

 protected:
  ~awaited_work() = default;
};

class wait_room : immovable {
 public:
  struct neighbours {
    runtime& home;
    const roster& workers;
    ready_set& ready;
    events& completions;
    const crew& members;
    const execution& runs;
    stand_in& places;
  };
  wait_room(const neighbours& told, waiting rule) noexcept : told_(told), rule_(rule) {}

  // All by a worker of the pool. A negative limit means none. With a limit the waiter runs nothing, and ends in time: others have its place
  // while it sleeps. Zero: it only looks.
  void for_fork(worker& self, forked_job& stolen) noexcept;
  // `is_end`: the group's destructor waits.
  [[nodiscard]] wait_end for_group(worker& self, task_scope& group, std::chrono::nanoseconds limit,
                                   bool is_end) noexcept;
  [[nodiscard]] wait_end for_task(worker& self, spawned_job& work, completion<ext::default_sync>& done,
                                  std::chrono::nanoseconds limit) noexcept;

  // To more urgent tasks, before a waiter begins one of that urgency. `patience`: what the wait has left of it.
  void give_way(worker& self, unsigned urgency, std::chrono::nanoseconds& patience) noexcept;
  [[nodiscard]] const neighbours& told() const noexcept { return told_; }

 private:
  [[nodiscard]] wait_end wait(worker& self, awaited_work& what, std::chrono::nanoseconds limit) noexcept;
  [[nodiscard]] wait_end help(worker& self, awaited_work& what, std::chrono::nanoseconds limit) noexcept;
  void spin_until(worker& self, const awaited_work& what, std::chrono::steady_clock::time_point until) noexcept;
  [[nodiscard]] job* leapfrog(worker& self, run_id target, unsigned hops) noexcept;
  [[nodiscard]] job* leapfrog_from(worker& self, const worker_face& thief, lane& queue, run_id target,
                                   std::uint64_t mark) noexcept;

  const neighbours told_;
  const waiting rule_;
};

}  // namespace pilfer::detail
