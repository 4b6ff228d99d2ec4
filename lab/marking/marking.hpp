// Experiment `marking`: parallel marking of an object graph, directly on the queues (001 section 6.3.1, HotSpot's G1).
#pragma once

#include "lab/experiments/experiment.hpp"

namespace pilfer::lab::experiments {

[[nodiscard]] experiment marking_experiment();

}  // namespace pilfer::lab::experiments
