#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/queue/bwos_fifo.hpp>

#include "push_ids.hpp"
#include "support/construction.hpp"
#include "support/counting.hpp"
#include "support/interleaving_sync.hpp"
#include "support/items.hpp"

namespace pilfer::test {
namespace {

using ext::block_geometry;
using ext::counting_sync;
using queue::bwos_fifo;

TEST(bwos_fifo, rejects_bad_arguments) {
  const auto make = [](std::size_t blocks, std::size_t entries) {
    return [=] { const bwos_fifo<item8> q(block_geometry{.blocks = blocks, .entries = entries}); };
  };
  expect_rejected(make(0, 4), {"bwos_fifo", "blocks", "0"});
  expect_rejected(make(1, 4), {"bwos_fifo", "blocks", "1"});
  expect_rejected(make(12, 4), {"bwos_fifo", "blocks", "12", "power of two"});
  expect_rejected(make(huge, 4), {"bwos_fifo", "blocks", std::to_string(huge)});
  expect_rejected(make(4, 0), {"bwos_fifo", "entries", "0"});
  expect_rejected(make(4, huge), {"bwos_fifo", "entries", std::to_string(huge)});
}

TEST(bwos_fifo, survives_no_memory) {
  expect_construction_survives_no_memory<bwos_fifo<item8, failing_sync>>(block_geometry{.blocks = 4, .entries = 4});
}

TEST(bwos_fifo, fast_path_costs_nothing) {
  bwos_fifo<item8, counting_sync> q(block_geometry{.blocks = 4, .entries = 16});
  push_ids(q, 0, 4);
  EXPECT_EQ(cost_of([&] { push_ids(q, 4, 14); }), "nothing");
  static_cast<void>(q.owner().pop());  // the first of a block may have to take it over
  EXPECT_EQ(cost_of([&] {
              for (int i = 0; i < 10; ++i) static_cast<void>(q.owner().pop());
            }),
            "nothing");
}

TEST(bwos_fifo, owner_never_fences) {
  bwos_fifo<item8, counting_sync> q(block_geometry{.blocks = 4, .entries = 16});
  const auto counts = counted([&] {
    for (int round = 0; round < 10; ++round) {
      push_ids(q, 0, 48);
      for (int i = 0; i < 48; ++i) static_cast<void>(q.owner().pop());
    }
  });
  EXPECT_EQ(counts.fences + counts.heavy_fences + counts.cas, 0U);
  EXPECT_LE(counts.exchanges, 10U * 4) << "at most one per block taken over";
}

TEST(bwos_fifo, steal_costs_a_claim_and_a_receipt) {
  bwos_fifo<item8, counting_sync> q(block_geometry{.blocks = 4, .entries = 4});
  push_ids(q, 0, 16);
  EXPECT_EQ(cost_of([&] { EXPECT_TRUE(q.thief().steal()); }), "1 exchanges, 1 cas");
  std::vector<item8> out(3);
  EXPECT_EQ(cost_of([&] { EXPECT_EQ(q.thief().steal_batch(out).count, 3U); }), "1 exchanges, 1 cas");
}

// A thief may take from the block that the owner is filling.
TEST(bwos_fifo, thieves_take_from_the_block_being_filled) {
  bwos_fifo<item8> q(block_geometry{.blocks = 4, .entries = 4});
  push_ids(q, 0, 5);                              // the last one opens the second block
  EXPECT_EQ(id_of(q.owner().pop().value()), 0U);  // the first one is the owner's now
  EXPECT_EQ(id_of(*q.thief().steal()), 4U);
  push_ids(q, 5, 6);
  EXPECT_EQ(id_of(*q.thief().steal()), 5U);
  for (std::uint64_t id = 1; id < 4; ++id) EXPECT_EQ(id_of(q.owner().pop().value()), id);
  EXPECT_FALSE(q.owner().pop().has_value());
}

// The pathology of the published algorithm (000, section 3.2): wherever a thief stands still, an owner that finds the queue empty
// can push. Its block stays blocked, the others do not.
TEST(bwos_fifo, is_never_empty_and_full_at_once) {
  for (const std::size_t blocks : {2U, 4U}) {
    for (const std::size_t entries : {1U, 2U, 3U}) {
      for (std::uint64_t items = 1; items <= blocks * entries; ++items) {
        for (std::size_t k = 0;; ++k) {
          bwos_fifo<item8, interleaving_sync> q(block_geometry{.blocks = blocks, .entries = entries});
          push_ids(q, 0, items);
          const bool reached = interrupted_at(
              k, [&] { static_cast<void>(q.thief().steal()); },
              [&] {
                for (std::uint64_t round = 0; round < 6 * blocks; ++round) {
                  while (q.owner().pop()) {
                  }
                  EXPECT_TRUE(q.owner().push(make_item<item8>(1000)))
                      << blocks << " x " << entries << ", " << items << " items, step " << k << ", round " << round;
                  EXPECT_EQ(id_of(q.owner().pop().value_or(0)), 1000U);
                  for (std::uint64_t i = 0; i < blocks * entries; ++i) {
                    static_cast<void>(q.owner().push(make_item<item8>(2000 + i)));
                  }
                  for (std::uint64_t i = 0; i < round; ++i) static_cast<void>(q.thief().steal_at(round + i));
                }
              });
          if (!reached || ::testing::Test::HasFailure()) break;
        }
      }
    }
  }
}

}  // namespace
}  // namespace pilfer::test
