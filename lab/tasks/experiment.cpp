#include "lab/tasks/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "lab/experiments/row_query.hpp"
#include "lab/forkjoin/instructions.hpp"
#include "lab/measure/interrupt.hpp"
#include "lab/measure/statistics.hpp"
#include "lab/schedulers/child_process.hpp"

namespace pilfer::lab::experiments {
namespace tasks {
namespace {

constexpr double time_goal_ns = 60;
constexpr double instructions_goal = 300;
constexpr double locked_goal = 2;
constexpr double bytes_goal = 128;
constexpr double submit_goal = 1.2;  // times oneTBB's
constexpr int few_rounds = 2;
constexpr int many_rounds = 12;

std::optional<std::uint64_t> instructions_of(const std::vector<std::string>& child, int rounds) {
  throw_if_interrupted();
  std::vector<std::string> command{"valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--log-fd=1"};
  command.insert(command.end(), child.begin(), child.end());
  command.push_back(std::to_string(rounds));
  schedulers::child_process valgrind(command, schedulers::complaints::dropped);
  return forkjoin::collected(valgrind.read_to_end());
}

claim claim_of(claim of, const std::vector<row>& rows, const char* name, const std::string& why_not) {
  if (const row* const mine = find_row(rows, name, group_impl)) {
    of.measured = median_estimate(mine->samples);
  } else {
    of.note = cannot_be_shown(why_not);
  }
  return of;
}

// Against the faster of oneTBB's ways.
claim submit_claim(const std::vector<row>& rows, const settings& given) {
  claim of = at_most("submit_vs_onetbb",
                     "submit and get from outside, a worker awake: time / oneTBB's enqueue and wait", submit_goal);
  const row* const ours = find_row(rows, submit_row, submit_impl);
  const row* best = nullptr;
  for (const char* const impl : {tbb_group_impl, tbb_flag_impl}) {
    const row* const each = find_row(rows, submit_row, impl);
    if (each != nullptr && (best == nullptr || median(each->samples) < median(best->samples))) best = each;
  }
  if (given.processors < 2) {
    of.note = cannot_be_shown("a worker that is awake needs another processor");
  } else if (ours == nullptr || best == nullptr || ours->samples.size() != best->samples.size()) {
    of.note = cannot_be_shown("there is no row of oneTBB beside ours");
  } else {
    of.measured = paired_ratio(ours->samples, best->samples);
    of.note =
        fmt::format("{:.0f} ns; {} {:.0f} ns; the fastest runs {:.0f} and {:.0f} ns", median(ours->samples), best->impl,
                    median(best->samples), std::ranges::min(ours->samples), std::ranges::min(best->samples));
  }
  return of;
}

}  // namespace

findings count_instructions(const std::vector<std::string>& child, const settings& /*given*/) {
  findings found;
  std::string why_not = "callgrind could not run this program";
  try {
    const auto few = instructions_of(child, few_rounds);
    const auto many = instructions_of(child, many_rounds);
    if (few && many) {
      const double tasks = (many_rounds - few_rounds) * static_cast<double>(tasks_of_round);
      found.rows.push_back({.suite = suite_name,
                            .name = instructions_row,
                            .impl = group_impl,
                            .params = {{"tasks", tasks}, {"workers", 1}},
                            .unit = "instructions",
                            .samples = {(static_cast<double>(*many) - static_cast<double>(*few)) / tasks},
                            .ratio_to_sequential = {}});
      return found;
    }
  } catch (const std::system_error&) {
    why_not = "valgrind is not installed";
  }
  found.notes.push_back("instructions: " + why_not);
  return found;
}

std::vector<claim> claims(const std::vector<row>& rows, const settings& given) {
  claim time =
      claim_of(at_most("spawn_ns", "an empty task spawned into a group and run by its waiter, ns", time_goal_ns), rows,
               spawn_row, "no task was measured");
  if (const row* const futures = find_row(rows, spawn_row, future_impl); futures != nullptr && time.measured) {
    time.note = fmt::format("{} between two waits; submit and get, one at a time, {:.0f} ns", tasks_of_round,
                            median(futures->samples));
  }
  std::vector<claim> all{
      std::move(time),
      claim_of(at_most("spawn_instructions", "the same, instructions", instructions_goal), rows, instructions_row,
               "instructions were not counted: valgrind is not installed, or cannot run this program"),
      claim_of(at_most("spawn_locked", "the same, locked instructions", locked_goal), rows, locked_row,
               "instructions can be stepped through on x86-64 only"),
      claim_of(at_most("spawn_bytes", "memory of a task that waits, and of its place in the queue, bytes", bytes_goal),
               rows, bytes_row, "no memory was measured"),
      submit_claim(rows, given)};
  for (claim& each : all) each.suite = suite_name;
  return all;
}

std::vector<page::chart> charts(const std::vector<row>& rows) {
  page::chart shown;
  shown.id = "tasks-spawn";
  shown.title = "What an empty task costs";
  shown.caption =
      "Spawned into a group, a thousand between two waits, and run by the waiter; submitted, and waited for one at a "
      "time; a "
      "function call that does the same.";
  shown.kind = page::chart_kind::bars;
  shown.x.label = "how";
  shown.y = {.label = "ns", .logarithmic = true};
  shown.reference = time_goal_ns;
  shown.reference_label = "goal for a spawned task";
  page::series all{.name = "a task", .points = {}};
  for (const row& r : rows) {
    if (r.name == spawn_row || (r.name == submit_row && r.impl != call_impl)) {
      all.points.push_back(point_for(r.impl, median_estimate(r.samples)));
    }
  }
  shown.lines_or_groups.push_back(std::move(all));
  std::vector<page::chart> charts;
  add_if_filled(charts, std::move(shown));
  return charts;
}

}  // namespace tasks

std::vector<std::string> usual_spawn_child() {
  return {std::filesystem::read_symlink("/proc/self/exe").string(), "lab", "child", "spawn"};
}

experiment tasks_experiment(std::vector<std::string> child) {
  return {
      .name = tasks::suite_name,
      .title = "Tasks: what one costs",
      .source = "ours",
      .summary =
          "Empty tasks that one worker spawns into a group and runs while it waits: time beside a function call, "
          "instructions as "
          "callgrind counts them, locked ones among them, and the memory of a million that wait. One at a time, from "
          "outside, beside oneTBB.",
      .parts =
          [child = std::move(child)](const settings& given) {
            return std::vector<part>{
                {.name = tasks::spawn_row, .run = [given] { return tasks::measure_spawns(given); }},
                {.name = tasks::instructions_row,
                 .run = [given, child] { return tasks::count_instructions(child, given); }},
                {.name = tasks::locked_row, .run = [given] { return tasks::count_locked(given); }},
                {.name = tasks::submit_row, .run = [given] { return tasks::measure_submits(given); }},
                {.name = tasks::bytes_row, .run = [given] { return tasks::measure_bytes(given); }}};
          },
      .claims = tasks::claims,
      .charts = tasks::charts,
      .quick_seconds = 7};
}

}  // namespace pilfer::lab::experiments
