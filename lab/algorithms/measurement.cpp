#include "lab/algorithms/measurement.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "lab/measure/registry.hpp"
#include "lab/measure/table.hpp"

namespace pilfer::lab::algorithms {
namespace {

constexpr double ns_per_second = 1e9;
constexpr double short_run_in_seconds = 1e-3;

// By serial code's time, so that every table has one unit.
const time_unit& unit_of(const problem_result& result) {
  return median(result.times.serial().seconds) < short_run_in_seconds ? microseconds : milliseconds;
}

double ns_per_item(const problem_result& result, const measurement& one) {
  return median(one.seconds) * ns_per_second / static_cast<double>(result.size);
}

}  // namespace

const problem_result* find_problem(const std::vector<problem_result>& results, std::string_view name) {
  return find_by_name(results, name);
}

problem_result measure_problem(std::string_view name, scale how, const std::vector<const library*>& who,
                               const std::vector<std::size_t>& workers, std::size_t repetitions) {
  problem what = make_problem(name, how);
  problem_result result{.name = std::string(name),
                        .text = text_of(what),
                        .size = size_of(what),
                        .full_size = has_full_size(what),
                        .times = {},
                        .lacking = {}};
  std::vector<std::unique_ptr<session>> sessions;
  std::vector<candidate> candidates;
  const auto add = [&](const library& one, std::size_t count) {
    sessions.push_back(one.make(count));
    candidates.push_back({one.name, count, [&mine = *sessions.back(), &what] { return mine.seconds_of(what); },
                          [&mine = *sessions.back()] { return mine.steals_so_far(); }});
  };
  for (const library* one : who) {
    if (!one->make) continue;
    if (!one->has(what)) {
      if (!one->variant) result.lacking.push_back(one->name);
    } else if (one->serial) {
      add(*one, 0);
    } else {
      for (const std::size_t count : workers) add(*one, count);
    }
  }
  result.times = compare(candidates, repetitions, name);
  return result;
}

std::vector<row> rows_of(const problem_result& result) {
  std::vector<row> rows;
  const row_heading heading{.suite = "algorithms",
                            .name = result.name,
                            .size = static_cast<std::int64_t>(result.size),
                            .unit = unit_of(result)};
  for (const measurement& one : result.times.entries) {
    row r = row_of(heading, result.times, one);
    r.extra["ns_per_item"] = ns_per_item(result, one);
    rows.push_back(std::move(r));
  }
  return rows;
}

std::string text_of(const problem_result& result) {
  const time_unit& unit = unit_of(result);
  std::vector<table::column> columns = timing_columns("library", unit);
  columns.push_back({"ns/item"});
  table t(std::move(columns));
  for (const measurement& one : result.times.entries) {
    std::vector<std::string> cells = timing_cells(unit, result.times, one);
    cells.push_back(nanoseconds(ns_per_item(result, one)));
    t.add(std::move(cells));
  }
  std::string lacking;
  for (const std::string& one : result.lacking) lacking += fmt::format("{}: no such algorithm\n", one);
  return fmt::format("{}: {}, {} samples each\n{}{}", result.name, result.text, result.times.serial().seconds.size(),
                     t.text(), lacking);
}

}  // namespace pilfer::lab::algorithms
