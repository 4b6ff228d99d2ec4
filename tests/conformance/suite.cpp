// The checks themselves are in checked_queue: each operation here is compared with a model. A test only leads the queue to
// where it is interesting.
#include "suite.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "support/environment.hpp"

namespace pilfer::test {

namespace {

[[nodiscard]] bool failed() { return ::testing::Test::HasFailure(); }

// Runs `test(variant)` for each way to construct the queue, until one fails.
template <class Test>
void for_each_variant(const queue_case& kind, Test test) {
  for (const queue_variant& made : kind.variants) {
    SCOPED_TRACE(made.name);
    test(made);
    if (failed()) return;
  }
}

// How many items a test asks of a queue: twice the capacity, or what narrow indices surely allow.
[[nodiscard]] std::size_t twice_the_capacity(const queue_case& kind, const checked_queue& q) {
  return kind.traits.bounded ? 2 * q.capacity() : std::min(2 * q.capacity(), kind.sure_items);
}

TEST_P(queue_conformance, is_empty_at_first) {
  EXPECT_FALSE(std::string(traits().name).empty());
  EXPECT_TRUE(traits().split || !traits().requests) << "only a split deque can answer a request";
  for_each_variant(kind(), [](const queue_variant& made) {
    checked_queue q(kind(), made);
    EXPECT_GT(q.capacity(), 0U);
    q.check_size_hint();
    for (int i = 0; i < 3; ++i) {
      EXPECT_FALSE(q.take());
      EXPECT_FALSE(q.steal());
    }
    EXPECT_TRUE(q.push());
    EXPECT_TRUE(q.take());
    EXPECT_FALSE(q.take());
    q.drain();
  });
}

// 0, 1, 2, … items, each size in a fresh queue and again in a used one.
TEST_P(queue_conformance, holds_every_size_for_the_owner) {
  for_each_variant(kind(), [](const queue_variant& made) {
    checked_queue used(kind(), made);
    const std::size_t most = twice_the_capacity(kind(), used);
    for (std::size_t n = 0; n <= most && !failed(); ++n) {
      SCOPED_TRACE("size " + std::to_string(n));
      checked_queue fresh(kind(), made);
      for (checked_queue* q : {&fresh, &used}) {
        for (std::size_t i = 0; i < n; ++i) q->push();
        if (!traits().bounded) {
          EXPECT_EQ(q->size(), n);
        } else if (q == &fresh) {
          EXPECT_EQ(q->size(), std::min(n, q->capacity())) << "a fresh queue takes exactly its capacity";
        } else {
          EXPECT_GE(q->size(), std::min(n, q->capacity() - q->block()));
        }
        q->check_size_hint();
        q->drain();
      }
    }
  });
}

TEST_P(queue_conformance, holds_every_size_for_thieves) {
  for_each_variant(kind(), [](const queue_variant& made) {
    checked_queue used(kind(), made);
    const std::size_t most = twice_the_capacity(kind(), used);
    for (std::size_t n = 0; n <= most && !failed(); ++n) {
      SCOPED_TRACE("size " + std::to_string(n));
      checked_queue fresh(kind(), made);
      for (checked_queue* q : {&fresh, &used}) {
        for (std::size_t i = 0; i < n; ++i) q->push();
        q->steal_all();
        EXPECT_LE(q->size(), q->block()) << "all but a block can be stolen";
        q->drain();
      }
    }
  });
}

TEST_P(queue_conformance, full_refuses_and_loses_nothing) {
  if (!traits().bounded) GTEST_SKIP() << "not bounded";
  for_each_variant(kind(), [](const queue_variant& made) {
    checked_queue q(kind(), made);
    q.fill(q.capacity() + 1);
    for (int i = 0; i < 5; ++i) EXPECT_FALSE(q.push());
    EXPECT_EQ(q.size(), q.capacity());
    q.drain();
  });
}

// The owner's pops make room: at once in a LIFO; in a FIFO of blocks when the owner has left a block behind.
TEST_P(queue_conformance, full_takes_again_after_pops) {
  if (!traits().bounded) GTEST_SKIP() << "not bounded";
  for_each_variant(kind(), [](const queue_variant& made) {
    checked_queue q(kind(), made);
    for (int round = 0; round < 20 && !failed(); ++round) {
      q.fill(q.capacity() + 1);
      EXPECT_FALSE(q.push());
      const std::size_t pops = lifo() ? 1 : q.block() + 1;
      for (std::size_t i = 0; i < pops; ++i) EXPECT_TRUE(q.take());
      EXPECT_TRUE(q.push()) << "after " << pops << " pops";
    }
    q.drain();
  });
}

// Thieves make room too, except in abp, whose space at the top comes back only when it empties.
TEST_P(queue_conformance, full_takes_again_after_steals) {
  if (!traits().bounded) GTEST_SKIP() << "not bounded";
  for_each_variant(kind(), [](const queue_variant& made) {
    checked_queue q(kind(), made);
    for (int round = 0; round < 20 && !failed(); ++round) {
      q.fill(q.capacity() + 1);
      EXPECT_FALSE(q.push());
      q.steal_all();
      if (!kind().exact_room && !traits().batch) q.drain();
      EXPECT_TRUE(q.push());
    }
    q.drain();
  });
}

// From every position of the indices at which it can become empty.
TEST_P(queue_conformance, empty_takes_all_but_a_block) {
  if (!traits().bounded) GTEST_SKIP() << "not bounded";
  for_each_variant(kind(), [](const queue_variant& made) {
    const std::size_t offsets = 2 * checked_queue(kind(), made).capacity();
    for (std::size_t offset = 0; offset <= offsets && !failed(); ++offset) {
      for (const bool by_thieves : {false, true}) {
        SCOPED_TRACE("offset " + std::to_string(offset) +
                     (by_thieves ? ", emptied by thieves" : ", emptied by the owner"));
        checked_queue q(kind(), made);
        for (std::size_t i = 0; i < offset; ++i) {
          EXPECT_TRUE(q.push());
          if (by_thieves) q.steal_all();
          q.take_all();
        }
        q.fill(q.capacity() + 1);
        EXPECT_GE(q.size(), q.capacity() - q.block());
        q.drain();
      }
    }
  });
}

TEST_P(queue_conformance, wraps_around_under_the_owner) {
  for_each_variant(kind(), [](const queue_variant& made) {
    checked_queue q(kind(), made);
    const std::size_t most = std::min(q.capacity(), kind().sure_items);
    for (std::size_t round = 0; round < 600 && !failed(); ++round) {
      const std::size_t up = 1 + round % most;
      q.fill(up);
      for (std::size_t keep = (round / 7) % up; q.size() > keep;) q.take();
    }
    q.drain();
  });
}

TEST_P(queue_conformance, wraps_around_under_thieves) {
  for_each_variant(kind(), [](const queue_variant& made) {
    checked_queue q(kind(), made);
    const std::size_t most = std::min(q.capacity(), kind().sure_items);
    for (std::size_t round = 0; round < 600 && !failed(); ++round) {
      q.fill(1 + round % most);
      q.offer_all();
      for (std::size_t i = 0; i < 1 + round % 3; ++i) q.steal();
      if (round % 4 == 0) q.take();
      if (round % 32 == 0) q.take_all();
    }
    q.drain();
  });
}

// Pushes or takes; which one is more likely changes now and then, so that the queue is often empty and often full.
void owner_step(checked_queue& q, random_source& random, int step, std::size_t most) {
  const bool filling = (step / 64) % 2 == 0;
  if (random.below(4) < (filling ? 3U : 1U)) {
    if (q.size() < most) q.push();
  } else if (!q.take()) {
    EXPECT_TRUE(q.push()) << "empty and full at once";
  }
}

TEST_P(queue_conformance, owner_alone_agrees_with_a_deque) {
  SCOPED_TRACE(describe_seed());
  for_each_variant(kind(), [](const queue_variant& made) {
    random_source random(base_seed());
    checked_queue q(kind(), made);
    const std::size_t most = twice_the_capacity(kind(), q);
    for (int step = 0; step < 6000 && !failed(); ++step) {
      owner_step(q, random, step, most);
      if (step % 16 == 0) q.check_size_hint();
    }
    q.drain();
  });
}

// The same with thieves of every kind between the owner's operations, all in one thread.
TEST_P(queue_conformance, owner_and_thieves_agree_with_a_deque) {
  SCOPED_TRACE(describe_seed());
  for_each_variant(kind(), [](const queue_variant& made) {
    random_source random(base_seed() + 1);
    checked_queue q(kind(), made);
    const std::size_t most = twice_the_capacity(kind(), q);
    for (int step = 0; step < 12000 && !failed(); ++step) {
      const std::uint64_t choice = random.below(14);
      if (choice < 6) {
        owner_step(q, random, step, most);
      } else if (choice < 8) {
        q.steal();
      } else if (choice == 8 && traits().batch) {
        q.steal_batch(random.below(q.block() + 2));
      } else if (choice == 9 && traits().random_start) {
        q.steal_at(random());
      } else if (choice == 10 && traits().requests) {
        q.request();
      } else if (choice == 11 && traits().split) {
        q.expose(random.below(4));
      } else if (choice == 12 && traits().split) {
        if (!q.pop() && q.private_size() == 0 && random.one_in(2)) q.pop_public();
      } else if (choice == 13) {
        static_cast<void>(q.sample(random()));
      }
      if (step % 16 == 0) q.check_size_hint();
    }
    q.drain();
  });
}

TEST_P(queue_conformance, batch_of_every_span) {
  if (!traits().batch) GTEST_SKIP() << "no batch";
  for_each_variant(kind(), [](const queue_variant& made) {
    checked_queue q(kind(), made);
    for (std::size_t span = 0; span <= q.block() + 1 && !failed(); ++span) {
      for (std::size_t n = 0; n <= q.capacity() && !failed(); ++n) {
        SCOPED_TRACE("span " + std::to_string(span) + ", size " + std::to_string(n));
        q.fill(n);
        while (q.steal_batch(span) > 0) {
        }
        EXPECT_TRUE(span == 0 || q.size() <= q.block());
        q.drain();
      }
    }
  });
}

TEST_P(queue_conformance, batch_takes_a_whole_block) {
  if (!traits().batch) GTEST_SKIP() << "no batch";
  for_each_variant(kind(), [](const queue_variant& made) {
    checked_queue q(kind(), made);
    q.fill(q.capacity());
    EXPECT_EQ(q.steal_batch(q.block()), q.block()) << "a granted, untouched block goes with one claim";
    q.drain();
  });
}

// From whatever block it begins, a thief reaches everything but the owner's block, and within a block the oldest first.
TEST_P(queue_conformance, steal_at_reaches_every_block) {
  if (!traits().random_start) GTEST_SKIP() << "no steal_at";
  SCOPED_TRACE(describe_seed());
  for_each_variant(kind(), [](const queue_variant& made) {
    random_source random(base_seed() + 2);
    std::set<std::uint64_t> first_blocks;
    std::size_t blocks = 0;
    for (int round = 0; round < 400 && !failed(); ++round) {
      checked_queue q(kind(), made);
      q.fill(q.capacity());
      blocks = q.capacity() / q.block();
      std::vector<std::uint64_t> next(blocks);  // of each block: the lowest number a thief may still see
      for (bool first = true; q.steal_at(random()); first = false) {
        const std::uint64_t id = q.last_stolen();
        const std::size_t block = id / q.block();
        EXPECT_GE(id, next.at(block)) << "within a block the oldest comes first";
        next.at(block) = id + 1;
        if (first) first_blocks.insert(block);
      }
      EXPECT_LE(q.size(), q.block());
      q.drain();
    }
    EXPECT_GE(first_blocks.size(), blocks - 1) << "random places do not reach all blocks";
  });
}

TEST_P(queue_conformance, thieves_are_fifo_within_a_block) {
  if (!traits().batch) GTEST_SKIP() << "no blocks";
  for_each_variant(kind(), [](const queue_variant& made) {
    checked_queue q(kind(), made);
    q.fill(q.capacity());
    std::vector<std::uint64_t> next(q.capacity() / q.block());
    while (q.steal()) {
      const std::uint64_t id = q.last_stolen();
      EXPECT_GE(id, next.at(id / q.block()));
      next.at(id / q.block()) = id + 1;
    }
    q.drain();
  });
}

// A LIFO of blocks: a thief that finds only the owner's block waits no longer than until the owner's next push or pop.
TEST_P(queue_conformance, early_grant_at_the_next_operation) {
  if (!traits().batch || !lifo()) GTEST_SKIP() << "not a LIFO of blocks";
  for_each_variant(kind(), [](const queue_variant& made) {
    for (std::size_t n = 1; n < made.block && !failed(); ++n) {
      for (const bool by_push : {true, false}) {
        if (!by_push && n == 1) continue;  // the pop would leave nothing to give
        SCOPED_TRACE(std::to_string(n) + " items, then a " + (by_push ? "push" : "pop"));
        checked_queue q(kind(), made);
        q.fill(n);
        if (!q.steal()) {
          EXPECT_TRUE(by_push ? q.push() : q.take());
          EXPECT_TRUE(q.steal()) << "the owner did not answer";
        }
        q.drain();
      }
    }
  });
}

// With the oldest item at every place of the buffer when it grows.
TEST_P(queue_conformance, growth_keeps_all_items) {
  if (traits().bounded) GTEST_SKIP() << "bounded";
  for_each_variant(kind(), [](const queue_variant& made) {
    const std::size_t capacity = checked_queue(kind(), made).capacity();
    const std::size_t most = std::min(9 * capacity, kind().sure_items);
    for (std::size_t offset = 0; offset <= capacity && !failed(); ++offset) {
      for (const bool by_thieves : {false, true}) {
        SCOPED_TRACE("offset " + std::to_string(offset));
        checked_queue q(kind(), made);
        for (std::size_t i = 0; i < offset; ++i) {
          EXPECT_TRUE(q.push());
          q.offer_all();
          EXPECT_TRUE(by_thieves ? q.steal() : q.take());
        }
        q.fill(most / 2);
        q.offer_all();
        q.fill(most);
        EXPECT_EQ(q.size(), most);
        for (std::size_t i = 0; i < most / 3; ++i) EXPECT_TRUE(q.steal());
        q.drain();
      }
    }
  });
}

// A growing queue with narrow indices ends somewhere; like a full one, it refuses and loses nothing.
TEST_P(queue_conformance, narrow_indices_end_the_growth) {
  if (traits().bounded) GTEST_SKIP() << "bounded";
  if (kind().sure_items > 1000) GTEST_SKIP() << "indices are not narrow";
  for_each_variant(kind(), [](const queue_variant& made) {
    checked_queue q(kind(), made);
    for (int round = 0; round < 50 && !failed(); ++round) {
      q.fill(16 * kind().sure_items);
      EXPECT_LT(q.size(), 8 * kind().sure_items) << "more items than indices can tell apart";
      EXPECT_FALSE(q.push());
      q.offer_all();
      for (std::size_t i = 0; i < kind().sure_items / 2; ++i) EXPECT_TRUE(q.steal());
      EXPECT_TRUE(q.take());
      EXPECT_TRUE(q.push());
      if (round % 3 == 0) q.drain();
    }
    q.drain();
  });
}

TEST_P(queue_conformance, sample_finds_what_can_be_stolen) {
  SCOPED_TRACE(describe_seed());
  for_each_variant(kind(), [](const queue_variant& made) {
    random_source random(base_seed() + 3);
    checked_queue q(kind(), made);
    const std::size_t most = std::min(q.capacity(), kind().sure_items);
    for (std::size_t n = 1; n <= most && !failed(); ++n) {
      SCOPED_TRACE("size " + std::to_string(n));
      EXPECT_FALSE(q.steal());  // thieves saw it empty
      q.fill(n);
      q.offer_all();
      while (q.size() > 0 && !failed()) {
        bool yes = false;
        for (int i = 0; i < 2000 && !yes; ++i) yes = q.sample(random());
        if (!q.steal()) break;
        EXPECT_TRUE(yes) << "2000 probes missed an item that could be stolen";
      }
      q.drain();
    }
  });
}

TEST_P(queue_conformance, sample_seldom_says_yes_once_seen_empty) {
  SCOPED_TRACE(describe_seed());
  for_each_variant(kind(), [](const queue_variant& made) {
    random_source random(base_seed() + 4);
    checked_queue q(kind(), made);
    for (const std::size_t n : {std::size_t{0}, std::min(q.capacity(), kind().sure_items)}) {
      q.fill(n);
      q.steal_all();
      q.drain();  // ends with a steal that finds nothing
      int yes = 0;
      for (int i = 0; i < 4000; ++i) yes += q.sample(random()) ? 1 : 0;
      EXPECT_LT(yes, 3000) << "of 4000 probes";  // of two blocks, one may be worth asking for
    }
  });
}

}  // namespace
}  // namespace pilfer::test
