#include "lab/forkjoin/bench_fork_join.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "lab/forkjoin/claims.hpp"
#include "lab/forkjoin/counted.hpp"
#include "lab/forkjoin/instructions.hpp"
#include "lab/forkjoin/measurement.hpp"
#include "lab/measure/registry.hpp"
#include "lab/schedulers/session.hpp"

namespace pilfer::lab::forkjoin {
namespace {

using programs::scale;
using schedulers::entry;
using schedulers::family;

constexpr std::string_view footer =
    "ms: median of the samples, min: the best. time / serial: median of pairs from the same repetition, with its 95 %\n"
    "interval; below 1 is faster than serial code. ns/fork: the whole time over the number of forks. extra ns/fork: "
    "only\n"
    "what serial code does not need, that is (time - serial time) / forks; with 2 workers it is below 0 where both\n"
    "together are faster. Times are on the clock, from outside the pool.\n";

// Whether the table shows it; not whether it can be run.
bool wanted(const entry& one, const std::vector<std::string>& names) {
  if (one.of == family::serial || contains(names, all_schedulers)) return true;
  if (names.empty()) return one.of == family::users_pool || one.of == family::peer;
  return contains(names, one.name);
}

std::vector<const entry*> chosen(const std::vector<std::string>& names) {
  std::vector<std::string> known = scheduler_names();
  known.emplace_back(all_schedulers);
  require_known(names, known, "scheduler");
  std::vector<const entry*> list;
  for (const entry& one : schedulers::registry()) {
    if (wanted(one, names)) list.push_back(&one);
  }
  return list;
}

std::vector<program> chosen_programs(const std::vector<std::string>& names) {
  require_known(names, program_names(), "program");
  std::vector<program> list;
  for (const program one : programs::benchmark_programs()) {
    if (names.empty() || contains(names, programs::name_of(one))) list.push_back(one);
  }
  return list;
}

// What is counted is the same however long the programs run: shorter ones do.
std::vector<programs::workload> counted_workloads(const std::vector<program>& what, scale size) {
  std::vector<programs::workload> list;
  list.reserve(what.size());
  for (const program one : what) list.push_back(programs::scaled(one, std::min(size, scale::quick)));
  return list;
}

}  // namespace

std::vector<std::string> scheduler_names() { return names_of(schedulers::registry()); }

std::vector<std::string> program_names() {
  std::vector<std::string> names;
  for (const program one : programs::benchmark_programs()) names.emplace_back(programs::name_of(one));
  return names;
}

std::string why_unavailable(std::string_view name) { return lab::why_unavailable(schedulers::registry(), name); }

report bench_fork_join(const bench_settings& settings, const std::function<void(std::string_view)>& show) {
  const std::vector<const entry*> who = chosen(settings.schedulers);
  const std::vector<program> what = chosen_programs(settings.programs);
  const std::vector<std::size_t> workers = worker_counts(settings.workers);
  report result;
  result.on = describe_machine();
  note_versions(result.on, who);
  show(machine_text(result.on) + "\n");

  std::vector<program_result> results;
  for (const program one : what) {
    results.push_back(measure_program(programs::scaled(one, settings.size), who, workers, settings.repetitions));
    show(text_of(results.back()) + "\n");
    result.add(rows_of(results.back()));
  }

  const bool everything = settings.schedulers.empty() || contains(settings.schedulers, all_schedulers);
  std::optional<counted_result> counted;
  if (everything && !schedulers::counted_registry().empty()) {
    counted = count_synchronization(counted_workloads(what, settings.size), 2);
    show(text_of(*counted) + "\n");
    result.add(rows_of(*counted));
  }
  std::optional<counted_instructions> instructions;
  if (everything && settings.size != scale::tiny && std::ranges::find(what, program::fib) != what.end()) {
    instructions = count_instructions();
  }

  result.claims = fork_join_claims(results, instructions ? &*instructions : nullptr, counted ? &*counted : nullptr);
  show(fmt::format("Figures to reach\n{}\n", claims_text(result.claims)));
  show(fmt::format("{}{}", footer, descriptions(who)));
  return result;
}

}  // namespace pilfer::lab::forkjoin
