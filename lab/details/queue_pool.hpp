// A pool of queues whose owners fill, empty, and then rob each other: 001's third microbenchmark (6.2.3).
//
// With fewer threads than queues a thread plays the owners of several: it fills all of them; then, for each, it empties it and
// steals in its owner's name. With as many threads as queues that is 001's loop.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <pilfer/ext/machine_groups.hpp>

#include "lab/queues/measured_queue.hpp"

namespace pilfer::lab::details {

inline constexpr std::size_t pool_queues = 8;

struct pool_plan {
  std::string_view policy;  // by name, as pool_options::victim has it
  double balancing = 0;     // k: attempts to steal in each round, over the capacity of a queue
  std::size_t threads = 1;
  std::chrono::steady_clock::time_point deadline;
  const ext::machine_groups* groups = nullptr;  // of the queues' owners
};

// Of one thread.
struct pool_work {
  queues::tally pushed;
  queues::tally popped;
  queues::tally stolen;
  std::uint64_t attempts = 0;
  double ns = 0;  // that it worked

  [[nodiscard]] std::uint64_t operations() const noexcept { return pushed.count + popped.count + stolen.count; }
};

class queue_pool {
 public:
  queue_pool() = default;
  virtual ~queue_pool() = default;
  queue_pool(const queue_pool&) = delete;
  queue_pool& operator=(const queue_pool&) = delete;

  // Whole rounds until the deadline, at least one. `thread` is below plan.threads; each is called in a thread of its own.
  virtual pool_work work(std::size_t thread, const pool_plan& plan) = 0;
  // What is left when nobody works.
  virtual queues::tally drain() = 0;
};

struct pool_kind {
  std::string name;
  std::string baseline;     // the sequential structure it is compared with
  bool sequential = false;  // cannot be robbed: for k = 0 only
  std::function<std::unique_ptr<queue_pool>(const queues::geometry&)> make;
};

// seq-stack, seq-ring, abp, chase-lev, bwos-lifo, bwos-fifo.
[[nodiscard]] const std::vector<pool_kind>& pool_kinds();

// Names of all policies, each also with "probabilistic-" before it.
[[nodiscard]] std::vector<std::string_view> pool_policies();

}  // namespace pilfer::lab::details
