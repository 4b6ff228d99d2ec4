#include <pilfer/statistics.hpp>

#include <algorithm>

#include "worker.hpp"

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
  late_waits += other.late_waits;
  ran_strangers += other.ran_strangers;
  parks += other.parks;
  wakes += other.wakes;
  injected += other.injected;
  run_inline += other.run_inline;
  suppressed += other.suppressed;
  tasks += other.tasks;
  cancelled += other.cancelled;
  for (unsigned level = 0; level < most_levels; ++level) {
    steals_of_level[level] += other.steals_of_level[level];
    tasks_of_level[level] += other.tasks_of_level[level];
    drained_ns[level] = std::max(drained_ns[level], other.drained_ns[level]);
  }
  inversions += other.inversions;
  lifted += other.lifted;
  aged += other.aged;
  gave_way += other.gave_way;
  io_completed += other.io_completed;
  io_stolen += other.io_stolen;
  pushes += other.pushes;
  pops += other.pops;
  fences += other.fences;
  cas += other.cas;
  return *this;
}

double worker_statistics::lost_share() const noexcept {
  const std::uint64_t tried = steals_taken + steals_lost;
  return tried != 0 ? static_cast<double>(steals_lost) / static_cast<double>(tried) : 0;
}
double worker_statistics::stealing_effort() const noexcept {
  const std::uint64_t tried = steals_taken + steals_lost + steals_empty + steals_private;
  return steals_taken != 0 ? static_cast<double>(tried) / static_cast<double>(steals_taken) : 0;
}

worker_statistics pool_statistics::total() const noexcept {
  worker_statistics sum;
  for (const worker_statistics& each : of_worker) sum += each;
  return sum;
}

namespace detail {

namespace {
level_figures figures(const std::array<counter, most_levels>& counters) noexcept {
  level_figures values{};
  for (unsigned level = 0; level < most_levels; ++level) values[level] = counters[level].value();
  return values;
}
}  // namespace

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
          .late_waits = late_waits.value(),
          .ran_strangers = ran_strangers.value(),
          .parks = parks.value(),
          .wakes = wakes.value(),
          .injected = injected.value(),
          .run_inline = run_inline.value(),
          .suppressed = suppressed.value(),
          .tasks = tasks.value(),
          .cancelled = cancelled.value(),
          .steals_of_level = figures(steals_of_level),
          .tasks_of_level = figures(tasks_of_level),
          .drained_ns = figures(drained_ns),
          .inversions = inversions.value(),
          .lifted = lifted.value(),
          .aged = aged.value(),
          .gave_way = gave_way.value(),
          .io_completed = io_completed.value(),
          .io_stolen = io_stolen.value(),
          .pushes = pushes.value(),
          .pops = pops.value(),
          .fences = fences.value(),
          .cas = cas.value()};
}

}  // namespace detail
}  // namespace pilfer
