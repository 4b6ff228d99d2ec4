// Running a job on a worker: the record by which waiters find its descendants, the scope that it runs in, and its end.
#pragma once

#include "events.hpp"
#include "inside_scope.hpp"
#include "ready_set.hpp"
#include "spawned_job.hpp"
#include "worker.hpp"

namespace pilfer::detail {

class execution {
 public:
  explicit execution(ready_set& ready) noexcept : ready_(ready) {}

  // A job out of a queue, by a worker that has nothing on its stack.
  void run(worker& self, job& work) const noexcept;
  // Resumptions of coroutines, by a worker that has nothing on its stack, in a pool of plain tasks: the first, and those that are its queue's newest
  // when the one before has ended, as long as `goes_on()`. Returns the job of another kind that it has come across, or null. Nothing waits for a
  // resumption, so none has a record.
  template <class GoesOn>
  [[nodiscard]] static job* run_resumptions(worker& self, const resume_job& first, GoesOn&& goes_on) noexcept;
  // The same on top of what the worker waits in.
  void run_nested(worker& self, job& work) const noexcept;
  // A claimed task, as a part of the task that runs here already: what it forks and spawns counts as that task's. `entry_too`: its entry was
  // taken out of a queue. `tells_pool`: see spawned_job::end().
  void run_here(worker& self, spawned_job& work, bool entry_too, bool tells_pool = true) const noexcept;
  // By a worker that waits for a group: runs the group's tasks out of its own queue, the newest first, until something else lies on top of
  // it, or nothing. In a pool of plain tasks.
  void run_own(worker& self, task_scope& group, events& completions) const noexcept;

 private:
  void run_fork(worker& self, forked_job& work) const noexcept;
  static void run_task(worker& self, spawned_job& work) noexcept;
  static void run_resumption(worker& self, const resume_job& work) noexcept;
  static void resume(worker& self, const resume_job& work) noexcept;

  ready_set& ready_;
};

template <class GoesOn>
job* execution::run_resumptions(worker& self, const resume_job& first, GoesOn&& goes_on) noexcept {
  const inside_scope in(self, nullptr, nullptr, self.queue->mark(), task_level(0));
  auto own = self.plain_tasks->owner();
  job* next = nullptr;
  ++self.depth;
  resume(self, first);
  while (goes_on()) {
    next = own.pop().value_or(nullptr);
    if (next == nullptr || next->type.kind != job_kind::resumed) break;
    resume(self, static_cast<const resume_job&>(*next));
    next = nullptr;
  }
  --self.depth;
  return next;
}

}  // namespace pilfer::detail
