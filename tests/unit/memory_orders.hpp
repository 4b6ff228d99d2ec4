// Short names of the memory orders.
#pragma once

#include <atomic>

namespace pilfer::test {

inline constexpr auto relaxed = std::memory_order_relaxed;
inline constexpr auto acquire = std::memory_order_acquire;
inline constexpr auto release = std::memory_order_release;

}  // namespace pilfer::test
