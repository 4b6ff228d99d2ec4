// Where a suspended coroutine goes on, and how it gets there: as a job of a pool, which any worker may steal.
//
// A suspended coroutine is in no queue, and no pool knows of it: its root, which is waited for, keeps the pool alive by hold_pool.
#pragma once

#include <coroutine>
#include <cstdint>

#include <pilfer/detail/fork/job.hpp>
#include <pilfer/detail/immovable.hpp>

namespace pilfer::detail {

struct runtime;
struct task_target;
struct worker;

// A pool, and a level of priority there.
struct resume_place {
  runtime* home = nullptr;
  std::uint8_t level = 0;
};

// Of the calling worker and the task that it runs; outside of every pool, the default one.
//   Throws  what making the default pool throws.
[[nodiscard]] resume_place place_of_caller();
// That pool; at the caller's level if it is a worker of it, otherwise at that of callers from outside.
[[nodiscard]] resume_place place_in(runtime& home) noexcept;
// The same, but at the level of `to`, unless it is inherited.
[[nodiscard]] resume_place place_at(const task_target& to) noexcept;
// Is the calling thread a worker of that pool?
[[nodiscard]] bool is_in(const runtime& home) noexcept;

// A coroutine that is to go on: a part of what it waits in, so that its resumption needs no memory and cannot fail. It is used again once the
// coroutine has been resumed.
struct resume_job : job {
  static constexpr std::uint32_t no_worker = ~std::uint32_t{0};

  explicit resume_job(const resume_place& place = {}) noexcept : job(type_of_this), where(place) {}
  // Of one that is not queued: what it is a part of may move until then.
  resume_job(const resume_job& other) noexcept : resume_job(other.where) {}

  resume_place where;
  std::coroutine_handle<> what;
  std::int64_t rises_ns = 0;            // with ageing: when it comes to the next level; 0: never
  std::uint32_t queued_by = no_worker;  // the worker of that pool that queued it
  bool is_completion = false;           // it has waited for I/O

 private:
  static constexpr job_class type_of_this{job_kind::resumed, nullptr};
};

// Queues it: a worker pushes it to its own queue, any other thread injects it. The coroutine may have gone on, and the job with it, before this returns.
void resume_later(resume_job& work, std::coroutine_handle<> what) noexcept;
// The same behind all that waits in the pool's injection queue, and not before the own queue's newest.
void resume_last(resume_job& work, std::coroutine_handle<> what) noexcept;
// As resume_later, for what waited for I/O; counted, and whether a thief took it.
void resume_completed(resume_job& work, std::coroutine_handle<> what) noexcept;

// The pool's destructor waits for as long as one of these exists.
class hold_pool : immovable {
 public:
  explicit hold_pool(runtime& home) noexcept;
  ~hold_pool();

 private:
  runtime& home_;
};

}  // namespace pilfer::detail
