// Timers by deadline: a pairing heap whose links are in the timers themselves. No allocation; adding is O(1), removing any of them
// O(log n) amortised. Timers of the same deadline come out in the order in which they were added.
//
// Sources   M. Fredman, R. Sedgewick, D. Sleator, R. Tarjan, The pairing heap: a new form of self-adjusting heap (1986).
#pragma once

#include <chrono>
#include <cstdint>
#include <utility>

namespace pilfer::detail {

class timer_heap {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  class entry {
   public:
    [[nodiscard]] time_point when() const noexcept { return when_; }

   protected:
    explicit entry(time_point when) noexcept : when_(when) {}
    ~entry() = default;

   private:
    friend class timer_heap;
    [[nodiscard]] bool is_before(const entry& other) const noexcept {
      return when_ != other.when_ ? when_ < other.when_ : turn_ < other.turn_;
    }

    time_point when_;
    std::uint64_t turn_ = 0;  // of its coming
    entry* child_ = nullptr;  // the first; none is earlier than this one
    entry* next_ = nullptr;   // the parent's next child
    entry* back_ = nullptr;   // the parent's child before; of the first child, the parent
  };

  [[nodiscard]] bool is_empty() const noexcept { return root_ == nullptr; }
  // The earliest; null: none.
  [[nodiscard]] entry* front() const noexcept { return root_; }

  void add(entry& fresh) noexcept {
    fresh.child_ = fresh.next_ = fresh.back_ = nullptr;
    fresh.turn_ = turns_++;
    root_ = root_ == nullptr ? &fresh : meld(root_, &fresh);
  }
  // One that is in here.
  void remove(entry& one) noexcept {
    entry* const orphans = merge(one.child_);
    if (&one == root_) {
      root_ = orphans;
      return;
    }
    (one.back_->child_ == &one ? one.back_->child_ : one.back_->next_) = one.next_;
    if (one.next_ != nullptr) one.next_->back_ = one.back_;
    if (orphans != nullptr) root_ = meld(root_, orphans);
  }

 private:
  // Of two roots, the earlier one, with the other as its first child.
  static entry* meld(entry* a, entry* b) noexcept {
    if (b->is_before(*a)) std::swap(a, b);
    b->back_ = a;
    b->next_ = a->child_;
    if (a->child_ != nullptr) a->child_->back_ = b;
    a->child_ = b;
    return a;
  }
  // Siblings become one heap: neighbours first, then these, from the last to the first.
  static entry* merge(entry* siblings) noexcept {
    entry* pairs = nullptr;
    while (siblings != nullptr) {
      entry* one = std::exchange(siblings, siblings->next_);
      one->next_ = one->back_ = nullptr;
      if (siblings != nullptr) {
        entry* const other = std::exchange(siblings, siblings->next_);
        other->next_ = other->back_ = nullptr;
        one = meld(one, other);
      }
      one->next_ = std::exchange(pairs, one);
    }
    entry* all = nullptr;
    while (pairs != nullptr) {
      entry* const one = std::exchange(pairs, pairs->next_);
      one->next_ = nullptr;
      all = all == nullptr ? one : meld(all, one);
    }
    return all;
  }

  entry* root_ = nullptr;
  std::uint64_t turns_ = 0;
};

}  // namespace pilfer::detail
