#include "lab/priorities/bench_priorities.hpp"

#include <fmt/format.h>

#include <iterator>
#include <optional>

#include "lab/measure/registry.hpp"
#include "lab/priorities/branch_and_bound.hpp"
#include "lab/priorities/claims.hpp"
#include "lab/priorities/latency.hpp"
#include "lab/priorities/measurement.hpp"

namespace pilfer::lab::priorities {
namespace {

constexpr std::string_view skewed_name = "scenario_4";  // whose steals 003 shows

constexpr std::string_view footer =
    "ms: from the release of all workers to the end of the last task, median of the samples; min: the best. time / "
    "serial:\n"
    "median of pairs from the same repetition, with its 95 % interval. levels done after: when each level's last task\n"
    "ended, level 0 first. early: tasks that began before one of a more urgent level did, by the clock. inversions: in "
    "a\n"
    "run, counted by the pool in runs of their own, that are not timed. steals by level: in a run, on average. lost: "
    "of\n"
    "the attempts to take something, the share that another thread won. effort: attempts per steal. Every result was\n"
    "checked, and that every task ran exactly once.\n"
    "serial: a loop.\n";

std::vector<const design*> chosen(const std::vector<std::string>& names) {
  require_known(names, design_names(), "design");
  std::vector<const design*> list;
  for (const design& one : designs()) {
    if (names.empty() || contains(names, one.name)) list.push_back(&one);
  }
  return list;
}

// Those that 003 compares.
std::vector<const design*> of_paper(const std::vector<const design*>& who) {
  std::vector<const design*> list;
  for (const design* one : who) {
    if (one->name != given_name) list.push_back(one);
  }
  return list;
}

std::vector<std::size_t> chosen_workers(const bench_settings& settings) {
  if (!settings.workers.empty()) return worker_counts(settings.workers);
  switch (settings.size) {
    case scale::tiny: return {1, 2};
    case scale::quick: return {1, 2, 4};
    case scale::full: break;
  }
  return {1, 2, 4, 8, 16};
}

std::size_t counted_runs_of(scale size) {
  if (size == scale::tiny) return 1;
  return size == scale::quick ? 3 : 5;
}

}  // namespace

std::vector<std::string> design_names() { return names_of(designs()); }

std::vector<std::string> program_names() {
  std::vector<std::string> names = scenario_names();
  std::ranges::copy(search_names(), std::back_inserter(names));
  names.emplace_back(latency_name);
  return names;
}

report bench_priorities(const bench_settings& settings, const std::function<void(std::string_view)>& show) {
  const std::vector<const design*> who = chosen(settings.designs);
  const sampling how{.workers = chosen_workers(settings),
                     .repetitions = settings.repetitions,
                     .counted_runs = counted_runs_of(settings.size)};
  require_known(settings.programs, program_names(), "program");
  const auto wanted = [&](std::string_view name) {
    return settings.programs.empty() || contains(settings.programs, name);
  };
  report result;
  result.on = describe_machine();
  show(machine_text(result.on) + "\n");

  std::vector<program_result> results;
  for (const std::string& name : scenario_names()) {
    if (!wanted(name)) continue;
    results.push_back(measure_program(make_program(name, settings.size, settings.levels), who, how));
    show(text_of(results.back()) + "\n");
    if (name == skewed_name) show(steals_text(results.back()) + "\n");
    result.add(rows_of(results.back()));
  }
  for (const std::string& name : search_names()) {
    if (!wanted(name)) continue;
    const search_program_result found =
        measure_search(make_search(name, settings.size), of_paper(who), settings.levels, how.workers, how.repetitions);
    show(text_of(found) + "\n");
    result.add(rows_of(found));
  }
  std::optional<latency_result> latency;
  if (wanted(latency_name)) {
    latency = measure_latency(of_paper(who), settings.levels, settings.size);
    show(text_of(*latency) + "\n");
    result.add(rows_of(*latency));
  }

  if (!results.empty()) show(summary_text(results) + "\n");
  result.claims = priority_claims(results, latency ? &*latency : nullptr);
  show(fmt::format("Figures to reach\n{}\n{}", claims_text(result.claims), footer));
  for (const design* one : who) show(fmt::format("{}: {}.\n", one->name, one->description));
  return result;
}

}  // namespace pilfer::lab::priorities
