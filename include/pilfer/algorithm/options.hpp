// What a caller may say about a loop.
//
//   pilfer::parallel_for(0, 4, render_quarter, {.grain = 1});
#pragma once

#include <cstddef>
#include <optional>

namespace pilfer {

struct loop_options {
  // Iterations that are never split. With a number the loop is split as soon as somebody is idle, down to so many: for few
  // and heavy iterations say 1. None: the loop measures its iterations first, so that a tiny one is never split. 0 throws
  // std::invalid_argument.
  std::optional<std::size_t> grain = {};
  // Reductions and scans: what is combined with what depends on the size and the grain alone, and not on who was idle when.
  // Sums of floating-point numbers are then the same in each run, with any number of workers.
  bool deterministic = false;
};

}  // namespace pilfer
