#pragma once

#include <time.h>

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

// Processor time of all threads of this process so far.
[[nodiscard]] inline double processor_seconds() noexcept {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  constexpr double seconds_per_ns = 1e-9;
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * seconds_per_ns;
}

}  // namespace pilfer::lab
