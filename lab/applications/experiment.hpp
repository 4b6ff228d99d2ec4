// Two experiments: all programs on all schedulers, and quicksort with every queue and block size.
#pragma once

#include "lab/experiments/experiment.hpp"

namespace pilfer::lab::experiments {

[[nodiscard]] experiment programs_experiment();
[[nodiscard]] experiment quicksort_experiment();

}  // namespace pilfer::lab::experiments
