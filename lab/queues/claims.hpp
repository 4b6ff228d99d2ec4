// The figures to reach, by the ids of the issue.
#pragma once

#include <vector>

#include "lab/measure/report.hpp"
#include "lab/queues/alone.hpp"
#include "lab/queues/thieves.hpp"

namespace pilfer::lab::queues {

// All claims about queues, always; what was not measured (a null argument, a queue that was not chosen) has no figure and a
// note that says why. `alone` is the large geometry.
[[nodiscard]] std::vector<claim> queue_claims(const alone_result* alone, const thieves_result* thieves);

}  // namespace pilfer::lab::queues
