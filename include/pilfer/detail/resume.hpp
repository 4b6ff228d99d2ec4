// Where a suspended coroutine goes on, and how it gets there: as a task of a pool, that anyone may steal.
//
// A suspended coroutine is in no queue, and no pool knows of it: its root, which is waited for, keeps the pool alive by hold_pool.
#pragma once

#include <coroutine>
#include <cstdint>

#include <pilfer/detail/immovable.hpp>

namespace pilfer {
class priority;
}

namespace pilfer::detail {

struct runtime;
struct worker;

// A pool, and a level of priority there.
struct resume_place {
  runtime* home;
  std::uint8_t level;
};

// Of the calling worker and the task that it runs; outside of every pool, the default one.
//   Throws  what making the default pool throws.
[[nodiscard]] resume_place place_of_caller();
// That pool; at the caller's level if it is a worker of it, otherwise at that of callers from outside.
[[nodiscard]] resume_place place_in(runtime& home) noexcept;
//   Throws  std::invalid_argument if the pool has no such level.
[[nodiscard]] resume_place place_in(runtime& home, priority wanted);
// Is the calling thread a worker of that pool?
[[nodiscard]] bool is_in(const runtime& home) noexcept;

// Queues it: a worker pushes it to its own queue, anyone else injects it. It goes on in place only if there is no memory, or nobody
// else to run it.
void resume_later(const resume_place& where, std::coroutine_handle<> what) noexcept;
// The same behind all that waits in the pool's injection queue, and not before the own queue's newest.
void resume_last(const resume_place& where, std::coroutine_handle<> what) noexcept;
// As resume_later, for what waited for I/O; counted, and whether a thief took it.
void resume_completed(const resume_place& where, std::coroutine_handle<> what) noexcept;

// The pool's destructor waits for as long as one of these exists.
class hold_pool : immovable {
 public:
  explicit hold_pool(runtime& home) noexcept;
  ~hold_pool();

 private:
  runtime& home_;
};

}  // namespace pilfer::detail
