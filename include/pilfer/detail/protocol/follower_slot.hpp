// What is to happen when a task has ended, beside that the threads wake up that sleep until then: one follower at a time.
//
// State        writer             reader   meaning
//   word_      all                all      quiet -> watched -> told, or quiet -> told
//   slot_      under the guard    same     the follower; null: none
//
// The guard is a mutex of whatever has the slot. One thread at a time asks to follow: the one that has the task's future.
//
// Invariants
//   I1  A follower that was put into the slot is served once, or has stepped out and is not served.
//   I2  The teller touches the slot only if it was watched. A task that no thread has asked to follow costs one exchange.
//
// Reason   watch() and put() are called under one hold of the guard. If the exchange of tell() comes before the CAS of watch(), the follower
//          is told so, and is not put. If it comes after that, the teller takes the guard, which is free only when the follower is in the slot.
//
// Edges
//   result    tell: exchange of word_ -> watch: CAS of word_   what the task has written is visible to a thread that comes too late to follow
//
// Sources    ours.
#pragma once

#include <cstdint>

#include <pilfer/ext/sync.hpp>

namespace pilfer::detail {

struct follower_orders {
  static constexpr ext::edge result{};
  static constexpr auto relaxed = std::memory_order_relaxed;
};

template <class Sync, class Follower, class Orders = follower_orders>
class follower_slot {
 public:
  // Once, by the thread that has ended the task. Returns true if the caller is to take() under the guard.
  [[nodiscard]] bool tell() noexcept { return word_.exchange(told, Orders::result.rel) == watched; }

  // These under the guard. Returns false if the task has ended.
  [[nodiscard]] bool watch() noexcept {
    std::uint32_t now = quiet;
    return word_.compare_exchange(now, watched, Orders::relaxed, Orders::result.acq) ||
           now != told;  // carried by the guard
  }
  // After watch().
  void put(Follower& next) noexcept { slot_.set(&next); }
  void step_out() noexcept { slot_.set(nullptr); }
  // Null: none, or it has stepped out.
  [[nodiscard]] Follower* take() noexcept {
    Follower* const found = slot_.get();
    slot_.set(nullptr);
    return found;
  }

 private:
  static constexpr std::uint32_t quiet = 0;
  static constexpr std::uint32_t watched = 1;
  static constexpr std::uint32_t told = 2;

  typename Sync::template atomic<std::uint32_t> word_{quiet, "followed"};
  typename Sync::template cell<Follower*> slot_;
};

}  // namespace pilfer::detail
