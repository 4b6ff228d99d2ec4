// What the rows of `dups` say.
#pragma once

#include <vector>

#include "lab/experiments/experiment.hpp"

namespace pilfer::lab::dups {

[[nodiscard]] std::vector<claim> claims_of(const std::vector<row>& rows);
[[nodiscard]] std::vector<page::chart> charts_of(const std::vector<row>& rows);

}  // namespace pilfer::lab::dups
