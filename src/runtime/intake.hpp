// Spawned tasks come into a pool: into the queue of the worker that spawns, or into the injection queue.
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

 private:
  const neighbours told_;
};

}  // namespace pilfer::detail
