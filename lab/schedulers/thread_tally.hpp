// Sums what counting_sync counts per thread over the threads of a pool.
#pragma once

#include <functional>

#include "lab/schedulers/session.hpp"

namespace pilfer::lab::schedulers {

class thread_tally {
 public:
  // From now on this thread's counts are part of every sum, also after its end.
  static void know_this_thread() noexcept;

  // What was counted while `work` ran, by this thread and by known threads that ended meanwhile: a pool must be made and
  // destroyed inside. One call at a time.
  [[nodiscard]] static synchronization of(const std::function<void()>& work);
};

}  // namespace pilfer::lab::schedulers
