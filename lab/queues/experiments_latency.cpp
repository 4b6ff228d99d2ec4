// `steal-latency`.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "lab/queues/experiment_tools.hpp"
#include "lab/queues/experiments.hpp"

namespace pilfer::lab::experiments {
namespace {

using namespace queues;
using std::chrono::milliseconds;

constexpr const char* steal_latency_name = "steal-latency";
constexpr const char* taken_name = "steal/taken";
constexpr const char* failed_name = "steal/failed";
constexpr const char* clock_name = "clock/nothing";
constexpr std::uint64_t steal_hz = 100'000;  // as 000 with one thief
constexpr std::size_t times_kept = 1'000'000;
constexpr std::size_t samples_kept = 1000;

const std::vector<std::string> timed_queues = {"mutex-deque", "eigen-runqueue", "locked", "abp",          "chase-lev",
                                               "bwos-lifo",   "bwos-fifo",      "split",  "split-signal", "asymmetric"};

// Evenly spaced ones of the sorted values, the smallest and the largest among them: the distribution, in less space.
std::vector<double> thinned(const std::vector<double>& sorted) {
  if (sorted.size() <= samples_kept) return sorted;
  std::vector<double> some;
  some.reserve(samples_kept);
  for (std::size_t i = 0; i < samples_kept; ++i) some.push_back(sorted[i * (sorted.size() - 1) / (samples_kept - 1)]);
  return some;
}

row distribution(const char* name, std::string impl, json params, std::vector<double> ns) {
  std::ranges::sort(ns);
  return {.suite = steal_latency_name,
          .name = name,
          .impl = std::move(impl),
          .params = std::move(params),
          .unit = "ns",
          .samples = thinned(ns),
          .ratio_to_sequential = {},
          .extra = {{"attempts", ns.size()}, {"p90", percentile(ns, 90)}, {"p99", percentile(ns, 99)}}};
}

// What the clock says when nothing lies between two looks at it: part of every time of a steal.
row clock_row(std::size_t looks) {
  using clock = std::chrono::steady_clock;
  std::vector<double> ns;
  ns.reserve(looks);
  for (std::size_t i = 0; i < looks; ++i) {
    const auto begin = clock::now();
    const auto end = clock::now();
    ns.push_back(std::chrono::duration<double, std::nano>(end - begin).count());
  }
  return distribution(clock_name, "steady_clock", json::object(), std::move(ns));
}

findings measure_steal_latency(const settings& given) {
  findings found;
  const auto who = available(timed_queues, found);
  const thieves_result result =
      measure_thieves(small_geometry, who,
                      {.thieves = 1,
                       .frequencies = {steal_hz},
                       .sample = by_effort(given, milliseconds(2), milliseconds(10), milliseconds(20)),
                       .repetitions = by_effort<std::size_t>(given, 1, 25, 101),
                       .times_kept = times_kept});
  found.rows = under(steal_latency_name, 1, rows_of(result));
  for (const auto& entry : result.entries) {
    if (entry.hz == 0) continue;
    for (const auto& [name, times] :
         {std::pair{taken_name, &entry.times.taken}, std::pair{failed_name, &entry.times.failed}}) {
      if (times->empty()) {
        found.notes.push_back(
            fmt::format("{}: no steal {}", entry.who->name, name == taken_name ? "succeeded" : "failed"));
        continue;
      }
      json params = geometry_params(result.shape, *entry.who);
      params["thieves"] = result.settings.thieves;
      params["steal_hz"] = entry.hz;
      row one = distribution(name, entry.who->name, std::move(params), *times);
      one.extra["oversubscribed"] = result.oversubscribed;
      one.extra["pinned"] = result.pinned;
      found.rows.push_back(std::move(one));
    }
  }
  found.rows.push_back(clock_row(by_effort<std::size_t>(given, 1000, 20'000, 100'000)));
  return found;
}

std::vector<part> steal_latency_parts(const settings& given) {
  return {{"one thief", [given] { return measure_steal_latency(given); }}};
}

// Why the times of a queue prove nothing; empty if they do.
std::string why_no_times(const row* times, const char* queue) {
  if (times == nullptr) return fmt::format("no successful steal from {} was timed", queue);
  if (times->extra.value("oversubscribed", false)) return "more threads than processors";
  return {};
}

claim median_time(const char* id, const char* text, std::optional<double> paper, const char* queue,
                  const suite_rows& rows) {
  claim result{.id = id,
               .text = fmt::format("{}: median time of a successful steal, ns", text),
               .paper = paper,
               .goal = {},
               .measured = {},
               .note = {}};
  const row* const times = rows.find(taken_name, queue);
  if (const std::string why = why_no_times(times, queue); !why.empty()) return not_shown(result, why);
  result.measured = median_estimate(times->samples);
  if (const row* clock = rows.find(clock_name, "steady_clock")) {
    result.note = fmt::format("of which the clock is about {:.0f} ns", median(clock->samples));
  }
  return result;
}

// 000 gives an order, no figures.
claim order(const char* id, const char* text, const char* slow, const char* fast, const suite_rows& rows) {
  claim result{.id = id, .text = text, .paper = {}, .goal = {}, .measured = {}, .note = {}};
  const row* const numerator = rows.find(taken_name, slow);
  const row* const denominator = rows.find(taken_name, fast);
  for (const auto& [times, queue] : {std::pair{numerator, slow}, std::pair{denominator, fast}}) {
    if (const std::string why = why_no_times(times, queue); !why.empty()) return not_shown(result, why);
  }
  const estimate above = median_estimate(numerator->samples);
  const estimate below = median_estimate(denominator->samples);
  // Times of two queues are no pairs: the widest interval that both medians allow.
  result.measured = estimate{above.value / below.value, above.low / below.high, above.high / below.low};
  result.note = "the paper says: above 1";
  return result;
}

std::vector<claim> steal_latency_claims(const std::vector<row>& all, const settings& /*given*/) {
  const suite_rows rows(all, steal_latency_name);
  return {
      median_time("steal_median_abp", "ABP", {}, "abp", rows),
      median_time("steal_median_chase_lev", "Chase-Lev", 116, "chase-lev", rows),
      median_time("steal_median_lifo", "LIFO BWoS", {}, "bwos-lifo", rows),
      median_time("steal_median_fifo", "FIFO BWoS", {}, "bwos-fifo", rows),
      median_time("steal_median_locked", "locked", {}, "locked", rows),
      median_time("steal_median_split", "split deque, polled", {}, "split", rows),
      median_time("steal_median_asymmetric", "asymmetric deque", {}, "asymmetric", rows),
      order("steal_median_chase_lev_over_abp", "median time of a steal, Chase-Lev / ABP", "chase-lev", "abp", rows),
      order("steal_median_lifo_over_chase_lev", "median time of a steal, LIFO BWoS / Chase-Lev", "bwos-lifo",
            "chase-lev", rows),
  };
}

page::chart violins(const suite_rows& rows, const char* name, const char* id, const char* title) {
  page::chart chart{.id = fmt::format("{}-{}", steal_latency_name, id),
                    .title = title,
                    .caption =
                        "In the manner of 000 Fig. 5.8: one thief, 100 thousand attempts a second, 1024 entries. "
                        "The line is what two looks at the clock take with nothing in between. 000 saw ABP below "
                        "Chase-Lev (116 ns) below LIFO BWoS.",
                    .kind = page::chart_kind::violins,
                    .x = {.label = "queue"},
                    .y = {.label = "nanoseconds", .logarithmic = true},
                    .lines_or_groups = {},
                    .reference = {},
                    .reference_label = {}};
  page::series all{.name = "time of a steal", .points = {}};
  for (const row* one : rows.named(name)) {
    page::point point = point_of(one->impl, one->samples);
    point.samples = one->samples;
    all.points.push_back(std::move(point));
  }
  chart.lines_or_groups.push_back(std::move(all));
  if (const row* clock = rows.find(clock_name, "steady_clock")) {
    chart.reference = median(clock->samples);
    chart.reference_label = "the clock alone";
  }
  return chart;
}

std::vector<page::chart> steal_latency_charts(const std::vector<row>& all) {
  const suite_rows rows(all, steal_latency_name);
  std::vector<page::chart> list;
  experiments::add_if_filled(list, violins(rows, taken_name, "taken", "Time of a successful steal"));
  experiments::add_if_filled(list, violins(rows, failed_name, "failed", "Time of a failed steal"));
  return list;
}

}  // namespace

experiment steal_latency_experiment() {
  return {.name = steal_latency_name,
          .title = "Queues: how long a steal takes",
          .source = "000 Fig. 5.8, section 5.2.2",
          .summary =
              "One thief tries 100 thousand times a second while the owner fills and empties 1024 entries; each "
              "attempt is timed. 000 saw the shortest times with ABP, then Chase-Lev (116 ns), then LIFO BWoS: there "
              "a steal does more, so that the owner may do less.",
          .parts = steal_latency_parts,
          .claims = steal_latency_claims,
          .charts = steal_latency_charts};
}

}  // namespace pilfer::lab::experiments
