// Looking things up in rows, for claims and charts.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/measure/report.hpp"
#include "lab/page/chart.hpp"

namespace pilfer::lab::experiments {

// A number among the parameters; -1 if there is none.
[[nodiscard]] inline double param(const row& r, const char* key) {
  const auto found = r.params.find(key);
  return found == r.params.end() || !found->is_number() ? -1 : found->get<double>();
}

[[nodiscard]] inline double workers_of(const row& r) { return param(r, "workers"); }

// A number among the further keys, or what else to take for it.
[[nodiscard]] inline double extra_number(const row& r, const char* key, double otherwise = 0) {
  const auto found = r.extra.find(key);
  return found == r.extra.end() || !found->is_number() ? otherwise : found->get<double>();
}

// Null if there is none; `workers` < 0: any.
[[nodiscard]] inline const row* find_row(const std::vector<row>& rows, std::string_view name, std::string_view impl,
                                         double workers = -1) {
  const auto found = std::ranges::find_if(rows, [&](const row& r) {
    return r.name == name && r.impl == impl && (workers < 0 || workers_of(r) == workers);
  });
  return found == rows.end() ? nullptr : &*found;
}

// Names, each once, in the order in which they come.
[[nodiscard]] inline std::vector<std::string> each_once(const std::vector<row>& rows, std::string row::* member) {
  std::vector<std::string> all;
  for (const row& r : rows) {
    if (std::ranges::find(all, r.*member) == all.end()) all.push_back(r.*member);
  }
  return all;
}

// The note of a claim that has no figure.
[[nodiscard]] inline std::string cannot_be_shown(std::string_view why) {
  return fmt::format("cannot be shown on this machine: {}", why);
}

// A figure that is known: an interval of no width.
[[nodiscard]] inline estimate exactly(double value) { return {value, value, value}; }

[[nodiscard]] inline page::point point_at(double x, const estimate& y) {
  return {.x = x, .category = {}, .y = y.value, .low = y.low, .high = y.high, .samples = {}};
}
[[nodiscard]] inline page::point point_for(std::string category, const estimate& y) {
  return {.x = 0, .category = std::move(category), .y = y.value, .low = y.low, .high = y.high, .samples = {}};
}

// A series without a point is left out, and so is a chart without a series.
inline void add_if_filled(std::vector<page::chart>& to, page::chart one) {
  std::erase_if(one.lines_or_groups, [](const page::series& s) { return s.points.empty(); });
  if (!one.lines_or_groups.empty()) to.push_back(std::move(one));
}

// A bar per row: groups by `category`, series by `impl`. `value` gives the figure and its interval.
[[nodiscard]] inline std::vector<page::series> bars_of(const std::vector<row>& rows,
                                                       const std::function<bool(const row&)>& wanted,
                                                       const std::function<estimate(const row&)>& value) {
  std::vector<page::series> all;
  for (const row& r : rows) {
    if (!wanted(r)) continue;
    auto place = std::ranges::find(all, r.impl, &page::series::name);
    if (place == all.end()) place = all.insert(all.end(), {.name = r.impl, .points = {}});
    place->points.push_back(point_for(r.name, value(r)));
  }
  return all;
}

}  // namespace pilfer::lab::experiments
