// A chart with all that belongs to it: title, legend, caption, its data as a table.
#pragma once

#include <string>
#include <vector>

#include "lab/page/chart.hpp"

namespace pilfer::lab::page {

// Small charts stand in pairs beside each other. One in which nothing can be drawn says so.
[[nodiscard]] std::string figures_html(const std::vector<chart>& charts);

[[nodiscard]] std::string figure_html(const chart& what, bool half);

}  // namespace pilfer::lab::page
