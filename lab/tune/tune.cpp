#include "lab/tune/tune.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <utility>

#include <pilfer/pool.hpp>

#include "lab/measure/interleave.hpp"
#include "lab/measure/interrupt.hpp"
#include "lab/measure/mapped.hpp"
#include "lab/measure/progress.hpp"
#include "lab/measure/registry.hpp"
#include "src/runtime/any_policy.hpp"

namespace pilfer::lab::tune {
namespace {

constexpr std::size_t block_sizes[] = {8, 64, 256};  // beside the 32 that it is otherwise
constexpr double least_gain = 0.01;                  // a percent: for less nobody should set a variable
constexpr std::size_t finalists = 3;
constexpr std::size_t most_with_victims = 2;  // schedulers

constexpr const char* scheduler_variable = "PILFER_SCHEDULER";
constexpr const char* block_variable = "PILFER_BLOCK_ENTRIES";
constexpr const char* victim_variable = "PILFER_VICTIM";

bool has_blocks(std::string_view scheduler) { return scheduler.starts_with("bwos-"); }

std::vector<double> times(const trial& one) { return mapped(one.runs, &child_run::seconds); }

bool is_faster(const estimate& ratio) { return ratio.high < 1 && ratio.value <= 1 - least_gain; }

std::string with_indent(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines += fmt::format("  {}\n", text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// One program under many configurations.
class tuner {
 public:
  tuner(const settings& given, const std::function<void(std::string_view)>& show, tuning& found)
      : given_(given), show_(show), found_(found) {}

  void run() {
    const child_run first = checked_first_run();
    const child_run with_bad_name = run_once({.scheduler = "none-such"});
    found_.asks_pilfer = !with_bad_name.succeeded();
    const bool has_default_only = with_bad_name.complaints_end.find("pilfer::research") != std::string::npos;
    if (has_default_only) {
      show_(
          "This program has the default scheduler only, so nothing but the victim policies is compared. Link it with\n"
          "pilfer::research to compare schedulers.\n\n");
    } else if (!found_.asks_pilfer) {
      show_(
          "This program does not seem to ask pilfer: it does not mind PILFER_SCHEDULER=none-such. Perhaps it makes no\n"
          "pool, or chooses the scheduler itself. What follows is then the noise of the machine.\n\n");
    }
    note_own_variables();
    const std::vector<configuration> schedulers =
        has_default_only ? std::vector<configuration>(1) : scheduler_configurations(given_.schedulers);
    const std::size_t with_victims = given_.quick ? 1 : most_with_victims;
    const std::size_t victims = victim_configurations(std::vector<configuration>(with_victims), given_.quick).size();
    const std::size_t runs = (schedulers.size() + victims + finalists + 1) * (given_.repetitions + 1);
    show_(fmt::format("At most {} runs of {:.3g} s or so: about {:.0f} s.\n\n", runs, first.seconds,
                      static_cast<double>(runs) * first.seconds));

    run_stage("schedulers", schedulers);
    run_stage("victims", victim_configurations(best_schedulers(found_.stages.back(), with_victims), given_.quick));
    std::vector<configuration> finals = promising(found_.stages, finalists);
    if (finals.empty()) return;
    finals.insert(finals.begin(), configuration{});
    run_stage("confirmation", finals);
    found_.advice = recommend(found_.stages.back());
  }

 private:
  [[nodiscard]] child_run run_once(const configuration& what) const {
    return run_child(given_.command,
                     {.variables = what.variables(), .limit = given_.limit, .keeps_output = given_.same_output});
  }

  // With the default: if it fails there, nothing can be said. The first run of all also brings the program into memory.
  child_run checked_first_run() {
    child_run first = run_once({});
    if (!first.succeeded()) fail(first.describe_ending(given_.limit), first);
    output_ = {first.output_bytes, first.output_hash};
    return first;
  }
  [[noreturn]] void fail(const std::string& how, const child_run& run) const {
    throw program_failed(fmt::format("'{}' fails with the default scheduler: {}{}", given_.command.front(), how,
                                     run.complaints_end.empty() ? ", without a word on standard error"
                                                                : fmt::format("; the end of its standard error:\n{}",
                                                                              with_indent(run.complaints_end))));
  }

  void note_own_variables() const {
    for (const char* name : {scheduler_variable, block_variable, victim_variable}) {
      const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
      if (value != nullptr && *value != '\0') show_(fmt::format("{}={} is not used here.\n", name, value));
    }
  }

  // Why this run is none that counts; empty if it is one.
  [[nodiscard]] std::string fault_of(const child_run& run) const {
    if (!run.succeeded()) return run.describe_ending(given_.limit);
    if (given_.same_output && std::pair(run.output_bytes, run.output_hash) != output_) {
      return "its output is not that of the first run with the default";
    }
    return {};
  }

  void run_stage(const std::string& name, const std::vector<configuration>& which) {
    stage& now = found_.stages.emplace_back(stage{.name = name, .trials = {}});
    for (const configuration& each : which) now.trials.push_back({.what = each, .runs = {}, .failure = {}});
    {
      progress shown(name, which.size() * (given_.repetitions + 1));
      for (std::size_t repetition = 0; repetition <= given_.repetitions; ++repetition) {
        for (const std::size_t i : shuffled_order(which.size(), repetition)) {
          trial& one = now.trials[i];
          shown.step(one.what.name());
          if (one.failure.empty()) sample(one, repetition == 0);
        }
      }
    }
    show_(text_of(now) + "\n");
  }

  void sample(trial& one, bool is_warm_up) const {
    child_run run = run_once(one.what);
    one.failure = fault_of(run);
    if (!one.failure.empty()) {
      if (one.what.is_default()) fail(one.failure, run);
      return;
    }
    if (!is_warm_up) one.runs.push_back(std::move(run));
  }

  const settings& given_;
  const std::function<void(std::string_view)>& show_;
  tuning& found_;
  std::pair<std::uint64_t, std::uint64_t> output_;
};

}  // namespace

std::string configuration::name() const {
  std::string text = scheduler;
  if (block_entries != 0) text += fmt::format(", blocks of {}", block_entries);
  if (!victim.empty()) text += fmt::format(", victim {}", victim);
  return text;
}

environment configuration::variables() const {
  return {{scheduler_variable, scheduler},
          {block_variable, block_entries == 0 ? "" : std::to_string(block_entries)},
          {victim_variable, victim}};
}

std::string configuration::assignments() const {
  std::string text;
  for (const auto& [name, value] : variables()) {
    if (!value.empty()) text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  }
  return text;
}

std::string configuration::options() const {
  std::string text = "pool_options::scheduler";
  if (block_entries != 0) text += victim.empty() ? " and block_entries" : ", block_entries";
  if (!victim.empty()) text += " and victim";
  return text;
}

std::optional<estimate> ratio_to_default(const stage& of, const trial& one) {
  if (of.trials.empty() || !one.failure.empty()) return std::nullopt;
  std::vector<double> mine = times(one);
  std::vector<double> base = times(of.trials.front());
  // An interrupted stage ends in the middle of a repetition.
  const std::size_t pairs = std::min(mine.size(), base.size());
  if (pairs == 0) return std::nullopt;
  mine.resize(pairs);
  base.resize(pairs);
  return paired_ratio(mine, base);
}

namespace {

// Those with a ratio, by it.
std::vector<recommendation> ranked(const stage& of) {
  std::vector<recommendation> all;
  for (const trial& each : of.trials) {
    if (const auto ratio = ratio_to_default(of, each)) all.push_back({each.what, *ratio});
  }
  std::ranges::sort(all, {}, [](const recommendation& each) { return each.ratio.value; });
  return all;
}

}  // namespace

std::optional<recommendation> recommend(const stage& confirmation) {
  for (const recommendation& each : ranked(confirmation)) {
    if (!each.what.is_default() && is_faster(each.ratio)) return each;
  }
  return std::nullopt;
}

std::vector<configuration> promising(const std::vector<stage>& stages, std::size_t most) {
  std::vector<recommendation> all;
  for (const stage& each : stages) {
    for (recommendation& one : ranked(each)) {
      if (!one.what.is_default() && is_faster(one.ratio)) all.push_back(std::move(one));
    }
  }
  std::ranges::sort(all, {}, [](const recommendation& each) { return each.ratio.value; });
  if (all.size() > most) all.resize(most);
  return mapped(all, &recommendation::what);
}

std::vector<configuration> best_schedulers(const stage& of, std::size_t most) {
  std::vector<configuration> best;
  for (const recommendation& each : ranked(of)) {
    const bool known =
        std::ranges::any_of(best, [&](const configuration& other) { return other.scheduler == each.what.scheduler; });
    if (!known && best.size() < most) best.push_back(each.what);
  }
  return best;
}

std::vector<configuration> scheduler_configurations(const std::vector<std::string>& schedulers) {
  require_known(schedulers, scheduler_names(), "scheduler");
  std::vector<configuration> all{configuration{}};
  for (const std::string& name : scheduler_names()) {
    if (!schedulers.empty() && !contains(schedulers, name)) continue;
    if (const configuration plain{.scheduler = name}; !plain.is_default()) all.push_back(plain);
    if (!has_blocks(name)) continue;
    for (const std::size_t entries : block_sizes) all.push_back({.scheduler = name, .block_entries = entries});
  }
  return all;
}

std::vector<configuration> victim_configurations(const std::vector<configuration>& schedulers, bool quick) {
  std::vector<configuration> all{configuration{}};
  for (const configuration& each : schedulers) {
    for (const std::string_view policy : victim::policy_names()) {
      if (policy == "rand" || (quick && policy.starts_with("probabilistic-"))) continue;
      configuration with_policy = each;
      with_policy.victim = policy;
      all.push_back(std::move(with_policy));
    }
  }
  return all;
}

tuning tune(const settings& given, const std::function<void(std::string_view)>& show) {
  tuning found;
  try {
    tuner(given, show, found).run();
  } catch (const interrupted& error) {
    found.interrupted_by = error.signal();
    if (!found.stages.empty()) show(text_of(found.stages.back()) + "\n");
  }
  return found;
}

}  // namespace pilfer::lab::tune
