// How waits end.
#pragma once

#include <cstdint>

namespace pilfer::detail {

struct runtime;

// How a wait ended.
enum class wait_end : std::uint8_t {
  done,
  time_over,
  own,      // not at all: it would wait for itself
  too_deep  // not yet: no thread has room on its stack for the tasks that it waits for
};
// Throws std::logic_error for `own`, std::runtime_error for `too_deep`, with all waits of that pool.
void throw_unless_ended(wait_end how, const runtime& home);
// The same for a wait that must not throw: prints the sentence and terminates.
void terminate_unless_ended(wait_end how) noexcept;

}  // namespace pilfer::detail
