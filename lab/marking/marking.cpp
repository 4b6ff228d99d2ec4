#include "lab/marking/marking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "lab/experiments/row_query.hpp"
#include "lab/marking/markers.hpp"
#include "lab/measure/affinity.hpp"
#include "lab/measure/interleave.hpp"
#include "lab/measure/run_log.hpp"
#include "lab/measure/statistics.hpp"

namespace pilfer::lab::experiments {
namespace {

using marking::heap;
using marking::mark_counts;
using marking::marker;

constexpr const char* experiment_name = "marking";
constexpr const char* row_name = "mark";
constexpr const char* serial_name = "serial";
constexpr const char* stack_name = "stack";
constexpr double ns_per_second = 1e9;

// Who marks, and what its runs were like besides their time.
struct participant {
  std::string name;
  std::size_t threads = 0;  // 0: serial code
  marker mark;
  std::vector<mark_counts> counts{};
  run_log log{};
};

// ns per reachable object.
double sample(participant& who, heap& objects) {
  objects.clear_marks();
  mark_counts counts;
  // Every marking begins to count at 0.
  const double seconds = who.log.watch([&] { return who.mark(objects, counts); },
                                       [&] { return std::optional<std::uint64_t>(counts.stolen); });
  objects.check(who.name, counts.objects);
  who.counts.push_back(counts);
  return seconds * ns_per_second / static_cast<double>(objects.reachable().count);
}

std::vector<participant> participants(const settings& given, const std::vector<int>& processors) {
  std::vector<participant> all;
  all.push_back({.name = serial_name, .mark = marking::serial_marker()});
  all.push_back({.name = stack_name, .threads = 1, .mark = marking::shared_marks_stack_marker()});
  std::vector<std::size_t> threads = {1};
  if (given.processors > 1) threads.push_back(given.processors);
  for (const marking::queue_kind& kind : marking::queue_kinds()) {
    for (const std::size_t count : threads) {
      all.push_back({.name = kind.name, .threads = count, .mark = kind.make(count, processors)});
    }
  }
  return all;
}

// Median over the runs.
template <class Runs, class Figure>
double median_of(const Runs& runs, Figure figure) {
  std::vector<double> values;
  values.reserve(runs.size());
  for (const auto& one : runs) values.push_back(static_cast<double>(std::invoke(figure, one)));
  return median(values);
}

row row_of(const participant& who, const heap& objects, const settings& given, std::vector<double> samples,
           const std::vector<double>& serial) {
  const bool is_queue = who.name != serial_name && who.name != stack_name;
  row r{.suite = experiment_name,
        .name = row_name,
        .impl = who.name,
        .params = {{"size", objects.objects()},
                   {"reachable", objects.reachable().count},
                   {"references", objects.references()},
                   {"workers", who.threads},
                   {"capacity", is_queue ? json(marking::queue_capacity) : json(nullptr)}},
        .unit = "ns/object",
        .samples = std::move(samples),
        .ratio_to_sequential = {}};
  r.ratio_to_sequential = paired_ratio(serial, r.samples);
  who.log.write_to(r.extra);
  r.extra["steals"] = median_of(who.counts, &mark_counts::steals);
  r.extra["failed_steals"] = median_of(who.counts, &mark_counts::failed);
  r.extra["overflowed"] = median_of(who.counts, &mark_counts::overflowed);
  r.extra["oversubscribed"] = who.threads > given.processors;
  return r;
}

findings measure(const settings& given) {
  heap objects(by_effort<std::size_t>(given, 4'000, 300'000, 4'000'000));
  const auto repetitions = by_effort<std::size_t>(given, 2, 21, 31);
  const std::vector<int> processors = allowed_processors();
  const pinned here(processors.front());
  std::vector<participant> all = participants(given, processors);
  std::vector<contender> contenders;
  for (participant& one : all) {
    static_cast<void>(sample(one, objects));  // warms up: memory, threads' stacks
    one.counts.clear();
    one.log.clear();
    contenders.push_back({fmt::format("{}, {} threads", one.name, one.threads), [&] { return sample(one, objects); }});
  }
  const sample_matrix samples = run_interleaved(contenders, repetitions, experiment_name);
  findings found;
  for (std::size_t i = 0; i < all.size(); ++i) {
    found.rows.push_back(row_of(all[i], objects, given, samples[i], samples.front()));
  }
  return found;
}

const row* find(const std::vector<row>& rows, const std::string& impl, std::size_t threads) {
  const auto at = std::ranges::find_if(rows, [&](const row& r) {
    return r.suite == experiment_name && r.name == row_name && r.impl == impl &&
           r.params.value("workers", threads + 1) == threads;
  });
  return at == rows.end() ? nullptr : &*at;
}

// The time of `slow` over that of `fast`, with as many threads as there are processors.
claim ratio_claim(const char* id, const char* text, std::optional<double> paper, const char* slow, const char* fast,
                  const std::vector<row>& rows, const settings& given) {
  claim c{.id = id, .text = text, .paper = paper, .goal = {}, .measured = {}, .note = {}};
  c.suite = experiment_name;
  if (given.processors < 2) {
    c.note = cannot_be_shown("marking in parallel needs two processors");
    return c;
  }
  const row* const numerator = find(rows, slow, given.processors);
  const row* const denominator = find(rows, fast, given.processors);
  if (numerator == nullptr || denominator == nullptr) {
    c.note = fmt::format("cannot be shown on this machine: no row of {} with {} threads",
                         numerator == nullptr ? slow : fast, given.processors);
    return c;
  }
  c.measured = paired_ratio(numerator->samples, denominator->samples);
  c.note = fmt::format("{} threads, marking alone", given.processors);
  if (paper) c.note += "; the paper's is the best of 23 Java programs from end to end, their mean is 1.036";
  return c;
}

std::vector<claim> claims(const std::vector<row>& rows, const settings& given) {
  return {ratio_claim("marking_bwos_vs_abp", "marking: time with ABP / with LIFO BWoS", 1.25, "abp", "bwos-lifo", rows,
                      given),
          ratio_claim("marking_bwos_vs_chase_lev", "marking: time with Chase-Lev / with LIFO BWoS", {}, "chase-lev",
                      "bwos-lifo", rows, given)};
}

std::vector<page::chart> charts(const std::vector<row>& rows) {
  page::chart c{
      .id = "marking-time",
      .title = "Marking an object graph: time per object",
      .caption =
          "001 section 6.3.1 put LIFO BWoS in place of ABP into HotSpot's G1 and saw whole Java programs run up "
          "to 1.25 times as fast. Here marking alone, on each queue; less is better. The line is serial "
          "marking with a plain stack; `stack` is the same with marks that several threads could set.",
      .kind = page::chart_kind::bars,
      .x = {.label = "queue"},
      .y = {.label = "ns per reachable object", .logarithmic = true},
      .lines_or_groups = {},
      .reference = {},
      .reference_label = {}};
  for (const row& r : rows) {
    if (r.suite != experiment_name || r.name != row_name) continue;
    const estimate time = median_estimate(r.samples);
    const auto threads = r.params.value("workers", std::size_t{0});
    if (threads == 0) {
      c.reference = time.value;
      c.reference_label = "serial, plain stack";
      continue;
    }
    const std::string name = fmt::format("{} thread{}", threads, threads == 1 ? "" : "s");
    auto group = std::ranges::find(c.lines_or_groups, name, &page::series::name);
    if (group == c.lines_or_groups.end()) group = c.lines_or_groups.insert(group, {.name = name, .points = {}});
    group->points.push_back({.category = r.impl, .y = time.value, .low = time.low, .high = time.high, .samples = {}});
  }
  if (c.lines_or_groups.empty()) return {};
  return {std::move(c)};
}

}  // namespace

experiment marking_experiment() {
  return {
      .name = experiment_name,
      .title = "Parallel marking: nanosecond tasks",
      .source = "001 section 6.3.1, Fig. 13",
      .summary =
          "All objects that can be reached in a generated heap are marked, each once: a task is to scan one object. "
          "Threads "
          "have a queue each and steal, as in a garbage collector; the queues are used directly. The paper replaced "
          "the ABP queues of HotSpot's G1 by BWoS and saw programs run up to 1.25 times as fast.",
      .parts =
          [](const settings& given) {
            return std::vector<part>{{.name = row_name, .run = [given] { return measure(given); }}};
          },
      .claims = claims,
      .charts = charts};
}

}  // namespace pilfer::lab::experiments
