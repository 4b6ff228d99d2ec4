#include "lab/forkjoin/bench_fork_join.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <stdexcept>

#include "lab/forkjoin/claims.hpp"
#include "lab/forkjoin/counted.hpp"
#include "lab/forkjoin/instructions.hpp"
#include "lab/forkjoin/measurement.hpp"
#include "lab/measure/affinity.hpp"
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

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// Whether the table shows it; not whether it can be run.
bool wanted(const entry& one, const std::vector<std::string>& names) {
  if (one.of == family::serial || contains(names, all_schedulers)) return true;
  if (names.empty()) return one.of == family::users_pool || one.of == family::peer;
  return contains(names, one.name);
}

std::vector<const entry*> chosen(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (name != all_schedulers && schedulers::find_scheduler(name) == nullptr) {
      throw std::invalid_argument(fmt::format("there is no scheduler '{}'", name));
    }
  }
  std::vector<const entry*> list;
  for (const entry& one : schedulers::registry()) {
    if (wanted(one, names)) list.push_back(&one);
  }
  return list;
}

std::vector<program> chosen_programs(const std::vector<std::string>& names) {
  const std::vector<std::string> known = program_names();
  for (const std::string& name : names) {
    if (!contains(known, name)) throw std::invalid_argument(fmt::format("there is no program '{}'", name));
  }
  std::vector<program> list;
  for (const program one : programs::benchmark_programs()) {
    if (names.empty() || contains(names, programs::name_of(one))) list.push_back(one);
  }
  return list;
}

std::vector<std::size_t> worker_counts(std::vector<std::size_t> asked) {
  if (asked.empty()) asked = {1, 2, allowed_processors().size()};
  std::ranges::sort(asked);
  const auto repeated = std::ranges::unique(asked);
  asked.erase(repeated.begin(), repeated.end());
  return asked;
}

std::string descriptions(const std::vector<const entry*>& who) {
  std::string text;
  for (const entry* one : who) {
    text += fmt::format("{}: {}", one->name, one->description);
    text += one->make ? ".\n" : fmt::format("; skipped: {}.\n", one->why_unavailable);
  }
  return text;
}

void append(std::vector<row>& rows, std::vector<row> more) { std::ranges::move(more, std::back_inserter(rows)); }

// What is counted is the same however long the programs run: shorter ones do.
std::vector<programs::workload> counted_workloads(const std::vector<program>& what, scale size) {
  std::vector<programs::workload> list;
  list.reserve(what.size());
  for (const program one : what) list.push_back(programs::scaled(one, std::min(size, scale::quick)));
  return list;
}

}  // namespace

std::vector<std::string> scheduler_names() {
  std::vector<std::string> names;
  std::ranges::transform(schedulers::registry(), std::back_inserter(names), &entry::name);
  return names;
}

std::vector<std::string> program_names() {
  std::vector<std::string> names;
  for (const program one : programs::benchmark_programs()) names.emplace_back(programs::name_of(one));
  return names;
}

std::string why_unavailable(std::string_view name) {
  const entry* const found = schedulers::find_scheduler(name);
  if (found == nullptr) return "there is no such scheduler";
  return found->make ? "" : found->why_unavailable;
}

report bench_fork_join(const bench_settings& settings, const std::function<void(std::string_view)>& show) {
  const std::vector<const entry*> who = chosen(settings.schedulers);
  const std::vector<program> what = chosen_programs(settings.programs);
  const std::vector<std::size_t> workers = worker_counts(settings.workers);
  report result;
  result.on = describe_machine();
  for (const entry* one : who) {
    if (!one->version.empty()) result.on.versions[one->name] = one->version;
  }
  show(machine_text(result.on) + "\n");

  std::vector<program_result> results;
  for (const program one : what) {
    results.push_back(measure_program(programs::scaled(one, settings.size), who, workers, settings.repetitions));
    show(text_of(results.back()) + "\n");
    append(result.rows, rows_of(results.back()));
  }

  const bool everything = settings.schedulers.empty() || contains(settings.schedulers, all_schedulers);
  std::optional<counted_result> counted;
  if (everything && !schedulers::counted_registry().empty()) {
    counted = count_synchronization(counted_workloads(what, settings.size), 2);
    show(text_of(*counted) + "\n");
    append(result.rows, rows_of(*counted));
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
