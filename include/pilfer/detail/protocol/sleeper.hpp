// Where a thread sleeps until another one has called it.
//
// State        writer                reader        meaning
//   awake_     the caller, sleeper   the sleeper   1: it was called
//
// Invariants
//   I1  One call at a time: the next one comes after the sleeper has taken the last.
//
// Edges
//   awake     wake: store of awake_   -> sleep: load of awake_   what the caller did before is visible
//
// Sources    ours.
#pragma once

#include <chrono>
#include <cstdint>

#include <pilfer/ext/sync.hpp>

namespace pilfer::detail {

struct sleeper_orders {
  static constexpr ext::edge awake{};
  static constexpr auto relaxed = std::memory_order_relaxed;
};

// It outlives whatever its thread waits for.
template <class Sync, class Orders = sleeper_orders>
class alignas(64) sleeper {
 public:
  void wake() noexcept {
    awake_.store(1, Orders::awake.rel);
    Sync::futex_wake(awake_, 1);
  }
  // Returns when wake() was called, once per call.
  void sleep() noexcept {
    while (awake_.load(Orders::awake.acq) == 0) Sync::futex_wait(awake_, 0);
    awake_.store(0, Orders::relaxed);  // own variable until the next call
  }
  // Sleeps once, at most so long if the limit is not negative. True: wake() was called; that call is taken.
  [[nodiscard]] bool sleep_once(std::chrono::nanoseconds limit) noexcept {
    if (awake_.load(Orders::awake.acq) == 0) static_cast<void>(Sync::futex_wait(awake_, 0, limit));
    if (awake_.load(Orders::awake.acq) == 0) return false;
    awake_.store(0, Orders::relaxed);  // own variable until the next call
    return true;
  }

 private:
  typename Sync::template atomic<std::uint32_t> awake_{0, "awake"};
};

}  // namespace pilfer::detail
