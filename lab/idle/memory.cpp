// `memory`: the largest resident set of a process that runs one program with one scheduler, and nothing else.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <pilfer/pool.hpp>

#include "lab/experiments/row_query.hpp"
#include "lab/idle/experiments.hpp"
#include "lab/idle/memory_child.hpp"
#include "lab/idle/reported.hpp"
#include "lab/idle/sleeper.hpp"
#include "lab/measure/interleave.hpp"
#include "lab/schedulers/session.hpp"
#include "lab/tune/child_run.hpp"

namespace pilfer::lab::experiments {
namespace {

constexpr const char* own_name = "memory";
constexpr std::chrono::seconds longest_run{120};
constexpr double kilobytes_per_megabyte = 1024;

std::int64_t size_for(const std::string& program, const settings& given) {
  if (program == memory_program::fib) return by_effort<std::int64_t>(given, 12, 25, 33);
  if (program == memory_program::tasks) return by_effort<std::int64_t>(given, 1000, 100'000, 100'000);
  return by_effort<std::int64_t>(given, 10'000, 200'000, 10'000'000);
}

std::size_t workers_of(const std::string& scheduler, const settings& given) {
  return scheduler == schedulers::serial_name ? 1 : given.processors;
}

// What one child says of itself.
struct memory_run {
  double peak_mb = 0;
  double base_mb = 0;  // before there was a pool, or the program's own data
  double voluntary_switches = 0;
  double involuntary_switches = 0;
  double seconds = 0;
  std::optional<double> tasks_stolen;
};

memory_run run_one(std::vector<std::string> command, const std::string& program, const std::string& scheduler,
                   const settings& given) {
  const std::string who = fmt::format("{} with {}", program, scheduler);
  command.insert(command.end(), {program, scheduler, std::to_string(size_for(program, given)),
                                 std::to_string(workers_of(scheduler, given))});
  const tune::child_run ran = tune::run_child(command, {.limit = longest_run, .keeps_output = true});
  if (!ran.succeeded()) {
    throw std::runtime_error(
        fmt::format("memory: {}: {}; {}", who, ran.describe_ending(longest_run), ran.complaints_end));
  }
  const json said = json::parse(ran.output_end, nullptr, false);
  if (!said.is_object() || !said.contains("peak_kb") || !said.contains("base_kb") || !said.contains("seconds")) {
    throw std::runtime_error(fmt::format("memory: {}: the child said '{}'", who, ran.output_end));
  }
  memory_run result{.peak_mb = said["peak_kb"].get<double>() / kilobytes_per_megabyte,
                    .base_mb = said["base_kb"].get<double>() / kilobytes_per_megabyte,
                    .voluntary_switches = static_cast<double>(ran.used.voluntary_switches),
                    .involuntary_switches = static_cast<double>(ran.used.involuntary_switches),
                    .seconds = said["seconds"].get<double>(),
                    .tasks_stolen = {}};
  if (said.contains("stolen") && said["stolen"].is_number()) result.tasks_stolen = said["stolen"].get<double>();
  return result;
}

double median_of(const std::vector<memory_run>& runs, double memory_run::* member) {
  std::vector<double> values;
  values.reserve(runs.size());
  for (const memory_run& one : runs) values.push_back(one.*member);
  return median(values);
}

json stolen_of(const std::vector<memory_run>& runs) {
  std::vector<double> values;
  for (const memory_run& one : runs) {
    if (one.tasks_stolen) values.push_back(*one.tasks_stolen);
  }
  return values.size() == runs.size() && !values.empty() ? json(median(values)) : json(nullptr);
}

findings measure(const std::vector<std::string>& child, const std::string& program, const settings& given) {
  findings found;
  std::vector<std::string> who;
  for (const auto& [name, why_not] : memory_schedulers()) {
    if (why_not.empty()) {
      who.push_back(name);
    } else {
      found.notes.push_back(fmt::format("{}: {}", name, why_not));
    }
  }
  std::vector<std::vector<memory_run>> runs(who.size());
  std::vector<contender> contenders;
  contenders.reserve(who.size());
  for (std::size_t i = 0; i < who.size(); ++i) {
    contenders.push_back({who[i], [&, i] {
                            runs[i].push_back(run_one(child, program, who[i], given));
                            return runs[i].back().peak_mb;
                          }});
  }
  const sample_matrix samples = run_interleaved(contenders, by_effort<std::size_t>(given, 1, 3, 7), program);
  for (std::size_t i = 0; i < who.size(); ++i) {
    row r{.suite = own_name,
          .name = program,
          .impl = who[i],
          .params = {{"size", size_for(program, given)}, {"workers", workers_of(who[i], given)}},
          .unit = "MB",
          .samples = samples[i],
          .ratio_to_sequential = {}};
    r.extra["base_mb"] = median_of(runs[i], &memory_run::base_mb);
    r.extra["ms"] = median_of(runs[i], &memory_run::seconds) * 1e3;
    r.extra["voluntary_switches"] = median_of(runs[i], &memory_run::voluntary_switches);
    r.extra["involuntary_switches"] = median_of(runs[i], &memory_run::involuntary_switches);
    r.extra["tasks_stolen"] = stolen_of(runs[i]);
    r.extra["io_continuations_stolen"] = nullptr;
    r.extra["oversubscribed"] = false;
    found.rows.push_back(std::move(r));
  }
  return found;
}

// --- Judging.

// Both rows with as many samples, or none and the note says why.
std::optional<std::pair<const row*, const row*>> both(claim& of, const std::vector<row>& rows, const char* program,
                                                      const char* one, const char* other) {
  const row* const a = find_row(rows, program, one);
  const row* const b = find_row(rows, program, other);
  if (a != nullptr && b != nullptr && a->samples.size() == b->samples.size()) return std::pair(a, b);
  of.note =
      fmt::format("cannot be shown on this machine: {} was not measured with {}", program, a == nullptr ? one : other);
  return std::nullopt;
}

claim pool_claim(const std::vector<row>& rows) {
  claim of = reported("memory_pool_mb", "fib: peak memory with a pool, over serial code, MB");
  const auto found = both(of, rows, memory_program::fib, idle::default_name, schedulers::serial_name);
  if (!found) return of;
  std::vector<double> more = found->first->samples;
  std::ranges::transform(more, found->second->samples, more.begin(), std::minus<>{});
  of.measured = median_estimate(more);
  return of;
}

claim tasks_claim(const std::vector<row>& rows) {
  claim of = at_most("memory_tasks_over_onetbb", "many spawned tasks: peak memory, pilfer / oneTBB", 0.7);
  const auto found = both(of, rows, memory_program::tasks, idle::default_name, idle::tbb_name);
  if (found) of.measured = paired_ratio(found->first->samples, found->second->samples);
  return of;
}

std::vector<page::chart> charts_of(const std::vector<row>& rows) {
  page::chart shown;
  shown.id = "memory-peak";
  shown.title = "Peak memory of a program, by scheduler";
  shown.caption =
      "The largest resident set of a process that does nothing else, the program's own code and data included: serial "
      "code "
      "shows what that is.";
  shown.kind = page::chart_kind::bars;
  shown.x.label = "program";
  shown.y.label = "largest resident set (MB)";
  shown.lines_or_groups = bars_of(
      rows, [](const row& r) { return r.suite == own_name; }, [](const row& r) { return median_estimate(r.samples); });
  if (shown.lines_or_groups.empty()) return {};
  return {shown};
}

}  // namespace

std::vector<std::string> usual_memory_child() { return {"/proc/self/exe", "lab", "child", own_name}; }

experiment memory_experiment(std::vector<std::string> child) {
  return {.name = own_name,
          .title = "Memory",
          .source = "ours",
          .summary =
              "Each sample is a process of its own, because a peak never falls: fib, which is forks alone; tasks that "
              "are all "
              "spawned before one waits for them; a quicksort. Serial code shows what the program itself takes.",
          .parts =
              [child = std::move(child)](const settings& given) {
                std::vector<part> all;
                for (const char* program : {memory_program::fib, memory_program::tasks, memory_program::quicksort}) {
                  all.push_back({.name = program, .run = [=] { return measure(child, program, given); }});
                }
                return all;
              },
          .claims = [](const std::vector<row>& rows,
                       const settings&) { return std::vector<claim>{pool_claim(rows), tasks_claim(rows)}; },
          .charts = charts_of,
          .quick_seconds = 8};
}

}  // namespace pilfer::lab::experiments
