// An event count: consumers sleep when there is no work, producers wake them; and five ways to lose a wake-up.
//
//   producer   publish work, fence, read waiters; if there are any: bump epoch, wake one
//   consumer   read epoch, register in waiters, fence, look for work again, sleep while epoch is what it was
//
// The fences make sure that not both miss the other: the producer a waiter, the consumer the work. The epoch, read
// before that second look, makes sure that a wake-up between the look and the sleep is not lost.
//
// Fault                 what is wrong                                  what happens: a consumer sleeps beside work
//   no_producer_fence   no fence between work and waiters              the producer's read of waiters comes first
//   no_consumer_fence   no fence between waiters and work              the consumer's look at work comes first
//   epoch_read_late     epoch is read after the second look            the wake-up came between the two
//   waiters_read_early  waiters is read before work is published       under sequential consistency already
//   hint_cleared        consumers believe a hint "there is work", and  it was set for work that was published between
//                       clear it when they find none                   their look and their clearing
//
// Sources    CHECKER.md, "Seeded faults" (hint_cleared: "dispenso/TooManyCooks class"); STYLE.md, section 6.
#pragma once

#include <cstdint>

#include <pilfer/ext/sync.hpp>

namespace pilfer::model::faulty {

enum class event_count_fault : std::uint8_t {
  none,
  no_producer_fence,
  no_consumer_fence,
  epoch_read_late,
  waiters_read_early,
  hint_cleared,
};

template <class Sync, event_count_fault Fault = event_count_fault::none>
class event_count {
  using word = typename Sync::template atomic<std::uint32_t>;
  using enum event_count_fault;

 public:
  event_count() = default;
  event_count(const event_count&) = delete;
  event_count& operator=(const event_count&) = delete;

  // Adds one unit of work.
  void produce() noexcept {
    std::uint32_t waiting = 0;
    if constexpr (Fault == waiters_read_early)
      waiting = waiters_.load(std::memory_order_relaxed);  // FAULT waiters_read_early
    work_.fetch_add(1, std::memory_order_release);
    if constexpr (Fault == hint_cleared) {
      if (hint_.load(std::memory_order_relaxed) == 0) hint_.store(1, std::memory_order_release);
    }
    if constexpr (Fault != no_producer_fence) Sync::fence(std::memory_order_seq_cst);  // FAULT no_producer_fence
    if constexpr (Fault != waiters_read_early) waiting = waiters_.load(std::memory_order_relaxed);
    if (waiting == 0) return;
    epoch_.fetch_add(1, std::memory_order_release);
    Sync::futex_wake(epoch_, 1);
  }

  // Returns when it has taken one unit of work; sleeps while there is none.
  void consume() noexcept {
    while (!try_take()) {
      std::uint32_t epoch = 0;
      if constexpr (Fault != epoch_read_late) epoch = epoch_.load(std::memory_order_acquire);
      waiters_.fetch_add(1, std::memory_order_relaxed);
      if constexpr (Fault != no_consumer_fence) Sync::fence(std::memory_order_seq_cst);  // FAULT no_consumer_fence
      if (!sees_work()) {
        if constexpr (Fault == epoch_read_late)
          epoch = epoch_.load(std::memory_order_acquire);  // FAULT epoch_read_late
        Sync::futex_wait(epoch_, epoch);
      }
      waiters_.fetch_add(~std::uint32_t{0}, std::memory_order_relaxed);  // one less
    }
  }

 private:
  [[nodiscard]] bool sees_work() const noexcept {
    if constexpr (Fault == hint_cleared) return hint_.load(std::memory_order_acquire) != 0;
    return work_.load(std::memory_order_acquire) != 0;
  }

  [[nodiscard]] bool try_take() noexcept {
    if constexpr (Fault == hint_cleared) {
      if (!sees_work()) return false;
    }
    std::uint32_t units = work_.load(std::memory_order_relaxed);
    while (units != 0) {
      if (work_.compare_exchange(units, units - 1, std::memory_order_acquire, std::memory_order_relaxed)) return true;
    }
    if constexpr (Fault == hint_cleared) hint_.store(0, std::memory_order_relaxed);  // FAULT hint_cleared
    return false;
  }

  word work_{0, "work"};
  word waiters_{0, "waiters"};
  word epoch_{0, "epoch"};
  word hint_{0, "hint"};
};

}  // namespace pilfer::model::faulty
