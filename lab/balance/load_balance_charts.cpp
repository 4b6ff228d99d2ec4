#include "lab/balance/load_balance.hpp"
#include "lab/balance/rows.hpp"

namespace pilfer::lab::balance {
namespace {

using page::chart;
using page::chart_kind;
using page::series;

// What a chart takes from a row.
struct figure {
  const char* id;
  const char* title;
  const char* unit;
  std::optional<estimate> (*of)(const row&);
};

std::optional<estimate> time_of(const row& one) { return median_estimate(one.samples); }

std::optional<estimate> steals_of(const row& one) {
  const std::optional<double> steals = extra_number(one, "tasks_stolen");
  if (!steals) return std::nullopt;
  return estimate{*steals, *steals, *steals};
}

std::optional<estimate> waiting_of(const row& one) {
  const std::vector<double> values = extra_numbers(one, "waiting_us_samples");
  if (values.empty()) return std::nullopt;
  estimate us = median_estimate(values);
  return estimate{us.value / 1e3, us.low / 1e3, us.high / 1e3};
}

constexpr figure time_figure{"time", "Total time", "total time (ms)", time_of};
constexpr figure steals_figure{"steals", "Steals", "stolen tasks", steals_of};
constexpr figure waiting_figure{"waiting", "Average waiting time", "average waiting time (ms)", waiting_of};

// One line per kind of queue, over N.
chart over_workers(const std::vector<row>& rows, load what, const figure& shown) {
  chart c{
      .id = fmt::format("load-balance-{}-{}", name_of(what), shown.id),
      .title = fmt::format("{} of the {} load, with and without stealing", shown.title, name_of(what)),
      .caption = fmt::format(
          "In the manner of 002, experiment {}. {}", what == load::even ? 1 : 2,
          what == load::even
              ? "There is nothing to be won; the lines with stealing should not lie above those without."
              : "Half of the threads have all the work. 002 at N = 4, unbounded: 27.7 ms with stealing, 53.3 without."),
      .kind = chart_kind::lines,
      .x = {"threads N", true},
      .y = {shown.unit, false},
      .lines_or_groups = {},
      .reference = {},
      .reference_label = {}};
  const auto add = [&](const char* impl) {
    series s{impl, {}};
    for (const row& one : rows) {
      const std::size_t workers = parameter(one, "workers");
      if (one.suite != load_balance_name || one.impl != impl || one.samples.empty() ||
          one.name != load_row_name(what, generation::batch, workers)) {
        continue;
      }
      if (const auto y = shown.of(one)) s.points.push_back(line_point(static_cast<double>(workers), *y));
    }
    add_series(c, std::move(s));
  };
  for (const crew_kind& kind : crew_kinds) {
    if (shown.of == steals_of && kind.allowed == stealing::off) continue;
    add(kind.impl);
  }
  if (shown.of == time_of) add(serial_impl);
  return c;
}

chart on_the_fly(const std::vector<row>& rows) {
  chart c{.id = "load-balance-fly-waiting",
          .title = "Average waiting time of tasks that come on the fly",
          .caption =
              "Tasks come at random intervals, so that seven tenths of the processors' time are needed. Without "
              "stealing a task waits behind those of its own queue, while others are empty.",
          .kind = chart_kind::bars,
          .x = {"load, threads", false},
          .y = {waiting_figure.unit, true},
          .lines_or_groups = {},
          .reference = {},
          .reference_label = {}};
  for (const crew_kind& kind : crew_kinds) {
    series s{kind.impl, {}};
    for (const load what : {load::even, load::skewed}) {
      for (const row& one : rows) {
        const std::size_t workers = parameter(one, "workers");
        if (one.suite != load_balance_name || one.impl != kind.impl ||
            one.name != load_row_name(what, generation::on_the_fly, workers)) {
          continue;
        }
        if (const auto y = waiting_of(one)) {
          s.points.push_back(bar_point(fmt::format("{}, {}", name_of(what), workers), *y));
        }
      }
    }
    add_series(c, std::move(s));
  }
  return c;
}

}  // namespace

std::vector<chart> load_balance_charts(const std::vector<row>& rows) {
  std::vector<chart> charts;
  for (const load what : {load::even, load::skewed}) {
    for (const figure& shown : {time_figure, steals_figure, waiting_figure}) {
      experiments::add_if_filled(charts, over_workers(rows, what, shown));
    }
  }
  experiments::add_if_filled(charts, on_the_fly(rows));
  return charts;
}

}  // namespace pilfer::lab::balance
