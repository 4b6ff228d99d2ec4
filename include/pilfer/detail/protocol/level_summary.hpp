// Which worker has something at which level, for those who look for urgent work: thieves read two bytes per worker instead of asking
// each of its queues.
//
// Each worker writes its own entry alone, so a change is one store. It shows a level before it puts a task into that level's queue, and
// hides it after it has found that queue empty; in between nothing is written, however many tasks come and go. What it has forked
// cannot be seen here, because a fork writes nothing but itself: the second byte says at which levels it runs.
//
// Events   O1 show level   O2 push   |   T1 learn of O2, or of what came after it, over an edge   T2 read the entry
// Claim    T2 finds the level hidden: then the task has left that queue. (Shown says nothing: look there.)
// Reason   T2 reads O1's store or a later one. A later one that hides it was made after the owner had found the queue empty. O1 comes
//          first because a push tells of itself: it wakes sleepers.
//
// State        writer   reader   meaning
//   shown_     owner    all      bits 0-7: levels whose queue of tasks may hold some; bits 8-15: levels of the tasks it is in
//
// Invariants
//   I1  While a task lies in a queue, its level is shown.
//   I2  Only the owner pushes into its queues, so what it has found empty stays empty until it shows the level again.
//
// Edges
//   none: an entry is a hint where to look, and carries nothing. What is found there, the queue's own edges carry.
//
// Sources    003 asks every queue of every worker; bits that only their owner writes: ours.
#pragma once

#include <bit>
#include <cstdint>

#include <pilfer/ext/sync.hpp>

namespace pilfer::detail {

struct level_orders {
  static constexpr auto relaxed = std::memory_order_relaxed;
};

// Levels as bits. Iterates from the most urgent one on.
class level_set {
 public:
  class iterator {
   public:
    constexpr explicit iterator(std::uint32_t left) noexcept : left_(left) {}
    constexpr unsigned operator*() const noexcept { return static_cast<unsigned>(std::countr_zero(left_)); }
    constexpr iterator& operator++() noexcept {
      left_ &= left_ - 1;
      return *this;
    }
    friend constexpr bool operator==(iterator, iterator) noexcept = default;

   private:
    std::uint32_t left_;
  };

  constexpr level_set() noexcept = default;
  constexpr explicit level_set(std::uint32_t bits) noexcept : bits_(bits) {}
  [[nodiscard]] static constexpr level_set of(unsigned level) noexcept { return level_set(1U << level); }
  // Those more urgent than `level`.
  [[nodiscard]] static constexpr level_set above(unsigned level) noexcept { return level_set((1U << level) - 1); }
  [[nodiscard]] constexpr bool has(unsigned level) const noexcept { return ((bits_ >> level) & 1U) != 0; }
  [[nodiscard]] constexpr bool empty() const noexcept { return bits_ == 0; }
  [[nodiscard]] constexpr std::uint32_t bits() const noexcept { return bits_; }
  [[nodiscard]] constexpr level_set without(unsigned level) const noexcept { return level_set(bits_ & ~(1U << level)); }
  [[nodiscard]] constexpr unsigned first() const noexcept { return *begin(); }  // requires that it is not empty
  [[nodiscard]] constexpr iterator begin() const noexcept { return iterator(bits_); }
  [[nodiscard]] constexpr iterator end() const noexcept { return iterator(0); }
  constexpr level_set& operator|=(level_set other) noexcept {
    bits_ |= other.bits_;
    return *this;
  }
  friend constexpr level_set operator|(level_set a, level_set b) noexcept { return level_set(a.bits_ | b.bits_); }
  friend constexpr level_set operator&(level_set a, level_set b) noexcept { return level_set(a.bits_ & b.bits_); }

 private:
  std::uint32_t bits_ = 0;
};

template <class Sync, class Orders = level_orders>
class level_entry {
 public:
  struct view {
    level_set tasks;
    level_set forks;
    [[nodiscard]] constexpr level_set all() const noexcept { return tasks | forks; }
  };
  [[nodiscard]] view load() const noexcept {
    const std::uint32_t now = shown_.load(Orders::relaxed);  // hint: the claim above needs no more
    return {.tasks = level_set(now & 0xffU), .forks = level_set(now >> 8U)};
  }

  // The owner's side: it remembers what it has written.
  class writer {
   public:
    writer() noexcept = default;  // of nothing: not to be used
    explicit writer(level_entry& mine) noexcept : mine_(&mine) {}
    // Before a push.
    void show(unsigned level) noexcept { set(mask_ | (1U << level)); }
    // After that level's queue was found empty.
    void hide(unsigned level) noexcept { set(mask_ & ~(1U << level)); }
    [[nodiscard]] level_set tasks() const noexcept { return level_set(mask_ & 0xffU); }
    // The levels of the tasks it is in.
    void run(level_set levels) noexcept { set((mask_ & 0xffU) | (levels.bits() << 8U)); }
    [[nodiscard]] level_set running() const noexcept { return level_set(mask_ >> 8U); }

   private:
    void set(std::uint32_t mask) noexcept {
      if (mask == mask_) return;
      mask_ = mask;
      mine_->shown_.store(static_cast<std::uint16_t>(mask), Orders::relaxed);  // the claim above needs no more
    }
    level_entry* mine_ = nullptr;
    std::uint32_t mask_ = 0;
  };

 private:
  typename Sync::template atomic<std::uint16_t> shown_{0, "shown"};
};

}  // namespace pilfer::detail
