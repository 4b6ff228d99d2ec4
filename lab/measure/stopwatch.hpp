#pragma once

#include <chrono>

namespace pilfer::lab {

// Seconds on the clock until the call returns.
template <class Call>
[[nodiscard]] double seconds_taken_by(Call&& call) {
  using clock = std::chrono::steady_clock;
  const auto start = clock::now();
  call();
  return std::chrono::duration<double>(clock::now() - start).count();
}

}  // namespace pilfer::lab
