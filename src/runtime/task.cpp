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

// Of a pool whose callers do not work, or that has a limit.
[[gnu::noinline]] void accept_terms(spawned_job& fresh, runtime& home) {
  if (!home.callers_work) fresh.leave_to_workers();
  if (home.limit.is_set() && home.limit.enter(home)) fresh.note_room();
}
}  // namespace

task::task(const job_class& type, const task_target& to, std::uint32_t uses) {
  static_assert(sizeof(spawned_job) <= sizeof(room_) && alignof(spawned_job) <= alignof(task) &&
                std::is_trivially_destructible_v<spawned_job>);
  ::new (static_cast<void*>(room_)) spawned_job(type, to, uses);
  if (to.home.has_terms) [[unlikely]]
    accept_terms(queued(), to.home);
}
// Without a run, if what it was to do could not be copied.
task::~task() {
  if (queued().has_room() && !queued().is_claimed()) [[unlikely]]
    queued().give_back_room();
}
void spawned_job::give_back_room() noexcept { home_.limit.leave(); }
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
  work.begin();
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

// The same as a job, for a thread of the pool.
class call_of_task final : public forked_job {
 public:
  explicit call_of_task(spawned_job& work) noexcept : forked_job(type_of_call), work_(work) {}

 private:
  static void run_it(job& self) noexcept { run_now(static_cast<call_of_task&>(self).work_); }
  static constexpr job_class type_of_call{job_kind::forked, &run_it};

  spawned_job& work_;
};
// Returns when it has run. Returns false if it was left to the caller.
bool run_elsewhere(spawned_job& work) noexcept {
  try {
    call_of_task call(work);
    return work.home().visitors.run_elsewhere(call);
  } catch (const std::bad_alloc&) {
    return false;
  }
}

// Counts it, without a list that others could find it in, and claims it.
void take_unlisted(spawned_job& work) noexcept {
  if (work.scope != nullptr) {
    work.scope->left.add();
  } else {
    work.home().loose.add();
  }
  choose_level(work, current_worker());
  static_cast<void>(work.try_mark());
}

// A task for which the pool has no room. Where callers do not work its caller sleeps meanwhile; a task that is cancelled needs no thread.
void run_at_once(spawned_job& work) noexcept {
  runtime& home = work.home();
  take_unlisted(work);
  const bool is_callers = home.callers_work || own_worker_in(home) != nullptr || home.stop.is_requested();
  if (is_callers || !run_elsewhere(work)) run_now(work);
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
  if (home.limit.is_set() && !work.has_room()) {
    run_at_once(work);
    return;
  }
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
runtime& home_of(task& work) noexcept { return work.queued().home(); }
void defer(task& work) noexcept {
  spawned_job& queued = work.queued();
  choose_level(queued, current_worker());
  queued.defer();
}
void launch_deferred(task& work) noexcept {
  spawned_job& queued = work.queued();
  ready_set& ready = *queued.home().ready;
  const bool rises = ready.will_rise(queued);
  count(queued, nullptr);
  queued.allow_claims();  // from now on a waiter may run it
  publish(queued, current_worker());
  if (rises) ready.watch(queued);
}
void run_on_stack(task& work) noexcept {
  take_unlisted(work.queued());
  run_now(work.queued());
}

}  // namespace pilfer::detail
