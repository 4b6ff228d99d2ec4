#include <fmt/format.h>

#include <algorithm>

#include "lab/experiments/row_query.hpp"
#include "lab/idle/reported.hpp"
#include "lab/idle/sleeper.hpp"
#include "lab/idle/wake_up_names.hpp"

namespace pilfer::lab::experiments {
namespace {

using idle::all_ways;
using idle::default_name;
using idle::name_of;
using idle::tbb_name;
using idle::thread_name;
using idle::way;

constexpr double idle_goal = 0.001;

claim missing(claim of, std::string_view name, std::string_view impl) {
  of.note = fmt::format("cannot be shown on this machine: {} was not measured with {}", name, impl);
  return of;
}

bool is_peer(const row& r) { return r.impl == thread_name || r.impl == tbb_name || r.impl == idle::openmp_name; }

claim idle_claim(const std::vector<row>& rows) {
  claim of = at_most("idle_cpu", "processor seconds per second of an idle pool, without the caller", idle_goal);
  const row* const mine = find_row(rows, idle_row, default_name);
  if (mine == nullptr) return missing(of, idle_row, default_name);
  of.measured = median_estimate(mine->samples);
  const row* worst = mine;
  for (const row& each : rows) {
    if (each.name == idle_row && !is_peer(each) && median(each.samples) > median(worst->samples)) worst = &each;
  }
  of.note = fmt::format("the most of all our schedulers: {:.2g} ({})", median(worst->samples), worst->impl);
  if (const row* const ticking = find_row(rows, ticking_row, default_name)) {
    of.note += fmt::format("; with a task every 10 ms {:.2g}", median(ticking->samples));
  }
  return of;
}

claim latency_claim(const std::vector<row>& rows) {
  const claim of = reported("wake_up_median_us", "from submit to begin in a pool asleep, median, us");
  const char* const name = name_of(way::submit);
  const row* const mine = find_row(rows, name, default_name);
  if (mine == nullptr) return missing(of, name, default_name);
  claim judged = of;
  judged.measured = median_estimate(mine->samples);
  for (const char* other : {tbb_name, thread_name}) {
    if (const row* const theirs = find_row(rows, name, other))
      judged.note += fmt::format("{}{} {:.1f} us", judged.note.empty() ? "" : ", ", other, median(theirs->samples));
  }
  return judged;
}

claim over_tbb(const std::vector<row>& rows) {
  const claim of = reported("wake_up_over_onetbb", "from submit to begin in a pool asleep, pilfer / oneTBB");
  const char* const name = name_of(way::submit);
  const row* const mine = find_row(rows, name, default_name);
  const row* const theirs = find_row(rows, name, tbb_name);
  if (mine == nullptr) return missing(of, name, default_name);
  if (theirs == nullptr || theirs->samples.size() != mine->samples.size()) return missing(of, name, tbb_name);
  claim judged = of;
  judged.measured = paired_ratio(mine->samples, theirs->samples);
  for (const way how : {way::fork, way::spawn}) {
    const row* const own = find_row(rows, name_of(how), default_name);
    const row* const other = find_row(rows, name_of(how), tbb_name);
    if (own == nullptr || other == nullptr || own->samples.size() != other->samples.size()) continue;
    judged.note += fmt::format("{}{} {:.2f}", judged.note.empty() ? "" : ", ", name_of(how),
                               paired_ratio(own->samples, other->samples).value);
  }
  return judged;
}

// 99 of 100 times.
claim overrun_claim(const std::vector<row>& rows) {
  claim of = at_most("wait_overrun_ms",
                     "how much too late a wait with a limit returns on a busy machine, 99th percentile, ms", 20);
  const row* const mine = find_row(rows, overrun_row, default_name);
  if (mine == nullptr) return missing(of, overrun_row, default_name);
  const double late = percentile(mine->samples, 99);
  of.measured = estimate{late, late, late};
  of.note = fmt::format("median {:.2g} of {} waits", median(mine->samples), mine->samples.size());
  return of;
}

page::chart latencies(const std::vector<row>& rows, way how, const char* title) {
  page::chart shown;
  shown.id = fmt::format("wake-up-{}", name_of(how));
  shown.title = title;
  shown.caption =
      "Each wake-up a sample. The thread with a condition variable is what the system itself takes. At 2000 us: the "
      "task was "
      "hidden until its owner went on, as schedulers with private work do.";
  shown.kind = page::chart_kind::violins;
  shown.x.label = "scheduler";
  shown.y = {.label = "from handing over to begin (us)", .logarithmic = true};
  page::series all{.name = name_of(how), .points = {}};
  for (const row& each : rows) {
    if (each.name != name_of(how)) continue;
    page::point one;
    one.category = each.impl;
    one.y = median(each.samples);
    one.samples = each.samples;
    all.points.push_back(std::move(one));
  }
  if (!all.points.empty()) shown.lines_or_groups.push_back(std::move(all));
  return shown;
}

page::chart processor_time(const std::vector<row>& rows) {
  page::chart shown;
  shown.id = "wake-up-idle";
  shown.title = "Processor time of a pool with nothing to do, and with next to nothing";
  shown.caption = "idle: no task at all. ticking: a tiny task every 10 ms. Of all threads but the one that submits.";
  shown.kind = page::chart_kind::bars;
  shown.x.label = "scheduler";
  shown.y.label = "processor time (% of one processor)";
  shown.lines_or_groups = bars_of(
      rows, [](const row& r) { return r.name == idle_row || r.name == ticking_row; },
      [](const row& r) {
        const estimate share = median_estimate(r.samples);
        return estimate{share.value * 100, share.low * 100, share.high * 100};
      });
  shown.reference = idle_goal * 100;
  shown.reference_label = "goal for idle";
  return shown;
}

}  // namespace

std::vector<claim> wake_up_claims(const std::vector<row>& rows, const settings& /*given*/) {
  return {idle_claim(rows), latency_claim(rows), over_tbb(rows), overrun_claim(rows)};
}

std::vector<page::chart> wake_up_charts(const std::vector<row>& rows) {
  std::vector<page::chart> all = {
      latencies(rows, way::submit, "Waking a pool by a task from outside"),
      latencies(rows, way::fork, "Waking another worker by a fork"),
      latencies(rows, way::spawn, "Waking another worker by a spawned task"),
      processor_time(rows),
  };
  std::erase_if(all, [](const page::chart& each) { return each.lines_or_groups.empty(); });
  return all;
}

}  // namespace pilfer::lab::experiments
