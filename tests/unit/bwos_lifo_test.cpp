#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/queue/bwos_lifo.hpp>

#include "push_ids.hpp"
#include "support/construction.hpp"
#include "support/counting.hpp"
#include "support/interleaving_sync.hpp"
#include "support/items.hpp"

namespace pilfer::test {
namespace {

using ext::block_geometry;
using ext::counting_sync;
using queue::bwos_lifo;

TEST(bwos_lifo, rejects_bad_arguments) {
  const auto make = [](std::size_t blocks, std::size_t entries) {
    return [=] { const bwos_lifo<item8> q(block_geometry{.blocks = blocks, .entries = entries}); };
  };
  expect_rejected(make(0, 4), {"bwos_lifo", "blocks", "0"});
  expect_rejected(make(1, 4), {"bwos_lifo", "blocks", "1"});
  expect_rejected(make(6, 4), {"bwos_lifo", "blocks", "6", "power of two"});
  expect_rejected(make(huge, 4), {"bwos_lifo", "blocks", std::to_string(huge)});
  expect_rejected(make(std::size_t{1} << 63, 4), {"bwos_lifo", "blocks"});
  expect_rejected(make(4, 0), {"bwos_lifo", "entries", "0"});
  expect_rejected(make(4, 65536), {"bwos_lifo", "entries", "65536", "65535"});
  expect_rejected(make(4, huge), {"bwos_lifo", "entries", std::to_string(huge)});
}

TEST(bwos_lifo, takes_the_largest_block) {
  bwos_lifo<item4> q(block_geometry{.blocks = 2, .entries = 65535});
  EXPECT_EQ(q.capacity(), 2U * 65535);
  push_ids(q, 0, 2 * 65535);
  EXPECT_FALSE(q.owner().push(1));
  std::vector<item4> out(65535);
  const auto result = q.thief().steal_batch(out);
  ASSERT_EQ(result.count, 65535U);
  for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(id_of(out[i]), i);
}

TEST(bwos_lifo, survives_no_memory) {
  expect_construction_survives_no_memory<bwos_lifo<item8, failing_sync>>(block_geometry{.blocks = 4, .entries = 4});
}

TEST(bwos_lifo, fast_path_costs_nothing) {
  bwos_lifo<item8, counting_sync> q(block_geometry{.blocks = 4, .entries = 16});
  push_ids(q, 0, 4);
  EXPECT_EQ(cost_of([&] { push_ids(q, 4, 14); }), "nothing");
  EXPECT_EQ(cost_of([&] {
              for (int i = 0; i < 10; ++i) static_cast<void>(q.owner().pop());
            }),
            "nothing");
}

TEST(bwos_lifo, owner_never_fences) {
  bwos_lifo<item8, counting_sync> q(block_geometry{.blocks = 4, .entries = 16});
  const auto counts = counted([&] {
    for (int round = 0; round < 10; ++round) {
      push_ids(q, 0, 64);
      for (int i = 0; i < 64; ++i) static_cast<void>(q.owner().pop());
    }
  });
  EXPECT_EQ(counts.fences + counts.heavy_fences + counts.cas, 0U);
  EXPECT_LE(counts.exchanges, 2U * 10 * 8) << "at most a few per change of block";
}

TEST(bwos_lifo, steal_costs_a_claim_and_a_receipt) {
  bwos_lifo<item8, counting_sync> q(block_geometry{.blocks = 4, .entries = 4});
  push_ids(q, 0, 12);
  EXPECT_EQ(cost_of([&] { EXPECT_TRUE(q.thief().steal()); }), "1 exchanges, 1 cas");
  std::vector<item8> out(3);
  EXPECT_EQ(cost_of([&] { EXPECT_EQ(q.thief().steal_batch(out).count, 3U); }), "1 exchanges, 1 cas");
}

// A block is stolen, filled anew and granted anew: thieves find it.
TEST(bwos_lifo, thieves_follow_a_block_that_is_used_again) {
  for (const std::size_t entries : {1U, 2U, 3U}) {
    bwos_lifo<item8> q(block_geometry{.blocks = 2, .entries = entries});
    std::uint64_t pushed = 0;
    std::uint64_t stolen = 0;
    push_ids(q, 0, entries);
    pushed = entries;
    for (int round = 0; round < 10; ++round) {
      push_ids(q, pushed, pushed + entries);  // advances, which grants the block before
      pushed += entries;
      for (std::size_t i = 0; i < entries; ++i) {
        const auto got = q.thief().steal();
        ASSERT_TRUE(got) << "entries " << entries << ", round " << round << ": " << to_string(got.status());
        ASSERT_EQ(id_of(*got), stolen);
        ++stolen;
      }
    }
  }
}

// Part of the owner's block goes to a thief that asked, and what no thief took comes back.
TEST(bwos_lifo, owner_takes_back_what_it_granted_early) {
  bwos_lifo<item8> q(block_geometry{.blocks = 2, .entries = 8});
  push_ids(q, 0, 6);
  std::uint64_t stolen = q.thief().steal() ? 1 : 0;  // asks, if it gets nothing
  push_ids(q, 6, 7);                                 // grants some
  EXPECT_EQ(id_of(*q.thief().steal()), stolen);
  ++stolen;
  for (std::uint64_t id = 6; id >= stolen; --id) {
    const auto got = q.owner().pop();
    ASSERT_TRUE(got.has_value()) << id;
    EXPECT_EQ(id_of(*got), id);
  }
  EXPECT_FALSE(q.owner().pop().has_value());
  push_ids(q, 7, 7 + 8);
  for (std::uint64_t id = 7 + 8; id > 7; --id) EXPECT_EQ(id_of(q.owner().pop().value()), id - 1);
}

// Hungry thieves get the whole block but for its last entry, a part at a time.
TEST(bwos_lifo, early_grants_follow_one_another) {
  bwos_lifo<item8> q(block_geometry{.blocks = 2, .entries = 16});
  push_ids(q, 0, 8);
  std::uint64_t next = 0;
  std::uint64_t pushed = 8;
  for (int i = 0; i < 7; ++i) {
    push_ids(q, pushed, pushed + 1);
    ++pushed;
    while (const auto got = q.thief().steal()) {
      EXPECT_EQ(id_of(*got), next);
      ++next;
    }
  }
  EXPECT_GE(next, 8U);
  while (const auto got = q.owner().pop()) {
    --pushed;
    EXPECT_EQ(id_of(*got), pushed);
  }
  EXPECT_EQ(next, pushed);
}

// A block that thieves emptied may be in use again before any thief looks at it: they must go past it, not call the queue empty.
TEST(bwos_lifo, thieves_step_over_a_block_that_was_recycled_unseen) {
  for (const std::size_t entries : {1U, 2U, 5U}) {
    bwos_lifo<item8> q(block_geometry{.blocks = 2, .entries = entries});
    std::vector<item8> out(entries);
    push_ids(q, 0, 2 * entries);
    ASSERT_EQ(q.thief().steal_batch(out).count, entries);  // all of the first block, and no look afterwards
    push_ids(q, 2 * entries, 3 * entries);                 // which takes that block again
    const auto result = q.thief().steal_batch(out);
    ASSERT_EQ(result.status, ext::steal_status::taken) << entries << " entries";
    EXPECT_EQ(id_of(out[0]), entries);
  }
}

// Wherever a thief stands still, an owner that finds the queue empty can push.
TEST(bwos_lifo, is_never_empty_and_full_at_once) {
  for (const std::size_t entries : {1U, 2U, 3U}) {
    const block_geometry geometry{.blocks = 2, .entries = entries};
    for (std::uint64_t items = 1; items <= 2 * entries; ++items) {
      for (std::size_t k = 0;; ++k) {
        bwos_lifo<item8, interleaving_sync> q(geometry);
        push_ids(q, 0, items);
        const bool reached = interrupted_at(
            k, [&] { static_cast<void>(q.thief().steal()); },
            [&] {
              for (int round = 0; round < 6; ++round) {
                while (q.owner().pop()) {
                }
                EXPECT_TRUE(q.owner().push(make_item<item8>(99)))
                    << entries << " entries, " << items << " items, step " << k;
                EXPECT_TRUE(q.owner().pop().has_value());
                for (std::uint64_t i = 0; i < 2 * entries; ++i) static_cast<void>(q.owner().push(make_item<item8>(i)));
                while (q.thief().steal()) {  // another thief
                }
              }
            });
        if (!reached || ::testing::Test::HasFailure()) break;
      }
    }
  }
}

}  // namespace
}  // namespace pilfer::test
