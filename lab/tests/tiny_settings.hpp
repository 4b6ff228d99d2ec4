// The smallest run of an experiment.
#pragma once

#include "lab/experiments/experiment.hpp"

namespace pilfer::lab::experiments {

inline constexpr settings tiny_on_two{.how = effort::tiny, .processors = 2};

}  // namespace pilfer::lab::experiments
