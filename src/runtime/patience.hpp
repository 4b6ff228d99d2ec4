// How long threads look before they sleep. Chosen by two prices (a futex wake-up takes some 50 microseconds, a membarrier 11) and left
// there, because `pilfer bench fork-join` showed nothing that asked for more: not swept.
#pragma once

#include <chrono>

namespace pilfer::detail {

inline constexpr std::chrono::microseconds spin_before_park_us{50};    // idle: longer costs CPU, shorter wake-ups
inline constexpr std::chrono::microseconds spin_before_sleep_us{100};  // at a join
inline constexpr unsigned rounds_between_yields = 16;
inline constexpr std::chrono::microseconds rest_at_lock_us{50};
inline constexpr unsigned pauses_before_rest = 256;      // a lock that is held for some instructions
inline constexpr unsigned pauses_before_retiring = 256;  // a caller from outside may be gone again: some 5 us

}  // namespace pilfer::detail
