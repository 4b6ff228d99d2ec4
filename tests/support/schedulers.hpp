// Which schedulers a test is repeated on.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <pilfer/pool.hpp>

#include "support/environment.hpp"

namespace pilfer::test {

// The default, and one scheduler of each kind of queue, since what is above the queues can only see the kind: shared by all
// workers, first in first out, bounded, with private work exposed when its owner looks, or by a signal. Every scheduler runs with
// PILFER_STRESS above 1, as in ./test --full; every queue by itself, and every scheduler's forks, in every tier.
[[nodiscard]] inline const std::vector<std::string>& tested_schedulers() {
  static const std::vector<std::string> names =
      stress_factor() > 1 ? scheduler_names() : std::vector<std::string>{"default", "ws-global", "bwos-fifo",
                                                                         "ws-abp",  "lcws-user", "lcws-half"};
  return names;
}

[[nodiscard]] inline bool is_tested(const std::string& scheduler) {
  const std::vector<std::string>& names = tested_schedulers();
  return std::find(names.begin(), names.end(), scheduler) != names.end();
}

}  // namespace pilfer::test
