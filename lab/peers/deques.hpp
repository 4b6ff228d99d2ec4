// Owner's loops of our block-based queues and of crossbeam-deque, each beside its own sequential structure: ours beside the
// stack and the ring of lab/queues, crossbeam's beside Vec and VecDeque.
#pragma once

#include <cstddef>
#include <vector>

#include "lab/experiments/experiment.hpp"
#include "lab/queues/measured_queue.hpp"

namespace pilfer::lab::peers {

struct deques_plan {
  queues::geometry shape{};
  std::vector<int> percents{};  // to be stolen by one thief; 0: the owner is alone
  std::size_t repetitions = 1;
  std::size_t processors = 1;
};

// Rows "alone/8192" and "stolen_20/8192", in ns per operation of the owner.
//   Throws  std::runtime_error if a queue lost or invented an item; `interrupted`.
[[nodiscard]] experiments::findings measure_deques(const deques_plan& plan);

}  // namespace pilfer::lab::peers
