// What an operation costs, told by counting_sync.
#pragma once

#include <string>

#include <pilfer/ext/counting_sync.hpp>

namespace pilfer::test {

// What `operation` did in the calling thread.
template <class Operation>
[[nodiscard]] ext::operation_counts counted(Operation operation) {
  ext::counting_sync::counts() = {};
  operation();
  return ext::counting_sync::counts();
}

// Costs as text, so that a failed comparison can be read.
[[nodiscard]] inline std::string cost(const ext::operation_counts& counts) {
  std::string text;
  const auto add = [&text](const char* name, std::uint64_t n) {
    if (n > 0) text += (text.empty() ? "" : ", ") + std::to_string(n) + " " + name;
  };
  add("fences", counts.fences);
  add("exchanges", counts.exchanges);
  add("cas", counts.cas);
  add("cas_failed", counts.cas_failed);
  add("heavy_fences", counts.heavy_fences);
  add("allocations", counts.allocations);
  return text.empty() ? "nothing" : text;
}

template <class Operation>
[[nodiscard]] std::string cost_of(Operation operation) {
  return cost(counted(operation));
}

}  // namespace pilfer::test
