// One FIFO for everybody, behind one mutex: the baseline that every work-stealing queue must beat.
//
// Any number of threads may hold an owner handle of this queue, and of this queue alone.
//
// Order      FIFO for owners and thieves alike.
// Bounds     grows; push says no only when there is no memory.
// Progress   blocking.
// Sources    global queue scheduling in the Bamberg thesis (000, section 2.4.1).
#pragma once

#include <pilfer/ext/locked_ring.hpp>
#include <pilfer/ext/queue_concept.hpp>

namespace pilfer::queue {

template <ext::queue_item T, class Sync = ext::default_sync>
class global_queue : public ext::two_roles<global_queue<T, Sync>> {
 public:
  using item_type = T;
  static constexpr ext::queue_traits traits{.name = "global", .order = ext::queue_order::fifo, .bounded = false};

  explicit global_queue(std::size_t initial_capacity = 64)
      : items_(ext::checked_capacity("global_queue", initial_capacity, ext::locked_ring<T, Sync>::max_items)) {}

  [[nodiscard]] std::size_t capacity() const noexcept { return items_.capacity(); }
  [[nodiscard]] std::size_t size_hint() const noexcept { return items_.size_hint(); }

 private:
  friend ext::owner_handle<global_queue>;
  friend ext::thief_handle<global_queue>;

  [[nodiscard]] bool push(T item) noexcept { return items_.push_back(item); }
  [[nodiscard]] std::optional<T> pop() noexcept { return items_.pop_front(); }
  ext::steal_result<T> steal() noexcept { return items_.steal(); }
  [[nodiscard]] bool sample(std::uint64_t random) const noexcept { return items_.sample(random); }

  ext::locked_ring<T, Sync> items_;
};

}  // namespace pilfer::queue
