// A deque behind one mutex: the honest baseline of work stealing.
//
// Order      owner LIFO, thieves oldest first.
// Bounds     grows; push says no only when there is no memory.
// Progress   blocking: a thread that is stopped inside holds up all others.
// Sources    the locked queue of the Bamberg thesis (000).
#pragma once

#include <pilfer/ext/locked_ring.hpp>
#include <pilfer/ext/queue_concept.hpp>

namespace pilfer::queue {

template <ext::queue_item T, class Sync = ext::default_sync>
class locked_deque : public ext::two_roles<locked_deque<T, Sync>> {
 public:
  using item_type = T;
  static constexpr ext::queue_traits traits{
      .name = "locked", .order = ext::queue_order::lifo, .bounded = false, .marks = true};

  explicit locked_deque(std::size_t initial_capacity = 64)
      : items_(ext::checked_capacity("locked_deque", initial_capacity, ext::locked_ring<T, Sync>::max_items)) {}

  [[nodiscard]] std::size_t capacity() const noexcept { return items_.capacity(); }
  [[nodiscard]] std::size_t size_hint() const noexcept { return items_.size_hint(); }

 private:
  friend ext::owner_handle<locked_deque>;
  friend ext::thief_handle<locked_deque>;

  [[nodiscard]] bool push(T item) noexcept { return items_.push_back(item); }
  [[nodiscard]] std::optional<T> pop() noexcept { return items_.pop_back(); }
  ext::steal_result<T> steal() noexcept { return items_.steal(); }
  ext::steal_result<T> steal_from(std::uint64_t mark) noexcept { return items_.steal_from(mark); }
  [[nodiscard]] std::uint64_t mark() const noexcept { return items_.end_index(); }
  [[nodiscard]] bool sample(std::uint64_t random) const noexcept { return items_.sample(random); }

  ext::locked_ring<T, Sync> items_;
};

}  // namespace pilfer::queue
