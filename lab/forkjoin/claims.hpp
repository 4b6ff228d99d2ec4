// The figures to reach, by the ids of the issue.
#pragma once

#include <vector>

#include "lab/forkjoin/counted.hpp"
#include "lab/forkjoin/instructions.hpp"
#include "lab/forkjoin/measurement.hpp"
#include "lab/measure/report.hpp"

namespace pilfer::lab::forkjoin {

// All claims about fork_join, always; what was not measured (a program that was not run, a null argument) has no figure and
// a note that says why.
[[nodiscard]] std::vector<claim> fork_join_claims(const std::vector<program_result>& results,
                                                  const counted_instructions* instructions,
                                                  const counted_result* counted);

}  // namespace pilfer::lab::forkjoin
