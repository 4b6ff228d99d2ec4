#include <pilfer/statistics.hpp>

#include <algorithm>
#include <array>
#include <utility>

#include "worker.hpp"

namespace pilfer {

namespace {

// Every figure but those by level, in one order for worker_statistics and worker_counters.
template <class Figures>
auto list_of(Figures& of) noexcept {
  return std::array{&of.steals_taken, &of.steals_empty, &of.steals_lost,     &of.steals_private, &of.leapfrogged,
                    &of.strangers,    &of.requests,     &of.exposed,         &of.unstolen,       &of.signals,
                    &of.barriers,     &of.waits,        &of.sleeps_at_joins, &of.late_waits,     &of.ran_strangers,
                    &of.parks,        &of.wakes,        &of.injected,        &of.run_inline,     &of.suppressed,
                    &of.tasks,        &of.cancelled,    &of.inversions,      &of.lifted,         &of.aged,
                    &of.gave_way,     &of.io_completed, &of.io_stolen,       &of.pushes,         &of.pops,
                    &of.fences,       &of.cas};
}
static_assert((std::tuple_size_v<decltype(list_of(std::declval<worker_statistics&>()))> +
               std::size_t{3} * most_levels) *
                      sizeof(std::uint64_t) ==
                  sizeof(worker_statistics),
              "a figure is not in the list, nor one of the three by level");

}  // namespace

worker_statistics& worker_statistics::operator+=(const worker_statistics& other) noexcept {
  const auto mine = list_of(*this);
  const auto others = list_of(other);
  for (std::size_t i = 0; i < mine.size(); ++i) *mine[i] += *others[i];
  for (unsigned level = 0; level < most_levels; ++level) {
    steals_of_level[level] += other.steals_of_level[level];
    tasks_of_level[level] += other.tasks_of_level[level];
    drained_ns[level] = std::max(drained_ns[level], other.drained_ns[level]);
  }
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

worker_statistics worker_counters::values() const noexcept {
  worker_statistics all;
  const auto from = list_of(*this);
  const auto to = list_of(all);
  for (std::size_t i = 0; i < to.size(); ++i) *to[i] = from[i]->value();
  for (unsigned level = 0; level < most_levels; ++level) {
    all.steals_of_level[level] = steals_of_level[level].value();
    all.tasks_of_level[level] = tasks_of_level[level].value();
    all.drained_ns[level] = drained_ns[level].value();
  }
  return all;
}

}  // namespace detail
}  // namespace pilfer
