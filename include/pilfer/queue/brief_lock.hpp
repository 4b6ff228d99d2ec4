// A lock that is held for some instructions and no longer: taking it is one exchange, giving it back a store.
//
// State        writer   reader   meaning
//   word_      all      all      1: it is taken
//
// Invariants
//   I1  The thread whose exchange has found 0 is alone under the lock until its store.
//
// Edges
//   guard      unlock: store of word_ -> try_lock: exchange of word_   what was done under the lock is visible
//
// Sources    test and test-and-set: Rudolph and Segall 1984. Checked as a part of the queue `fork`.
#pragma once

#include <chrono>
#include <cstdint>

#include <pilfer/ext/immovable.hpp>
#include <pilfer/ext/sync.hpp>

namespace pilfer::queue {

struct brief_lock_orders {
  static constexpr ext::edge guard{};
  static constexpr auto relaxed = std::memory_order_relaxed;
};

template <class Sync, class Orders = brief_lock_orders>
class brief_lock : ext::immovable {
 public:
  [[nodiscard]] bool try_lock() noexcept {
    return word_.load(Orders::relaxed) == 0 && word_.exchange(1, Orders::guard.acq) == 0;  // hint: a waiter only reads
  }
  void lock() noexcept {
    while (!try_lock()) Sync::pause();
  }
  void unlock() noexcept { word_.store(0, Orders::guard.rel); }
  // By a thread that has tried for long: its holder may need this processor. No thread wakes it.
  void rest(std::chrono::nanoseconds limit) noexcept { static_cast<void>(Sync::futex_wait(word_, 1, limit)); }

 private:
  typename Sync::template atomic<std::uint32_t> word_{0, "lock"};
};

}  // namespace pilfer::queue
