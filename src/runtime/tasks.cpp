// Spawned tasks: into the queues, and waiting for them.
#include <algorithm>
#include <bit>
#include <exception>
#include <utility>

#include "../sync/stack_room.hpp"
#include "inside_scope.hpp"
#include "state.hpp"
#include "task_scope.hpp"

namespace pilfer::detail {

namespace {

// The tasks of a group. Those that nobody has begun are run here, whatever queue they lie in: a group's wait depends on nobody
// for them, and a more urgent waiter lifts them.
class awaited_scope final : public scheduler::state::awaited {
 public:
  awaited_scope(scheduler::state& all, task_scope& scope, bool is_end) noexcept
      : all_(all), scope_(scope), is_end_(is_end) {}
  [[nodiscard]] bool is_done() const noexcept override { return scope_.left.is_done(); }
  [[nodiscard]] run_id runner() const noexcept override { return scope_.some_run(); }
  bool advance(worker& self, run_id /*runner*/) noexcept override {
    if (!has_stack_room() && !scope_.is_stopped())
      return false;  // another thread runs it; a stopped one needs little room
    wait_rules& rules = all_.ready->waits();
    wait_rules::next_task next = rules.next_of(self, scope_, passed_, patience_.count() > 0);
    if (next.must_give_way) {
      all_.give_way(self, next.level, patience_);
      next = rules.next_of(self, scope_, passed_, false);
    }
    if (next.work == nullptr) return next.again;
    all_.home.run_here(self, *next.work, next.has_entry);
    return true;
  }
  [[nodiscard]] bool may_sleep(run_id /*runner*/) const noexcept override { return true; }
  [[nodiscard]] latch_sleeper& bed() noexcept override { return me_.bed; }
  void sleep(std::chrono::nanoseconds limit) noexcept override { static_cast<void>(scope_.left.sleep(limit, me_)); }
  [[nodiscard]] wait_target target() const noexcept override {
    return {.what = wait_target::kind::group, .object = &scope_, .home = &all_.home};
  }
  [[nodiscard]] failing may_fail() const noexcept override { return is_end_ ? failing::at_last : failing::willing; }
  [[nodiscard]] bool can_give_up() const noexcept override { return !scope_.waiting_levels().empty(); }

 private:
  scheduler::state& all_;
  task_scope& scope_;
  const bool is_end_;  // of the group: its destructor waits
  completion<ext::default_sync>::waiter me_;
  std::chrono::nanoseconds patience_ = patience_giving_way_us;
  level_set passed_;  // levels at which a stranger lies on top of the own queue
};

// The task of a future.
class awaited_task final : public scheduler::state::awaited {
 public:
  awaited_task(scheduler::state& all, task& work, completion<ext::default_sync>& done) noexcept
      : all_(all), work_(work), done_(done) {}
  [[nodiscard]] bool is_done() const noexcept override { return done_.is_done(); }
  [[nodiscard]] run_id runner() const noexcept override { return work_.state.runner(); }
  bool advance(worker& self, run_id /*runner*/) noexcept override {
    if (work_.is_claimed() || !has_stack_room()) return false;
    wait_rules& rules = all_.ready->waits();
    const unsigned level = work_.level();
    if (patience_.count() > 0 && rules.must_give_way(self, level)) all_.give_way(self, level, patience_);
    if (!work_.claim()) return false;
    rules.bury(work_);
    all_.home.run_here(self, work_, false);
    return true;
  }
  [[nodiscard]] bool may_sleep(run_id /*runner*/) const noexcept override { return true; }
  [[nodiscard]] latch_sleeper& bed() noexcept override { return me_.bed; }
  void sleep(std::chrono::nanoseconds limit) noexcept override { static_cast<void>(done_.sleep(limit, me_)); }
  [[nodiscard]] wait_target target() const noexcept override {
    return {.what = wait_target::kind::future, .object = static_cast<const job*>(&work_), .home = &all_.home};
  }
  [[nodiscard]] bool can_give_up() const noexcept override { return !work_.is_claimed(); }

 private:
  scheduler::state& all_;
  task& work_;
  completion<ext::default_sync>& done_;
  std::chrono::nanoseconds patience_ = patience_giving_way_us;
  completion<ext::default_sync>::waiter me_;
};

}  // namespace

bool scheduler::push_task(worker& self, task& work) noexcept {
  state& all = *state_;
  if (!self.crew.is_blocked()) [[likely]] {
    if (all.ready->push(self, work)) [[likely]]
      return true;
    self.counts.run_inline.add();
    return false;
  }
  if (self.tasks.hides_some()) {  // no thief would find it
    all.ready->inject(&self, work);
  } else if (!all.ready->push(self, work)) {
    return false;
  }
  all.crew.offer_place(crew::vacancy::for_anyone);  // its worker is not active, and perhaps no other is
  return true;
}

bool scheduler::inject_task(task& work) noexcept {
  // Without threads the calling thread runs a task itself. A coroutine is left to a caller that waits inside of the pool, now or later: the
  // thread that resumes it may be the timers', and must not block.
  if (!state_->crew.has_threads() && !work.is_resumption()) return false;
  state_->ready->inject(nullptr, work);
  state_->crew.offer_place(crew::vacancy::for_anyone);
  return true;
}

// As a part of the task that runs here already: what it forks and spawns counts as that task's.
void scheduler::run_here(worker& self, task& work, bool entry_too) noexcept {
  const unsigned level = state_->ready->waits().begin(self, work);
  self.counts.tasks.add();
  self.counts.tasks_of_level[level].add();
  {
    const inside_scope in(self, work, self.queue->mark(), task_level(level));
    work.run(work);
  }
  work.end(entry_too);
}

void scheduler::handle_error(std::exception_ptr error) noexcept {
  if (!state_->on_error) std::terminate();
  state_->on_error(std::move(error));
}

wait_end scheduler::wait(worker& self, task_scope& scope, std::chrono::nanoseconds limit, bool is_end) noexcept {
  if (limit.count() == 0 && !scope.left.is_done()) return wait_end::time_over;
  awaited_scope what(*state_, scope, is_end);
  const bool lifts = state_->ready->waits().lift(self, scope);
  // Mostly nobody else has begun any of them.
  while (limit.count() < 0 && !scope.left.is_done() && what.advance(self, {})) state_->events.attend(self);
  if (!scope.left.is_done()) {
    const wait_end how = state_->wait(self, what, limit);
    if (how != wait_end::done) return how;
  }
  scope.left.leave();
  if (lifts) scope.end_lift();
  return wait_end::done;
}

wait_end scheduler::wait(worker& self, task& work, completion<ext::default_sync>& done,
                         std::chrono::nanoseconds limit) noexcept {
  if (!done.is_done()) {
    awaited_task what(*state_, work, done);
    // With a limit the waiter does not run it, so that another worker must find it at the waiter's level.
    if (limit.count() > 0) state_->ready->waits().lift(self, work);
    const wait_end how = state_->wait(self, what, limit);
    // Its waiter gives up: it is not begun later, where it would only meet the same end.
    if (how == wait_end::too_deep && work.claim()) {
      work.withdraw();
      state_->ready->waits().bury(work);
      run_here(self, work, false);
    }
    if (how != wait_end::done) return how;
  }
  done.leave();
  return wait_end::done;
}

}  // namespace pilfer::detail
