// The child of `memory`: which programs and schedulers it knows.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace pilfer::lab::experiments {

struct memory_program {
  static constexpr const char* fib = "fib";
  static constexpr const char* tasks = "tasks";
  static constexpr const char* quicksort = "quicksort";
};

// By name, and why one cannot be run here; empty if it can. Serial code first.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> memory_schedulers();

}  // namespace pilfer::lab::experiments
