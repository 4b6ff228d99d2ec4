// The limits: a stack and a ring for one thread, as one would write them without any thought of thieves.
//
// Their positions are members and live in memory, as in any object that the compiler cannot see through; the measured loop
// sees to that with a compiler barrier after each operation, for these and for all queues alike. They are pointers: of the
// usual forms with a capacity known at run time that is the fastest (a ring with indices and a mask takes a sixth longer), and
// a limit should be one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <pilfer/ext/queue_concept.hpp>
#include <pilfer/ext/storage.hpp>

namespace pilfer::lab::queues {

template <ext::queue_item T>
class seq_stack {
 public:
  using item_type = T;
  static constexpr ext::queue_traits traits{.name = "seq-stack", .order = ext::queue_order::lifo, .bounded = true};

  explicit seq_stack(std::size_t capacity)
      : entries_(ext::checked_capacity("seq_stack", capacity, SIZE_MAX)),
        begin_(entries_.data()),
        end_(begin_ + capacity),
        top_(begin_) {}

  [[nodiscard]] ext::owner_handle<seq_stack> owner() noexcept { return ext::owner_handle<seq_stack>(*this); }
  [[nodiscard]] std::size_t capacity() const noexcept { return static_cast<std::size_t>(end_ - begin_); }

  [[nodiscard]] bool push(T item) noexcept {
    if (top_ == end_) [[unlikely]]
      return false;
    *top_++ = item;
    return true;
  }
  [[nodiscard]] std::optional<T> pop() noexcept {
    if (top_ == begin_) [[unlikely]]
      return std::nullopt;
    return *--top_;
  }

 private:
  ext::fixed_array<T, ext::native_sync> entries_;
  T* const begin_;
  T* const end_;
  T* top_;  // the first free entry
};

template <ext::queue_item T>
class seq_ring {
 public:
  using item_type = T;
  static constexpr ext::queue_traits traits{.name = "seq-ring", .order = ext::queue_order::fifo, .bounded = true};

  explicit seq_ring(std::size_t capacity)
      : entries_(ext::checked_capacity("seq_ring", capacity, SIZE_MAX - 1) + 1),
        begin_(entries_.data()),
        end_(begin_ + capacity + 1),
        head_(begin_),
        tail_(begin_) {}

  [[nodiscard]] ext::owner_handle<seq_ring> owner() noexcept { return ext::owner_handle<seq_ring>(*this); }
  [[nodiscard]] std::size_t capacity() const noexcept { return static_cast<std::size_t>(end_ - begin_) - 1; }

  [[nodiscard]] bool push(T item) noexcept {
    T* const here = tail_;
    T* const next = after(here);
    if (next == head_) [[unlikely]]
      return false;
    *here = item;
    tail_ = next;
    return true;
  }
  [[nodiscard]] std::optional<T> pop() noexcept {
    T* const here = head_;
    if (here == tail_) [[unlikely]]
      return std::nullopt;
    const T item = *here;
    head_ = after(here);
    return item;
  }

 private:
  [[nodiscard]] T* after(T* position) const noexcept {
    ++position;
    if (position == end_) [[unlikely]]
      return begin_;
    return position;
  }

  ext::fixed_array<T, ext::native_sync> entries_;  // one more than the capacity: full and empty differ
  T* const begin_;
  T* const end_;
  T* head_;  // next to pop
  T* tail_;  // next to push
};

}  // namespace pilfer::lab::queues
