#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "lab/dups/names.hpp"
#include "lab/dups/report.hpp"
#include "lab/experiments/row_query.hpp"

namespace pilfer::lab::dups {
namespace {

using experiments::add_if_filled;
using experiments::bars_of;
using experiments::extra_number;
using experiments::point_for;

bool is_of_queue(const row& r) { return r.name.starts_with(queues_prefix); }
bool is_of_case(const row& r) {
  return !is_of_queue(r) && !r.name.starts_with(same_prefix) && r.name.find('/') != std::string::npos;
}

page::chart bars(const char* id, const char* title, const char* caption, const char* x, const char* y) {
  return {.id = id,
          .title = title,
          .caption = caption,
          .kind = page::chart_kind::bars,
          .x = {x, false},
          .y = {y, false},
          .lines_or_groups = {},
          .reference = {},
          .reference_label = {}};
}

page::chart queues_chart(const std::vector<row>& rows) {
  page::chart shown = bars(
      "dups-queues", "Finding duplicates, by queue",
      "In the manner of 000, Fig. 5.12: 600 folders, 2500 files, 256 MiB; with a load there is a computation for each "
      "file. There LIFO BWoS takes 1.5 times as long as a queue with a mutex.",
      "files", "time (ms)");
  std::vector<row> named = rows;
  for (row& r : named) {
    if (is_of_queue(r)) r.name.erase(0, std::string(queues_prefix).size());
  }
  const auto wanted = [](const row& r) {
    return std::ranges::any_of(queue_loads, [&](const char* load) { return r.name == load; });
  };
  shown.lines_or_groups = bars_of(named, wanted, [](const row& r) { return median_estimate(r.samples); });
  return shown;
}

page::chart switches_chart(const std::vector<row>& rows) {
  page::chart shown =
      bars("dups-stolen", "Finding duplicates: what was stolen, and how often threads slept",
           "Medians per run of 000's files without a load, by queue, as in 000, table 5.5.", "count", "per run");
  constexpr std::pair<const char*, const char*> counts[] = {{"tasks_stolen", "tasks stolen"},
                                                            {"io_continuations_stolen", "continuations of I/O stolen"},
                                                            {"voluntary_switches", "voluntary context switches"}};
  for (const row& r : rows) {
    if (r.name != std::string(queues_prefix) + queue_loads[0]) continue;
    page::series one{.name = r.impl, .points = {}};
    for (const auto& [key, label] : counts) {
      const double count = extra_number(r, key, -1);
      if (count >= 0) one.points.push_back({.x = 0, .category = label, .y = count});
    }
    shown.lines_or_groups.push_back(std::move(one));
  }
  return shown;
}

std::string case_label(const row& r) {
  const double workers = experiments::workers_of(r);
  return fmt::format("{}, {:g} worker{}", r.name, workers, workers == 1 ? "" : "s");
}

// A bar per finder in each case.
template <class Value>
page::chart cases_chart(page::chart shown, const std::vector<row>& rows, Value&& value) {
  std::vector<row> named;
  for (const row& r : rows) {
    if (!is_of_case(r)) continue;
    named.push_back(r);
    named.back().name = case_label(r);
  }
  shown.lines_or_groups = bars_of(named, [&](const row& r) { return value(r).value >= 0; }, value);
  return shown;
}

estimate exactly(double value) { return {value, value, value}; }

}  // namespace

std::vector<page::chart> charts_of(const std::vector<row>& rows) {
  std::vector<page::chart> all;
  add_if_filled(all, queues_chart(rows));
  add_if_filled(all, switches_chart(rows));
  page::chart times =
      bars("dups-rivals", "Finding duplicates: pilfer and others",
           "Whole processes, from their start to their end. One worker: on one processor. Cold: the files' "
           "pages are evicted before each run; folders and inodes stay in memory.",
           "files, cache, workers", "time (ms)");
  times.y.logarithmic = true;
  add_if_filled(all, cases_chart(std::move(times), rows, [](const row& r) { return median_estimate(r.samples); }));
  add_if_filled(all, cases_chart(bars("dups-processor", "Finding duplicates: processor time",
                                      "Of all threads of a run, the kernel's work for it included. Medians.",
                                      "files, cache, workers", "processor time (ms)"),
                                 rows, [](const row& r) { return exactly(extra_number(r, "cpu_ms", -1)); }));
  add_if_filled(all, cases_chart(bars("dups-memory", "Finding duplicates: peak memory",
                                      "The largest resident set of the process. Medians.", "files, cache, workers",
                                      "largest resident set (MB)"),
                                 rows, [](const row& r) { return exactly(extra_number(r, "peak_mb", -1)); }));
  add_if_filled(all, cases_chart(bars("dups-read", "Finding duplicates: bytes read",
                                      "What reads returned, from the cache or a disk. Medians.",
                                      "files, cache, workers", "read (MB)"),
                                 rows, [](const row& r) { return exactly(extra_number(r, "read_mb", -1)); }));
  return all;
}

}  // namespace pilfer::lab::dups
