// Memory for tasks, kept by a worker for the next ones. Blocks travel: who frees one keeps it.
#pragma once

#include <cstddef>
#include <new>

#include <pilfer/detail/immovable.hpp>

namespace pilfer::detail {

class task_memory : immovable {
 public:
  static constexpr std::size_t block_bytes = 192;  // a task with a dozen words of its own
  static constexpr std::size_t block_alignment = 64;
#if defined(__SANITIZE_ADDRESS__)
  static constexpr std::size_t most_kept = 0;  // so that a use after free is seen
#else
  static constexpr std::size_t most_kept = 256;
#endif

  ~task_memory() {
    while (free_ != nullptr) release(pop());
  }

  [[nodiscard]] void* allocate() noexcept {
    if (free_ != nullptr) return pop();
    return obtain();
  }
  void free(void* memory) noexcept {
    if (kept_ == most_kept) {
      release(memory);
      return;
    }
    free_ = ::new (memory) block{free_};
    ++kept_;
  }

  // Without a worker.
  [[nodiscard]] static void* obtain() noexcept {
    return ::operator new(block_bytes, std::align_val_t{block_alignment}, std::nothrow);
  }
  static void release(void* memory) noexcept { ::operator delete(memory, std::align_val_t{block_alignment}); }

 private:
  struct block {
    block* next;
  };
  [[nodiscard]] void* pop() noexcept {
    block* const first = free_;
    free_ = first->next;
    --kept_;
    return first;
  }

  block* free_ = nullptr;
  std::size_t kept_ = 0;
};

}  // namespace pilfer::detail
