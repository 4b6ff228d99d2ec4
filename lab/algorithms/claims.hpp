// The figures to reach, by the ids of the issue.
#pragma once

#include <vector>

#include "lab/algorithms/measurement.hpp"
#include "lab/measure/report.hpp"

namespace pilfer::lab::algorithms {

// All claims about the algorithms, always; what was not measured has no figure and a note that says why.
[[nodiscard]] std::vector<claim> algorithm_claims(const std::vector<problem_result>& results);

}  // namespace pilfer::lab::algorithms
