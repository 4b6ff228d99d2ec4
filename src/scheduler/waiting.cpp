// A join whose other half was stolen: what its worker does until that half is done.
#include <thread>

#include "state.hpp"

namespace pilfer::detail {

namespace {
constexpr unsigned most_hops = 8;  // along a chain of thieves
}

// A descendant of the job that `target` names, or nothing.
//
// The thief's queue holds, from the mark on, what that job has forked, as long as the job runs; before the mark lie
// strangers. Whether it still ran when we stole is decided afterwards: had it ended before, its number would have changed before
// what we stole was published. If the job is over, what we hold is a stranger: it goes to the injection queue.
job* scheduler::state::leapfrog(worker& self, run_id target, unsigned hops) noexcept {
  if (!target || hops == most_hops) return nullptr;
  worker& thief = at(target.worker());
  const auto& record = thief.runs[target.depth()];
  if (!record.runs(target.serial())) return nullptr;
  if (&thief != &self) {
    const std::uint64_t mark = record.mark();
    const auto result = thief.queue->steal_from(mark);
    switch (result.status()) {
      case ext::steal_status::taken:
        self.counts.steals_taken.add();
        if (thief.queue->exposes()) self.counts.exposed.add();
        if (record.still_runs(target.serial())) {
          self.counts.leapfrogged.add();
          return *result;
        }
        self.counts.strangers.add();
        inject(&self, **result);
        return nullptr;
      case ext::steal_status::empty: self.counts.steals_empty.add(); break;
      case ext::steal_status::lost: self.counts.steals_lost.add(); break;
      case ext::steal_status::private_work:
        self.counts.steals_private.add();
        if (press(self, thief, mark)) return leapfrog(self, target, hops + 1);
        break;
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

void scheduler::state::wait(worker& self, job& work) noexcept {
  if (work.state.is_done()) return;
  self.counts.waits.add();
  run_record<ext::default_sync>* const own_run = self.depth != 0 ? &self.runs[self.depth - 1] : nullptr;
  const bool may_nest = self.depth + 1 < worker::max_depth;  // one level stays free, for the job itself
  auto since = steady_clock::now();
  self.hunt->asked = nullptr;
  for (unsigned round = 1; !work.state.is_done(); ++round) {
    const run_id runner = work.state.runner();
    // A waiter took it for a descendant, and passed it on: it is ours after all.
    if (!runner && self.depth < worker::max_depth && take_back_injected(work)) {
      execute(self, work);
      break;
    }
    if (may_nest) {
      if (own_run != nullptr) own_run->wait_for(runner);
      job* const found = wait_rule == waiting::any_work ? look_elsewhere(self) : leapfrog(self, runner, 0);
      if (found != nullptr) {
        execute(self, *found);
        since = steady_clock::now();
        self.hunt->asked = nullptr;
        continue;
      }
    }
    ext::default_sync::pause();
    if (round % rounds_between_yields != 0) continue;
    std::this_thread::yield();
    // Only while somebody runs it: a job that is passed on may need us.
    if (runner && steady_clock::now() - since > spin_before_sleep_us) {
      self.counts.sleeps_at_joins.add();
      give_up_place();
      if (work.state.wait_for(self.bed)) self.bed.sleep();
      take_place_back();
    }
  }
  if (own_run != nullptr) own_run->wait_for({});
}

}  // namespace pilfer::detail
