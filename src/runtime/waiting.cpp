// A join whose other half was stolen: what its worker does until that half is done.
#include <algorithm>
#include <chrono>
#include <thread>

#include "state.hpp"
#include "task_scope.hpp"

namespace pilfer::detail {

namespace {
constexpr unsigned most_hops = 8;  // along a chain of thieves

// Was the group of a task made by the job that `target` names? It may be a tombstone, and its group gone: ask the task alone.
bool is_made_in(const job& spawned, run_id target) noexcept { return maker_of_group(spawned) == target; }

std::chrono::nanoseconds remaining_until(steady_clock::time_point until) noexcept {
  return std::max(std::chrono::nanoseconds(until - steady_clock::now()), std::chrono::nanoseconds{0});
}

}  // namespace

// A descendant of the job that `target` names, or nothing.
//
// The thief's queue holds, from the mark on, what that job has forked, as long as the job runs; before the mark lie
// strangers. Whether it still ran when we stole is decided afterwards: had it ended before, its number would have changed before
// what we stole was published. If the job is over, what we hold is a stranger: it goes to the injection queue. So it is with its
// queue of tasks of the same level, but that a task counts only if its group was made by that job: others may be awaited by nobody.
job* scheduler::state::leapfrog(worker& self, run_id target, unsigned hops) noexcept {
  if (!target || hops == most_hops) return nullptr;
  worker& thief = at(target.worker());
  const auto& record = thief.runs[target.depth()];
  if (!record.runs(target.serial())) return nullptr;
  if (&thief != &self) {
    if (job* const forked = leapfrog_from(self, thief, *thief.queue, target, record.mark())) return forked;
    if (thief.tasks.exist()) {
      const std::uint64_t mark = record.task_mark();
      const auto level = static_cast<unsigned>(mark % most_levels);
      if (ready->waits().may_leapfrog(self, level)) {
        if (job* const spawned = leapfrog_from(self, thief, thief.tasks[level], target, mark / most_levels)) {
          return spawned;
        }
      }
    }
  }
  // Whom does that job wait for? And what runs on top of it, on the same worker? Both are its descendants, if it is not over.
  const run_id robbed_by = record.waits();
  const unsigned above = target.depth() + 1;
  const std::uint64_t serial_above = above < worker::max_depth ? thief.runs[above].serial() : 0;
  if (!record.still_runs(target.serial())) return nullptr;
  if (job* const found = leapfrog(self, robbed_by, hops + 1)) return found;
  if (serial_above % 2 == 0) return nullptr;
  return leapfrog(self, run_id(target.worker(), above, serial_above), hops + 1);
}

job* scheduler::state::leapfrog_from(worker& self, worker& thief, lane& queue, run_id target,
                                     std::uint64_t mark) noexcept {
  const auto result = search::try_steal(self, thief, queue, mark, [&] { return queue.steal_from(mark); });
  if (!result) return nullptr;
  job& work = **result;
  self.counts.steals_of_level[ready->level_of(work)].add();
  if (thief.runs[target.depth()].still_runs(target.serial()) &&
      (!work.state.is_spawned() || is_made_in(work, target))) {
    self.counts.leapfrogged.add();
    return &work;
  }
  self.counts.strangers.add();
  ready->inject(&self, work);
  return nullptr;
}

wait_end scheduler::state::wait(worker& self, awaited& what, std::chrono::nanoseconds limit) noexcept {
  if (what.is_done()) return wait_end::done;
  if (limit.count() == 0) return wait_end::time_over;
  self.counts.waits.add();
  if (limit.count() < 0) return wait_and_help(self, what, limit);
  const auto until = steady_clock::now() + limit;
  // Most of the time is for others at this worker's place, however short the limit is.
  spin_until(self, what, steady_clock::now() + std::min<std::chrono::nanoseconds>(limit / 8, spin_within_limit_us));
  do {
    if (what.is_done()) return wait_end::done;
    self.counts.sleeps_at_joins.add();
    // Where no thread can do the work that is awaited, a loop around this wait would never end without its help.
    if (rest(what, remaining_until(until)) == rested::helped) return wait_and_help(self, what, remaining_until(until));
  } while (steady_clock::now() < until);
  return what.is_done() ? wait_end::done : wait_end::time_over;
}

void scheduler::state::spin_until(worker& self, const awaited& what, steady_clock::time_point until) noexcept {
  for (unsigned round = 1; !what.is_done(); ++round) {
    ext::default_sync::pause();
    if (round % rounds_between_yields != 0) continue;
    std::this_thread::yield();
    events.look(self);
    if (steady_clock::now() >= until) return;
  }
}

// Runs parts of what is awaited, and descendants of those parts that others run; then sleeps, while another worker has our place.
wait_end scheduler::state::wait_and_help(worker& self, awaited& what, std::chrono::nanoseconds limit) noexcept {
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
      found = wait_rule == waiting::any_work ? ready->find_elsewhere(self) : leapfrog(self, runner, 0);
      if (found != nullptr) {
        execute_nested(self, *found);
        advanced = true;
      }
    }
    if (advanced) {
      events.attend(self);
    } else {
      ext::default_sync::pause();
      if (round % rounds_between_yields != 0) continue;
      std::this_thread::yield();
      events.look(self);
    }
    const auto now = steady_clock::now();
    if (limited && now >= until) {
      if (!what.is_done()) end = wait_end::time_over;
      break;
    }
    if (advanced) {
      since = now;
      self.hunt->asked = nullptr;
    } else if (now - since > spin_before_sleep_us && what.may_sleep(runner)) {
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
void scheduler::state::give_way(worker& self, unsigned level, std::chrono::nanoseconds& patience) noexcept {
  if (begin_block(self, {}) != pool_places::vacated::taken) {  // this thread would wait for itself
    end_block(self);
    return;
  }
  self.counts.gave_way.add();
  const auto since = steady_clock::now();
  for (;;) {
    std::this_thread::yield();
    if (!ready->waits().must_still_give_way(self, level)) break;
    const auto waited = steady_clock::now() - since;
    if (waited > patience || is_stopping()) break;
    if (waited > spin_before_sleep_us) std::this_thread::sleep_for(spin_before_park_us);
  }
  patience -= steady_clock::now() - since;
  end_block(self);
}

namespace {

// A forked job that was stolen.
class awaited_job final : public scheduler::state::awaited {
 public:
  awaited_job(scheduler::state& all, worker& self, job& work) noexcept : all_(all), self_(self), work_(work) {}
  [[nodiscard]] bool is_done() const noexcept override { return work_.state.is_done(); }
  [[nodiscard]] run_id runner() const noexcept override { return work_.state.runner(); }
  // A waiter took it for a descendant, and passed it on: it is ours after all.
  bool advance(worker& self, run_id runner) noexcept override {
    if (runner || self.depth == worker::max_depth || !all_.ready->outside().take_back(work_, 0)) return false;
    all_.execute_nested(self, work_);
    return true;
  }
  // Only while a worker runs it: a job that is passed on may need this one. A latch that names a sleeper no longer says who runs it.
  [[nodiscard]] bool may_sleep(run_id runner) const noexcept override {
    return has_begun_ || static_cast<bool>(runner);
  }
  [[nodiscard]] latch_sleeper& bed() noexcept override { return self_.bed; }
  void sleep(std::chrono::nanoseconds limit) noexcept override {
    has_begun_ = true;
    if (work_.state.wait_for(self_.bed)) static_cast<void>(self_.bed.sleep_once(limit));
  }
  [[nodiscard]] wait_target target() const noexcept override {
    return {.what = wait_target::kind::fork, .object = &work_, .home = &self_.home};
  }
  [[nodiscard]] failing may_fail() const noexcept override { return failing::never; }

 private:
  scheduler::state& all_;
  worker& self_;
  job& work_;
  bool has_begun_ = false;
};

}  // namespace

void scheduler::wait(worker& self, job& work) noexcept {
  if (work.state.is_done()) return;
  awaited_job what(*state_, self, work);
  static_cast<void>(state_->wait(self, what, std::chrono::nanoseconds{-1}));
}

}  // namespace pilfer::detail
