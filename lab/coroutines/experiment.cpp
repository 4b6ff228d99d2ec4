#include "lab/coroutines/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "lab/experiments/row_query.hpp"
#include "lab/measure/statistics.hpp"

namespace pilfer::lab::experiments {
namespace coroutines {
namespace {

constexpr double await_goal_ns = 10;
constexpr double resume_goal_ns = 25;
constexpr double elsewhere_goal_us = 1;

claim await_claim(const std::vector<row>& rows) {
  claim of = at_most("await_ready_ns", "co_await of a task that is ready, ns", await_goal_ns);
  const row* const mine = find_row(rows, step_row, await_step);
  if (mine == nullptr) {
    of.note = cannot_be_shown("no step was measured");
    return of;
  }
  of.measured = median_estimate(mine->samples);
  if (const row* const call = find_row(rows, step_row, call_step)) {
    of.note = fmt::format("its frame is allocated and freed; a function call takes {:.1f} ns", median(call->samples));
  }
  return of;
}

claim resume_claim(const std::vector<row>& rows) {
  claim of =
      at_most("resume_here_ns", "a coroutine suspended, queued and resumed by the same worker, ns", resume_goal_ns);
  if (const row* const mine = find_row(rows, step_row, schedule_step)) {
    of.measured = median_estimate(mine->samples);
    of.note = "co_await pool.schedule(); the job lies in the coroutine's frame";
  } else {
    of.note = cannot_be_shown("no step was measured");
  }
  return of;
}

claim elsewhere_claim(const std::vector<row>& rows, const settings& given) {
  claim of = at_most("resume_elsewhere_us", "from spawning a coroutine to its going on on another worker, median, us",
                     elsewhere_goal_us);
  if (given.processors < 2) {
    of.note = cannot_be_shown("another worker needs another processor");
    return of;
  }
  const row* const mine = find_row(rows, elsewhere_row, spawned);
  if (mine == nullptr) {
    of.note = cannot_be_shown("no hand-over was measured");
    return of;
  }
  of.measured = median_estimate(mine->samples);
  of.note = fmt::format("to a worker that is awake; 99 % within {:.2g} us", extra_number(*mine, "p99"));
  for (const char* other : {woken, helped, continued}) {
    if (const row* const r = find_row(rows, elsewhere_row, other)) {
      of.note += fmt::format("; {} {:.2f}", other, median(r->samples));
    }
  }
  return of;
}

claim work_first_claim(const std::vector<row>& rows, const settings& given) {
  claim of{.id = "work_first_vs_help_first",
           .text = "fib of coroutines: time with fork_now (work-first) / with fork (help-first)",
           .paper = {},
           .goal = {},
           .measured = {},
           .note = {}};
  const auto workers = static_cast<double>(given.processors);
  const auto ratio = [&](const char* program, double count) -> std::optional<estimate> {
    const row* const work = find_row(rows, program, work_first_impl, count);
    const row* const help = find_row(rows, program, help_first_impl, count);
    if (work == nullptr || help == nullptr || work->samples.size() != help->samples.size()) return std::nullopt;
    return paired_ratio(work->samples, help->samples);
  };
  of.measured = ratio(fib_program, workers);
  if (!of.measured) {
    of.note = cannot_be_shown(fmt::format("fib was not run both ways with {} workers", given.processors));
    return of;
  }
  of.note = fmt::format("{} workers", given.processors);
  if (const auto alone = ratio(fib_program, 1); alone && given.processors > 1) {
    of.note += fmt::format("; one worker {:.2f}", alone->value);
  }
  if (const auto tree = ratio(tree_program, workers)) of.note += fmt::format("; tree {:.2f}", tree->value);
  if (const row* const help = find_row(rows, fib_program, help_first_impl, workers)) {
    if (const row* const plain = find_row(rows, fib_program, fork_join_impl, workers);
        plain != nullptr && plain->samples.size() == help->samples.size()) {
      of.note += fmt::format("; help-first / fork_join {:.1f}", paired_ratio(help->samples, plain->samples).value);
    }
  }
  return of;
}

page::chart steps_chart(const std::vector<row>& rows) {
  page::chart shown;
  shown.id = "coroutines-steps";
  shown.title = "What a step of a coroutine costs, on one worker";
  shown.caption =
      "Nobody else is there: no lock is contended, no channel full. A task's frame comes from the thread's own memory.";
  shown.kind = page::chart_kind::bars;
  shown.x.label = "step";
  shown.y = {.label = "ns", .logarithmic = true};
  shown.reference = await_goal_ns;
  shown.reference_label = "goal for a ready task";
  page::series all{.name = "one worker", .points = {}};
  for (const row& r : rows) {
    if (r.name == step_row) all.points.push_back(point_for(r.impl, median_estimate(r.samples)));
  }
  shown.lines_or_groups.push_back(std::move(all));
  return shown;
}

page::chart elsewhere_chart(const std::vector<row>& rows) {
  page::chart shown;
  shown.id = "coroutines-elsewhere";
  shown.title = "Going on on another worker";
  shown.caption =
      "From just before the hand-over until the coroutine runs on the other worker, which is awake and looks for work. "
      "spawn and fork: a new coroutine. receive: one that has waited for a value. fork_now: the continuation of who "
      "forks.";
  shown.kind = page::chart_kind::violins;
  shown.x.label = "how it is handed over";
  shown.y = {.label = "us", .logarithmic = true};
  shown.reference = elsewhere_goal_us;
  shown.reference_label = "goal for the median";
  page::series all{.name = "two workers", .points = {}};
  for (const row& r : rows) {
    if (r.name != elsewhere_row) continue;
    page::point one;
    one.category = r.impl;
    one.y = median(r.samples);
    one.samples = r.samples;
    all.points.push_back(std::move(one));
  }
  shown.lines_or_groups.push_back(std::move(all));
  return shown;
}

page::chart forks_chart(const std::vector<row>& rows) {
  page::chart shown;
  shown.id = "coroutines-forks";
  shown.title = "Help-first and work-first forks of coroutines";
  shown.caption =
      "003 section II and 000's Nowa fork work-first: the child runs, the continuation is stolen. fib is nothing but "
      "forks; the leaves of the tree work for about half a microsecond. fork_join keeps its children on the stack, "
      "which "
      "coroutines cannot: it is what forks should be made with where nothing has to wait.";
  shown.kind = page::chart_kind::bars;
  shown.x.label = "program, workers";
  shown.y = {.label = "time / serial", .logarithmic = true};
  shown.reference = 1;
  shown.reference_label = "serial code";
  for (const char* impl : {fork_join_impl, help_first_impl, work_first_impl}) {
    page::series one{.name = impl, .points = {}};
    for (const row& r : rows) {
      if (r.impl != impl || (r.name != fib_program && r.name != tree_program)) continue;
      const row* const serial = find_row(rows, r.name, serial_impl);
      if (serial == nullptr || serial->samples.size() != r.samples.size()) continue;
      one.points.push_back(
          point_for(fmt::format("{}, {}", r.name, workers_of(r)), paired_ratio(r.samples, serial->samples)));
    }
    shown.lines_or_groups.push_back(std::move(one));
  }
  return shown;
}

}  // namespace

std::vector<claim> claims(const std::vector<row>& rows, const settings& given) {
  std::vector<claim> all{await_claim(rows), resume_claim(rows), elsewhere_claim(rows, given),
                         work_first_claim(rows, given)};
  for (claim& each : all) each.suite = suite_name;
  return all;
}

std::vector<page::chart> charts(const std::vector<row>& rows) {
  std::vector<page::chart> all;
  add_if_filled(all, steps_chart(rows));
  add_if_filled(all, elsewhere_chart(rows));
  add_if_filled(all, forks_chart(rows));
  return all;
}

}  // namespace coroutines

experiment coroutines_experiment() {
  using namespace coroutines;
  return {
      .name = suite_name,
      .title = "Coroutines: their cost, their way to other workers, and two ways to fork",
      .source = "ours; 003 section II and 000's Nowa for work-first forks",
      .summary =
          "What each step of a coroutine costs on one worker; how soon another worker goes on with a coroutine that "
          "was handed to it; and fib and an uneven tree as coroutines that fork help-first (thieves take the child) "
          "or work-first (thieves take the continuation), beside fork_join and serial code.",
      .parts =
          [](const settings& given) {
            return std::vector<part>{
                {.name = step_row, .run = [given] { return measure_steps(given); }},
                {.name = elsewhere_row, .run = [given] { return measure_elsewhere(given); }},
                {.name = fib_program, .run = [given] { return measure_forks(fib_program, given); }},
                {.name = tree_program, .run = [given] { return measure_forks(tree_program, given); }}};
          },
      .claims = claims,
      .charts = charts,
      .quick_seconds = 8};
}

}  // namespace pilfer::lab::experiments
