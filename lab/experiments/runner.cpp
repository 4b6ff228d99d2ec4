#include "lab/experiments/runner.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <utility>

#include "lab/measure/disturbance.hpp"
#include "lab/measure/interrupt.hpp"
#include "lab/measure/output.hpp"
#include "lab/measure/progress.hpp"
#include "lab/measure/stopwatch.hpp"

namespace pilfer::lab::experiments {
namespace {

std::string utc_now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

double load_now() noexcept {
  double load = 0;
  return ::getloadavg(&load, 1) == 1 ? load : 0;
}

struct planned_experiment {
  const experiment* what;
  std::vector<part> parts;
};

part_record measured(const experiment& what, const part& one, machine& on) {
  part_record record{.name = one.name, .began = utc_now(), .load_average = load_now()};
  const disturbance others;
  findings found;
  record.seconds = seconds_taken_by([&] { found = one.run(); });
  record.disturbed = others.share();
  for (row& r : found.rows) r.suite = what.name;
  record.rows = std::move(found.rows);
  record.claims = std::move(found.claims);
  record.notes = std::move(found.notes);
  on.versions.merge(found.versions);
  return record;
}

}  // namespace

outcome run_experiments(const std::vector<const experiment*>& chosen, results& all, const events& on) {
  std::vector<planned_experiment> plan;
  double expected = 0;
  outcome done;
  for (const experiment* one : chosen) {
    plan.push_back({one, one->parts(all.given)});
    expected += one->quick_seconds;
    if (all.find(one->name) == nullptr) all.experiments.push_back({.name = one->name});
    all.find(one->name)->planned = plan.back().parts.size();
  }
  overall_progress shown(expected);
  std::size_t number = 0;
  for (const planned_experiment& one : plan) {
    ++number;
    experiment_record& record = *all.find(one.what->name);
    const double per_part = one.what->quick_seconds / static_cast<double>(one.parts.size());
    try {
      for (const part& each : one.parts) {
        shown.begin(one.parts.size() > 1 ? fmt::format("{}: {}", one.what->name, each.name) : one.what->name, per_part);
        throw_if_interrupted();
        if (record.has_part(each.name)) {
          ++done.kept;
          continue;
        }
        record.parts.push_back(measured(*one.what, each, all.on));
        ++done.measured;
        on.save(all);
      }
    } catch (const interrupted&) {
      throw;
    } catch (const output_error&) {
      throw;
    } catch (const std::exception& error) {
      ++done.failed;
      on.tell(fmt::format("{}: FAILED: {}", one.what->name, error.what()));
      continue;
    }
    on.tell(fmt::format("{}/{} {}: {:.0f} s", number, plan.size(), one.what->name, record.seconds()));
    for (const claim& c : claims_of(*one.what, record, all.given)) {
      if (const std::string line = verdict_line(c); !line.empty()) on.tell("  " + line);
    }
  }
  return done;
}

std::string why_not_together(const results& earlier, const results& now) {
  const auto differs = [](std::string_view what, std::string_view then, std::string_view here) {
    return then == here ? std::string() : fmt::format("{} was {}, and is {} now", what, then, here);
  };
  for (const std::string& why : {differs("the effort", name_of(earlier.given.how), name_of(now.given.how)),
                                 differs("the build's commit", earlier.on.commit, now.on.commit),
                                 differs("the build", earlier.on.build, now.on.build),
                                 differs("the compiler", earlier.on.compiler, now.on.compiler),
                                 differs("the processor", earlier.on.cpu, now.on.cpu),
                                 differs("the number of processors allowed", std::to_string(earlier.given.processors),
                                         std::to_string(now.given.processors))}) {
    if (!why.empty()) return why;
  }
  return {};
}

}  // namespace pilfer::lab::experiments
