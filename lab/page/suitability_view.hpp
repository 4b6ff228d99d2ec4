#pragma once

#include <string>
#include <vector>

#include "lab/page/suitability.hpp"

namespace pilfer::lab::page {

// "Which queue and scheduler suit my workload?": questions, a table, and the figures that it rests on.
[[nodiscard]] std::string suitability_html(const std::vector<suited_workload>& workloads);

}  // namespace pilfer::lab::page
