#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "lab/experiments/row_query.hpp"
#include "lab/peers/experiment.hpp"

namespace pilfer::lab::experiments {
namespace {

constexpr std::array<std::string_view, 4> task_programs = {"spawn", "skynet", "fib_spawn", "ping_pong"};
constexpr std::array<std::string_view, 6> join_programs = {"fib",       "nqueens",    "integrate",
                                                           "quicksort", "merge_sort", "matmul"};

bool is_among(std::span<const std::string_view> names, const row& one) {
  return std::ranges::find(names, one.name) != names.end();
}

bool is_sequential(const row& one) {
  const auto own = one.extra.find("own_sequential");
  return own != one.extra.end() && own->is_string() && own->get<std::string>() == one.impl;
}

// With several numbers of workers only the largest is shown: a bar for each of the others would be too many.
bool has_most_workers(const std::vector<row>& rows, const row& one) {
  return std::ranges::none_of(rows, [&](const row& other) {
    return other.name == one.name && other.impl == one.impl && workers_of(other) > workers_of(one);
  });
}

estimate own_ratio(const std::vector<row>& rows, const row& one) {
  const auto name = one.extra.at("own_sequential").get<std::string>();
  return paired_ratio(one.samples, find_row(rows, one.name, name)->samples);
}

bool has_own_ratio(const std::vector<row>& rows, const row& one) {
  const auto name = one.extra.find("own_sequential");
  if (name == one.extra.end() || !name->is_string()) return false;
  const row* const own = find_row(rows, one.name, name->get<std::string>());
  return own != nullptr && own->samples.size() == one.samples.size();
}

estimate time_of(const row& one) { return median_estimate(one.samples); }

}  // namespace

std::vector<page::chart> peers_charts(const std::vector<row>& rows) {
  std::vector<page::chart> charts;
  const auto add = [&](page::chart one) {
    if (!one.lines_or_groups.empty()) charts.push_back(std::move(one));
  };
  add({.id = "peers-tasks",
       .title = "Tasks: time of whole programs",
       .caption = "Empty tasks, skynet, fib with a task per call, messages to and fro. Lower is better; the sequential "
                  "code of "
                  "each language shows what is left when there are no tasks.",
       .kind = page::chart_kind::bars,
       .x = {.label = "program"},
       .y = {.label = "time (ms)", .logarithmic = true},
       .lines_or_groups = bars_of(
           rows, [&](const row& r) { return is_among(task_programs, r) && has_most_workers(rows, r); }, time_of)});
  add({.id = "peers-joins",
       .title = "Fork and join: time over sequential code of the same language",
       .caption = "Below 1 is a speedup. Each language's own sequential code is the measure, since compilers differ.",
       .kind = page::chart_kind::bars,
       .x = {.label = "program"},
       .y = {.label = "time / own sequential code", .logarithmic = true},
       .lines_or_groups = bars_of(
           rows,
           [&](const row& r) {
             return is_among(join_programs, r) && !is_sequential(r) && has_most_workers(rows, r) &&
                    has_own_ratio(rows, r);
           },
           [&](const row& r) { return own_ratio(rows, r); }),
       .reference = 1.0,
       .reference_label = "sequential code"});
  add({.id = "peers-deques",
       .title = "The owner's loop: our queues and crossbeam's",
       .caption = "In the manner of 001 Fig. 10 and 11: fill and empty, alone and with a thief. Each beside its own "
                  "sequential "
                  "structure.",
       .kind = page::chart_kind::bars,
       .x = {.label = "stolen share and entries"},
       .y = {.label = "time per operation (ns)", .logarithmic = true},
       .lines_or_groups = bars_of(rows, [](const row& r) { return r.unit == "ns/op"; }, time_of)});
  add({.id = "peers-json",
       .title = "JSON: documents decoded and encoded",
       .caption =
           "After 001 section 6.3.3. Ours is nlohmann's parser into a tree, Go's is encoding/json into structures: the "
           "speedups can be compared, the times only with that in mind.",
       .kind = page::chart_kind::bars,
       .x = {.label = ""},
       .y = {.label = "time (ms)"},
       .lines_or_groups =
           bars_of(rows, [&](const row& r) { return r.name == "json" && has_most_workers(rows, r); }, time_of)});
  return charts;
}

}  // namespace pilfer::lab::experiments
