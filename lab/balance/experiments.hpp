// Who gets the work, and when: loads that are spread badly (002), and tasks that wait longer than others (000 section 6).
#pragma once

#include "lab/experiments/experiment.hpp"

namespace pilfer::lab::experiments {

[[nodiscard]] experiment load_balance_experiment();
[[nodiscard]] experiment fairness_experiment();

}  // namespace pilfer::lab::experiments
