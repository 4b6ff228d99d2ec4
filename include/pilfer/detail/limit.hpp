// What waits take as a limit.
#pragma once

#include <chrono>

namespace pilfer::detail {

// As sleeps take it: not below 0, and beyond some ten years none.
template <class Rep, class Period>
[[nodiscard]] std::chrono::nanoseconds limit_of(std::chrono::duration<Rep, Period> limit) noexcept {
  const double seconds = std::chrono::duration<double>(limit).count();
  if (!(seconds > 0)) return std::chrono::nanoseconds{0};
  if (seconds > 3e8) return std::chrono::nanoseconds{-1};
  return std::chrono::duration_cast<std::chrono::nanoseconds>(limit);
}

}  // namespace pilfer::detail
