// The figures to reach, by the ids of the issue.
#pragma once

#include <vector>

#include "lab/measure/report.hpp"
#include "lab/priorities/latency.hpp"
#include "lab/priorities/measurement.hpp"

namespace pilfer::lab::priorities {

// All claims about priorities, always; what was not measured (a program that was not run, a null argument) has no figure and a note
// that says why.
[[nodiscard]] std::vector<claim> priority_claims(const std::vector<program_result>& results,
                                                 const latency_result* latency);

// Everything over the single deque, program by program, with two workers.
[[nodiscard]] std::string summary_text(const std::vector<program_result>& results);

}  // namespace pilfer::lab::priorities
