// Store buffering on the real machine: two threads store to their own word and then load the other's. With a full fence between
// the two, not both may miss the other's store. The same for the two sides of an asymmetric fence.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

#include <pilfer/ext/counting_sync.hpp>
#include <pilfer/ext/storage.hpp>
#include <pilfer/ext/sync.hpp>

#include "support/environment.hpp"
#include "support/watchdog.hpp"

namespace pilfer::test {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;
using word = ext::native_sync::atomic<std::uint32_t>;

struct alignas(ext::isolation_bytes) lonely_word {
  word value{0, "lonely"};
};

// Both threads go through the rounds in step; after each, the second one resets the words. Returns how often both missed. The second
// one ends it when the time is up.
template <class First, class Second>
std::size_t both_missed(std::size_t rounds, First first_fence, Second second_fence) {
  const watchdog dog(std::chrono::seconds(120), "store buffering");
  lonely_word x, y, turn, answer;
  std::size_t missed = 0;
  // Waits for `turn` to reach a round; spins, and yields where there are too few cores.
  const auto await = [](const lonely_word& at, std::uint32_t round) {
    for (unsigned spins = 1; at.value.load(std::memory_order_acquire) < round; ++spins) {
      if (spins % 256 == 0) std::this_thread::yield();
    }
  };
  constexpr std::uint32_t over = ~std::uint32_t{0};
  std::uint32_t seen_y = 0;  // of the first thread; handed over by `answer`
  std::thread first([&] {
    for (std::uint32_t round = 1;; ++round) {
      await(turn, round);
      if (turn.value.load(relaxed) == over) return;
      for (std::uint32_t i = 0; i < round % 7; ++i) ext::native_sync::pause();
      x.value.store(1, relaxed);
      first_fence();
      seen_y = y.value.load(relaxed);
      answer.value.store(round, std::memory_order_release);
    }
  });
  for (std::uint32_t round = 1; more_stress(round - 1, rounds, 4); ++round) {
    turn.value.store(round, std::memory_order_release);
    for (std::uint32_t i = 0; i < round % 5; ++i) ext::native_sync::pause();
    y.value.store(1, relaxed);
    second_fence();
    const std::uint32_t seen_x = x.value.load(relaxed);
    await(answer, round);
    if (seen_x == 0 && seen_y == 0) ++missed;
    x.value.store(0, relaxed);
    y.value.store(0, relaxed);
  }
  turn.value.store(over, std::memory_order_release);
  first.join();
  return missed;
}

template <class Sync>
class fence_litmus : public ::testing::Test {};
using policies = ::testing::Types<ext::native_sync, ext::fence_free_sync, ext::counting_sync>;
TYPED_TEST_SUITE(fence_litmus, policies);

TYPED_TEST(fence_litmus, seq_cst_fences_on_both_sides) {
  const auto fence = [] { TypeParam::fence(std::memory_order_seq_cst); };
  EXPECT_EQ(both_missed(100'000, fence, fence), 0U);
}

TYPED_TEST(fence_litmus, light_and_heavy) {
  if (!TypeParam::asymmetric_fences()) GTEST_SKIP() << "no membarrier here";
  EXPECT_EQ(
      both_missed(10'000, [] { TypeParam::light_fence(); }, [] { static_cast<void>(TypeParam::heavy_fence()); }), 0U);
}

}  // namespace
}  // namespace pilfer::test
