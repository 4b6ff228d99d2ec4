#include "wait.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <thread>

#include "../sync/stack_room.hpp"
#include "current_worker.hpp"
#include "patience.hpp"
#include "runtime.hpp"
#include "task_scope.hpp"

namespace pilfer::detail {

namespace {

using std::chrono::steady_clock;

constexpr unsigned most_hops = 8;                              // along a chain of thieves
constexpr std::chrono::microseconds spin_within_limit_us{20};  // in a wait with a limit, which helps no one
constexpr std::chrono::microseconds patience_giving_way_us{
    1'000'000};  // in one wait; then the less urgent begins all the same

// Is it a part of the job that `target` names, in whose worker's queue it lay from the mark on? A fork is. A task is if that job made its group; it
// may be a tombstone, and its group gone: ask the task alone. The resumption of a coroutine never is.
bool is_made_in(job& found, run_id target) noexcept {
  if (found.type.kind == job_kind::forked) return true;
  const spawned_job* const spawned = as_task(found);
  return spawned != nullptr && spawned->maker == target;
}

std::chrono::nanoseconds remaining_until(steady_clock::time_point until) noexcept {
  return std::max(std::chrono::nanoseconds(until - steady_clock::now()), std::chrono::nanoseconds{0});
}

// A forked job that was stolen.
class awaited_job final : public awaited_work {
 public:
  awaited_job(wait_room& all, worker& self, forked_job& work) noexcept : all_(all), self_(self), work_(work) {}
  [[nodiscard]] bool is_done() const noexcept override { return latch_of(work_).is_done(); }
  [[nodiscard]] run_id runner() const noexcept override { return latch_of(work_).runner(); }
  // A waiter took it for a descendant, and passed it on: it is ours after all.
  bool advance(worker& self, run_id runner) noexcept override {
    if (runner || self.depth == worker::max_depth || !all_.told().ready.outside().take_back(work_, 0)) return false;
    all_.told().runs.run_nested(self, work_);
    return true;
  }
  // Only while a worker runs it: a job that is passed on may need this one. A latch that names a sleeper no longer says who runs it.
  [[nodiscard]] bool may_sleep(run_id runner) noexcept override { return has_begun_ || static_cast<bool>(runner); }
  [[nodiscard]] latch_sleeper& bed() noexcept override { return self_.bed; }
  void sleep(std::chrono::nanoseconds limit) noexcept override {
    has_begun_ = true;
    if (latch_of(work_).wait_for(self_.bed)) static_cast<void>(self_.bed.sleep_once(limit));
  }
  [[nodiscard]] wait_target target() const noexcept override {
    return {.what = wait_target::kind::fork, .object = &work_, .home = &self_.home};
  }
  [[nodiscard]] failing may_fail() const noexcept override { return failing::never; }

 private:
  wait_room& all_;
  worker& self_;
  forked_job& work_;
  bool has_begun_ = false;
};

// The tasks of a group. The waiter runs those that have not begun, whatever queue they lie in: for these its wait depends on no other
// worker. A more urgent waiter lifts them.
class awaited_scope final : public awaited_work {
 public:
  // `is_end`: of the group: its destructor waits. `takes_time`: without a limit.
  awaited_scope(wait_room& all, const worker& self, task_scope& scope, bool is_end, bool takes_time) noexcept
      : all_(all),
        self_(self),
        scope_(scope),
        is_end_(is_end),
        runs_own_queue_(takes_time && self.plain_tasks != nullptr) {}
  [[nodiscard]] bool is_done() const noexcept override { return scope_.left.is_done(); }
  [[nodiscard]] run_id runner() const noexcept override { return scope_.some_run(looks_); }
  bool advance(worker& self, run_id /*runner*/) noexcept override {
    shared_.reset();
    ++looks_;
    if (run_one(self)) {
      in_vain_ = 0;
      return true;
    }
    if (is_to_collect(++in_vain_)) scope_.collect(self);
    return false;
  }
  // Those on top of the waiter's queue, as long as nothing else lies there.
  void run_own_queue(worker& self) noexcept {
    if (runs_own_queue_ && has_stack_room()) all_.told().runs.run_own(self, scope_, all_.told().completions);
  }
  // One that is in the lists, in the waiter's ledger or on top of its queue; and what that has spawned.
  bool run_one(worker& self) noexcept {
    if (!has_room()) return false;
    wait_rules& rules = all_.told().ready.rules();
    look_.is_patient = patience_.count() > 0;
    wait_rules::next_task next = rules.next_of(self, scope_, look_);
    if (next.must_give_way) {
      all_.give_way(self, look_.urgency, patience_);
      look_.has_given_way = true;
      next = rules.next_of(self, scope_, look_);
      look_.has_given_way = false;
    }
    if (next.work == nullptr) return next.again;
    all_.told().runs.run_here(self, *next.work, next.has_entry);
    run_own_queue(self);
    return true;
  }
  // Until it goes on with its work.
  void share() noexcept { shared_.emplace(scope_, &self_); }
  void end_share() noexcept { shared_.reset(); }
  [[nodiscard]] bool may_sleep(run_id /*runner*/) noexcept override {
    if (shared_) return true;
    share();
    // NOLINTNEXTLINE(bugprone-unchecked-optional-access): share() makes it
    return !scope_.left.is_done() && !(shared_->has_found_some() && has_room());
  }
  [[nodiscard]] latch_sleeper& bed() noexcept override { return me_.bed; }
  void sleep(std::chrono::nanoseconds limit) noexcept override { static_cast<void>(scope_.left.sleep(limit, me_)); }
  [[nodiscard]] wait_target target() const noexcept override {
    return {.what = wait_target::kind::group, .object = &scope_, .home = &all_.told().home};
  }
  [[nodiscard]] failing may_fail() const noexcept override { return is_end_ ? failing::at_last : failing::willing; }
  [[nodiscard]] bool can_give_up() const noexcept override { return scope_.has_unclaimed(); }

 private:
  // Otherwise another thread runs them; a stopped one needs little room.
  [[nodiscard]] bool has_room() const noexcept { return has_stack_room() || scope_.is_stopped(); }
  // A look into the ledgers of others costs a membarrier: so the pauses between two of them grow.
  [[nodiscard]] bool is_to_collect(unsigned looks) const noexcept {
    constexpr unsigned even_bits = 0x5555'5555;
    const bool is_power_of_four = (looks & (looks - 1)) == 0 && (looks & even_bits) != 0;
    if (!is_power_of_four && (looks % rounds_between_yields != 0 || scope_.unfinished() != 0)) return false;
    return scope_.has_more_elsewhere(self_);
  }

  wait_room& all_;
  const worker& self_;
  task_scope& scope_;
  const bool is_end_;
  const bool runs_own_queue_;
  completion<ext::default_sync>::waiter me_;
  std::chrono::nanoseconds patience_ = patience_giving_way_us;
  wait_rules::group_look look_;
  std::optional<task_scope::sharing> shared_;
  unsigned looks_ = 0;
  unsigned in_vain_ = 0;  // of them, since the last that found something
};

// The task of a future.
class awaited_task final : public awaited_work {
 public:
  awaited_task(wait_room& all, spawned_job& work, completion<ext::default_sync>& done) noexcept
      : all_(all), work_(work), done_(done) {}
  [[nodiscard]] bool is_done() const noexcept override { return done_.is_done(); }
  [[nodiscard]] run_id runner() const noexcept override { return work_.run_latch().runner(); }
  bool advance(worker& self, run_id /*runner*/) noexcept override {
    if (work_.is_claimed() || !has_stack_room()) return false;
    wait_rules& rules = all_.told().ready.rules();
    const unsigned urgency = rules.urgency_of(self, work_.level());
    if (patience_.count() > 0 && rules.must_give_way(self, urgency)) all_.give_way(self, urgency, patience_);
    if (!work_.claim()) return false;
    rules.bury(work_);
    all_.told().runs.run_here(self, work_, false);
    return true;
  }
  [[nodiscard]] bool may_sleep(run_id /*runner*/) noexcept override { return true; }
  [[nodiscard]] latch_sleeper& bed() noexcept override { return me_.bed; }
  void sleep(std::chrono::nanoseconds limit) noexcept override { static_cast<void>(done_.sleep(limit, me_)); }
  [[nodiscard]] wait_target target() const noexcept override {
    return {.what = wait_target::kind::future, .object = static_cast<const job*>(&work_), .home = &all_.told().home};
  }
  [[nodiscard]] bool can_give_up() const noexcept override { return !work_.is_claimed(); }

 private:
  wait_room& all_;
  spawned_job& work_;
  completion<ext::default_sync>& done_;
  std::chrono::nanoseconds patience_ = patience_giving_way_us;
  completion<ext::default_sync>::waiter me_;
};

}  // namespace

void wait_for_stolen(worker& self, forked_job& work) noexcept { self.home.waits.for_fork(self, work); }

void wait_room::for_fork(worker& self, forked_job& stolen) noexcept {
  if (latch_of(stolen).is_done()) return;
  awaited_job what(*this, self, stolen);
  static_cast<void>(wait(self, what, std::chrono::nanoseconds{-1}));
}

wait_end wait_room::for_group(worker& self, task_scope& group, std::chrono::nanoseconds limit, bool is_end) noexcept {
  if (limit.count() == 0 && !group.is_done(&self)) return wait_end::time_over;
  awaited_scope what(*this, self, group, is_end, limit.count() < 0);
  const bool lifts = told_.ready.rules().lift(self, group);
  // Mostly the waiter has spawned them, and no other worker has begun any of them.
  if (limit.count() < 0) {
    if (!group.left.is_done()) what.run_own_queue(self);
    while (!group.left.is_done() && what.run_one(self)) told_.completions.attend(self);
  }
  group.settle(self);
  if (!group.left.is_done()) {
    if (limit.count() >= 0) what.share();
    const wait_end how = wait(self, what, limit);
    if (how != wait_end::done) return how;
    what.end_share();
  }
  group.tidy(self);
  group.left.leave();
  if (lifts) group.end_lift();
  return wait_end::done;
}

wait_end wait_room::for_task(worker& self, spawned_job& work, completion<ext::default_sync>& done,
                             std::chrono::nanoseconds limit) noexcept {
  if (!done.is_done()) {
    awaited_task what(*this, work, done);
    // With a limit the waiter does not run it, so that another worker must find it at the waiter's level.
    if (limit.count() > 0) told_.ready.rules().lift(self, work);
    const wait_end how = wait(self, what, limit);
    // Its waiter gives up: it is not begun later, where it would only meet the same end.
    if (how == wait_end::too_deep && work.claim()) {
      work.withdraw();
      told_.ready.rules().bury(work);
      told_.runs.run_here(self, work, false);
    }
    if (how != wait_end::done) return how;
  }
  done.leave();
  return wait_end::done;
}

// A descendant of the job that `target` names, or nothing.
//
// The thief's queue holds, from the mark on, what that job has forked, as long as the job runs; before the mark lie
// strangers. Whether it still ran when we stole is decided afterwards: had it ended before, its number would have changed before
// what we stole was published. If the job is over, what we hold is a stranger: it goes to the injection queue. So it is with its
// queue of tasks of the same level, but there a task counts only if its group was made by that job: perhaps no thread waits for the others.
job* wait_room::leapfrog(worker& self, run_id target, unsigned hops) noexcept {
  if (!target || hops == most_hops) return nullptr;
  const worker_face& thief = told_.workers.at(target.worker());
  const auto& record = thief.run_at(target.depth());
  if (!record.runs(target.serial())) return nullptr;
  if (target.worker() != self.index) {
    if (job* const forked = leapfrog_from(self, thief, thief.forks(), target, record.mark())) return forked;
    if (thief.spawned().exist()) {
      const std::uint64_t mark = record.task_mark();
      const auto level = static_cast<unsigned>(mark % most_levels);
      if (told_.ready.rules().may_leapfrog(self, level)) {
        if (job* const spawned = leapfrog_from(self, thief, thief.spawned()[level], target, mark / most_levels)) {
          return spawned;
        }
      }
    }
  }
  // Whom does that job wait for? And what runs on top of it, on the same worker? Both are its descendants, if it is not over.
  const run_id robbed_by = record.waits();
  const unsigned above = target.depth() + 1;
  const std::uint64_t serial_above = above < worker::max_depth ? thief.run_at(above).serial() : 0;
  if (!record.still_runs(target.serial())) return nullptr;
  if (job* const found = leapfrog(self, robbed_by, hops + 1)) return found;
  if (serial_above % 2 == 0) return nullptr;
  return leapfrog(self, run_id(target.worker(), above, serial_above), hops + 1);
}

job* wait_room::leapfrog_from(worker& self, const worker_face& thief, lane& queue, run_id target,
                              std::uint64_t mark) noexcept {
  const auto result = search::try_steal(self, thief, queue, mark, [&] { return queue.steal_from(mark); });
  if (!result) return nullptr;
  job& work = **result;
  self.counts.steals_of_level[told_.ready.level_of(work)].add();
  if (thief.run_at(target.depth()).still_runs(target.serial()) && is_made_in(work, target)) {
    self.counts.leapfrogged.add();
    return &work;
  }
  self.counts.strangers.add();
  told_.ready.inject(&self, work);
  return nullptr;
}

wait_end wait_room::wait(worker& self, awaited_work& what, std::chrono::nanoseconds limit) noexcept {
  if (what.is_done()) return wait_end::done;
  if (limit.count() == 0) return wait_end::time_over;
  self.counts.waits.add();
  if (limit.count() < 0) return help(self, what, limit);
  const auto until = steady_clock::now() + limit;
  // Most of the time is for others at this worker's place, however short the limit is.
  spin_until(self, what, steady_clock::now() + std::min<std::chrono::nanoseconds>(limit / 8, spin_within_limit_us));
  do {
    if (what.is_done()) return wait_end::done;
    self.counts.sleeps_at_joins.add();
    // Where no thread can do the work that is awaited, a loop around this wait would never end without its help.
    if (rest(what, remaining_until(until)) == rested::helped) return help(self, what, remaining_until(until));
  } while (steady_clock::now() < until);
  return what.is_done() ? wait_end::done : wait_end::time_over;
}

void wait_room::spin_until(worker& self, const awaited_work& what, steady_clock::time_point until) noexcept {
  for (unsigned round = 1; !what.is_done(); ++round) {
    ext::default_sync::pause();
    if (round % rounds_between_yields != 0) continue;
    std::this_thread::yield();
    told_.completions.look(self);
    if (steady_clock::now() >= until) return;
  }
}

// Runs parts of what is awaited, and descendants of those parts that others run; then sleeps, while another worker has our place.
wait_end wait_room::help(worker& self, awaited_work& what, std::chrono::nanoseconds limit) noexcept {
  const bool limited = limit.count() >= 0;
  auto since = steady_clock::now();
  const auto until = limited ? since + limit : since;
  run_record<ext::default_sync>* const own_run = self.depth != 0 ? &self.runs[self.depth - 1] : nullptr;
  const bool may_nest = self.depth + 1 < worker::max_depth;  // one level stays free, for the job itself
  self.hunt->asked = nullptr;
  auto end = wait_end::done;
  for (unsigned round = 1; !what.is_done(); ++round) {
    const run_id runner = what.runner();
    job* found = nullptr;
    bool advanced = what.advance(self, runner);
    if (!advanced && may_nest) {
      if (own_run != nullptr) own_run->wait_for(runner);
      found = rule_ == waiting::any_work ? told_.ready.find_elsewhere(self) : leapfrog(self, runner, 0);
      if (found != nullptr) {
        told_.runs.run_nested(self, *found);
        advanced = true;
      }
    }
    if (advanced) {
      told_.completions.attend(self);
    } else {
      ext::default_sync::pause();
      if (round % rounds_between_yields != 0) continue;
      std::this_thread::yield();
      told_.completions.look(self);
    }
    const auto now = steady_clock::now();
    if (limited && now >= until) {
      if (!what.is_done()) end = wait_end::time_over;
      break;
    }
    if (advanced) {
      since = now;
      self.hunt->asked = nullptr;
    } else if (now - since > spin_before_sleep_us) {
      if (!what.may_sleep(runner)) {
        since = now;
        continue;
      }
      self.counts.sleeps_at_joins.add();
      const rested how = rest(what, limited ? until - now : limit);
      if (how == rested::own || how == rested::too_deep) {
        end = how == rested::own ? wait_end::own : wait_end::too_deep;
        break;
      }
      if (how == rested::helped) since = steady_clock::now();
    }
  }
  if (own_run != nullptr) own_run->wait_for({});
  return end;
}

// A waiter may not run strangers: what it holds while it waits could be what they need. So another worker, with a stack of its own,
// has its place until they have begun.
void wait_room::give_way(worker& self, unsigned urgency, std::chrono::nanoseconds& patience) noexcept {
  if (told_.places.begin_block(self, {}) != pool_places::vacated::taken) {  // this thread would wait for itself
    told_.places.end_block(self);
    return;
  }
  self.counts.gave_way.add();
  const auto since = steady_clock::now();
  for (;;) {
    std::this_thread::yield();
    if (!told_.ready.rules().must_still_give_way(self, urgency)) break;
    const auto waited = steady_clock::now() - since;
    if (waited > patience || told_.members.is_stopping()) break;
    if (waited > spin_before_sleep_us) std::this_thread::sleep_for(spin_before_park_us);
  }
  patience -= steady_clock::now() - since;
  told_.places.end_block(self);
}

}  // namespace pilfer::detail
