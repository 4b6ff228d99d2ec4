// What a pool has done so far. Counted off the fork path, so it is always on and costs a fork nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <pilfer/pool_options.hpp>

namespace pilfer {

// One figure per level; those that a pool has not are 0.
using level_figures = std::array<std::uint64_t, most_levels>;

// One worker's counts. A steal is counted by the thief, an exposure by who moved the split point.
struct worker_statistics {
  std::uint64_t steals_taken = 0;
  std::uint64_t steals_empty = 0;
  std::uint64_t steals_lost = 0;     // another thread won the race
  std::uint64_t steals_private = 0;  // there was work, but its owner had not exposed it
  std::uint64_t leapfrogged = 0;     // of those taken: at a join, from the thief that is waited for
  std::uint64_t strangers = 0;       // taken at a join and passed on, because they were none of its descendants
  std::uint64_t requests = 0;        // exposures asked for
  std::uint64_t exposed = 0;         // jobs made stealable, by their owner or by a thief that could wait no longer
  std::uint64_t unstolen = 0;        // of those: taken back by their owner
  std::uint64_t signals = 0;         // sent
  std::uint64_t barriers = 0;        // membarrier calls
  std::uint64_t waits = 0;           // joins that found their job stolen and not yet done
  std::uint64_t sleeps_at_joins = 0;
  std::uint64_t late_waits = 0;     // waits with a limit that had to run tasks, for lack of threads
  std::uint64_t ran_strangers = 0;  // tasks that a wait ran although it did not wait for them, for lack of threads
  std::uint64_t parks = 0;
  std::uint64_t wakes = 0;       // of others, by this worker
  std::uint64_t injected = 0;    // jobs taken from the injection queue
  std::uint64_t run_inline = 0;  // forks that found no room in the queue
  std::uint64_t suppressed = 0;  // exceptions that gave way to an earlier one of the same fork_join or group
  std::uint64_t tasks = 0;       // spawned and submitted ones that had their turn here
  std::uint64_t cancelled = 0;   // of those: did not run, because they were to stop
  // With more than one level.
  level_figures steals_of_level{};  // of those taken, forks included
  level_figures tasks_of_level{};   // that had their turn here
  // When this worker last found nothing of that level in the whole pool and turned to another one, or to sleep: nanoseconds since the
  // pool was made. Of several workers, the latest.
  level_figures drained_ns{};
  std::uint64_t inversions = 0;    // with pool_options::count_inversions. docs/guarantees.md has the definition
  std::uint64_t lifted = 0;        // tasks that rose because a more urgent one waits for them
  std::uint64_t aged = 0;          // tasks that rose because they had waited too long
  std::uint64_t gave_way = 0;      // waiting, and another worker took its place to begin a more urgent task
  std::uint64_t io_completed = 0;  // coroutines that went on here after they had waited for I/O
  std::uint64_t io_stolen = 0;     // of those: their completion was another worker's
  // In a counting build alone (detail::counted), so that a fork pays nothing for them; otherwise 0.
  std::uint64_t pushes = 0;
  std::uint64_t pops = 0;    // joins that found their job
  std::uint64_t fences = 0;  // of the queues' operations, this worker's thread's steals included
  std::uint64_t cas = 0;

  worker_statistics& operator+=(const worker_statistics& other) noexcept;
  // Of the attempts to take an item that was there, the share that another thread won: failed CAS.
  [[nodiscard]] double lost_share() const noexcept;
  // Attempts per steal that succeeded; 0: none did.
  [[nodiscard]] double stealing_effort() const noexcept;
};

struct pool_statistics {
  std::string scheduler;
  unsigned levels = 1;
  std::size_t workers = 0;          // places: so many threads work at a time
  std::size_t threads = 0;          // that the pool has made, spare ones included
  std::size_t threads_missing = 0;  // attempts to create one that failed
  // With pool_options::max_pending; otherwise 0.
  std::size_t pending = 0;        // tasks that have not begun
  std::uint64_t blocked = 0;      // callers that slept until there was room for a task
  std::uint64_t ran_at_once = 0;  // tasks for which there was no room, and that their caller ran
  std::uint64_t refused = 0;
  std::vector<worker_statistics> of_worker;
  [[nodiscard]] worker_statistics total() const noexcept;
};

}  // namespace pilfer
