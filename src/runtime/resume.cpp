// Coroutines go on as tasks that nobody counts: whoever waits for the coroutine's root keeps the pool.
#include <pilfer/detail/resume.hpp>

#include <optional>
#include <utility>

#include <pilfer/detail/coro_transfer.hpp>
#include <pilfer/pool.hpp>

#include "current_worker.hpp"
#include "runtime.hpp"
#include "spawned_job.hpp"

namespace pilfer::detail {

namespace {

constexpr unsigned nobody = ~0U;

class resumption final : public task {
 public:
  struct what_next {
    std::coroutine_handle<> what;
    bool is_completion;
    unsigned reaped_by;  // the worker that queued it; nobody: a thread that is none
  };

  resumption(destroyer d, const task_target& to, what_next next) noexcept
      : task(&run_it, d, to, uses_without_future), next_(next) {
    queued().leave_uncounted();
  }

 private:
  static void run_it(job& self) noexcept {
    const what_next next = static_cast<resumption&>(task::of(self)).next_;
    if (next.is_completion) {
      if (worker* const here = current_worker()) {
        here->counts.io_completed.add();
        if (next.reaped_by != nobody && next.reaped_by != here->index) here->counts.io_stolen.add();
      }
    }
    resume_here(next.what);
  }

  const what_next next_;
};

void queue(const resume_place& where, std::coroutine_handle<> what, bool is_completion, bool is_last) noexcept {
  worker* const self = current_worker();
  const unsigned by = self != nullptr && &self->home == where.home ? self->index : nobody;
  const resumption::what_next next{what, is_completion, by};
  // A thread that is no worker may still be at it when the coroutine has ended, and with it all that kept the pool.
  const std::optional<hold_pool> keep =
      by == nobody ? std::optional<hold_pool>(std::in_place, *where.home) : std::nullopt;
  const task_target to{*where.home, nullptr, where.level};
  if (auto* const work = make_task<resumption>(to, next)) {
    is_last ? launch_last(work->queued()) : launch(work->queued());
    return;
  }
  // It may go on for long, inside a reap: no call for another worker waits for its end.
  if (self != nullptr && self->events.deferred.end_early()) self->call_sleeper();
  resumption here(&destroy_on_stack, to, next);
  run_on_stack(here);
}

}  // namespace

unsigned level_of_caller(const runtime& home, const worker* self) noexcept {
  const bool is_inside = self != nullptr && &self->home == &home;
  return (is_inside ? self->level : level_from_outside(home.ready->levels())).number();
}
resume_place place_in(runtime& home) noexcept {
  return {&home, static_cast<std::uint8_t>(level_of_caller(home, current_worker()))};
}
resume_place place_in(runtime& home, priority wanted) { return {&home, target_at(home, nullptr, wanted).level}; }
resume_place place_of_caller() { return place_in(runtime_of_caller()); }

bool is_in(const runtime& home) noexcept { return current_worker_in(home) != nullptr; }

void resume_later(const resume_place& where, std::coroutine_handle<> what) noexcept {
  queue(where, what, false, false);
}
// Not below tasks that go on making newer ones, where the newest is first: there it might wait for ever.
void resume_completed(const resume_place& where, std::coroutine_handle<> what) noexcept {
  const worker* const self = current_worker();
  const bool would_starve = self != nullptr && self->events.is_reaping_busy && self->tasks.are_newest_first();
  queue(where, what, true, would_starve);
}

void resume_last(const resume_place& where, std::coroutine_handle<> what) noexcept { queue(where, what, false, true); }

hold_pool::hold_pool(runtime& home) noexcept : home_(home) { home_.loose.add(); }
hold_pool::~hold_pool() { home_.loose.finish(); }

}  // namespace pilfer::detail
