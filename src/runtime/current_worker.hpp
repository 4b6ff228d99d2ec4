// The worker of pilfer::pool that the calling thread is, and what else src/runtime/ shares.
#pragma once

#include <chrono>

#include <pilfer/detail/fork/fork_path.hpp>
#include <pilfer/detail/protocol/completion.hpp>

#include "spawned_job.hpp"
#include "worker.hpp"

namespace pilfer::detail {

// Null outside of every pool.
[[nodiscard]] inline worker* current_worker() noexcept {
  const fork_stack* const deque = current_deque;
  if (deque == nullptr) return nullptr;
  worker* const self = &fork_slow_path::of(*deque).owner();
  if (self == nullptr) __builtin_unreachable();  // spares callers a test
  return self;
}
// The same, but null in another pool, too.
[[nodiscard]] inline worker* current_worker_in(const runtime& home) noexcept {
  worker* const self = current_worker();
  return self != nullptr && &self->home == &home ? self : nullptr;
}

// A join has found its job stolen: returns when it is done. In wait.cpp.
void wait_for_stolen(worker& self, forked_job& work) noexcept;

// What a thread that is no worker of the pool makes there, in priority.cpp.
[[nodiscard]] task_level level_from_outside(unsigned levels) noexcept;
// What the calling thread makes there, in resume.cpp; `self` is its worker, or null.
[[nodiscard]] unsigned level_of_caller(const runtime& home, const worker* self) noexcept;

// Until no submitted or detached task of that pool is unfinished. Not by one of its own workers. Returns false if the time ran out; a
// negative limit means none.
bool wait_for_loose(runtime& home, std::chrono::nanoseconds limit) noexcept;

// A task that the calling thread, no worker, has claimed while its entry is still in a queue. Its pool stays until this returns.
void run_claimed_outside(spawned_job& work) noexcept;

}  // namespace pilfer::detail
