#include "lab/tasks/experiment.hpp"

#include <fmt/format.h>

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
constexpr double bytes_goal = 128;
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

std::vector<claim> claims(const std::vector<row>& rows) {
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
      claim_of(at_most("spawn_bytes", "memory of a task that waits, and of its place in the queue, bytes", bytes_goal),
               rows, bytes_row, "no memory was measured")};
  for (claim& each : all) each.suite = suite_name;
  return all;
}

std::vector<page::chart> charts(const std::vector<row>& rows) {
  page::chart shown;
  shown.id = "tasks-spawn";
  shown.title = "What an empty task costs, on one worker";
  shown.caption =
      "Spawned into a group, a thousand between two waits, and run by the waiter; submitted, and waited for one at a "
      "time; a "
      "function call that does the same.";
  shown.kind = page::chart_kind::bars;
  shown.x.label = "how";
  shown.y = {.label = "ns", .logarithmic = true};
  shown.reference = time_goal_ns;
  shown.reference_label = "goal for a spawned task";
  page::series all{.name = "one worker", .points = {}};
  for (const row& r : rows) {
    if (r.name == spawn_row) all.points.push_back(point_for(r.impl, median_estimate(r.samples)));
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
  return {.name = tasks::suite_name,
          .title = "Tasks: what one costs",
          .source = "ours",
          .summary =
              "Empty tasks that one worker spawns into a group and runs while it waits: time beside a function call, "
              "instructions as "
              "callgrind counts them, and the memory of a million that wait.",
          .parts =
              [child = std::move(child)](const settings& given) {
                return std::vector<part>{
                    {.name = tasks::spawn_row, .run = [given] { return tasks::measure_spawns(given); }},
                    {.name = tasks::instructions_row,
                     .run = [given, child] { return tasks::count_instructions(child, given); }},
                    {.name = tasks::bytes_row, .run = [given] { return tasks::measure_bytes(given); }}};
              },
          .claims = [](const std::vector<row>& rows, const settings&) { return tasks::claims(rows); },
          .charts = tasks::charts,
          .quick_seconds = 5};
}

}  // namespace pilfer::lab::experiments
