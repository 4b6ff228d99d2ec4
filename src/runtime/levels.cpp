// Pools with several levels: which task is next, and giving way. The rules are in docs/guarantees.md.
#include <algorithm>
#include <bit>
#include <cmath>
#include <thread>

#include "state.hpp"
#include "task_scope.hpp"

namespace pilfer::detail {

unsigned scheduler::state::level_of(const job& work) const noexcept {
  if (levels == 1) return 0;
  return work.state.is_spawned() ? static_cast<const task&>(work).level() : task_level::from_bits(work.level).number();
}

// --- Looking for work.

job* scheduler::state::look_by_level(worker& self, bool own_too) noexcept {
  if (ages.is_used()) raise_old(self);
  if (!audited) return find_by_rule(self, own_too);
  begin_scan(self);
  job* const found = find_by_rule(self, own_too);
  // A fork is a part of a task that has begun.
  if (found != nullptr && found->state.is_spawned()) end_scan(self, level_of(*found));
  return found;
}

job* scheduler::state::find_by_rule(worker& self, bool own_too) noexcept {
  const std::size_t known = known_workers();
  if (rule == priority_rule::global) return find_at_global_level(self, own_too);
  if (rule == priority_rule::relaxed) {
    const std::size_t first = self.hunt->random() % known;
    if (job* const found = find_in_order(self, some_of(self, first, known), own_too)) return found;
  }
  return find_in_order(self, {0, known, known}, own_too);
}

// From `first` on as many as it takes to meet the square root of the others who show anything: empty seats do not count.
scheduler::state::sight scheduler::state::some_of(const worker& self, std::size_t first,
                                                  std::size_t known) const noexcept {
  const auto others = static_cast<double>(std::max<std::size_t>(count_places(), 2) - 1);
  const auto enough = static_cast<std::size_t>(std::ceil(std::sqrt(others)));
  std::size_t steps = 0;
  for (std::size_t i = first, met = 0; steps < known && met < enough; ++steps, i = i + 1 == known ? 0 : i + 1) {
    if (i != self.index && !summary[i].load().all().empty()) ++met;
  }
  return {first, steps, known};
}

// What can be taken at the most urgent level first: the own, from outside, from the others in sight.
job* scheduler::state::find_in_order(worker& self, const sight& others, bool own_too) noexcept {
  level_set seen = outside.levels();
  if (own_too) seen |= self.tasks.shown();
  for (std::size_t k = 0, i = others.first; k < others.count; ++k, i = i + 1 == others.known ? 0 : i + 1) {
    if (i != self.index) seen |= summary[i].load().all();
  }
  for (std::uint32_t left = seen.bits(); left != 0; left &= left - 1) {
    const auto level = static_cast<unsigned>(std::countr_zero(left));
    if (job* const found = find_at(self, level, others, own_too)) {
      sink_to(self, level);
      return found;
    }
  }
  return nullptr;
}

// NOLINTNEXTLINE(bugprone-exception-escape): std::visit throws only on a valueless variant
job* scheduler::state::find_at(worker& self, unsigned level, const sight& others, bool own_too) noexcept {
  const bool outside_first = ++self.hunt->looks % looks_between_injected == 0;
  if (outside_first || !own_too) {
    if (job* const injected = take_injected(self, level)) return injected;
  }
  if (own_too && self.tasks.shown().has(level)) {
    while (job* const own = self.tasks.take(level)) {
      auto& work = static_cast<task&>(*own);
      if (!work.is_claimed()) return own;
      exhume(self, work, level);
    }
  }
  if (job* const injected = take_injected(self, level)) return injected;
  // All of them, from the one that the victim policy would take; or those in sight.
  std::size_t first = others.first;
  if (others.count == others.known) {
    first = choose_victim(self, others.known);
    if (first >= others.known) first = 0;
  }
  for (std::size_t k = 0, i = first; k < others.count; ++k, i = i + 1 == others.known ? 0 : i + 1) {
    if (i == self.index || !summary[i].load().all().has(level)) continue;
    if (job* const stolen = steal_at(self, at(i), level)) return stolen;
  }
  return nullptr;
}

// A lost race says nothing about what is left: try again. Every loss is somebody else's success.
// NOLINTNEXTLINE(bugprone-exception-escape): std::visit throws only on a valueless variant
job* scheduler::state::steal_at(worker& self, worker& victim, unsigned level) noexcept {
  const auto shown = summary[victim.index].load();
  // NOLINTNEXTLINE(bugprone-exception-escape): as above
  const auto try_lane = [&](lane& queue, bool of_tasks) noexcept -> job* {
    for (;;) {
      const auto result = try_steal(self, victim, queue, 0, [&] {
        return of_tasks ? queue.steal(self.hunt->random()) : queue.steal_urgent(self.hunt->random(), level);
      });
      if (result.status() == ext::steal_status::lost) continue;
      if (result.status() == ext::steal_status::empty) self.hunt->policy.failed(victim.index);
      if (!result) return nullptr;
      self.hunt->note_theft(victim);
      job& work = **result;
      if (!of_tasks || !static_cast<task&>(work).is_claimed()) return &work;
      exhume(victim, static_cast<task&>(work), level);
    }
  };
  if (shown.tasks.has(level)) {
    if (job* const spawned = try_lane(victim.tasks[level], true)) return spawned;
  }
  return shown.forks.has(level) ? try_lane(*victim.queue, false) : nullptr;
}

// 003's earlier design. Nobody waits until the others have finished their tasks of the level: who finds none moves it on.
job* scheduler::state::find_at_global_level(worker& self, bool own_too) noexcept {
  const std::size_t known = known_workers();
  const sight all{0, known, known};
  for (unsigned round = 0; round < levels; ++round) {
    unsigned now = global_level.load(orders::relaxed);  // rechecked by the CAS
    if (job* const found = find_at(self, now, all, own_too)) {
      sink_to(self, now);
      return found;
    }
    global_level.compare_exchange(now, (now + 1) % levels, orders::relaxed,
                                  orders::relaxed);  // failure: another moved it
  }
  return nullptr;
}

void scheduler::state::wake_global_level(unsigned level) noexcept {
  if (rule != priority_rule::global) return;
  unsigned now = global_level.load(orders::relaxed);  // rechecked by the CAS
  while (now > level &&
         !global_level.compare_exchange(now, level, orders::relaxed, orders::relaxed)) {  // failure: again
  }
}

// All levels above are empty, as far as this worker can see.
void scheduler::state::sink_to(worker& self, unsigned level) noexcept {
  if (level > self.hunt->level) {
    const auto now = static_cast<std::uint64_t>(std::chrono::nanoseconds(steady_clock::now() - made_at).count());
    for (unsigned each = self.hunt->level; each < std::min(level, levels); ++each) {
      self.counts.drained_ns[each].set(now);
    }
  }
  self.hunt->level = level;
}

// --- Waiting.

// How urgent a wait is for a task of that level: as the task, as its waiter, or as a task that waits for the waiter's group, which would
// otherwise stand behind all strangers that are more urgent than the waiter.
unsigned scheduler::state::urgency_of(const worker& self, unsigned level) const noexcept {
  const unsigned own = std::min(level, home.waiting_level(self));
  return levels > 1 && self.scope != nullptr ? std::min(own, self.scope->lifted_level()) : own;
}

bool scheduler::state::is_urgent_waiting(const worker& self, unsigned level) const noexcept {
  const level_set above = level_set::above(level);
  if (!(outside.levels() & above).empty()) return true;
  const std::size_t known = known_workers();
  for (std::size_t i = 0; i < known; ++i) {
    for (std::uint32_t left = (summary[i].load().tasks & above).bits(); left != 0; left &= left - 1) {
      const task_lane& queue = at(i).tasks[static_cast<unsigned>(std::countr_zero(left))];
      if (i != self.index && queue.hides_some()) break;  // who knows whether they can be had
      if (queue.has_items()) return true;
    }
  }
  return false;
}

// A waiter may not run strangers: what it holds while it waits could be what they need. So another worker, with a stack of its own,
// has its place until they have begun.
void scheduler::state::give_way(worker& self, unsigned level, std::chrono::nanoseconds& patience) noexcept {
  if (levels == 1 || level == 0 || rule != priority_rule::strict || patience.count() <= 0) return;
  settle_own(self, level);
  if (!is_urgent_waiting(self, level)) return;
  if (begin_block(self, {}) != pool_places::vacated::taken) {  // this thread would wait for itself
    end_block(self);
    return;
  }
  self.counts.gave_way.add();
  const auto since = steady_clock::now();
  for (;;) {
    std::this_thread::yield();
    if (!is_urgent_waiting(self, level)) break;
    const auto waited = steady_clock::now() - since;
    if (waited > patience || is_stopping()) break;
    if (waited > spin_before_sleep_us) std::this_thread::sleep_for(spin_before_park_us);
  }
  patience -= steady_clock::now() - since;
  end_block(self);
}

}  // namespace pilfer::detail
