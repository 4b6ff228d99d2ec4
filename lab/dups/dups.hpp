// The experiment `dups`: `pilfer dups` with every queue, and against other people's finders.
#pragma once

#include <string>
#include <vector>

#include "lab/experiments/experiment.hpp"

namespace pilfer::lab::experiments {

// This program, if it is `pilfer`, which knows `dups`; otherwise nothing, and the experiment says that it was left out.
[[nodiscard]] std::vector<std::string> usual_dups_tool();

// `tool`: a program and its first arguments, to be followed by `dups` and its options.
[[nodiscard]] experiment dups_experiment(std::vector<std::string> tool = usual_dups_tool());

}  // namespace pilfer::lab::experiments
