// Carries what a Sync counts per thread into the statistics of a worker. Nothing at all, unless it counts.
#pragma once

#include <pilfer/ext/counting_sync.hpp>

#include "src/runtime/worker.hpp"

namespace pilfer::research {

using detail::worker_counters;

template <class Sync>
class tally {
 public:
  static void begin() noexcept {}
  static void carry(worker_counters& /*to*/) noexcept {}
  static void pushed(worker_counters& /*to*/) noexcept {}
  static void popped(worker_counters& /*to*/) noexcept {}
};

// All by the lane's owner.
template <>
class tally<ext::counting_sync> {
 public:
  void begin() noexcept { seen_ = ext::counting_sync::counts(); }
  // What the thread has done since begin, or since the last time.
  void carry(worker_counters& to) noexcept {
    const ext::operation_counts now = ext::counting_sync::counts();
    to.fences.add(now.fences - seen_.fences);
    to.cas.add(now.cas - seen_.cas);
    seen_ = now;
  }
  static void pushed(worker_counters& to) noexcept { to.pushes.add(); }
  static void popped(worker_counters& to) noexcept { to.pops.add(); }

 private:
  ext::operation_counts seen_;
};

}  // namespace pilfer::research
