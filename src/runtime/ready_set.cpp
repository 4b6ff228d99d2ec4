#include "ready_set.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "one_level.hpp"
#include "schedulers.hpp"
#include "several_levels.hpp"

namespace pilfer::detail {

std::unique_ptr<ready_set> ready_set::make(const pool_options& options, neighbours told) {
  if (!told.make_lane) return std::make_unique<one_level>(std::move(told));
  if (options.levels == 0 || options.levels > most_levels) {
    throw std::invalid_argument("pilfer: a pool has 1 to " + std::to_string(most_levels) + " levels, not " +
                                std::to_string(options.levels));
  }
  if (options.ageing.count() < 0) throw std::invalid_argument("pilfer: pool_options::ageing is negative");
  if (options.levels == 1) return std::make_unique<one_level>(std::move(told));
  if (!options.count_inversions && options.rule != priority_rule::global) {
    return std::make_unique<several_levels>(options, std::move(told));
  }
  const scheduler_extension* const more = installed_extension();
  if (more == nullptr) {
    refuse_without_research(options.count_inversions ? "pool_options::count_inversions" : "priority_rule::global");
  }
  return more->make_ready_set(options, std::move(told));
}

void ready_set::equip(worker& fresh) {
  if (!told_.make_lane) return;
  for (unsigned level = 0; level < levels_; ++level) fresh.tasks.add(told_.make_lane(fresh, level));
}

void ready_set::clear() noexcept {
  counter taken;
  while (job* const left = outside_.take(taken)) static_cast<void>(drop_if_tombstone(*left));
  told_.workers.for_each_vacant([](worker& each) noexcept {
    for (unsigned level = 0; level < each.tasks.count(); ++level) {
      while (job* const left = each.tasks[level].take()) static_cast<void>(drop_if_tombstone(*left));
    }
  });
}

// NOLINTNEXTLINE(bugprone-exception-escape): caught
std::vector<job*> take_live(task_lane& queue) noexcept {
  std::vector<job*> kept;
  if (queue.is_shared()) return kept;
  try {
    kept.reserve(queue.size_hint() + 1);  // so that the queue is found empty
  } catch (const std::bad_alloc&) {
    return kept;  // next time
  }
  while (kept.size() < kept.capacity()) {
    job* const work = queue.take();
    if (work == nullptr) break;
    if (!drop_if_tombstone(*work)) kept.push_back(work);
  }
  if (queue.newest_first()) std::reverse(kept.begin(), kept.end());
  return kept;
}

}  // namespace pilfer::detail
