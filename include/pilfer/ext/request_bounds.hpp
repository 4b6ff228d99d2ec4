// The bounds of the memory that an owner works in, which a thief can take away to make the owner look up.
//
// push compares its pointer with `high`, pop with `low`: comparisons that a plain stack makes too. A thief that wants
// something replaces both by bounds that no pointer is within, so the owner's next push or pop takes its slow path;
// until then a request costs the owner nothing.
//
// State        writer           reader   meaning
//   high_      owner, thieves   owner    a push below it has room; 0: look up
//   low_       owner, thieves   owner    a pop above it finds an item; the largest address: look up
//
// The words are hints. The owner alone writes true bounds, always before its next fast operation, so a fast operation
// is within them; whether there is room or an item is decided by what is private to the owner. A request that the owner
// overwrites unseen is lost, which only delays: the next failed steal asks again. On a line of its own: a thief that
// polls a word on the owner's line costs the owner more than everything else (measured: 70 %).
#pragma once

#include <cstdint>

#include <pilfer/ext/sync.hpp>

namespace pilfer::ext {

template <class Sync>
class alignas(isolation_bytes) request_bounds {
 public:
  [[nodiscard]] bool has_room(const void* at) const noexcept { return address(at) < high_.load(hint); }
  [[nodiscard]] bool has_item(const void* at) const noexcept { return address(at) > low_.load(hint); }

  // The same for a pointer that was lowered already.
  [[nodiscard]] bool holds(const void* at) const noexcept { return address(at) >= low_.load(hint); }

  // Is a look wanted, by a thief or by the owner itself?
  [[nodiscard]] bool are_gone() const noexcept { return high_.load(hint) == 0 || low_.load(hint) == never; }

  void set(const void* low, const void* high) noexcept {
    low_.store(address(low), hint);
    high_.store(address(high), hint);
  }
  // The same; true if a request was there, which is thereby taken.
  [[nodiscard]] bool exchange(const void* low, const void* high) noexcept {
    low_.store(address(low), hint);
    return high_.exchange(address(high), hint) == 0;
  }
  void remove() noexcept {
    high_.store(0, hint);
    low_.store(never, hint);
  }
  // By a thief: spares the line when the bounds are gone already.
  void request() noexcept {
    if (high_.load(hint) != 0) remove();
  }

 private:
  static constexpr auto hint = std::memory_order_relaxed;
  static constexpr std::uintptr_t never = ~std::uintptr_t{0};
  [[nodiscard]] static std::uintptr_t address(const void* p) noexcept { return reinterpret_cast<std::uintptr_t>(p); }

  typename Sync::template atomic<std::uintptr_t> high_{0, "high"};
  typename Sync::template atomic<std::uintptr_t> low_{never, "low"};
};

}  // namespace pilfer::ext
