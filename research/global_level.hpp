// priority_rule::global, 003's earlier design: one level for all workers. None waits until the others have finished their tasks of the
// level: a worker that finds none moves the level on.
#pragma once

#include <utility>

#include "research/job_lane.hpp"
#include "src/runtime/level_search.hpp"

namespace pilfer::research {

class global_level final : public detail::level_search, public detail::level_observer {
  using orders = detail::level_orders;

 public:
  global_level(neighbours told, unsigned levels) : level_search(std::move(told), levels, priority_rule::global) {}

  [[nodiscard]] job* find(worker& self, bool own_too) noexcept override {
    for (unsigned round = 0; round < levels(); ++round) {
      unsigned now = level_.load(orders::relaxed);  // rechecked by the CAS
      if (job* const found = find_at(self, now, all(), own_too)) {
        sink_to(self, now);
        return found;
      }
      level_.compare_exchange(now, (now + 1) % levels(), orders::relaxed,
                              orders::relaxed);  // failure: another moved it
    }
    return nullptr;
  }

  void before_push(const detail::worker_face* /*to*/, unsigned /*level*/) noexcept override {}
  void after_push(const detail::worker_face* /*to*/, unsigned level, bool /*pushed*/) noexcept override {
    unsigned now = level_.load(orders::relaxed);  // rechecked by the CAS
    while (now > level && !level_.compare_exchange(now, level, orders::relaxed, orders::relaxed)) {  // failure: again
    }
  }

 private:
  ext::default_sync::atomic<unsigned> level_{0};
};

}  // namespace pilfer::research
