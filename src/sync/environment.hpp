// The variables of the environment that the library reads, all in one place.
#pragma once

#include <cstdlib>
#include <string_view>

namespace pilfer::detail::environment {

inline constexpr const char* block_entries = "PILFER_BLOCK_ENTRIES";  // of queues that have blocks
inline constexpr const char* io_backend = "PILFER_IO";
inline constexpr const char* parlay_workers = "PARLAY_NUM_THREADS";
inline constexpr const char* scheduler = "PILFER_SCHEDULER";
inline constexpr const char* signal = "PILFER_SIGNAL";  // that asks an owner for work
inline constexpr const char* victim = "PILFER_VICTIM";
inline constexpr const char* watchdog = "PILFER_WATCHDOG";  // seconds
inline constexpr const char* workers = "PILFER_WORKERS";

// Both require that no thread changes the environment meanwhile.
[[nodiscard]] inline const char* find(const char* variable) noexcept {
  return std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): required above
}
// The value of a variable, empty if it is not set: a shell has no other way to clear one for a single command.
[[nodiscard]] inline std::string_view value_of(const char* variable) noexcept {
  const char* const text = find(variable);
  return text != nullptr ? text : std::string_view();
}

}  // namespace pilfer::detail::environment
