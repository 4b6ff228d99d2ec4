#include <pilfer/statistics.hpp>

#include <pilfer/detail/worker.hpp>

namespace pilfer {

worker_statistics& worker_statistics::operator+=(const worker_statistics& other) noexcept {
  steals_taken += other.steals_taken;
  steals_empty += other.steals_empty;
  steals_lost += other.steals_lost;
  steals_private += other.steals_private;
  leapfrogged += other.leapfrogged;
  strangers += other.strangers;
  requests += other.requests;
  exposed += other.exposed;
  unstolen += other.unstolen;
  signals += other.signals;
  barriers += other.barriers;
  waits += other.waits;
  sleeps_at_joins += other.sleeps_at_joins;
  parks += other.parks;
  wakes += other.wakes;
  injected += other.injected;
  run_inline += other.run_inline;
  suppressed += other.suppressed;
  tasks += other.tasks;
  cancelled += other.cancelled;
  pushes += other.pushes;
  pops += other.pops;
  fences += other.fences;
  cas += other.cas;
  return *this;
}

worker_statistics pool_statistics::total() const noexcept {
  worker_statistics sum;
  for (const worker_statistics& each : of_worker) sum += each;
  return sum;
}

namespace detail {

worker_statistics worker_counters::values() const noexcept {
  return {.steals_taken = steals_taken.value(),
          .steals_empty = steals_empty.value(),
          .steals_lost = steals_lost.value(),
          .steals_private = steals_private.value(),
          .leapfrogged = leapfrogged.value(),
          .strangers = strangers.value(),
          .requests = requests.value(),
          .exposed = exposed.value(),
          .unstolen = unstolen.value(),
          .signals = signals.value(),
          .barriers = barriers.value(),
          .waits = waits.value(),
          .sleeps_at_joins = sleeps_at_joins.value(),
          .parks = parks.value(),
          .wakes = wakes.value(),
          .injected = injected.value(),
          .run_inline = run_inline.value(),
          .suppressed = suppressed.value(),
          .tasks = tasks.value(),
          .cancelled = cancelled.value(),
          .pushes = pushes.value(),
          .pops = pops.value(),
          .fences = fences.value(),
          .cas = cas.value()};
}

}  // namespace detail
}  // namespace pilfer
