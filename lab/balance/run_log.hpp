// What the runs of one contender cost besides time: context switches, and the jobs that were stolen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "lab/measure/report.hpp"
#include "lab/measure/statistics.hpp"
#include "lab/measure/usage.hpp"

namespace pilfer::lab::balance {

struct run_costs {
  std::int64_t voluntary_switches = 0;
  std::int64_t involuntary_switches = 0;
  std::optional<std::uint64_t> stolen;  // none: the scheduler does not say
};

class run_log {
 public:
  run_log() = default;
  // `warm_ups`: so many runs are made before anything is timed, and do not count.
  explicit run_log(std::size_t warm_ups) : warm_ups_(warm_ups) {}

  void add(const run_costs& costs) {
    if (warm_ups_ > 0) {
      --warm_ups_;
      return;
    }
    voluntary_.push_back(static_cast<double>(costs.voluntary_switches));
    involuntary_.push_back(static_cast<double>(costs.involuntary_switches));
    if (costs.stolen) stolen_.push_back(static_cast<double>(*costs.stolen));
  }

  // Calls `run` and notes what it cost. `steals` says how many there were so far, as an optional.
  template <class Run, class Steals>
  double watch(Run&& run, Steals&& steals) {
    const std::optional<std::uint64_t> stolen = steals();
    const usage before = usage_so_far();
    const double seconds = run();
    const usage used = usage_so_far().since(before);
    const std::optional<std::uint64_t> now = steals();
    run_costs costs{used.voluntary_switches, used.involuntary_switches, std::nullopt};
    if (stolen && now) costs.stolen = *now - *stolen;
    add(costs);
    return seconds;
  }

  // Medians per run, under the keys that every row of a whole program has.
  void write_to(json& extra, bool oversubscribed) const {
    extra["voluntary_switches"] = median_or_null(voluntary_);
    extra["involuntary_switches"] = median_or_null(involuntary_);
    extra["tasks_stolen"] = median_or_null(stolen_);
    extra["io_continuations_stolen"] = nullptr;  // none of these programs waits for a device
    extra["oversubscribed"] = oversubscribed;
  }

 private:
  static json median_or_null(const std::vector<double>& values) {
    return values.empty() ? json(nullptr) : json(median(values));
  }

  std::size_t warm_ups_ = 0;
  std::vector<double> voluntary_;
  std::vector<double> involuntary_;
  std::vector<double> stolen_;
};

}  // namespace pilfer::lab::balance
