#include "lab/experiments/experiment.hpp"
#include "lab/experiments/suites.hpp"

namespace pilfer::lab::experiments {

const std::vector<experiment>& registry() {
  static const std::vector<experiment> all = {
      verification_experiment(),
      fork_join_experiment(),
      algorithms_experiment(),
      priorities_experiment(),
  };
  return all;
}

}  // namespace pilfer::lab::experiments
