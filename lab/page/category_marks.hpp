// Bars, stacks, boxes and violins, lying or standing.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lab/page/chart.hpp"
#include "lab/page/scale.hpp"
#include "lab/page/sketch.hpp"

namespace pilfer::lab::page {

// Where values lie on the paper. Across them, categories follow one another.
struct plane {
  bool horizontal;  // values from left to right, and categories one below the other
  double begin, end;
  const scale* values;

  [[nodiscard]] double at(double value) const;
};

void segment(sketch& on, const plane& p, double across0, double value0, double across1, double value1,
             std::string_view classes);
void area(sketch& on, const plane& p, double across0, double across1, double value0, double value1,
          std::string_view classes);

struct entry {
  std::size_t series;
  const point* value;
};

// Side by side within a group; of a stack several entries, otherwise one.
struct slot {
  std::vector<entry> entries;
};

struct group {
  std::string category;
  std::vector<slot> slots;
};

// Whatever `values` can show, in the order of the series; `skipped` counts the rest.
[[nodiscard]] std::vector<group> groups_of(const chart& what, const scale& values, std::size_t& skipped);
[[nodiscard]] extent extent_of(const chart& what, const std::string* only_category);

// Draws a slot around `centre`, `breadth` broad; returns where its last ink is, as a place on the value axis.
double draw_slot(const chart& what, const slot& of, const plane& p, double centre, double breadth, sketch& on);

}  // namespace pilfer::lab::page
