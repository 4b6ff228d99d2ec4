// How the two experiments are shown, from rows alone.
#pragma once

#include <vector>

#include "lab/measure/report.hpp"
#include "lab/page/chart.hpp"

namespace pilfer::lab::applications {

[[nodiscard]] std::vector<page::chart> program_charts(const std::vector<row>& rows);
[[nodiscard]] std::vector<page::chart> quicksort_charts(const std::vector<row>& rows);

}  // namespace pilfer::lab::applications
