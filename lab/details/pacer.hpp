// Evenly in time, so many times as often as somebody else: for one who disturbs at a given frequency.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace pilfer::lab::details {

// The other says only now and then how far it is. In between its pace is assumed to go on, for one more such step at most.
class pacer {
 public:
  explicit pacer(double share) noexcept : share_(share), changed_(clock::now()) {}

  // Is it time for another, after `acted` of them? `published`: the last that the other said.
  [[nodiscard]] bool due(std::uint64_t published, std::uint64_t acted) noexcept {
    const clock::time_point now = clock::now();
    const double since = std::chrono::duration<double, std::nano>(now - changed_).count();
    if (published != last_) {
      step_ = static_cast<double>(published - last_);
      per_ns_ = since > 0 ? step_ / since : 0;
      last_ = published;
      changed_ = now;
      return static_cast<double>(acted) < share_ * static_cast<double>(published);
    }
    const double about = static_cast<double>(last_) + std::min(step_, per_ns_ * since);
    return static_cast<double>(acted) < share_ * about;
  }

 private:
  using clock = std::chrono::steady_clock;
  double share_;
  clock::time_point changed_;
  std::uint64_t last_ = 0;
  double step_ = 0;
  double per_ns_ = 0;
};

}  // namespace pilfer::lab::details
