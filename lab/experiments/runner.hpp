// Runs experiments one after the other and keeps what was found after each part.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/experiments/results.hpp"

namespace pilfer::lab::experiments {

// What happened to a run, told as it happens.
struct events {
  std::function<void(const results& so_far)> save;  // after each part
  std::function<void(std::string_view)> tell;  // a line for people: an experiment has ended, or failed; a figure of it
};

struct outcome {
  std::size_t measured = 0;  // parts
  std::size_t kept = 0;      // parts that were there already
  std::size_t failed = 0;    // experiments that gave a wrong result or could not go on; they stay incomplete
};

// Adds to `all` the parts of these experiments that are not there yet. One that fails is told and left; the others go on.
//   Throws  `interrupted`: what was saved before stays; what `save` throws.
outcome run_experiments(const std::vector<const experiment*>& chosen, results& all, const events& on);

// Whether parts measured by `earlier` and by this build on this machine may stand in one report; empty, or why not.
[[nodiscard]] std::string why_not_together(const results& earlier, const results& now);

}  // namespace pilfer::lab::experiments
