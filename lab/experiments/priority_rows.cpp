#include "lab/experiments/priority_rows.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "lab/experiments/row_query.hpp"

namespace pilfer::lab::experiments {
namespace {

constexpr const char* strict = "strict";
constexpr const char* relaxed = "relaxed";
constexpr const char* skewed = "scenario_4";  // whose steals 003 shows
constexpr double two_workers = 2;

// Inversions in a run with sqrt(n) probing, of all programs together, by the number of workers.
std::map<double, double> inversions_by_workers(const std::vector<row>& rows) {
  std::map<double, double> all;
  for (const row& r : rows) {
    const double runs = extra_number(r, "counted_runs");
    if (r.impl == relaxed && runs > 0 && workers_of(r) > 1) all[workers_of(r)] += extra_number(r, "inversions") / runs;
  }
  return all;
}

// The exponent of n, from the least to the largest number of workers that had any.
claim inversions_growth(const std::vector<row>& rows) {
  claim of{.id = "relaxed_inversions_growth",
           .text = "inversions with sqrt(n) probing grow with this power of n, the number of workers",
           .paper = 2,
           .goal = {},
           .measured = {},
           .note = {},
           .goal_is = goal_side::at_most};
  const std::map<double, double> all = inversions_by_workers(rows);
  std::string each;
  std::vector<std::pair<double, double>> some;
  for (const auto& [workers, count] : all) {
    each += fmt::format("{}{:.4g} with {:g}", each.empty() ? "" : ", ", count, workers);
    if (count > 0) some.emplace_back(workers, count);
  }
  if (some.size() < 2) {
    of.note = cannot_be_shown(all.empty() ? "inversions were not counted with two workers or more"
                                          : fmt::format("needs inversions with two numbers of workers, see --full; in "
                                                        "a run: {} workers",
                                                        each));
    return of;
  }
  const double exponent =
      std::log(some.back().second / some.front().second) / std::log(some.back().first / some.front().first);
  of.measured = estimate{exponent, exponent, exponent};
  of.note = fmt::format("in a run: {} workers", each);
  return of;
}

// 003 Fig. 10: reported.
claim of_stealing(const char* id, const char* text, const char* key, const std::vector<row>& rows) {
  claim of{.id = id, .text = text, .paper = {}, .goal = {}, .measured = {}, .note = {}, .goal_is = goal_side::at_most};
  const row* const found = find_row(rows, skewed, strict, two_workers);
  if (found == nullptr || !found->extra.contains(key)) {
    of.note = cannot_be_shown(fmt::format("{} was not measured with two workers", skewed));
    return of;
  }
  const double value = extra_number(*found, key);
  of.measured = estimate{value, value, value};
  if (const row* const single = find_row(rows, skewed, "single", two_workers); single != nullptr)
    of.note = fmt::format("with a single deque {:.4g}; 003 has a chart and no figure", extra_number(*single, key));
  return of;
}

}  // namespace

std::vector<claim> priority_row_claims(const std::vector<row>& rows) {
  return {
      inversions_growth(rows),
      of_stealing("strict_lost_share",
                  "CAS failure rate: steals lost to a race / attempts that found something, strict, 2 workers",
                  "lost_share", rows),
      of_stealing("strict_stealing_effort", "stealing effort: attempts per steal, strict, 2 workers", "stealing_effort",
                  rows),
  };
}

}  // namespace pilfer::lab::experiments
