// A chart as SVG.
#pragma once

#include <cstddef>
#include <string>

#include "lab/page/chart.hpp"
#include "lab/page/sketch.hpp"

namespace pilfer::lab::page {

struct drawing {
  std::string svg;          // empty: there is nothing that could be drawn
  std::size_t marks = 0;    // bars, boxes, points
  std::size_t skipped = 0;  // values that cannot be drawn: not finite, or not above 0 on a logarithmic axis
};

[[nodiscard]] drawing svg_of(const chart& given, const layout& how);

// One value is so large that on a plain axis the others could not be told apart. Such charts (not stacks) are drawn with a
// logarithmic axis.
[[nodiscard]] bool needs_logarithm(const chart& what);

// More series than there are colours: bars have their names beside them, and there is no legend.
[[nodiscard]] bool labels_each_bar(const chart& what);

// Used by svg_of. Each returns the height that it took.
[[nodiscard]] double draw_lines(const chart& what, const layout& how, sketch& on, std::size_t& skipped);
[[nodiscard]] double draw_categories(const chart& what, const layout& how, sketch& on, std::size_t& skipped);

}  // namespace pilfer::lab::page
