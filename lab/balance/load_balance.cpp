#include "lab/balance/load_balance.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <optional>

#include <pilfer/queue/abp_deque.hpp>
#include <pilfer/queue/chase_lev_deque.hpp>

#include "lab/balance/experiments.hpp"
#include "lab/measure/interleave.hpp"
#include "lab/measure/run_log.hpp"

namespace pilfer::lab::balance {
namespace {

using experiments::by_effort;
using experiments::findings;
using experiments::part;
using experiments::settings;

using bounded_queue = queue::abp_deque<fib_task*>;
using unbounded_queue = queue::chase_lev_deque<fib_task*>;

constexpr std::size_t first_capacity = 16;  // of the one that grows: less than a worker's tasks, so that it has to
constexpr double utilization = 0.7;         // on the fly: of the processors that there are workers for

balance_sample run_crew(const load_plan& plan, const crew_kind& kind) {
  if (kind.bounded) {
    return crew<bounded_queue>(plan, std::bit_ceil(plan.tasks_per_worker), kind.allowed).run(kind.impl);
  }
  return crew<unbounded_queue>(plan, first_capacity, kind.allowed).run(kind.impl);
}

// One contender, and what is known of its runs besides their time.
struct entrant {
  std::string impl;
  std::function<balance_sample()> run;
  run_log log;
  std::vector<double> waiting_us;

  double sample() {
    balance_sample found;
    std::uint64_t stolen = 0;
    const auto steals = [&]() -> std::optional<std::uint64_t> { return stolen; };
    const auto timed = [&] {
      found = run();
      stolen = found.steals;
      return found.seconds;
    };
    const double seconds = log.watch(timed, steals);
    waiting_us.push_back(found.waiting_us);
    return seconds;
  }
};

row row_of_entrant(const load_plan& plan, const entrant& one, const std::vector<double>& seconds,
                   std::size_t processors) {
  row r{.suite = load_balance_name,
        .name = load_row_name(plan.what, plan.how(), plan.workers),
        .impl = one.impl,
        .params = {{"load", name_of(plan.what)},
                   {"generation", name_of(plan.how())},
                   {"workers", plan.workers},
                   {"tasks_per_worker", plan.tasks_per_worker},
                   {"fib_lowest", plan.lowest},
                   {"fib_highest", plan.highest()}},
        .unit = "ms",
        .samples = seconds,
        .ratio_to_sequential = {}};
  if (plan.how() == generation::on_the_fly) {
    r.params["interval_us"] = std::chrono::duration<double, std::micro>(plan.interval).count();
  }
  for (double& each : r.samples) each *= 1e3;
  one.log.write_to(r.extra);
  r.extra["oversubscribed"] = one.impl != serial_impl && plan.workers > processors;
  r.extra["waiting_us"] = median(one.waiting_us);
  r.extra["waiting_us_samples"] = one.waiting_us;
  return r;
}

std::vector<row> measure_load(const load_plan& plan, std::size_t repetitions, std::size_t processors) {
  std::vector<entrant> entrants;
  // Of tasks that come on the fly the time is mostly that of their coming: serial code is no measure of it.
  if (plan.how() == generation::batch) entrants.push_back({serial_impl, [plan] { return run_alone(plan); }, {}, {}});
  for (const crew_kind& kind : crew_kinds) {
    entrants.push_back({kind.impl, [plan, kind] { return run_crew(plan, kind); }, {}, {}});
  }
  std::vector<contender> contenders;
  contenders.reserve(entrants.size());
  for (entrant& one : entrants) contenders.push_back({one.impl, [&one] { return one.sample(); }});
  const std::string title = load_row_name(plan.what, plan.how(), plan.workers);
  const sample_matrix seconds = run_interleaved(contenders, repetitions, title);

  std::vector<row> rows;
  for (std::size_t i = 0; i < entrants.size(); ++i) {
    rows.push_back(row_of_entrant(plan, entrants[i], seconds[i], processors));
    if (plan.how() == generation::batch) rows.back().ratio_to_sequential = paired_ratio(seconds[0], seconds[i]);
  }
  return rows;
}

// So that the workers, as many as there are processors for, are busy for that part of the time.
std::chrono::nanoseconds interval_for(load_plan plan, std::size_t processors) {
  plan.interval = std::chrono::nanoseconds(0);
  const double alone = run_alone(plan).seconds;
  const auto tasks = static_cast<double>(plan.workers * plan.tasks_per_worker);
  const auto used = static_cast<double>(std::min(plan.workers, processors));
  return std::chrono::nanoseconds(std::max<std::int64_t>(1, std::llround(alone * 1e9 / tasks / used / utilization)));
}

findings measure(load what, generation how, const settings& given) {
  const std::vector<std::size_t> counts =
      how == generation::batch
          ? by_effort<std::vector<std::size_t>>(given, {1, 2}, {1, 2, 4, 8}, {1, 2, 4, 8, 16, 32, 64, 128})
          : by_effort<std::vector<std::size_t>>(given, {2}, {2, 4}, {2, 4, 8, 16});
  const std::size_t repetitions =
      how == generation::batch ? by_effort<std::size_t>(given, 2, 15, 15) : by_effort<std::size_t>(given, 2, 7, 11);
  findings found;
  for (const std::size_t workers : counts) {
    load_plan plan{.what = what,
                   .workers = workers,
                   .tasks_per_worker = by_effort<std::size_t>(given, 10, 100, 100),
                   .lowest = what == load::even ? by_effort(given, 8, 20, 25) : by_effort(given, 10, 25, 25)};
    if (how == generation::on_the_fly) plan.interval = interval_for(plan, given.processors);
    for (row& one : measure_load(plan, repetitions, given.processors)) found.rows.push_back(std::move(one));
  }
  return found;
}

}  // namespace

std::vector<part> load_balance_parts(const settings& given) {
  std::vector<part> parts;
  for (const generation how : {generation::batch, generation::on_the_fly}) {
    for (const load what : {load::even, load::skewed}) {
      parts.push_back({fmt::format("{}/{}", name_of(what), name_of(how)),
                       [what, how, given] { return measure(what, how, given); }});
    }
  }
  return parts;
}

}  // namespace pilfer::lab::balance

namespace pilfer::lab::experiments {

experiment load_balance_experiment() {
  return {
      .name = balance::load_balance_name,
      .title = "Load balance with plain tasks",
      .source = "002, experiments 1 and 2",
      .summary =
          "N threads, each with a deque of its own and K = 100 tasks in it that compute Fibonacci numbers, with and "
          "without stealing, all tasks made before (batch) or handed out meanwhile (on the fly). The load is even, "
          "or half of the threads have all the heavy tasks. 002 saw stealing nearly halve the skewed case at N = 4 "
          "(27.7 ms against 53.3 ms), and make the even case slower for some N.",
      .parts = balance::load_balance_parts,
      .claims = balance::load_balance_claims,
      .charts = balance::load_balance_charts,
      .quick_seconds = 15};
}

}  // namespace pilfer::lab::experiments
