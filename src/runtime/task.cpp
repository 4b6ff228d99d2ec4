// Tasks: from a callable to a queue, and back to the group it belongs to.
#include <new>
#include <utility>

#include <pilfer/future.hpp>

#include "../sync/stack_room.hpp"
#include "current_worker.hpp"
#include "deque_task_lane.hpp"
#include "runtime.hpp"
#include "spawned_job.hpp"
#include "task_scope.hpp"

namespace pilfer::detail {

namespace {
void free_block(void* memory) noexcept;
}

task::task(const job_class& type, const task_target& to, std::uint32_t uses) noexcept {
  static_assert(sizeof(spawned_job) <= sizeof(room_) && alignof(spawned_job) <= alignof(task) &&
                std::is_trivially_destructible_v<spawned_job>);
  ::new (static_cast<void*>(room_)) spawned_job(type, to, uses, to.home.callers_work);
}
void task::add_use() noexcept { queued().add_entry(); }
void task::let_go() noexcept { queued().let_go(); }

void spawned_job::end(bool entry_too, const worker* self, bool tells_pool) noexcept {
  task_scope* const group = scope;
  runtime& home = home_;
  if (entry_too && is_mere_memory()) [[likely]] {
    free_block(this);
  } else if (entry_too && ties_ == 0) {
    dispose();
  } else {
    run_latch().finish_spawned();
    let_go(entry_too ? 2 : 1);
  }
  // The last access to the group.
  if (group != nullptr) {
    group->finish(self);
  } else if (tells_pool) {
    home.loose.finish();
  }
}

namespace {
// Tasks that wait for the one whose destruction the calling thread is in.
constexpr unsigned most_nested_disposals = 16;
thread_local constinit unsigned nested_disposals = 0;
thread_local constinit spawned_job* to_dispose = nullptr;
}  // namespace

namespace {
void free_block(void* memory) noexcept {
  const worker* const self = current_worker();
  task_memory::free(memory, self != nullptr ? self->memory.get() : task_memory::of_thread());
}
}  // namespace

void spawned_job::dispose() noexcept {
  if (type.destroy == nullptr) {
    free_block(this);
    return;
  }
  if (type.destroy == &destroy_on_stack) return;  // and it is gone soon
  if (nested_disposals == most_nested_disposals) {
    next_by_age = to_dispose;  // in no other list any more
    to_dispose = this;
    return;
  }
  ++nested_disposals;
  type.destroy(whole());
  if (nested_disposals == 1) {
    while (spawned_job* const next = to_dispose) {
      to_dispose = next->next_by_age;
      next->type.destroy(next->whole());
    }
  }
  --nested_disposals;
}

bool task::is_cancelled() const noexcept {
  const spawned_job& me = const_cast<task&>(*this).queued();
  return (is_stopping_used() || me.is_withdrawn()) && me.is_cancelled();
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

namespace {
[[gnu::noinline]] void* allocate_otherwise(std::size_t bytes, std::size_t alignment) noexcept {
  if (!fits_task_block(bytes, alignment)) return ::operator new(bytes, std::align_val_t{alignment}, std::nothrow);
  const worker* const self = current_worker();
  const unsigned size = task_block_for(bytes, alignment);
  return self != nullptr ? self->memory->allocate(size) : task_memory::allocate_outside(size);
}
}  // namespace

void* allocate_task(std::size_t bytes, std::size_t alignment) noexcept {
  const worker* const self = current_worker();
  if (self == nullptr || !fits_smallest_block(bytes, alignment)) [[unlikely]]
    return allocate_otherwise(bytes, alignment);
  return self->memory->allocate(0);
}

void free_task(void* memory, std::size_t bytes, std::size_t alignment) noexcept {
  if (fits_task_block(bytes, alignment)) {
    free_block(memory);
    return;
  }
  ::operator delete(memory, std::align_val_t{alignment});
}

namespace {

// Of the calling task, unless it was given one.
void choose_level(spawned_job& work, const worker* self) noexcept {
  const unsigned level = work.level();
  work.begin_at(level == task_target::inherited ? level_of_caller(work.home(), self) : level);
}

// A claimed one, by a thread that is no worker of its pool: it becomes one for so long, or at least runs it.
void run_outside(spawned_job& work, bool entry_too, bool tells_pool) noexcept {
  runtime& home = work.home();
  if (worker* const seat = home.visitors.enter(true)) {
    home.runs.run_here(*seat, work, entry_too, tells_pool);
    home.visitors.leave(*seat);
    return;
  }
  work.run();
  work.end(entry_too, nullptr, tells_pool);
}

// A claimed one that is in no queue.
void run_now(spawned_job& work) noexcept {
  if (worker* const self = current_worker_in(work.home())) {
    work.home().runs.run_here(*self, work, true);
  } else {
    run_outside(work, true, true);
  }
}

void publish(spawned_job& work, worker* self) noexcept {
  runtime& home = work.home();
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

// By the pool or the group. `by`: null, or the worker in whose queue it will lie.
[[gnu::always_inline]] inline void count(spawned_job& work, worker* by) noexcept {
  if (task_scope* const group = work.scope) {
    work.maker = group->made_in;
    group->admit(work, by);
  } else {
    work.home().loose.add();
  }
}

// Into any pool. `self`: null, or the calling worker.
[[gnu::noinline]] void launch_slowly(spawned_job& work, worker* self) noexcept {
  runtime& home = work.home();
  choose_level(work, self);
  ready_set& ready = *home.ready;
  const bool rises = ready.will_rise(work);
  count(work, self);
  publish(work, self);
  if (rises) ready.watch(work);
}

}  // namespace

void launch(spawned_job& work) noexcept {
  worker* const self = current_worker();
  runtime& home = work.home();
  if (self == nullptr || &self->home != &home || self->plain_tasks == nullptr || self->crew.is_blocked()) [[unlikely]] {
    launch_slowly(work, self);
    return;
  }
  work.set_level(0);
  count(work, self);
  if (!deque_task_lane::push(*self, *self->plain_tasks, work)) [[unlikely]]
    publish(work, self);
}

void run_claimed_outside(spawned_job& work) noexcept {
  runtime& home = work.home();
  // Its pool must not end before the caller has left: a task without a group is counted there until then.
  if (work.scope != nullptr) home.loose.add();
  // Mostly no worker has taken its entry yet, and need not.
  run_outside(work, home.ready->outside().take_back_oldest(work, work.level()), false);
  home.loose.finish();
}

void launch(task& work) noexcept { launch(work.queued()); }
void run_on_stack(task& work) noexcept {
  spawned_job& queued = work.queued();
  if (queued.scope != nullptr) {
    queued.scope->left.add();
  } else {
    queued.home().loose.add();
  }
  choose_level(queued, current_worker());
  static_cast<void>(queued.try_mark());
  run_now(queued);
}

}  // namespace pilfer::detail
