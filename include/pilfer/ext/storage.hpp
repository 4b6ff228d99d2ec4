// Memory of the queues, and the checks of their constructors' arguments.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>

#include <pilfer/ext/immovable.hpp>
#include <pilfer/ext/item.hpp>
#include <pilfer/ext/sync.hpp>

namespace pilfer::ext {

// Shape of a block-based queue.
struct block_geometry {
  std::size_t blocks = 8;
  std::size_t entries = 128;  // per block
};

// A constructor was given something it cannot work with. Without exceptions: says so and aborts.
[[noreturn]] inline void reject_argument(const char* queue, const char* argument, std::size_t value, const char* rule) {
  const std::string text =
      std::string(queue) + ": " + argument + " = " + std::to_string(value) + ", but it must be " + rule;
#if defined(__cpp_exceptions)
  throw std::invalid_argument(text);
#else
  std::fprintf(stderr, "pilfer: %s\n", text.c_str());
  std::abort();
#endif
}

[[noreturn]] inline void out_of_memory() {
#if defined(__cpp_exceptions)
  throw std::bad_alloc();
#else
  std::fputs("pilfer: out of memory\n", stderr);
  std::abort();
#endif
}

inline std::size_t checked_capacity(const char* queue, std::size_t capacity, std::uint64_t max) {
  if (capacity == 0) reject_argument(queue, "capacity", capacity, "at least 1");
  if (capacity > max) reject_argument(queue, "capacity", capacity, ("at most " + std::to_string(max)).c_str());
  return capacity;
}

inline std::size_t checked_power_of_two(const char* queue, std::size_t capacity, std::uint64_t max) {
  checked_capacity(queue, capacity, max);
  if (!std::has_single_bit(capacity)) reject_argument(queue, "capacity", capacity, "a power of two");
  return capacity;
}

inline block_geometry checked_geometry(const char* queue, block_geometry geometry, std::size_t max_entries) {
  constexpr std::size_t max_blocks = std::size_t{1} << 20;
  if (geometry.blocks < 2) reject_argument(queue, "blocks", geometry.blocks, "at least 2");
  if (geometry.blocks > max_blocks) reject_argument(queue, "blocks", geometry.blocks, "at most 1048576");
  if (!std::has_single_bit(geometry.blocks)) reject_argument(queue, "blocks", geometry.blocks, "a power of two");
  if (geometry.entries == 0) reject_argument(queue, "entries", geometry.entries, "at least 1");
  if (geometry.entries > max_entries) {
    reject_argument(queue, "entries", geometry.entries, ("at most " + std::to_string(max_entries)).c_str());
  }
  return geometry;
}

// A fixed number of objects that need neither move nor copy (atomics, cells), from Sync's allocator.
template <class T, class Sync>
class fixed_array : immovable {
 public:
  explicit fixed_array(std::size_t count) : count_(count) {
    if (count > std::numeric_limits<std::size_t>::max() / 2 / sizeof(T)) out_of_memory();
    void* memory = Sync::allocate(count * sizeof(T), alignment);
    if (memory == nullptr) out_of_memory();
    data_ = static_cast<T*>(memory);
    std::uninitialized_default_construct_n(data_, count);
  }
  ~fixed_array() {
    std::destroy_n(data_, count_);
    Sync::deallocate(data_, alignment);
  }

  [[nodiscard]] T* data() noexcept { return data_; }
  [[nodiscard]] T& operator[](std::size_t i) noexcept { return data_[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return data_[i]; }

 private:
  static constexpr std::size_t alignment = alignof(T) > isolation_bytes ? alignof(T) : isolation_bytes;
  T* data_ = nullptr;
  std::size_t count_;
};

// A circular array of slots that thieves may read speculatively. A growing deque links each buffer to the one it
// replaced and frees them all at the end: together the old ones are smaller than the newest, and no thief reads freed
// memory.
//
// An owner keeps slots() and the mask among its own variables. Were it to read them here at every operation, a buffer
// that malloc happens to place 4 KiB-congruent with the deque would make each such load wait for the owner's last
// store (measured: 6x).
template <queue_item T, class Sync>
class slot_buffer {
 public:
  // Null when there is no memory. `capacity` is a power of two.
  [[nodiscard]] static slot_buffer* make(std::size_t capacity, slot_buffer* replaced) noexcept {
    void* memory = Sync::allocate(sizeof(slot_buffer) + capacity * sizeof(slot<T, Sync>), isolation_bytes);
    if (memory == nullptr) return nullptr;
    auto* buffer = new (memory) slot_buffer(capacity - 1, replaced);
    std::uninitialized_default_construct_n(buffer->slots(), capacity);
    return buffer;
  }
  [[nodiscard]] static slot_buffer* make_or_throw(std::size_t capacity) {
    slot_buffer* buffer = make(capacity, nullptr);
    if (buffer == nullptr) out_of_memory();
    return buffer;
  }
  // Frees this buffer and all it replaced.
  static void free_all(slot_buffer* newest) noexcept {
    while (newest != nullptr) {
      slot_buffer* const older = newest->replaced_;
      std::destroy_n(newest->slots(), newest->capacity());
      newest->~slot_buffer();
      Sync::deallocate(newest, isolation_bytes);
      newest = older;
    }
  }

  [[nodiscard]] std::size_t capacity() const noexcept { return mask_ + 1; }
  [[nodiscard]] slot<T, Sync>* slots() noexcept { return reinterpret_cast<slot<T, Sync>*>(this + 1); }
  [[nodiscard]] slot<T, Sync>& operator[](std::uint64_t index) noexcept { return slots()[index & mask_]; }

 private:
  slot_buffer(std::size_t mask, slot_buffer* replaced) noexcept : mask_(mask), replaced_(replaced) {}
  ~slot_buffer() = default;

  alignas(isolation_bytes) std::size_t mask_;
  slot_buffer* replaced_;
};

}  // namespace pilfer::ext
