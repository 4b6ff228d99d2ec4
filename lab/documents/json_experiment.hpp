// Experiment `json`: documents decoded and encoded, a task each, on all schedulers (001 section 6.3.3, Go).
#pragma once

#include "lab/experiments/experiment.hpp"

namespace pilfer::lab::experiments {

[[nodiscard]] experiment json_experiment();

}  // namespace pilfer::lab::experiments
