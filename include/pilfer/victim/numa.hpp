// Near ones first: the workers of the thief's cache group, then those of its NUMA node, then the far ones.
//
// 001 says only that the policy tends to steal within the local cache domain; it gives no ratio. Ours:
//   - The thief is at one ring, the nearest that is not empty to begin with, and takes any worker of it with equal chance.
//   - As many failures in a row as the ring has workers, and it goes on to the next ring; after the farthest, to the nearest.
//   - Loot brings it back to the nearest ring.
//   - One choice in anywhere_one_in is made among all workers. So everybody is robbed sometimes, even when the near ones
//     always have a little, and even when the scheduler tells the policy nothing.
// Without groups all workers are one ring, and this is `rand`.
// Sources: 001, 2.1.3 and 6.2.3, `numa`.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include <pilfer/ext/victim_policy.hpp>

namespace pilfer::victim {

class numa_victim : public ext::random_policy {
 public:
  static constexpr std::string_view name = "numa";
  static constexpr std::size_t anywhere_one_in = 8;  // not measured yet

  explicit numa_victim(const victim_setup& setup) : random_policy(setup), groups_(setup.groups) { arrange(); }

  template <class View>
  [[nodiscard]] std::size_t choose(View&& /*view*/) noexcept {
    if (by_distance_.empty()) return npos;
    if (random_.one_in(anywhere_one_in)) return others_.pick(random_);
    return by_distance_[ends_[ring_] + random_.below(ring_size(ring_))];
  }
  void stole(std::size_t /*victim*/) noexcept { go_to(nearest()); }
  void failed(std::size_t /*victim*/) noexcept {
    if (!by_distance_.empty() && ++misses_ >= ring_size(ring_)) go_to(after(ring_));
  }
  void resize(std::size_t workers) {
    others_.resize(workers);
    arrange();
  }

 private:
  static constexpr std::size_t rings = ext::nearness_count;

  void arrange() {
    by_distance_.clear();
    by_distance_.reserve(others_.count());
    for (std::size_t ring = 0; ring < rings; ++ring) {
      for (std::size_t place = 0; place < others_.count(); ++place) {
        const std::size_t worker = others_.at(place);
        if (ring_of(worker) == ring) by_distance_.push_back(worker);
      }
      ends_[ring + 1] = by_distance_.size();
    }
    go_to(nearest());
  }
  [[nodiscard]] std::size_t ring_of(std::size_t worker) const noexcept {
    return static_cast<std::size_t>(groups_ == nullptr ? ext::nearness::far : groups_->between(others_.self(), worker));
  }
  [[nodiscard]] std::size_t ring_size(std::size_t ring) const noexcept { return ends_[ring + 1] - ends_[ring]; }
  void go_to(std::size_t ring) noexcept {
    ring_ = ring;
    misses_ = 0;
  }
  [[nodiscard]] std::size_t nearest() const noexcept { return after(rings - 1); }
  // The next ring with somebody in it, or `ring` itself.
  [[nodiscard]] std::size_t after(std::size_t ring) const noexcept {
    for (std::size_t step = 1; step < rings; ++step) {
      if (ring_size((ring + step) % rings) != 0) return (ring + step) % rings;
    }
    return ring;
  }

  const ext::machine_groups* groups_;
  std::vector<std::size_t> by_distance_;
  std::array<std::size_t, rings + 1> ends_{};  // ring r is by_distance_[ends_[r]] .. by_distance_[ends_[r + 1] - 1]
  std::size_t ring_ = 0;
  std::size_t misses_ = 0;  // in a row, at this ring
};

}  // namespace pilfer::victim
