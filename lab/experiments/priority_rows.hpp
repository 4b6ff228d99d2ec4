// What 003's figures show besides those that `pilfer bench priorities` judges: how inversions grow, and what stealing costs.
#pragma once

#include <vector>

#include "lab/measure/report.hpp"

namespace pilfer::lab::experiments {

// Always all of them; of rows of the suite `priorities`.
[[nodiscard]] std::vector<claim> priority_row_claims(const std::vector<row>& rows);

}  // namespace pilfer::lab::experiments
