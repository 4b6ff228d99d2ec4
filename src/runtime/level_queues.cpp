#include "level_queues.hpp"

#include <algorithm>

#include "ready_set.hpp"

namespace pilfer::detail {

namespace {
constexpr std::int64_t most_tombstones = 256;  // in a queue of tasks: 2 KiB that nobody misses
}  // namespace

bool level_queues::push(worker& self, job& work, unsigned level) noexcept {
  self.levels->shown.show(level);
  for (level_observer* const each : observers_) each->before_push(&self, level);
  const bool pushed = self.tasks[level].push(work);
  for (level_observer* const each : observers_) each->after_push(&self, level, pushed);
  return pushed;
}

job* level_queues::take(worker& self, unsigned level) noexcept {
  task_lane& queue = self.tasks[level];
  while (job* const found = queue.take()) {
    if (!is_tombstone(*found)) return found;
    drop(self, static_cast<spawned_job&>(*found), level);
  }
  if (!queue.has_items()) self.levels->shown.hide(level);
  return nullptr;
}

void level_queues::push_again(worker& self, spawned_job& work, unsigned level) noexcept {
  work.add_entry();
  work.set_level(level);
  work.note_queue(self.index);
  put_back(self, work, level);
}

// A level that no worker comes to, because there is always something more urgent, must not fill with tombstones.
void level_queues::tidy_if_many(worker& self, unsigned level) noexcept {
  if (tombstones_of(self, level) > most_tombstones) [[unlikely]]
    tidy(self, level);
}

void level_queues::tidy(worker& self, unsigned level) noexcept {
  if (self.tasks.are_shared()) return;
  const std::vector<job*> kept = take_live(self.tasks[level]);
  // Without memory nothing was taken, and the tombstones are still there.
  if (kept.empty() && self.tasks[level].has_items()) return;
  tombstones_[self.index][level].clear();
  for (job* const each : kept) put_back(self, *each, level);
}

void level_queues::settle(worker& self, unsigned level) noexcept {
  for (const unsigned above : self.levels->shown.tasks() & level_set::above(level)) {
    const bool hides_some = self.tasks.hide_some();
    if (tombstones_of(self, above) == 0 && !hides_some && self.tasks[above].has_items()) continue;
    // Finding it empty hides it, so that we need not come again.
    job* const stranger = take(self, above);
    if (stranger == nullptr) continue;
    // Out of a queue that hides it, because there no thief would find it.
    if (hides_some) {
      inject(&self, *stranger, above);
    } else {
      put_back(self, *stranger, above);
    }
  }
}

void level_queues::inject(worker* by, job& work, unsigned level) noexcept {
  for (level_observer* const each : observers_) each->before_push(nullptr, level);
  outside_.append(work, level, sleepers_, by);
  for (level_observer* const each : observers_) each->after_push(nullptr, level, true);
}

void level_queues::bury(const spawned_job& work) noexcept {
  const unsigned where = work.queued_at();
  const unsigned level = work.level();
  tombstones_[std::min<std::size_t>(where, injected_)][level].add(1);
}

void level_queues::drop(const worker_face& from, spawned_job& work, unsigned level) noexcept {
  tombstones_[from.index][level].add(-1);
  work.let_go();
}

bool level_queues::has_urgent(const worker_face& self, unsigned level) const noexcept {
  const level_set above = level_set::above(level);
  if (!(shown_outside() & above).empty()) return true;
  const std::size_t known = workers_.known();
  for (std::size_t i = 0; i < known; ++i) {
    for (const unsigned each : shown_by(i).tasks& above) {
      const task_lanes& queues = workers_.at(i).spawned();
      if (i != self.index && queues.hide_some()) break;  // whether they can be had is not known
      if (queues[each].has_items()) return true;
    }
  }
  return false;
}

}  // namespace pilfer::detail
