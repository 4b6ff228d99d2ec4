#include "level_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "ready_set.hpp"

namespace pilfer::detail {

namespace {
// The number after `i` among as many in a circle.
constexpr std::size_t after(std::size_t i, std::size_t known) noexcept { return i + 1 == known ? 0 : i + 1; }
}  // namespace

level_search::level_search(neighbours told, unsigned levels, priority_rule rule)
    : told_(std::move(told)), levels_(levels), is_relaxed_(rule == priority_rule::relaxed) {}

level_search::sight level_search::all() const noexcept {
  const std::size_t known = told_.workers.known();
  return {0, known, known};
}

job* level_search::find(worker& self, bool own_too) noexcept {
  if (is_relaxed_) {
    const std::size_t first = self.hunt->random() % told_.workers.known();
    if (job* const found = find_in_order(self, some(self, first), own_too)) return found;
  }
  return find_in_order(self, all(), own_too);
}

// From `first` on as many as it takes to meet the square root of the others that show anything: empty seats do not count.
level_search::sight level_search::some(const worker_face& self, std::size_t first) const noexcept {
  const std::size_t known = told_.workers.known();
  const auto others = static_cast<double>(std::max<std::size_t>(told_.places(), 2) - 1);
  const auto enough = static_cast<std::size_t>(std::ceil(std::sqrt(others)));
  std::size_t steps = 0;
  for (std::size_t i = first, met = 0; steps < known && met < enough; ++steps, i = after(i, known)) {
    if (i != self.index && !told_.queues.shown_by(i).all().empty()) ++met;
  }
  return {first, steps, known};
}

// At the most urgent level first: the own, from outside, from the others in sight.
job* level_search::find_in_order(worker& self, const sight& others, bool own_too) noexcept {
  level_set seen = told_.queues.shown_outside();
  if (own_too) seen |= self.levels->shown.tasks();
  for (std::size_t k = 0, i = others.first; k < others.count; ++k, i = after(i, others.known)) {
    if (i != self.index) seen |= told_.queues.shown_by(i).all();
  }
  for (const unsigned level : seen) {
    if (job* const found = find_at(self, level, others, own_too)) {
      sink_to(self, level);
      return found;
    }
  }
  return nullptr;
}

job* level_search::find_at(worker& self, unsigned level, const sight& others, bool own_too) noexcept {
  if (is_outside_first(self) || !own_too) {
    if (job* const injected = told_.queues.take_injected(self, level)) return injected;
  }
  if (own_too && self.levels->shown.tasks().has(level)) {
    if (job* const own = told_.queues.take(self, level)) return own;
  }
  if (job* const injected = told_.queues.take_injected(self, level)) return injected;
  // All of them, from the one that the victim policy would take; or those in sight.
  std::size_t first = others.first;
  if (others.count == others.known) {
    first = told_.thieves.choose_victim(self);
    if (first >= others.known) first = 0;
  }
  for (std::size_t k = 0, i = first; k < others.count; ++k, i = after(i, others.known)) {
    if (i == self.index || !told_.queues.shown_by(i).all().has(level)) continue;
    if (job* const stolen = steal_at(self, told_.workers.at(i), level)) return stolen;
  }
  return nullptr;
}

job* level_search::steal_at(worker& self, const worker_face& victim, unsigned level) noexcept {
  const auto shown = told_.queues.shown_by(victim.index);
  if (shown.tasks.has(level)) {
    if (job* const spawned = steal_at(self, victim, level, victim.spawned()[level], true)) return spawned;
  }
  return shown.forks.has(level) ? steal_at(self, victim, level, victim.forks(), false) : nullptr;
}

// A lost race says nothing about what is left: try again. Every loss is another thread's success.
// NOLINTNEXTLINE(bugprone-exception-escape): std::visit throws only on a valueless variant
job* level_search::steal_at(worker& self, const worker_face& victim, unsigned level, lane& queue,
                            bool of_tasks) noexcept {
  for (;;) {
    const auto result = search::try_steal(self, victim, queue, 0, [&] {
      return of_tasks ? queue.steal(self.hunt->random()) : queue.steal_urgent(self.hunt->random(), level);
    });
    if (result.status() == ext::steal_status::lost) continue;
    if (result.status() == ext::steal_status::empty) self.hunt->policy.failed(victim.index);
    if (!result) return nullptr;
    self.hunt->note_theft(victim);
    job& work = **result;
    self.counts.steals_of_level[level_of(work)].add();
    if (!is_tombstone(work)) return &work;
    told_.queues.drop(victim, static_cast<spawned_job&>(work), level);
  }
}

void level_search::sink_to(worker& self, unsigned level) const noexcept {
  if (level > self.levels->sunk_to) {
    const auto since = std::chrono::nanoseconds(std::chrono::steady_clock::now() - made_at_);
    const auto now = static_cast<std::uint64_t>(since.count());
    for (unsigned each = self.levels->sunk_to; each < std::min(level, levels_); ++each) {
      self.counts.drained_ns[each].set(now);
    }
  }
  self.levels->sunk_to = level;
}

}  // namespace pilfer::detail
