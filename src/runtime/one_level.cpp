#include "one_level.hpp"

#include <cstddef>

#include "task_scope.hpp"

namespace pilfer::detail {

void one_level::equip(worker& fresh) {
  ready_set::equip(fresh);
  if (fresh.tasks.exist()) fresh.plain_tasks = fresh.tasks[0].deque();
}

void one_level::give_away(worker& self) noexcept {
  if (!self.tasks.exist()) return;
  while (job* const each = self.tasks[0].take()) {
    if (!drop_if_tombstone(*each)) inject(&self, *each);
  }
}

bool one_level::push(worker& self, job& work) noexcept {
  task_lane& queue = self.tasks[0];
  if (queue.push(work)) [[likely]]
    return true;
  if (queue.size_hint() > few_tasks) return false;
  for (job* const each : take_live(queue)) {
    if (!queue.push(*each)) inject(&self, *each);
  }
  return queue.push(work);
}

job* one_level::find(worker& self) noexcept {
  if (self.tasks.exist()) {
    if (is_outside_first(self)) {
      if (job* const injected = take_injected(self)) return injected;
    }
    if (job* const own = self.tasks[0].take()) return own;
  }
  return find_elsewhere(self);
}

job* one_level::find_stranger(worker& self) noexcept {
  if (job* const own = self.tasks[0].take()) return own;
  return find_elsewhere(self);
}

job* one_level::find_elsewhere(worker& self) noexcept {
  if (job* const injected = take_injected(self)) return injected;
  const std::size_t known = told().workers.known();
  for (std::size_t attempt = 1; attempt < known; ++attempt) {
    const std::size_t chosen = told().thieves.choose_victim(self);
    if (chosen == ext::npos) break;
    const worker_face& victim = told().workers.at(chosen);
    job* stolen = told().thieves.steal_from(self, victim, victim.forks());
    if (stolen == nullptr && victim.spawned().exist()) {
      stolen = told().thieves.steal_from(self, victim, victim.spawned()[0]);
    }
    if (stolen == nullptr) continue;
    self.counts.steals_of_level[0].add();
    return stolen;
  }
  return nullptr;
}

// The newest of the own queue, if it is of this group: that leaves no tombstone. Otherwise the newest of the group, wherever it lies.
wait_rules::next_task one_level::next_of(worker& self, task_scope& awaited, group_look& look) noexcept {
  if (!look.passed.has(0)) {
    if (job* const newest = self.tasks[0].take()) {
      if (drop_if_tombstone(*newest)) return {.again = true};
      spawned_job* const spawned = as_task(*newest);
      if (spawned != nullptr && spawned->scope == &awaited) {
        if (spawned->claim(&self)) return {.work = spawned, .has_entry = true};
        spawned->let_go();
        return {.again = true};
      }
      look.passed = level_set::of(0);
      if (!self.tasks[0].push(*newest)) inject(&self, *newest);
    }
  }
  spawned_job* const work = awaited.take_newest(self);
  if (work != nullptr) look.passed = {};
  return {.work = work};
}

}  // namespace pilfer::detail
