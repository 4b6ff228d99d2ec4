#include <cstdint>
#include <thread>

#include <gtest/gtest.h>

#include <pilfer/ext/counting_sync.hpp>

#include "memory_orders.hpp"
#include "support/counting.hpp"

namespace pilfer::test {
namespace {

using sync = ext::counting_sync;

TEST(counting_sync, counts_what_the_papers_count) {
  sync::atomic<std::uint64_t> word(0, "word");
  EXPECT_EQ(cost_of([&] { word.store(word.load(relaxed) + 1, relaxed); }), "nothing");
  EXPECT_EQ(cost_of([&] { word.exchange(2, relaxed); }), "1 exchanges");
  EXPECT_EQ(cost_of([&] { word.fetch_add(2, relaxed); }), "1 exchanges");
  std::uint64_t expected = 4;
  EXPECT_EQ(cost_of([&] { word.compare_exchange(expected, 5, relaxed, relaxed); }), "1 cas");
  EXPECT_EQ(cost_of([&] { word.compare_exchange(expected, 5, relaxed, relaxed); }), "1 cas, 1 cas_failed");
}

TEST(counting_sync, counts_fences_that_are_instructions) {
  EXPECT_EQ(cost_of([] { sync::fence(std::memory_order_seq_cst); }), "1 fences");
  EXPECT_EQ(cost_of([] {
              sync::fence(std::memory_order_acquire);
              sync::fence(std::memory_order_release);
              sync::signal_fence(std::memory_order_seq_cst);
              sync::light_fence();
            }),
            "nothing");
  EXPECT_EQ(cost_of([] { static_cast<void>(sync::heavy_fence()); }), "1 heavy_fences");
}

TEST(counting_sync, counts_allocations) {
  void* memory = nullptr;
  EXPECT_EQ(cost_of([&] { memory = sync::allocate(64, 64); }), "1 allocations");
  EXPECT_EQ(cost_of([&] { sync::deallocate(memory, 64); }), "nothing");
}

TEST(counting_sync, counts_for_each_thread_alone) {
  EXPECT_EQ(cost_of([] {
              std::thread other([] { EXPECT_EQ(cost_of([] { sync::fence(std::memory_order_seq_cst); }), "1 fences"); });
              other.join();
            }),
            "nothing");
}

}  // namespace
}  // namespace pilfer::test
