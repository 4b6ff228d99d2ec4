// What thieves remember of a victim: whether the last one that looked left something behind.
//
// A queue whose only measure of fullness is the word its owner writes all the time cannot be probed without disturbing
// the owner. So thieves note what they saw, on a line of their own, and a probe reads the note. A note can be old: one
// probe in eight says "go and look" whatever it holds, and that look renews it.
#pragma once

#include <cstdint>

#include <pilfer/ext/sync.hpp>

namespace pilfer::ext {

template <class Sync>
class last_look {
 public:
  void note(bool something_left) noexcept {
    const std::uint32_t now = something_left ? 1 : 0;
    if (seen_.load(hint) != now) seen_.store(now, hint);  // spare the line when nothing changes
  }
  [[nodiscard]] bool sample(std::uint64_t random) const noexcept { return seen_.load(hint) != 0 || random % 8 == 0; }

 private:
  static constexpr auto hint = std::memory_order_relaxed;  // a wrong answer costs a probe, never an item
  typename Sync::template atomic<std::uint32_t> seen_{1, "seen"};
};

}  // namespace pilfer::ext
