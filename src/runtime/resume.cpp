// Coroutines go on as jobs that their pool does not count: it is kept by what waits for the coroutine's root.
#include <pilfer/detail/resume.hpp>

#include <optional>

#include <pilfer/pool.hpp>

#include "current_worker.hpp"
#include "deque_task_lane.hpp"
#include "runtime.hpp"

namespace pilfer::detail {

namespace {

void queue(resume_job& work, std::coroutine_handle<> what, bool is_completion, bool is_last) noexcept {
  runtime& home = *work.where.home;
  worker* const self = current_worker_in(home);
  work.what = what;
  work.is_completion = is_completion;
  work.queued_by = self != nullptr ? self->index : resume_job::no_worker;
  if (self != nullptr && !is_last) [[likely]] {
    const bool is_plain = self->plain_tasks != nullptr && !self->crew.is_blocked();
    if (!is_plain || !deque_task_lane::push(*self, *self->plain_tasks, work)) home.intake.push(*self, work);
    return;
  }
  // A thread that is no worker may still be at it when the coroutine has ended, and with it all that kept the pool.
  std::optional<hold_pool> keep;
  if (self == nullptr) keep.emplace(home);
  home.intake.inject(work);
}

}  // namespace

unsigned level_of_caller(const runtime& home, const worker* self) noexcept {
  const bool is_inside = self != nullptr && &self->home == &home;
  return (is_inside ? self->level : level_from_outside(home.ready->levels())).number();
}
resume_place place_in(runtime& home) noexcept {
  return {&home, static_cast<std::uint8_t>(level_of_caller(home, current_worker()))};
}
resume_place place_at(const task_target& to) noexcept {
  return to.level == task_target::inherited ? place_in(to.home) : resume_place{&to.home, to.level};
}
resume_place place_of_caller() { return place_in(runtime_of_caller()); }

bool is_in(const runtime& home) noexcept { return current_worker_in(home) != nullptr; }

void resume_later(resume_job& work, std::coroutine_handle<> what) noexcept { queue(work, what, false, false); }
// Not below tasks that go on making newer ones, where the newest is first: there it might wait for ever.
void resume_completed(resume_job& work, std::coroutine_handle<> what) noexcept {
  const worker* const self = current_worker();
  const bool would_starve = self != nullptr && self->events.is_reaping_busy && self->tasks.are_newest_first();
  queue(work, what, true, would_starve);
}
void resume_last(resume_job& work, std::coroutine_handle<> what) noexcept { queue(work, what, false, true); }

hold_pool::hold_pool(runtime& home) noexcept : home_(home) { home_.loose.add(); }
hold_pool::~hold_pool() { home_.loose.finish(); }

}  // namespace pilfer::detail
