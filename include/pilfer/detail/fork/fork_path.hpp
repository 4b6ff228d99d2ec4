// From fork_join to a queue: the path of pilfer::pool.
//
// A position is one pointer, the slot that the next fork goes to; its deque, and through that the worker, are found by
// masking the address. Where a pool was told to use another queue the bounds of its deques are never set, so that every fork
// and join leaves the fast path, and goes to that queue from there.
#pragma once

#include <pilfer/detail/context.hpp>
#include <pilfer/detail/fork/job.hpp>
#include <pilfer/queue/fork_stack.hpp>

namespace pilfer::detail {

using fork_stack = queue::fork_stack<job*>;
using fork_slot = fork_stack::slot;

// The deque of the worker that this thread is; null outside of every pool.
// Libraries reach it without a call; programs do so anyway, with one instruction less.
#if defined(__PIC__) && !defined(__PIE__)
[[gnu::tls_model("initial-exec")]]
#endif
inline thread_local constinit fork_stack* current_deque = nullptr;

[[nodiscard, gnu::always_inline]] inline fork_slot* position_of(context here) noexcept {
  return static_cast<fork_slot*>(access::position(here));
}

// In src/runtime/fork_path.cpp: where the fast path ends.
[[gnu::cold]] fork_slot* fork_slowly(fork_slot* at, forked_job& work) noexcept;  // returns the next position
[[gnu::cold]] bool join_slowly(fork_slot* at, forked_job& work) noexcept;  // false: a thief ran it, and it is done
[[gnu::cold]] void count_suppressed(fork_slot* at) noexcept;

}  // namespace pilfer::detail
