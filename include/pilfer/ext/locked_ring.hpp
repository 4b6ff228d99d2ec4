// A growing ring behind one mutex: the common part of the queues that lock.
//
// State        writer         reader         meaning
//   ring_      who locks      who locks      items, oldest at first_
//   first_     who locks      who locks      position of the oldest item, below the ring's length
//   size_      who locks      all            number of items; read without the lock only as a hint
//   gone_      who locks      who locks      how many items have left at the front: the index of the oldest
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include <pilfer/ext/item.hpp>
#include <pilfer/ext/last_look.hpp>
#include <pilfer/ext/steal_result.hpp>
#include <pilfer/ext/storage.hpp>

namespace pilfer::ext {

template <queue_item T, class Sync>
class locked_ring {
  using cell = typename Sync::template cell<T>;

 public:
  static constexpr std::size_t max_items = std::size_t{1} << 40;

  explicit locked_ring(std::size_t capacity) : ring_(allocate(capacity)), capacity_(capacity) {
    if (ring_ == nullptr) out_of_memory();
  }
  ~locked_ring() { release(ring_, capacity_); }

  [[nodiscard]] bool push_back(T item) noexcept {
    const std::lock_guard lock(mutex_);
    const std::size_t n = size();
    if (n == capacity_ && !grow()) return false;
    ring_[place(n)].set(item);
    set_size(n + 1);
    return true;
  }
  [[nodiscard]] std::optional<T> pop_back() noexcept {
    const std::lock_guard lock(mutex_);
    const std::size_t n = size();
    if (n == 0) return std::nullopt;
    set_size(n - 1);
    return ring_[place(n - 1)].get();
  }
  [[nodiscard]] std::optional<T> pop_front() noexcept {
    const std::lock_guard lock(mutex_);
    const std::size_t n = size();
    if (n == 0) return std::nullopt;
    return take_front(n);
  }
  // For a thief, which leaves a note for other thieves of what remains.
  steal_result<T> steal() noexcept {
    const std::lock_guard lock(mutex_);
    const std::size_t n = size();
    look_.note(n > 1);
    return n == 0 ? steal_status::empty : steal_result<T>::of(take_front(n));
  }
  // The same; nothing if the oldest item's index is below `index`.
  steal_result<T> steal_from(std::uint64_t index) noexcept {
    const std::lock_guard lock(mutex_);
    const std::size_t n = size();
    if (n == 0 || gone_ < index) return steal_status::empty;
    look_.note(n > 1);
    return steal_result<T>::of(take_front(n));
  }
  // The index of the next item at the back.
  [[nodiscard]] std::uint64_t end_index() const noexcept {
    const std::lock_guard lock(mutex_);
    return gone_ + size();
  }
  [[nodiscard]] std::size_t size_hint() const noexcept { return size(); }
  [[nodiscard]] bool sample(std::uint64_t random) const noexcept { return look_.sample(random); }
  [[nodiscard]] std::size_t capacity() const noexcept {
    const std::lock_guard lock(mutex_);
    return capacity_;
  }

 private:
  [[nodiscard]] std::size_t size() const noexcept { return size_.load(std::memory_order_relaxed); }
  void set_size(std::size_t n) noexcept { size_.store(n, std::memory_order_relaxed); }
  [[nodiscard]] T take_front(std::size_t n) noexcept {
    const T item = ring_[first_].get();
    first_ = place(1);
    ++gone_;
    set_size(n - 1);
    return item;
  }
  [[nodiscard]] std::size_t place(std::size_t n) const noexcept {
    const std::size_t at = first_ + n;
    return at < capacity_ ? at : at - capacity_;
  }

  [[nodiscard]] static cell* allocate(std::size_t count) noexcept {
    void* memory = Sync::allocate(count * sizeof(cell), isolation_bytes);
    if (memory == nullptr) return nullptr;
    auto* cells = static_cast<cell*>(memory);
    std::uninitialized_default_construct_n(cells, count);
    return cells;
  }
  static void release(cell* cells, std::size_t count) noexcept {
    std::destroy_n(cells, count);
    Sync::deallocate(cells, isolation_bytes);
  }
  [[nodiscard]] bool grow() noexcept {
    const std::size_t larger = capacity_ * 2;
    if (larger > max_items) return false;
    cell* const fresh = allocate(larger);
    if (fresh == nullptr) return false;
    for (std::size_t i = 0; i < capacity_; ++i) fresh[i].set(ring_[place(i)].get());
    release(ring_, capacity_);
    ring_ = fresh;
    first_ = 0;
    capacity_ = larger;
    return true;
  }

  alignas(isolation_bytes) mutable typename Sync::mutex mutex_;
  cell* ring_;
  std::size_t first_ = 0;
  std::size_t capacity_;
  std::uint64_t gone_ = 0;
  typename Sync::template atomic<std::size_t> size_{0, "size"};
  alignas(isolation_bytes) last_look<Sync> look_;
};

}  // namespace pilfer::ext
