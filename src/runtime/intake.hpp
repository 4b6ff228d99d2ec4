// Tasks and resumed coroutines come into a pool: into the queue of the worker that spawns or resumes, or into the injection queue.
#pragma once

#include "crew.hpp"
#include "ready_set.hpp"
#include "spawned_job.hpp"

namespace pilfer::detail {

class intake : immovable {
 public:
  struct neighbours {
    ready_set& ready;
    crew& members;
  };
  explicit intake(const neighbours& told) noexcept : told_(told) {}

  // By a worker of the pool. Returns false if its queue has no room.
  [[nodiscard]] bool push(worker& self, spawned_job& work) noexcept;
  // By any other thread. Returns false if no thread of the pool could run it.
  [[nodiscard]] bool inject(spawned_job& work) noexcept;
  // A coroutine that is to go on. It never goes on inside of the call that resumes it, but waits in line with what comes from outside where
  // the queue has no room. If the pool has no thread and can make none it is left to a caller that waits inside of the pool, now or later: the
  // thread that resumes it may be that of the timers, and must not block.
  void push(worker& self, resume_job& work) noexcept;
  void inject(resume_job& work) noexcept;

 private:
  [[nodiscard]] bool push_any(worker& self, job& work) noexcept;
  void inject_any(job& work) noexcept;

  const neighbours told_;
};

}  // namespace pilfer::detail
