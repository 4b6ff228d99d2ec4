// How a waiting task rises, and the tombstones that it leaves behind.
#include <algorithm>
#include <bit>
#include <mutex>
#include <vector>

#include "state.hpp"
#include "task_scope.hpp"

namespace pilfer::detail {

bool scheduler::ages(unsigned level) const noexcept { return state_->ages.is_used() && level != 0; }

void scheduler::watch_age(task& work) noexcept { state_->ages.add(work, state_->nanoseconds_now()); }

void scheduler::state::raise_old(worker& self) noexcept {
  const std::int64_t first = ages.first_rise();
  if (first == 0) return;
  const std::int64_t now = nanoseconds_now();
  if (now < first) return;
  ages.raise_due(now, [&](task& oldest) noexcept { raise(self, oldest, now); });
}

void scheduler::state::raise(worker& self, task& oldest, std::int64_t now_ns) noexcept {
  if (move_up(self, oldest, now_ns)) return;
  const unsigned level = oldest.level();
  if (level == 0) return;
  oldest.rises_ns = ages.next_rise(now_ns);
  bury(oldest);
  oldest.add_entry();
  oldest.set_level(level - 1);
  inject(&self, oldest);
  self.counts.aged.add();
}

// Out of its queue, where it lies before all younger ones, and into the injection queue of the level above: no tombstone is left, however
// long nobody comes to its level. Others that are due come along. The injection queue is first in, first out, and workers look there in
// good time whatever they have themselves: among equals nobody starves either.
bool scheduler::state::move_up(worker& self, task& oldest, std::int64_t now_ns) noexcept {
  const unsigned level = oldest.level();
  const unsigned where = oldest.queued_at();
  if (level == 0) return false;
  const auto lift_one = [&](task& work) noexcept {
    work.rises_ns = ages.next_rise(now_ns);
    self.counts.aged.add();
    work.set_level(level - 1);
    inject(&self, work);
  };
  if (where >= most_workers) {
    if (!take_back_injected(oldest)) return false;
    lift_one(oldest);
    return true;
  }
  worker& owner = at(where);
  task_lane& queue = owner.tasks[level];
  if (queue.hides_some()) return false;
  for (;;) {
    const auto result = queue.steal(self.hunt->random());
    if (result.status() == ext::steal_status::lost) continue;
    if (!result) return false;
    auto& work = static_cast<task&>(**result);
    if (work.is_claimed() || work.level() != level) {  // or it has risen, and has another entry
      exhume(owner, work, level);
    } else if (work.rises_ns != 0 && work.rises_ns <= now_ns) {  // 0: not watched yet
      lift_one(work);
      if (&work == &oldest) return true;
    } else {
      inject(&self, work);
      return false;
    }
  }
}

void scheduler::state::push_again(worker& self, task& work, unsigned level) noexcept {
  work.add_entry();
  work.set_level(level);
  work.note_queue(self.index);
  if (!self.tasks.push(level, work)) inject(&self, work);
  wake_global_level(level);
}

// --- Tombstones.

void scheduler::state::bury(const task& work) noexcept {
  if (levels == 1) return;
  const unsigned where = work.queued_at();
  (where < most_workers ? at(where).tasks.tombstones(work.level()) : outside.tombstones(work.level())).add(1);
}

void scheduler::state::exhume(worker& from, task& work, unsigned level) noexcept {
  if (levels > 1) from.tasks.tombstones(level).add(-1);
  work.let_go();
}

// A level that nobody comes to, because there is always something more urgent, must not fill with tombstones.
// NOLINTNEXTLINE(bugprone-exception-escape): caught
void scheduler::state::tidy(worker& self, unsigned level) noexcept {
  task_lane& queue = self.tasks[level];
  if (queue.is_shared()) return;
  std::vector<task*> kept;
  try {
    kept.reserve(queue.size_hint() + 1);  // so that the queue is found empty
  } catch (const std::bad_alloc&) {
    return;  // next time
  }
  while (kept.size() < kept.capacity()) {
    auto* const work = static_cast<task*>(self.tasks.take(level));
    if (work == nullptr) break;
    if (work->is_claimed()) {
      work->let_go();
    } else {
      kept.push_back(work);
    }
  }
  self.tasks.tombstones(level).clear();
  if (queue.newest_first()) std::reverse(kept.begin(), kept.end());
  for (task* const each : kept) {
    if (!self.tasks.push(level, *each)) inject(&self, *each);
  }
}

void scheduler::state::settle_own(worker& self, unsigned level) noexcept {
  for (std::uint32_t left = (self.tasks.shown() & level_set::above(level)).bits(); left != 0; left &= left - 1) {
    const auto above = static_cast<unsigned>(std::countr_zero(left));
    const task_lane& queue = self.tasks[above];
    if (self.tasks.tombstones(above).value() == 0 && !queue.hides_some() && queue.has_items()) continue;
    // Finding it empty hides it, so that we need not come again.
    while (job* const each = self.tasks.take(above)) {
      auto& work = static_cast<task&>(*each);
      if (!work.is_claimed()) {
        // A stranger. Out of a queue that hides it, because there nobody would find it.
        if (self.tasks[above].hides_some() || !self.tasks.push(above, work)) inject(&self, work);
        break;
      }
      exhume(self, work, above);
    }
  }
}

}  // namespace pilfer::detail
