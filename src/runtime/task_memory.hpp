// Memory for tasks: blocks of a few sizes, which one owner allocates, and which any thread frees. Nothing is allocated in the steady state.
//
// A block lies in a chunk, whose address its own address tells, and the chunk knows its owner. The owner keeps what it frees in the chunk's list.
// What other threads free goes back over returned_blocks.hpp. Chunks that have become empty are freed, but for a few. Blocks may outlive their owner.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include <pilfer/detail/immovable.hpp>
#include <pilfer/detail/protocol/returned_blocks.hpp>
#include <pilfer/detail/task.hpp>

// 1: this is compiled with -fsanitize=address.
#if defined(__SANITIZE_ADDRESS__)
#define PILFER_POISONS 1
#elif defined(__has_feature)
#define PILFER_POISONS __has_feature(address_sanitizer)
#else
#define PILFER_POISONS 0
#endif

namespace pilfer::detail {

// Sizes of blocks. The first is aligned to smallest_block_alignment, the others as most_block_alignment says.
inline constexpr std::size_t smallest_block_alignment = 8;
inline constexpr std::array<std::uint32_t, 4> task_block_sizes{104, 128, 256, most_block_bytes};
[[nodiscard]] constexpr bool fits_task_block(std::size_t bytes, std::size_t alignment) noexcept {
  return bytes <= most_block_bytes && alignment <= most_block_alignment;
}
[[nodiscard]] constexpr bool fits_smallest_block(std::size_t bytes, std::size_t alignment) noexcept {
  return bytes <= task_block_sizes[0] && alignment <= smallest_block_alignment;
}
[[nodiscard]] constexpr unsigned task_block_for(std::size_t bytes, std::size_t alignment) noexcept {
  unsigned size = fits_smallest_block(bytes, alignment) ? 0 : 1;
  while (bytes > task_block_sizes[size]) ++size;
  return size;
}

class task_memory : immovable {
 public:
  static constexpr std::size_t chunk_bytes = std::size_t{1} << 15;
  static constexpr std::size_t empty_chunks_kept = 4;  // of one size: 128 KiB

  // Frees what the owner has no use for any more; blocks that are in use stay.
  struct abandons {
    void operator()(task_memory* ended) const noexcept { ended->abandon(); }
  };
  using pointer = std::unique_ptr<task_memory, abandons>;
  // Null: there is no memory for it.
  [[nodiscard]] static pointer make() noexcept;
  // For all threads that are no workers.
  [[nodiscard]] static void* allocate_outside(unsigned size) noexcept;

  // A block of one of task_block_sizes. By the owner. Null: there is no memory.
  [[nodiscard, gnu::always_inline]] void* allocate(unsigned size) noexcept {
    chunk& from = *current_[size];
    if (block* const first = from.free) [[likely]] {
      unpoison(first, from.block_bytes);
      from.free = first->next.get();
      ++from.used;
      return first;
    }
    return allocate_slowly(size);
  }
  // By any thread. `self`: its own memory, or null.
  [[gnu::always_inline]] static void free(void* memory, task_memory* self) noexcept {
    chunk& home = chunk_of(memory);
    block* const back = ::new (memory) block;
    if (home.owner != self) [[unlikely]] {
      give_back(home, *back);
      return;
    }
    back->next.set(home.free);
    home.free = back;
    poison(back, home.block_bytes);
    if (--home.used == home.alarm) [[unlikely]]
      home.owner->notice(home);
  }
  // By the owner, which has nothing else to do: takes what other threads have freed.
  void collect() noexcept;

  // Chunks that it has now. By the owner, and for tests.
  [[nodiscard]] std::size_t chunks() const noexcept { return chunks_; }

 private:
  struct block {
    ext::default_sync::cell<block*> next;
  };
  struct chunk {
    task_memory* owner;
    block* free;
    std::uint32_t used;
    std::uint32_t alarm;  // when so many are used its owner looks after it: 0, or the first that is freed of a full one
    std::uint32_t block_bytes;
    std::uint32_t size;
    std::uint32_t unused;  // offset of the first block that never was
    bool is_full;
    chunk* newer;  // in the list that it is in
    chunk* older;
  };
  static constexpr std::size_t sizes = task_block_sizes.size();
  static constexpr std::size_t header_bytes = 64;
  static_assert(sizeof(chunk) <= header_bytes);

  [[nodiscard]] static chunk& chunk_of(void* memory) noexcept {
    return *reinterpret_cast<chunk*>(reinterpret_cast<std::uintptr_t>(memory) & ~std::uintptr_t{chunk_bytes - 1});
  }
  // Under AddressSanitizer: all but the link.
#if PILFER_POISONS
  static void poison(block* memory, std::size_t bytes) noexcept;
  static void unpoison(block* memory, std::size_t bytes) noexcept;
#else
  static void poison(block* /*memory*/, std::size_t /*bytes*/) noexcept {}
  static void unpoison(block* /*memory*/, std::size_t /*bytes*/) noexcept {}
#endif

  task_memory() noexcept;
  ~task_memory() = default;
  [[nodiscard]] void* allocate_slowly(unsigned size) noexcept;
  [[nodiscard]] chunk* make_chunk(unsigned size) noexcept;
  static void give_back(chunk& home, block& back) noexcept;
  void notice(chunk& each) noexcept;
  static void link(chunk*& list, chunk& each) noexcept;
  static void unlink(chunk*& list, chunk& each) noexcept;
  void release(chunk& each) noexcept;
  void take_back(block* all) noexcept;
  template <class F>
  void for_each_chunk(F&& f) noexcept;
  void abandon() noexcept;
  void destroy() noexcept;

  // By size.
  std::array<chunk*, sizes> current_;      // in neither list
  std::array<chunk*, sizes> with_room_{};  // the others
  std::array<chunk*, sizes> full_{};
  std::array<std::size_t, sizes> empty_{};  // of those with room: nothing in them is used
  std::size_t chunks_ = 0;
  static constinit chunk none_;  // the current one, before there is any: it has no block
  returned_blocks<ext::default_sync, block> returned_;
};

}  // namespace pilfer::detail
