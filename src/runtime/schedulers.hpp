// Schedulers by name: how the queues of a pool's workers are made. The library has one, the default; pilfer::research installs the others, and the
// ready sets that only comparisons need.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include <pilfer/ext/storage.hpp>
#include <pilfer/pool_options.hpp>

#include "lane.hpp"
#include "ready_set.hpp"

namespace pilfer::detail {

// Make the queues of a worker; of tasks, one per level. Without a maker of queues of tasks a pool has forks only.
//   Throw  std::bad_alloc
struct lane_makers {
  std::function<std::unique_ptr<fork_lane>(worker& owner)> of_forks;
  ready_set::lane_maker of_tasks;
};

struct scheduler_kind {
  const char* name;
  const char* summary;
  lane_makers (*makers)(ext::block_geometry shape);  // for the queues of one pool
};

// What a library beside this one adds.
struct scheduler_extension {
  std::span<const scheduler_kind> schedulers;
  // For priority_rule::global and pool_options::count_inversions.
  std::unique_ptr<ready_set> (*make_ready_set)(const pool_options& options, ready_set::neighbours told);
};
// From then on all pools have it. It is never destroyed. A second call changes nothing.
void install(const scheduler_extension& fresh) noexcept;
[[nodiscard]] const scheduler_extension* installed_extension() noexcept;  // null: none

// The name in the option, or in PILFER_SCHEDULER.
[[nodiscard]] std::string chosen_scheduler(const std::string& option);
//   Throws  std::invalid_argument for a name that is not known.
[[nodiscard]] const scheduler_kind& find_scheduler(const std::string& name);
// For an option that needs pilfer::research.
//   Throws  std::invalid_argument, always.
[[noreturn]] void refuse_without_research(const std::string& what);

// Shape of the queues that have blocks, by pool_options::block_entries, or by PILFER_BLOCK_ENTRIES if that is 0. Their capacity does not depend
// on it, within limits: with fewer blocks the owner and its thieves would be in each other's way, with more a look at all of them would take too
// long.
//   Throws  std::invalid_argument
[[nodiscard]] ext::block_geometry chosen_shape(std::size_t option);

}  // namespace pilfer::detail
