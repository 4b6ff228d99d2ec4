// Experiments about single decisions of a queue's design: memory orders, whom a look at the size disturbs, cache lines, how
// much a thief takes at once, and whom it robs.
#pragma once

#include "lab/experiments/experiment.hpp"

namespace pilfer::lab::experiments {

[[nodiscard]] experiment barriers_experiment();
[[nodiscard]] experiment owner_loss_experiment();
[[nodiscard]] experiment cache_lines_experiment();
[[nodiscard]] experiment batch_experiment();
[[nodiscard]] experiment victims_experiment();

}  // namespace pilfer::lab::experiments
