// What the two experiments claim, from rows alone.
#pragma once

#include <vector>

#include "lab/experiments/experiment.hpp"

namespace pilfer::lab::applications {

[[nodiscard]] std::vector<claim> program_claims(const std::vector<row>& rows, const experiments::settings& given);
[[nodiscard]] std::vector<claim> quicksort_claims(const std::vector<row>& rows, const experiments::settings& given);

}  // namespace pilfer::lab::applications
