// A Sync that counts what the papers count: fences, read-modify-writes, compare-and-swaps, system calls of the
// asymmetric fence. Counters belong to the calling thread, so counting disturbs no other thread.
#pragma once

#include <cstdint>

#include <pilfer/ext/sync.hpp>

namespace pilfer::ext {

struct operation_counts {
  std::uint64_t fences = 0;     // thread fences that emit an instruction on x86: seq_cst ones
  std::uint64_t exchanges = 0;  // exchange and fetch_add
  std::uint64_t cas = 0;        // compare_exchange, whatever its outcome
  std::uint64_t cas_failed = 0;
  std::uint64_t heavy_fences = 0;  // membarrier calls
  std::uint64_t allocations = 0;
};

struct counting_sync : default_sync {
  [[nodiscard]] static operation_counts& counts() noexcept {
    thread_local operation_counts mine;
    return mine;
  }

  template <class T>
  class atomic : public default_sync::atomic<T> {
    using base = default_sync::atomic<T>;

   public:
    using base::base;
    T exchange(T value, std::memory_order order) noexcept {
      ++counts().exchanges;
      return base::exchange(value, order);
    }
    T fetch_add(T value, std::memory_order order) noexcept {
      ++counts().exchanges;
      return base::fetch_add(value, order);
    }
    bool compare_exchange(T& expected, T desired, std::memory_order success, std::memory_order failure) noexcept {
      ++counts().cas;
      const bool done = base::compare_exchange(expected, desired, success, failure);
      if (!done) ++counts().cas_failed;
      return done;
    }
  };

  static void fence(std::memory_order order) noexcept {
    if (order == std::memory_order_seq_cst) ++counts().fences;
    default_sync::fence(order);
  }
  [[nodiscard]] static bool heavy_fence() noexcept {
    ++counts().heavy_fences;
    return default_sync::heavy_fence();
  }
  [[nodiscard]] static void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
    ++counts().allocations;
    return default_sync::allocate(bytes, alignment);
  }
};

}  // namespace pilfer::ext
