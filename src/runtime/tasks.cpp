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
    unsigned level = 0;
    if (all_.levels > 1) {
      if (all_.ages.is_used()) all_.raise_old(self);
      const level_set waiting = scope_.waiting_levels();
      if (waiting.empty()) return false;
      level = static_cast<unsigned>(std::countr_zero(waiting.bits()));
      const unsigned urgency = all_.urgency_of(self, level);
      if (all_.audited) all_.begin_scan(self);
      all_.give_way(self, urgency, patience_);
      if (all_.audited) all_.end_scan(self, urgency);
    }
    if (advance_own(self, level)) return true;
    task* const work = scope_.take_newest();
    if (work == nullptr) return false;
    buried_ = {};
    all_.bury(*work);
    all_.home.run_here(self, *work, false);
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
  // The newest of the own queue, if it is of this group: that leaves no tombstone.
  bool advance_own(worker& self, unsigned level) noexcept {
    if (buried_.has(level)) return false;
    job* const newest = self.tasks.take(level);
    if (newest == nullptr) return false;
    auto& work = static_cast<task&>(*newest);
    if (work.is_claimed()) {
      all_.exhume(self, work, level);
      return true;
    }
    if (work.scope == &scope_) {
      if (work.claim()) {
        all_.home.run_here(self, work, true);
      } else {
        work.let_go();
      }
      return true;
    }
    buried_ |= level_set::of(level);
    if (!self.tasks.push(level, work)) all_.inject(&self, work);
    return false;
  }

  scheduler::state& all_;
  task_scope& scope_;
  const bool is_end_;  // of the group: its destructor waits
  completion<ext::default_sync>::waiter me_;
  std::chrono::nanoseconds patience_ = patience_giving_way_us;
  level_set buried_;  // levels at which a stranger lies on top of the own queue
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
    all_.give_way(self, all_.urgency_of(self, work_.level()), patience_);
    if (!work_.claim()) return false;
    all_.bury(work_);
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
  const unsigned level = all.levels == 1 ? 0 : work.level();
  if (self.crew.is_blocked()) [[unlikely]] {
    if (self.tasks.hides_some()) {  // no thief would find it
      all.inject(&self, work);
    } else if (!self.tasks.push(level, work)) {
      return false;
    }
    all.crew.offer_place(crew::vacancy::for_anyone);  // its worker is not active, and perhaps no other is
    return true;
  }
  if (all.levels > 1) {
    work.note_queue(self.index);
    if (self.tasks.tombstones(level).value() > most_tombstones) [[unlikely]]
      all.tidy(self, level);
  }
  bool pushed = self.tasks.push(level, work);
  if (!pushed && self.tasks[level].size_hint() <= few_tasks) {
    // A fixed array can be used up by tasks that thieves have taken, until its owner finds it empty.
    all.tidy(self, level);
    pushed = self.tasks.push(level, work);
  }
  if (pushed) [[likely]] {
    all.wake_global_level(level);
    return true;
  }
  self.counts.run_inline.add();
  return false;
}

void scheduler::raise(worker& self, task& work, unsigned level) noexcept {
  state_->bury(work);
  state_->push_again(self, work, level);
  self.counts.lifted.add();
}

bool scheduler::inject_task(task& work) noexcept {
  // Without threads the calling thread runs a task itself. A coroutine is left to a caller that waits inside of the pool, now or later: the
  // thread that resumes it may be the timers', and must not block.
  if (!state_->crew.has_threads() && !work.is_resumption()) return false;
  state_->inject(nullptr, work);
  state_->crew.offer_place(crew::vacancy::for_anyone);
  return true;
}

// As a part of the task that runs here already: what it forks and spawns counts as that task's.
void scheduler::run_here(worker& self, task& work, bool entry_too) noexcept {
  // Who waits for it lifts it.
  const unsigned level = std::min(work.level(), waiting_level(self));
  if (level < work.level()) self.counts.lifted.add();
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
  const bool lifts = state_->levels > 1 && self.level.lifts();
  if (lifts) scope.lift(self, self.level.number());
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
    if (limit.count() > 0 && state_->levels > 1 && self.level.lifts() && work.level() > self.level.number() &&
        !work.is_claimed()) {
      raise(self, work, self.level.number());
    }
    const wait_end how = state_->wait(self, what, limit);
    // Its waiter gives up: it is not begun later, where it would only meet the same end.
    if (how == wait_end::too_deep && work.claim()) {
      work.withdraw();
      state_->bury(work);
      run_here(self, work, false);
    }
    if (how != wait_end::done) return how;
  }
  done.leave();
  return wait_end::done;
}

}  // namespace pilfer::detail
