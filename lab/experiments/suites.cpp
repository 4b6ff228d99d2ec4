#include "lab/experiments/suites.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "lab/algorithms/bench_algorithms.hpp"
#include "lab/algorithms/claims.hpp"
#include "lab/experiments/priority_rows.hpp"
#include "lab/experiments/row_query.hpp"
#include "lab/forkjoin/bench_fork_join.hpp"
#include "lab/forkjoin/claims.hpp"
#include "lab/priorities/bench_priorities.hpp"
#include "lab/priorities/claims.hpp"
#include "lab/programs/workload.hpp"

namespace pilfer::lab::experiments {
namespace {

using page::chart;
using page::chart_kind;
using programs::scale;

scale scale_of(const settings& given) { return by_effort(given, scale::tiny, scale::quick, scale::full); }

// A suite judges its figures while it has them all in hand, so it is one part.
template <class Settings>
std::vector<part> one_part(const settings& given,
                           report (*bench)(const Settings&, const std::function<void(std::string_view)>&),
                           std::size_t quick_repetitions, Settings chosen = {}) {
  chosen.size = scale_of(given);
  chosen.repetitions = by_effort(given, std::size_t{1}, quick_repetitions, chosen.repetitions);
  return {{.name = "all", .run = [chosen, bench] {
             report found = bench(chosen, [](std::string_view) {});
             return findings{.rows = std::move(found.rows),
                             .claims = std::move(found.claims),
                             .notes = {},
                             .versions = std::move(found.on.versions)};
           }}};
}

estimate speedup(const row& r) { return r.ratio_to_sequential.value_or(exactly(0)); }

// Every worker count that occurs among rows of programs, ascending.
std::vector<double> counts_of_workers(const std::vector<row>& rows) {
  std::vector<double> counts;
  for (const row& r : rows) {
    const double workers = workers_of(r);
    if (workers > 0 && std::ranges::find(counts, workers) == counts.end()) counts.push_back(workers);
  }
  std::ranges::sort(counts);
  return counts;
}

std::vector<chart> speedup_charts(const std::vector<row>& rows, const std::string& suite, const std::string& caption) {
  std::vector<chart> charts;
  for (const double workers : counts_of_workers(rows)) {
    const auto wanted = [&](const row& r) { return workers_of(r) == workers && r.ratio_to_sequential; };
    add_if_filled(charts,
                  {.id = fmt::format("{}-speedup-{}", suite, workers),
                   .title = fmt::format("Speed relative to serial code, {} worker{}", workers, workers == 1 ? "" : "s"),
                   .caption = caption,
                   .kind = chart_kind::bars,
                   .x = {"program"},
                   .y = {"serial time / time"},
                   .lines_or_groups = bars_of(rows, wanted, speedup),
                   .reference = 1,
                   .reference_label = "serial code"});
  }
  return charts;
}

std::vector<chart> fork_join_charts(const std::vector<row>& rows) {
  std::vector<chart> charts;
  const auto forks = [](const row& r) {
    return r.name == "fib" && workers_of(r) == 1 && r.extra.contains("ns_per_fork") &&
           r.extra["ns_per_fork"].is_number();
  };
  const auto ns = [](const row& r) { return exactly(extra_number(r, "ns_per_fork")); };
  add_if_filled(charts, {.id = "fork-join-ns",
                         .title = "What a fork costs",
                         .caption = "fib without a cut-off, one worker: nothing but forks, the call included.",
                         .kind = chart_kind::bars,
                         .x = {"program"},
                         .y = {"nanoseconds per fork", true},
                         .lines_or_groups = bars_of(rows, forks, ns)});
  std::ranges::move(
      speedup_charts(rows, "fork-join", "Median over pairs of neighbouring runs, with its 95 % interval."),
      std::back_inserter(charts));
  return charts;
}

std::vector<chart> algorithm_charts(const std::vector<row>& rows) {
  return speedup_charts(rows, "algorithms", "Median over pairs of neighbouring runs, with its 95 % interval.");
}

// Steals of each level, in the program with the most uneven load (003 Fig. 9).
chart steals_by_level(const std::vector<row>& rows) {
  chart shown{.id = "priorities-steals",
              .title = "Steals per level",
              .caption = "003 Fig. 9: steals of a run, by level; a pool with one deque knows no levels.",
              .kind = chart_kind::stacked_bars,
              .x = {"design, workers"},
              .y = {"steals per run"},
              .lines_or_groups = {}};
  for (const row& r : rows) {
    const auto steals = r.extra.find("steals_by_level");
    if (r.name != "scenario_4" || workers_of(r) < 2 || steals == r.extra.end() || steals->size() < 2) continue;
    for (std::size_t level = 0; level < steals->size(); ++level) {
      if (shown.lines_or_groups.size() <= level)
        shown.lines_or_groups.push_back({.name = fmt::format("level {}", level), .points = {}});
      page::point one;
      one.category = fmt::format("{}, {:g}", r.impl, workers_of(r));
      one.y = (*steals)[level].get<double>();
      shown.lines_or_groups[level].points.push_back(std::move(one));
    }
  }
  return shown;
}

std::vector<chart> priority_charts(const std::vector<row>& rows) {
  std::vector<chart> charts;
  const std::vector<double> counts = counts_of_workers(rows);
  const double workers = std::ranges::find(counts, 2.0) != counts.end() ? 2 : counts.empty() ? 1 : counts.front();
  const auto timed = [&](const row& r) {
    return workers_of(r) == workers && r.name != "latency" && r.ratio_to_sequential.has_value();
  };
  add_if_filled(charts,
                {.id = "priorities-speed",
                 .title = fmt::format("What priorities cost: speed relative to serial code, {:g} workers", workers),
                 .caption = "003 saw 15 to 30 % for strict priorities against a single deque.",
                 .kind = chart_kind::bars,
                 .x = {"program"},
                 .y = {"serial time / time"},
                 .lines_or_groups = bars_of(rows, timed, speedup),
                 .reference = 1,
                 .reference_label = "serial code"});
  const auto level0 = [&](const row& r) {
    return workers_of(r) == workers && r.extra.contains("level0_ms") && !r.extra["level0_ms"].empty();
  };
  const auto done = [](const row& r) { return median_estimate(r.extra["level0_ms"].get<std::vector<double>>()); };
  add_if_filled(charts, {.id = "priorities-level0",
                         .title = fmt::format("When the most urgent tasks are done, {:g} workers", workers),
                         .caption = "003: more than three times sooner than with a single deque.",
                         .kind = chart_kind::bars,
                         .x = {"program"},
                         .y = {"milliseconds until level 0 is done"},
                         .lines_or_groups = bars_of(rows, level0, done)});
  add_if_filled(charts, steals_by_level(rows));
  chart delays{.id = "priorities-latency",
               .title = "How long an urgent request waits",
               .caption = "From its submission to its begin, while the pool is full of less urgent tasks.",
               .kind = chart_kind::violins,
               .x = {"design"},
               .y = {"microseconds", true},
               .lines_or_groups = {}};
  for (const row& r : rows) {
    if (r.name != "latency") continue;
    page::point one;
    one.category = r.impl;
    one.y = median(r.samples);
    one.samples = r.samples;
    if (delays.lines_or_groups.empty()) delays.lines_or_groups.push_back({.name = "delay", .points = {}});
    delays.lines_or_groups.front().points.push_back(std::move(one));
  }
  add_if_filled(charts, std::move(delays));
  return charts;
}

}  // namespace

experiment fork_join_experiment() {
  return {
      .name = "fork-join",
      .title = "Fork-join: what a fork costs",
      .source = "004, and what others measure: fib, nqueens, quicksort",
      .summary =
          "Recursive programs on our schedulers and on others', beside serial code: fib is nothing but forks, the "
          "others do more and more work between them. `pilfer bench fork-join` has more choices.",
      .parts =
          [](const settings& given) {
            forkjoin::bench_settings chosen;  // quick: those that claims are about; lcws and programs have the others
            if (given.how == effort::quick) chosen.programs = {"fib", "nqueens", "quicksort", "late-leaf"};
            return one_part(given, &forkjoin::bench_fork_join, 7, chosen);
          },
      .claims = {},
      .unmeasured = [] { return forkjoin::fork_join_claims({}, nullptr, nullptr); },
      .charts = fork_join_charts,
      .quick_seconds = 18};
}

experiment algorithms_experiment() {
  return {.name = "algorithms",
          .title = "Loops, sorts, reductions and scans",
          .source = "ours",
          .summary =
              "The algorithms of the library beside oneTBB, OpenMP and std::execution::par on the same data. "
              "`pilfer bench algorithms` has more choices.",
          .parts = [](const settings& given) { return one_part(given, &algorithms::bench_algorithms, 3); },
          .claims = {},
          .unmeasured = [] { return algorithms::algorithm_claims({}); },
          .charts = algorithm_charts,
          .quick_seconds = 16};
}

experiment priorities_experiment() {
  return {
      .name = "priorities",
      .title = "Priorities",
      .source = "003 Fig. 6 to 10",
      .summary =
          "The scenarios of 003 with strict priorities, with sqrt(n) probing, with one level for the whole pool, and "
          "with a single deque per worker. `pilfer bench priorities` has more choices.",
      .parts =
          [](const settings& given) {
            priorities::bench_settings chosen;
            if (given.how == effort::quick) chosen.workers = {1, 2};
            std::vector<part> parts = one_part(given, &priorities::bench_priorities, 5, chosen);
            parts.front().run = [run = std::move(parts.front().run)] {
              findings found = run();
              std::ranges::move(priority_row_claims(found.rows), std::back_inserter(found.claims));
              return found;
            };
            return parts;
          },
      .claims = {},
      .unmeasured =
          [] {
            std::vector<claim> all = priorities::priority_claims({}, nullptr);
            std::ranges::move(priority_row_claims({}), std::back_inserter(all));
            return all;
          },
      .charts = priority_charts,
      .quick_seconds = 25};
}

}  // namespace pilfer::lab::experiments
