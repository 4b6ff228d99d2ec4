// Tasks: from a callable to a queue, and back to the group it belongs to.
#include <new>
#include <utility>

#include <pilfer/future.hpp>

#include "../sync/stack_room.hpp"
#include "current_worker.hpp"
#include "runtime.hpp"
#include "spawned_job.hpp"
#include "task_scope.hpp"

namespace pilfer::detail {

task::task(function f, destroyer d, const task_target& to, std::uint32_t uses) noexcept {
  static_assert(sizeof(spawned_job) <= sizeof(room_) && alignof(spawned_job) <= alignof(task) &&
                std::is_trivially_destructible_v<spawned_job>);
  ::new (static_cast<void*>(room_)) spawned_job(f, d, to, uses);
}
bool task::is_cancelled() const noexcept { return const_cast<task&>(*this).queued().is_cancelled(); }
void task::add_use() noexcept { queued().add_entry(); }
void task::let_go() noexcept { queued().let_go(); }

bool spawned_job::claim() noexcept {
  if (!mark_.claim()) return false;
  if (scope != nullptr) scope->unlink(*this);
  return true;
}

void spawned_job::end(bool entry_too) noexcept {
  task_scope* const group = scope;
  runtime& home = home_;
  if (entry_too && !has_future_ && !several_entries_) {
    dispose();
  } else {
    run_latch().finish_spawned();
    let_go(entry_too ? 2 : 1);
  }
  // The last access to the group.
  if (group != nullptr) {
    group->left.finish();
  } else {
    home.loose.finish();
  }
}

namespace {
// Tasks that wait for the one whose destruction the calling thread is in.
constexpr unsigned most_nested_disposals = 16;
thread_local constinit unsigned nested_disposals = 0;
thread_local constinit spawned_job* to_dispose = nullptr;
}  // namespace

void spawned_job::dispose() noexcept {
  if (nested_disposals == most_nested_disposals) {
    next_by_age = to_dispose;  // in no other list any more
    to_dispose = this;
    return;
  }
  ++nested_disposals;
  destroy_(whole());
  if (nested_disposals == 1) {
    while (spawned_job* const next = to_dispose) {
      to_dispose = next->next_by_age;
      next->destroy_(next->whole());
    }
  }
  --nested_disposals;
}

bool spawned_job::is_cancelled() const noexcept {
  return is_withdrawn_ || (scope != nullptr ? scope->is_stopped() : home_.stop.is_requested());
}

std::stop_token task::stop_token() const {
  const spawned_job& me = const_cast<task&>(*this).queued();
  return me.scope != nullptr ? me.scope->token() : me.home().stop.token_for(&me);
}

void task::report_cancelled() noexcept {
  if (task_scope* const group = queued().scope) group->count_cancelled();
  if (worker* const self = current_worker()) self->counts.cancelled.add();
}

void task::report_error(std::exception_ptr error) noexcept {
  const spawned_job& me = queued();
  if (me.scope != nullptr) {
    me.scope->keep_error(std::move(error));
  } else if (me.is_cancelled() && is_task_cancelled(error)) {  // of what it has waited for
    report_cancelled();
  } else {
    me.home().handle_error(std::move(error));
  }
}

void* allocate_task(std::size_t bytes, std::size_t alignment) noexcept {
  if (bytes <= task_memory::block_bytes && alignment <= task_memory::block_alignment) {
    worker* const self = current_worker();
    return self != nullptr ? self->memory.allocate() : task_memory::obtain();
  }
  return ::operator new(bytes, std::align_val_t{alignment}, std::nothrow);
}

void free_task(void* memory, std::size_t bytes, std::size_t alignment) noexcept {
  if (bytes <= task_memory::block_bytes && alignment <= task_memory::block_alignment) {
    if (worker* const self = current_worker()) {
      self->memory.free(memory);
    } else {
      task_memory::release(memory);
    }
    return;
  }
  ::operator delete(memory, std::align_val_t{alignment});
}

namespace {

void count_in(spawned_job& work) noexcept {
  if (work.scope != nullptr) {
    work.scope->left.add();
  } else {
    work.home().loose.add();
  }
}

// Of the calling task, unless it was given one.
void choose_level(spawned_job& work, const worker* self) noexcept {
  const unsigned level = work.level();
  work.begin_at(level == task_target::inherited ? level_of_caller(work.home(), self) : level);
}

// A claimed one, by a thread that is no worker of its pool: it becomes one for so long, or at least runs it.
void run_outside(spawned_job& work, bool entry_too) noexcept {
  runtime& home = work.home();
  if (worker* const seat = home.visitors.enter(true)) {
    home.runs.run_here(*seat, work, entry_too);
    home.visitors.leave(*seat);
    return;
  }
  work.run();
  work.end(entry_too);
}

// A claimed one that is in no queue.
void run_now(spawned_job& work) noexcept {
  if (worker* const self = current_worker_in(work.home())) {
    work.home().runs.run_here(*self, work, true);
  } else {
    run_outside(work, true);
  }
}

void publish(spawned_job& work, worker* self) noexcept {
  runtime& home = work.home();
  if (work.scope != nullptr) work.scope->enlist(work, self);
  if (self != nullptr && &self->home == &home) {
    if (home.intake.push(*self, work)) return;
    // A task for which this thread's stack has no room waits in line with those from outside.
    if (!has_stack_room() && home.intake.inject(work)) return;
  } else if (home.intake.inject(work)) {
    return;
  }
  if (work.claim()) {
    run_now(work);
  } else {  // a waiter was first, out of its group's list
    work.let_go();
  }
}

// `pushes`: null, or a worker that may take it to its own queue.
[[gnu::always_inline]] inline void launch_by(spawned_job& work, worker* self, worker* pushes) noexcept {
  runtime& home = work.home();
  count_in(work);
  if (work.scope != nullptr) work.maker = work.scope->made_in;
  choose_level(work, self);
  if (!home.callers_work) work.leave_to_workers();
  ready_set& ready = *home.ready;
  const bool rises = ready.will_rise(work);
  publish(work, pushes);
  if (rises) ready.watch(work);
}

}  // namespace

void launch(spawned_job& work) noexcept {
  worker* const self = current_worker();
  launch_by(work, self, self);
}
void launch_last(spawned_job& work) noexcept { launch_by(work, current_worker(), nullptr); }

void run_claimed_outside(spawned_job& work) noexcept {
  runtime& home = work.home();
  home.loose.add();  // its pool must not end before we have left
  run_outside(work, false);
  home.loose.finish();
}

void launch(task& work) noexcept { launch(work.queued()); }
void run_on_stack(task& work) noexcept {
  spawned_job& queued = work.queued();
  count_in(queued);
  choose_level(queued, current_worker());
  static_cast<void>(queued.try_mark());
  run_now(queued);
}

}  // namespace pilfer::detail
