// Memory for tasks, without a pool.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "src/runtime/task_memory.hpp"
#include "support/environment.hpp"

namespace pilfer::test {
namespace {

using detail::task_memory;

constexpr unsigned sizes = detail::task_block_sizes.size();
constexpr std::size_t per_chunk = task_memory::chunk_bytes / detail::task_block_sizes[0];

TEST(task_memory_alone, blocks_fit_what_they_are_for) {
  EXPECT_EQ(detail::task_block_for(1, 8), 0U);
  EXPECT_EQ(detail::task_block_for(104, 8), 0U);
  EXPECT_EQ(detail::task_block_for(104, 16), 1U) << "the smallest ones are not as well aligned";
  EXPECT_EQ(detail::task_block_for(105, 8), 1U);
  EXPECT_EQ(detail::task_block_for(129, 8), 2U);
  EXPECT_EQ(detail::task_block_for(512, 64), 3U);
  EXPECT_FALSE(detail::fits_task_block(513, 8));
  EXPECT_FALSE(detail::fits_task_block(8, 128));
}

TEST(task_memory_alone, blocks_are_aligned_and_apart) {
  const task_memory::pointer mine = task_memory::make();
  for (unsigned size = 0; size < sizes; ++size) {
    const std::size_t bytes = detail::task_block_sizes[size];
    std::set<std::uintptr_t> all;
    std::vector<void*> blocks;
    for (std::size_t i = 0; i < 3 * per_chunk; ++i) {
      void* const block = mine->allocate(size);
      ASSERT_NE(block, nullptr);
      std::memset(block, 0xff, bytes);
      const auto at = reinterpret_cast<std::uintptr_t>(block);
      EXPECT_EQ(at % (size == 0 ? detail::smallest_block_alignment : 64), 0U);
      all.insert(at);
      blocks.push_back(block);
    }
    EXPECT_EQ(all.size(), blocks.size());
    for (auto each = all.begin(); std::next(each) != all.end(); ++each) EXPECT_GE(*std::next(each) - *each, bytes);
    for (void* const each : blocks) task_memory::free(each, mine.get());
  }
}

TEST(task_memory_alone, the_newest_is_used_again) {
  const task_memory::pointer mine = task_memory::make();
  void* const first = mine->allocate(0);
  task_memory::free(first, mine.get());
  for (int i = 0; i < 10; ++i) {
    void* const again = mine->allocate(0);
    EXPECT_EQ(again, first);
    task_memory::free(again, mine.get());
  }
  EXPECT_EQ(mine->chunks(), 1U);
}

TEST(task_memory_alone, chunks_are_given_back_after_a_burst) {
  const task_memory::pointer mine = task_memory::make();
  constexpr std::size_t burst = 20 * per_chunk;
  for (const bool oldest_first : {false, true}) {
    std::vector<void*> blocks;
    for (std::size_t i = 0; i < burst; ++i) blocks.push_back(mine->allocate(0));
    EXPECT_GE(mine->chunks(), 20U);
    if (oldest_first) {
      for (void* const each : blocks) task_memory::free(each, mine.get());
    } else {
      for (auto each = blocks.rbegin(); each != blocks.rend(); ++each) task_memory::free(*each, mine.get());
    }
    EXPECT_LE(mine->chunks(), task_memory::empty_chunks_kept + 2);
  }
}

TEST(task_memory_alone, blocks_come_back_from_other_threads) {
  const task_memory::pointer mine = task_memory::make();
  constexpr std::size_t round = 3 * per_chunk;
  std::size_t most = 0;
  for (int i = 0; i < 20; ++i) {
    std::vector<void*> blocks;
    for (std::size_t k = 0; k < round; ++k) blocks.push_back(mine->allocate(0));
    std::thread([&blocks, i] {
      const task_memory::pointer theirs = i % 2 == 0 ? task_memory::make() : nullptr;
      for (void* const each : blocks) task_memory::free(each, theirs.get());
    }).join();
    if (i == 2) most = mine->chunks();
    if (i > 2) {
      EXPECT_LE(mine->chunks(), most) << "in the steady state nothing is allocated";
    }
  }
  mine->collect();
  EXPECT_LE(mine->chunks(), task_memory::empty_chunks_kept + 2);
}

// The owner ends while blocks are in use, and while others are given back. A sanitizer sees what is freed too early, twice or never.
TEST(task_memory_alone, blocks_outlive_their_owner) {
  for (std::size_t round = 0; more_stress(round, 200); ++round) {
    task_memory::pointer mine = task_memory::make();
    std::array<std::vector<unsigned char*>, 3> blocks;
    for (std::size_t i = 0; i < 3 * (1 + round % 200); ++i) {
      auto* const block = static_cast<unsigned char*>(mine->allocate(static_cast<unsigned>(i % sizes)));
      block[20] = static_cast<unsigned char>(i);
      blocks[i % 3].push_back(block);
    }
    std::vector<std::thread> threads;
    for (std::size_t t = 1; t < 3; ++t) {
      threads.emplace_back([&all = blocks[t]] {
        for (unsigned char* const each : all) {
          EXPECT_LE(each[20], 255);
          task_memory::free(each, nullptr);
        }
      });
    }
    for (unsigned char* const each : blocks[0]) task_memory::free(each, mine.get());
    mine.reset();
    for (std::thread& each : threads) each.join();
  }
}

TEST(task_memory_alone, all_threads_without_a_worker_share_one) {
  for (std::size_t round = 0; more_stress(round, 20); ++round) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([] {
        std::vector<void*> mine;
        for (int i = 0; i < 200; ++i) {
          void* const block = task_memory::allocate_outside(static_cast<unsigned>(i) % sizes);
          ASSERT_NE(block, nullptr);
          std::memset(block, i, 100);
          mine.push_back(block);
        }
        for (void* const each : mine) task_memory::free(each, nullptr);
      });
    }
    for (std::thread& each : threads) each.join();
  }
}

}  // namespace
}  // namespace pilfer::test
