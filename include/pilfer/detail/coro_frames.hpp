// Memory for the frames of coroutines: what a thread has freed it keeps for the next ones, by size. Blocks travel: who frees one
// keeps it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace pilfer::detail {

class coro_frames {
 public:
  [[nodiscard, gnu::always_inline]] static void* allocate(std::size_t bytes) {
    const std::size_t kind = kind_of(bytes);
    if (kind < kinds) [[likely]] {
      shelf& mine = shelves_[kind];
      if (mine.hot > nothing) [[likely]]
        return reinterpret_cast<void*>(std::exchange(mine.hot, nothing));
    }
    return allocate_slowly(bytes, kind);
  }
  [[gnu::always_inline]] static void free(void* memory, std::size_t bytes) noexcept {
    const std::size_t kind = kind_of(bytes);
    if (kind < kinds) [[likely]] {
      shelf& mine = shelves_[kind];
      if (mine.hot == nothing) [[likely]] {
        mine.hot = reinterpret_cast<std::uintptr_t>(memory);
        return;
      }
    }
    free_slowly(memory, kind);
  }

 private:
  static constexpr std::size_t unit_bytes = 64;
  static constexpr std::size_t kinds = 32;               // up to 2 KiB
  static constexpr std::size_t most_kept_bytes = 65536;  // of one kind
  struct block {
    block* next;
  };
  static constexpr std::uintptr_t closed = 0;  // until the thread frees its first frame, and when it ends
  static constexpr std::uintptr_t nothing = 1;
  struct shelf {
    std::uintptr_t hot;  // the last one freed
    block* others;       // those before
    std::size_t room;    // for more of them
  };
  struct sweeper;  // frees what a thread has kept when it ends

  [[nodiscard]] static constexpr std::size_t kind_of(std::size_t bytes) noexcept { return (bytes - 1) / unit_bytes; }
  // In src/coro/.
  [[nodiscard, gnu::noinline]] static void* allocate_slowly(std::size_t bytes, std::size_t kind);
  [[gnu::noinline]] static void free_slowly(void* memory, std::size_t kind) noexcept;

  static constinit inline thread_local std::array<shelf, kinds> shelves_{};
};

}  // namespace pilfer::detail
