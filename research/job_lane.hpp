// A queue of forks to which jobs come by a call, from any fork path: what research/ has instead of the deque that pilfer::fork_join has inlined.
#pragma once

#include <pilfer/ext/sync.hpp>

#include "src/runtime/lane.hpp"
#include "src/runtime/worker.hpp"

namespace pilfer::research {

using detail::effort;
using detail::fork_deque;
using detail::fork_lane;
using detail::fork_slot;
using detail::fork_stack;
using detail::forked_job;
using detail::job;
using detail::worker;

// Virtual for pilfer::pool with another queue; basic_pool knows the type and calls it directly.
class job_lane : public fork_lane {
 public:
  // Returns false if there is no room: the job was not queued.
  [[nodiscard]] virtual bool fork(forked_job& work) noexcept = 0;
  // Joins a job that was queued. Returns true if it is the caller's to run, false if it is done.
  [[nodiscard]] virtual bool join(forked_job& work) noexcept = 0;
};

}  // namespace pilfer::research
