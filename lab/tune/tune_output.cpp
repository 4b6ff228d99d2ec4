// What `pilfer tune` says: tables, the advice, rows.
#include <fmt/format.h>

#include <algorithm>

#include "lab/measure/mapped.hpp"
#include "lab/measure/table.hpp"
#include "lab/tune/tune.hpp"

namespace pilfer::lab::tune {
namespace {

constexpr double ms_per_second = 1e3;
constexpr double kilobytes_per_megabyte = 1024;

std::vector<double> milliseconds_of(const trial& one) {
  return mapped(one.runs, [](const child_run& run) { return run.seconds * ms_per_second; });
}

// Median over the runs of what `figure` says of one.
template <class Figure>
double median_of(const trial& one, Figure figure) {
  return median(mapped(one.runs, [&](const child_run& run) { return static_cast<double>(figure(run)); }));
}
double processor_ms(const trial& one) {
  return median_of(one, [](const child_run& run) { return run.used.processor_seconds * ms_per_second; });
}
double peak_mb(const trial& one) {
  return median_of(
      one, [](const child_run& run) { return static_cast<double>(run.used.peak_kilobytes) / kilobytes_per_megabyte; });
}
bool peak_is_a_bound(const trial& one) { return std::ranges::any_of(one.runs, &child_run::peak_is_a_bound); }
double voluntary(const trial& one) {
  return median_of(one, [](const child_run& run) { return run.used.voluntary_switches; });
}
double involuntary(const trial& one) {
  return median_of(one, [](const child_run& run) { return run.used.involuntary_switches; });
}

std::vector<std::string> cells_of(const stage& of, const trial& one) {
  if (!one.failure.empty()) return {one.what.name(), "-", "-", "-", "failed", "-", "-", "-"};
  const std::vector<double> ms = milliseconds_of(one);
  if (ms.empty()) return {one.what.name(), "0", "-", "-", "-", "-", "-", "-"};  // interrupted before
  const estimate middle = median_estimate(ms);
  const auto ratio = ratio_to_default(of, one);
  return {one.what.name(),
          fmt::format("{}", ms.size()),
          fmt::format("{:.4g}", minimum(ms)),
          fmt::format("{:.4g} [{:.4g}, {:.4g}]", middle.value, middle.low, middle.high),
          ratio ? ratio_with_interval(*ratio) : "-",
          fmt::format("{:.4g}", processor_ms(one)),
          fmt::format("{}{:.1f}", peak_is_a_bound(one) ? "<" : "", peak_mb(one)),
          fmt::format("{:.0f} + {:.0f}", voluntary(one), involuntary(one))};
}

// Speed, not time: 1.12 times as fast is 12 %.
double percent_faster(double time_ratio) { return (1 / time_ratio - 1) * 100; }

json json_of(const configuration& what) {
  return {{"scheduler", what.scheduler},
          {"block_entries", what.block_entries == 0 ? json(nullptr) : json(what.block_entries)},
          {"victim", what.victim.empty() ? json(nullptr) : json(what.victim)}};
}

}  // namespace

std::string text_of(const stage& one) {
  table t({{one.name, align::left},
           {"runs"},
           {"min ms"},
           {"median ms [95 %]"},
           {"time / default"},
           {"processor ms"},
           {"peak MB"},
           {"switches"}});
  for (const trial& each : one.trials) t.add(cells_of(one, each));
  std::string text = t.text();
  for (const trial& each : one.trials) {
    if (!each.failure.empty()) text += fmt::format("{}: failed: {}\n", each.what.name(), each.failure);
  }
  return text;
}

std::string advice_text(const tuning& found) {
  if (found.interrupted_by != 0) return "Interrupted: no recommendation.\n";
  if (!found.advice) {
    const bool tried = !found.stages.empty() && found.stages.back().name == "confirmation";
    return fmt::format("The default is fine: nothing is faster beyond the interval{}.\n",
                       tried ? ", not a second time" : "");
  }
  const auto& [what, ratio] = *found.advice;
  std::string text =
      fmt::format("{}: {:.0f} % faster [{:.0f}, {:.0f}]; set it in the environment or by {}\n", what.assignments(),
                  percent_faster(ratio.value), percent_faster(ratio.high), percent_faster(ratio.low), what.options());
  if (!found.asks_pilfer) text += "But the program does not seem to ask pilfer: do not trust this.\n";
  return text;
}

std::vector<row> rows_of(const tuning& found, const std::string& program) {
  std::vector<row> rows;
  for (const stage& of : found.stages) {
    for (const trial& one : of.trials) {
      if (!one.failure.empty() || one.runs.empty()) continue;
      row r{.suite = "tune",
            .name = fmt::format("{}/{}", program, of.name),
            .impl = one.what.name(),
            .params = json_of(one.what),
            .unit = "ms",
            .samples = milliseconds_of(one),
            .ratio_to_sequential = {}};
      const auto ratio = ratio_to_default(of, one);
      r.extra["time_to_default"] = ratio ? json(ratio->value) : json(nullptr);
      r.extra["time_to_default_ci_low"] = ratio ? json(ratio->low) : json(nullptr);
      r.extra["time_to_default_ci_high"] = ratio ? json(ratio->high) : json(nullptr);
      r.extra["processor_ms"] = processor_ms(one);
      r.extra["peak_mb"] = peak_mb(one);
      r.extra["peak_is_a_bound"] = peak_is_a_bound(one);
      r.extra["voluntary_switches"] = voluntary(one);
      r.extra["involuntary_switches"] = involuntary(one);
      rows.push_back(std::move(r));
    }
  }
  return rows;
}

json further_keys(const tuning& found, const settings& given) {
  json failed = json::array();
  for (const stage& of : found.stages) {
    for (const trial& one : of.trials) {
      if (one.failure.empty()) continue;
      json entry = json_of(one.what);
      entry["why"] = one.failure;
      failed.push_back(std::move(entry));
    }
  }
  json recommended = nullptr;
  if (found.advice) {
    recommended = json_of(found.advice->what);
    recommended["time_to_default"] = rounded(found.advice->ratio.value);
    recommended["time_to_default_ci_low"] = rounded(found.advice->ratio.low);
    recommended["time_to_default_ci_high"] = rounded(found.advice->ratio.high);
  }
  return {{"command", given.command},
          {"asks_pilfer", found.asks_pilfer},
          {"failed", std::move(failed)},
          {"recommended", std::move(recommended)}};
}

}  // namespace pilfer::lab::tune
