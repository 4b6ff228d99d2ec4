// Whether anyone would take work from this worker now: what loops ask that split lazily.
//
// In the default pool an idle worker takes away the bounds that every fork compares with, before it sleeps too; so the question
// is one comparison for a worker that is left alone, and an answer of `yes` stays until a fork gives something away.
#pragma once

#include <pilfer/detail/fork/fork_path.hpp>

namespace pilfer::detail {

// In src/runtime/fork_path.cpp.
[[nodiscard, gnu::cold]] bool is_anyone_hungry_really(fork_slot* at) noexcept;

// A hint. `at` is the position of the calling task on its own thread: current_deque->cursor(), or its context's.
[[nodiscard, gnu::always_inline]] inline bool is_anyone_hungry(fork_slot* at) noexcept {
  return !fork_stack::of(at).is_left_alone(at) && is_anyone_hungry_really(at);
}

}  // namespace pilfer::detail
