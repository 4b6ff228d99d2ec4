#include "lab/applications/charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "lab/applications/measurement.hpp"
#include "lab/experiments/row_query.hpp"

namespace pilfer::lab::applications {
namespace {

using experiments::bars_of;
using experiments::each_once;
using experiments::extra_number;
using experiments::workers_of;
using page::chart;
using page::chart_kind;

constexpr std::size_t programs_per_chart = 8;  // so that a bar can be seen
constexpr const char* interval_caption = "Median over pairs of neighbouring runs, with its 95 % interval.";

estimate exactly(double value) { return {value, value, value}; }
estimate speedup(const row& r) { return r.ratio_to_sequential.value_or(exactly(0)); }

void keep_if_filled(std::vector<chart>& charts, chart one) {
  if (!one.lines_or_groups.empty()) charts.push_back(std::move(one));
}

bool at_most_workers(const std::vector<row>& rows, const row& r) {
  return workers_of(r) > 0 && workers_of(r) == static_cast<double>(most_workers(rows, r.name));
}

// Groups of programs that fit into one chart.
std::vector<std::vector<std::string>> chapters(const std::vector<row>& rows) {
  std::vector<std::vector<std::string>> all;
  for (const std::string& program : each_once(rows, &row::name)) {
    if (all.empty() || all.back().size() == programs_per_chart) all.emplace_back();
    all.back().push_back(program);
  }
  return all;
}

void add_speedups(std::vector<chart>& charts, const std::vector<row>& rows, const char* id, const char* title,
                  const std::function<bool(const row&)>& wanted) {
  std::size_t number = 0;
  for (const std::vector<std::string>& names : chapters(rows)) {
    ++number;
    const auto here = [&](const row& r) { return wanted(r) && std::ranges::find(names, r.name) != names.end(); };
    keep_if_filled(charts, {.id = fmt::format("programs-{}-{}", id, number),
                            .title = fmt::format("{} ({})", title, number),
                            .caption = interval_caption,
                            .kind = chart_kind::bars,
                            .x = {"program"},
                            .y = {"serial time / time"},
                            .lines_or_groups = bars_of(rows, here, speedup),
                            .reference = 1,
                            .reference_label = "serial code"});
  }
}

// One box per scheduler, of its speedups in all programs.
chart summary(const std::vector<row>& rows) {
  chart shown{.id = "programs-summary",
              .title = "Speedups over all programs, with all processors",
              .caption = "004's box plots: a box has the median speedup of each program. std-par runs only sorts.",
              .kind = chart_kind::boxes,
              .x = {"scheduler"},
              .y = {"serial time / time", true},
              .lines_or_groups = {{.name = "speedup", .points = {}}},
              .reference = 1,
              .reference_label = "serial code"};
  std::vector<page::point>& boxes = shown.lines_or_groups.front().points;
  for (const std::string& who : each_once(rows, &row::impl)) {
    page::point box;
    box.category = who;
    for (const row& r : rows) {
      if (r.impl == who && at_most_workers(rows, r)) box.samples.push_back(speedup(r).value);
    }
    if (box.samples.empty()) continue;
    box.y = median(box.samples);
    boxes.push_back(std::move(box));
  }
  if (boxes.empty()) shown.lines_or_groups.clear();
  return shown;
}

// Voluntary and involuntary ones on top of each other; a bar per scheduler, medians of all its programs added.
chart switches(const std::vector<row>& rows, const char* id, const char* caption) {
  chart shown{.id = id,
              .title = "Context switches of a run",
              .caption = caption,
              .kind = chart_kind::stacked_bars,
              .x = {"scheduler"},
              .y = {"context switches"},
              .lines_or_groups = {}};
  const auto add = [&](const char* name, const char* key) {
    page::series one{.name = name, .points = {}};
    for (const std::string& who : each_once(rows, &row::impl)) {
      page::point bar;
      bar.category = who;
      bool found = false;
      for (const row& r : rows) {
        if (r.impl != who || !at_most_workers(rows, r)) continue;
        bar.y += extra_number(r, key);
        found = true;
      }
      if (found) one.points.push_back(std::move(bar));
    }
    if (!one.points.empty()) shown.lines_or_groups.push_back(std::move(one));
  };
  add("voluntary", "voluntary_switches");
  add("involuntary", "involuntary_switches");
  return shown;
}

bool says_what_was_stolen(const row& r) {
  const auto found = r.extra.find("tasks_stolen");
  return found != r.extra.end() && found->is_number();
}

// A bar per scheduler, in one series.
chart by_queue(const std::vector<row>& rows, chart shown, const std::function<bool(const row&)>& wanted,
               const std::function<estimate(const row&)>& value) {
  page::series one{.name = shown.y.label, .points = {}};
  for (const row& r : rows) {
    if (!wanted(r)) continue;
    const estimate figure = value(r);
    page::point bar;
    bar.category = r.impl;
    bar.y = figure.value;
    bar.low = figure.low;
    bar.high = figure.high;
    one.points.push_back(std::move(bar));
  }
  if (!one.points.empty()) shown.lines_or_groups = {std::move(one)};
  return shown;
}

}  // namespace

std::vector<chart> program_charts(const std::vector<row>& rows) {
  std::vector<chart> charts;
  keep_if_filled(charts, summary(rows));
  const auto at_most = [&](const row& r) { return at_most_workers(rows, r); };
  add_speedups(charts, rows, "speedup", "Speedup with all processors", at_most);
  // With one processor that is what was shown already.
  add_speedups(charts, rows, "alone", "The price of a scheduler: one worker",
               [&](const row& r) { return workers_of(r) == 1 && most_workers(rows, r.name) > 1; });
  keep_if_filled(charts,
                 switches(rows, "programs-switches",
                          "000 Tables 5.4 and 5.5: medians of one run of each program with all processors, added up."));
  keep_if_filled(charts, {.id = "programs-stolen",
                          .title = "Tasks stolen in a run, with all processors",
                          .caption = "000 Fig. 5.11: median over runs. Other libraries do not say.",
                          .kind = chart_kind::bars,
                          .x = {"program"},
                          .y = {"tasks stolen"},
                          .lines_or_groups = bars_of(
                              rows, [&](const row& r) { return at_most(r) && says_what_was_stolen(r); },
                              [](const row& r) { return exactly(extra_number(r, "tasks_stolen")); })});
  return charts;
}

std::vector<chart> quicksort_charts(const std::vector<row>& rows) {
  std::vector<chart> charts;
  keep_if_filled(
      charts, by_queue(
                  rows,
                  {.id = "quicksort-time",
                   .title = "Quicksort with every queue and block size",
                   .caption = "000 Fig. 5.10: there BWoS with blocks of 64 took 65 times as long as with 8, and ABP "
                              "did not share at all. Here all bars should be alike. In brackets: entries of a block.",
                   .kind = chart_kind::bars,
                   .x = {"queue"},
                   .y = {"milliseconds"},
                   .lines_or_groups = {}},
                  [](const row&) { return true; }, [](const row& r) { return median_estimate(r.samples); }));
  keep_if_filled(charts,
                 by_queue(rows,
                          {.id = "quicksort-stolen",
                           .title = "Tasks stolen during quicksort",
                           .caption = "000 Fig. 5.11: median over runs, all processors.",
                           .kind = chart_kind::bars,
                           .x = {"queue"},
                           .y = {"tasks stolen"},
                           .lines_or_groups = {}},
                          says_what_was_stolen, [](const row& r) { return exactly(extra_number(r, "tasks_stolen")); }));
  keep_if_filled(charts,
                 switches(rows, "quicksort-switches",
                          "000 Table 5.4: 162 with ABP, 4335 with Chase-Lev, 1 211 343 with BWoS and blocks of 64."));
  return charts;
}

}  // namespace pilfer::lab::applications
