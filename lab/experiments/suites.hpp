// The suites of `pilfer bench` as experiments, and the checker.
#pragma once

#include "lab/experiments/experiment.hpp"

namespace pilfer::lab::experiments {

[[nodiscard]] experiment fork_join_experiment();
[[nodiscard]] experiment algorithms_experiment();
[[nodiscard]] experiment priorities_experiment();
[[nodiscard]] experiment verification_experiment();

}  // namespace pilfer::lab::experiments
