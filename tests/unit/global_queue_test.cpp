#include <cstddef>

#include <gtest/gtest.h>

#include <pilfer/queue/global_queue.hpp>

#include "support/construction.hpp"
#include "support/counting.hpp"
#include "support/items.hpp"

namespace pilfer::test {
namespace {

using queue::global_queue;

TEST(global_queue, rejects_bad_arguments) {
  expect_rejected([] { global_queue<item8> q(0); }, {"global_queue", "capacity", "0"});
  expect_rejected([] { global_queue<item8> q(huge); }, {"global_queue", "capacity", std::to_string(huge)});
}

TEST(global_queue, survives_no_memory) {
  expect_construction_survives_no_memory<global_queue<item8, failing_sync>>(std::size_t{4});
  expect_growth_survives_no_memory<global_queue<item8, failing_sync>>(std::size_t{2});
}

TEST(global_queue, is_one_fifo_for_all) {
  global_queue<item8> q;
  for (std::uint64_t id = 0; id < 100; ++id) ASSERT_TRUE(q.owner().push(make_item<item8>(id)));
  for (std::uint64_t id = 0; id < 100; ++id) {
    if (id % 3 == 0) {
      EXPECT_EQ(id_of(*q.thief().steal()), id);
    } else {
      EXPECT_EQ(id_of(q.owner().pop().value()), id);
    }
  }
}

TEST(global_queue, has_no_atomic_operation_but_its_lock) {
  global_queue<item8, ext::counting_sync> q(8);
  EXPECT_EQ(cost_of([&] {
              static_cast<void>(q.owner().push(1));
              static_cast<void>(q.owner().push(2));
              static_cast<void>(q.owner().pop());
              static_cast<void>(q.thief().steal());
              static_cast<void>(q.thief().steal());
            }),
            "nothing");
}

}  // namespace
}  // namespace pilfer::test
