// Running a job on a worker: the record by which waiters find its descendants, the scope that it runs in, and its end.
#pragma once

#include "events.hpp"
#include "ready_set.hpp"
#include "spawned_job.hpp"
#include "worker.hpp"

namespace pilfer::detail {

class execution {
 public:
  explicit execution(ready_set& ready) noexcept : ready_(ready) {}

  // A job out of a queue, by a worker that has nothing on its stack.
  void run(worker& self, job& work) const noexcept;
  // The same on top of what the worker waits in.
  void run_nested(worker& self, job& work) const noexcept;
  // A claimed task, as a part of the task that runs here already: what it forks and spawns counts as that task's. `entry_too`: its entry was
  // taken out of a queue.
  void run_here(worker& self, spawned_job& work, bool entry_too) const noexcept;
  // By a worker that waits for a group: runs the group's tasks out of its own queue, the newest first, until something else lies on top of
  // it, or nothing. In a pool of plain tasks.
  void run_own(worker& self, task_scope& group, events& completions) const noexcept;

 private:
  void run_fork(worker& self, forked_job& work) const noexcept;
  static void run_task(worker& self, spawned_job& work) noexcept;
  static void run_resumption(worker& self, const resume_job& work) noexcept;

  ready_set& ready_;
};

}  // namespace pilfer::detail
