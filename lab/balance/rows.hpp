// Looks among rows, which may have come from a file: nothing is taken for granted.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/experiments/row_query.hpp"
#include "lab/measure/report.hpp"
#include "lab/page/chart.hpp"

namespace pilfer::lab::balance {

// A whole number among the parameters; 0 if there is none.
[[nodiscard]] inline std::size_t parameter(const row& of, const char* key) {
  const auto found = of.params.find(key);
  return found != of.params.end() && found->is_number() ? found->get<std::size_t>() : 0;
}

// A number beside the samples; none if it is null or not there.
[[nodiscard]] inline std::optional<double> extra_number(const row& of, const char* key) {
  const auto found = of.extra.find(key);
  if (found == of.extra.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

// A list of numbers, one per repetition; empty if it is not there.
[[nodiscard]] inline std::vector<double> extra_numbers(const row& of, const char* key) {
  const auto found = of.extra.find(key);
  std::vector<double> values;
  if (found == of.extra.end() || !found->is_array()) return values;
  values.reserve(found->size());
  for (const json& one : *found) values.push_back(one.is_number() ? one.get<double>() : 0);
  return values;
}

// What `of` says of each row of a suite, each answer once, in the order of the rows; no empty ones.
template <class Of>
[[nodiscard]] auto each_once(const std::vector<row>& rows, std::string_view suite, Of&& of) {
  std::vector<decltype(of(rows.front()))> list;
  for (const row& one : rows) {
    if (one.suite != suite) continue;
    auto answer = of(one);
    if (answer == decltype(answer){}) continue;
    if (std::ranges::find(list, answer) == list.end()) list.push_back(std::move(answer));
  }
  return list;
}

// Can two rows be taken as pairs?
[[nodiscard]] inline bool paired(const row* a, const row* b) {
  return a != nullptr && b != nullptr && !a->samples.empty() && a->samples.size() == b->samples.size();
}

inline void leave_unshown(claim& c, std::string_view why) {
  c.measured.reset();
  c.note = experiments::cannot_be_shown(why);
}

using experiments::find_row;
[[nodiscard]] inline page::point line_point(double x, const estimate& y) { return experiments::point_at(x, y); }
[[nodiscard]] inline page::point bar_point(std::string category, const estimate& y) {
  return experiments::point_for(std::move(category), y);
}
[[nodiscard]] inline page::point bar_point(std::string category, double y) {
  return {.x = 0, .category = std::move(category), .y = y, .low = {}, .high = {}, .samples = {}};
}

// A series without a point is left out.
inline void add_series(page::chart& to, page::series one) {
  if (!one.points.empty()) to.lines_or_groups.push_back(std::move(one));
}

}  // namespace pilfer::lab::balance
