// A Sync whose memory runs out on demand.
#pragma once

#include <cstddef>

#include <pilfer/ext/sync.hpp>

namespace pilfer::test {

// Each test that uses it starts with fail_never() or fail_at(): the state belongs to the calling thread.
struct failing_sync : ext::default_sync {
  // The k-th allocation from now fails, the first being 1; the later ones work again.
  static void fail_at(std::size_t k) noexcept { countdown() = k; }
  // All allocations from now on fail.
  static void fail_always() noexcept { countdown() = every_one; }
  static void fail_never() noexcept { countdown() = 0; }
  // Allocations that failed in this thread.
  [[nodiscard]] static std::size_t& failures() noexcept {
    thread_local std::size_t count = 0;
    return count;
  }

  [[nodiscard]] static void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
    std::size_t& left = countdown();
    if (left == every_one || (left > 0 && --left == 0)) {
      ++failures();
      return nullptr;
    }
    return ext::default_sync::allocate(bytes, alignment);
  }

 private:
  static constexpr std::size_t every_one = ~std::size_t{0};
  [[nodiscard]] static std::size_t& countdown() noexcept {
    thread_local std::size_t left = 0;
    return left;
  }
};

}  // namespace pilfer::test
