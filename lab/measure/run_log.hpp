// What the runs of one contender cost besides time: context switches, and the jobs that were stolen.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "lab/measure/report.hpp"
#include "lab/measure/statistics.hpp"
#include "lab/measure/usage.hpp"

namespace pilfer::lab {

struct run_costs {
  std::int64_t voluntary_switches = 0;
  std::int64_t involuntary_switches = 0;
  std::optional<std::uint64_t> stolen;  // none: the scheduler does not say
};

// Calls `run`, tells what it cost, and returns what it returned. `steals` says how many there were so far, as an optional.
template <class Run, class Steals>
auto watched(Run&& run, Steals&& steals, run_costs& costs) {
  const std::optional<std::uint64_t> stolen = steals();
  const usage before = usage_so_far();
  auto result = run();
  const usage used = usage_so_far().since(before);
  const std::optional<std::uint64_t> now = steals();
  costs = {used.voluntary_switches, used.involuntary_switches, std::nullopt};
  if (stolen && now) costs.stolen = *now - *stolen;
  return result;
}

class run_log {
 public:
  void add(const run_costs& costs) {
    voluntary_.push_back(static_cast<double>(costs.voluntary_switches));
    involuntary_.push_back(static_cast<double>(costs.involuntary_switches));
    if (costs.stolen) stolen_.push_back(static_cast<double>(*costs.stolen));
  }

  // As watched(), and keeps the costs.
  template <class Run, class Steals>
  auto watch(Run&& run, Steals&& steals) {
    run_costs costs;
    auto result = watched(run, steals, costs);
    add(costs);
    return result;
  }

  // Forgets what was before: runs that only warm up.
  void clear() { *this = {}; }

  // Medians per run, under the keys that every row of a whole program has.
  void write_to(json& extra) const {
    extra["voluntary_switches"] = median_or_null(voluntary_);
    extra["involuntary_switches"] = median_or_null(involuntary_);
    extra["tasks_stolen"] = median_or_null(stolen_);
    extra["io_continuations_stolen"] = nullptr;  // none of these programs waits for a device
  }

 private:
  static json median_or_null(const std::vector<double>& values) {
    return values.empty() ? json(nullptr) : json(median(values));
  }

  std::vector<double> voluntary_;
  std::vector<double> involuntary_;
  std::vector<double> stolen_;
};

}  // namespace pilfer::lab
