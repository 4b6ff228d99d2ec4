#include <fmt/format.h>

#include <algorithm>

#include "lab/lightweight/profile.hpp"

namespace pilfer::lab::lightweight {
namespace {

using balance::add_series;
using balance::bar_point;
using balance::line_point;
using experiments::add_if_filled;
using page::chart;
using page::chart_kind;
using page::point;
using page::series;

std::vector<std::string> all_light() {
  std::vector<std::string> names;
  names.reserve(variants.size() + relatives.size());
  for (const char* const name : variants) names.emplace_back(name);
  for (const char* const name : relatives) names.emplace_back(name);
  return names;
}

std::string workers_text(std::size_t workers) { return fmt::format("{} worker{}", workers, workers == 1 ? "" : "s"); }

std::vector<std::size_t> timed_workers(const std::vector<row>& rows, std::string_view impl) {
  std::vector<std::size_t> counts;
  for (const configuration& one : configurations_of(rows, impl)) {
    if (std::ranges::find(counts, one.workers) == counts.end()) counts.push_back(one.workers);
  }
  return counts;
}

chart empty_chart(std::string id, std::string title, std::string caption, chart_kind kind) {
  return {.id = std::move(id),
          .title = std::move(title),
          .caption = std::move(caption),
          .kind = kind,
          .x = {},
          .y = {},
          .lines_or_groups = {},
          .reference = {},
          .reference_label = {}};
}

// 004 Fig. 4 and 7.
chart speedup_boxes(const std::vector<row>& rows, const char* base) {
  chart c = empty_chart(
      fmt::format("lcws-speedup-{}", base), fmt::format("Speedup over {}", base),
      "In the manner of 004 Fig. 4 and 7: a box holds the median speedups of all programs. 004's user-space "
      "variant falls to 92 to 95 % of classical stealing when every processor has a worker; the "
      "signal-based one stays at 99 to 102 %.",
      chart_kind::boxes);
  c.x.label = "workers";
  c.y.label = fmt::format("time of {} / time", base);
  c.reference = 1;
  c.reference_label = base;
  for (const std::string& impl : all_light()) {
    series s{impl, {}};
    for (const std::size_t workers : timed_workers(rows, impl)) {
      std::vector<double> ratios;
      for (const configuration& one : configurations_of(rows, impl)) {
        if (one.workers != workers) continue;
        if (const auto ratio = speedup(rows, one, impl, base)) ratios.push_back(ratio->value);
      }
      if (ratios.empty()) continue;
      point p = bar_point(workers_text(workers), median(ratios));
      p.samples = std::move(ratios);
      s.points.push_back(std::move(p));
    }
    add_series(c, std::move(s));
  }
  return c;
}

// 004 Fig. 6.
chart shares_of_faster(const std::vector<row>& rows) {
  chart c = empty_chart("lcws-faster", fmt::format("Programs that are faster than with {}", papers_classical),
                        "In the manner of 004 Fig. 6: the share of programs with a median speedup above 1.",
                        chart_kind::bars);
  c.x.label = "workers";
  c.y.label = "faster programs (%)";
  for (const std::string& impl : all_light()) {
    series s{impl, {}};
    for (const std::size_t workers : timed_workers(rows, impl)) {
      double count = 0;
      double faster = 0;
      for (const configuration& one : configurations_of(rows, impl)) {
        const auto ratio = one.workers == workers ? speedup(rows, one, impl, papers_classical) : std::nullopt;
        if (!ratio) continue;
        count += 1;
        faster += ratio->value > 1 ? 1 : 0;
      }
      if (count > 0) s.points.push_back(bar_point(workers_text(workers), 100 * faster / count));
    }
    add_series(c, std::move(s));
  }
  return c;
}

std::size_t most_counted_workers(const std::vector<row>& rows) {
  const std::vector<std::size_t> counts = counted_workers(rows);
  return counts.empty() ? 0 : *std::ranges::max_element(counts);
}

std::vector<std::string> counted_impls(const std::vector<row>& rows) {
  return balance::each_once(rows, profile_name, [](const row& one) {
    return one.name.starts_with(counts_prefix) ? one.impl : std::string();
  });
}

// 004 Fig. 3a to 3c, 8a to 8c: something counted, relative to classical stealing; by program, and of all.
chart relative_counts(const std::vector<row>& rows, const char* key, const char* title, const char* caption) {
  chart c = empty_chart(fmt::format("lcws-{}", key), fmt::format("{}, relative to {}", title, papers_classical),
                        caption, chart_kind::bars);
  c.x.label = "program";
  c.y.label = fmt::format("% of {}'s", papers_classical);
  const std::size_t workers = most_counted_workers(rows);
  std::vector<std::vector<std::string>> groups = {{}};  // none: all programs
  for (const std::string& name : counted_programs(rows)) groups.push_back({name});
  for (const std::string& impl : counted_impls(rows)) {
    if (impl == papers_classical) continue;
    series s{impl, {}};
    for (const std::vector<std::string>& of : groups) {
      const std::vector<double> mine = sum_of_counts(rows, {impl, key, workers}, of);
      const std::vector<double> base = sum_of_counts(rows, {papers_classical, key, workers}, of);
      if (mine.empty() || mine.size() != base.size() || std::ranges::find(base, 0.0) != base.end()) continue;
      const estimate ratio = paired_ratio(mine, base);
      s.points.push_back(bar_point(of.empty() ? "all programs" : of.front(),
                                   estimate{100 * ratio.value, 100 * ratio.low, 100 * ratio.high}));
    }
    add_series(c, std::move(s));
  }
  return c;
}

// 004 Fig. 3d and 8d.
chart unstolen_chart(const std::vector<row>& rows) {
  chart c = empty_chart(
      "lcws-unstolen", "Exposed, but not stolen",
      "In the manner of 004 Fig. 3d and 8d: of the exposed jobs, the share that the owner took back. 004 saw "
      "it fall from the user-space to the signal-based variant.",
      chart_kind::bars);
  c.x.label = "program";
  c.y.label = "% of exposed jobs";
  const std::size_t workers = most_counted_workers(rows);
  for (const std::string& impl : counted_impls(rows)) {
    series s{impl, {}};
    for (const std::string& name : counted_programs(rows)) {
      double exposed = 0;
      double back = 0;
      for (const double one : sum_of_counts(rows, {impl, "exposed", workers}, {name})) exposed += one;
      for (const double one : sum_of_counts(rows, {impl, "unstolen", workers}, {name})) back += one;
      if (exposed > 0) s.points.push_back(bar_point(name, 100 * back / exposed));
    }
    add_series(c, std::move(s));
  }
  return c;
}

chart scaling(const std::vector<row>& rows, const std::string& name) {
  chart c =
      empty_chart(fmt::format("lcws-scaling-{}", name), fmt::format("{}: speedup over serial code", name),
                  "Serial time / time by number of workers. Where forks are all there is, one worker is slower than "
                  "serial code.",
                  chart_kind::lines);
  c.x.label = "workers";
  c.y.label = "serial time / time";
  c.reference = 1;
  c.reference_label = "serial code";
  std::vector<std::string> impls(classical.begin(), classical.end());
  for (const std::string& one : all_light()) impls.push_back(one);
  for (const std::string& impl : impls) {
    series s{impl, {}};
    for (const configuration& one : configurations_of(rows, impl)) {
      if (one.program != name) continue;
      const row* const timed = time_row(rows, one, impl);
      if (timed != nullptr && timed->ratio_to_sequential) {
        s.points.push_back(line_point(static_cast<double>(one.workers), *timed->ratio_to_sequential));
      }
    }
    add_series(c, std::move(s));
  }
  return c;
}

}  // namespace

std::vector<chart> profile_charts(const std::vector<row>& rows) {
  std::vector<chart> charts;
  for (const char* base : classical) add_if_filled(charts, speedup_boxes(rows, base));
  add_if_filled(charts, shares_of_faster(rows));
  add_if_filled(charts,
                relative_counts(rows, "fences", "Fences", "In the manner of 004 Fig. 3a and 8a. 004: less than 1 %."));
  add_if_filled(charts, relative_counts(rows, "cas", "Compare-and-swaps",
                                        "In the manner of 004 Fig. 3b and 8b. 004: less than 40 %."));
  add_if_filled(charts, relative_counts(rows, "steals", "Steals",
                                        "In the manner of 004 Fig. 3c and 8c, of steals that succeeded."));
  add_if_filled(charts, unstolen_chart(rows));
  std::vector<std::string> names;
  for (const configuration& one : configurations_of(rows, papers_classical)) {
    if (std::ranges::find(names, one.program) == names.end()) names.push_back(one.program);
  }
  for (const std::string& name : names) add_if_filled(charts, scaling(rows, name));
  return charts;
}

}  // namespace pilfer::lab::lightweight
