#include <cstddef>

#include <gtest/gtest.h>

#include <pilfer/queue/locked_deque.hpp>

#include "support/construction.hpp"
#include "support/counting.hpp"
#include "support/items.hpp"

namespace pilfer::test {
namespace {

using queue::locked_deque;

TEST(locked_deque, rejects_bad_arguments) {
  expect_rejected([] { locked_deque<item8> q(0); }, {"locked_deque", "capacity", "0"});
  expect_rejected([] { locked_deque<item8> q(huge); }, {"locked_deque", "capacity", std::to_string(huge)});
}

TEST(locked_deque, survives_no_memory) {
  expect_construction_survives_no_memory<locked_deque<item16, failing_sync>>(std::size_t{4});
  expect_growth_survives_no_memory<locked_deque<item16, failing_sync>>(std::size_t{2});
}

TEST(locked_deque, has_two_ends) {
  locked_deque<item8> q;
  for (std::uint64_t id = 0; id < 100; ++id) ASSERT_TRUE(q.owner().push(make_item<item8>(id)));
  for (std::uint64_t id = 0; id < 50; ++id) {
    EXPECT_EQ(id_of(*q.thief().steal()), id);
    EXPECT_EQ(id_of(q.owner().pop().value()), 99 - id);
  }
  EXPECT_EQ(q.thief().steal().status(), ext::steal_status::empty);
}

TEST(locked_deque, has_no_atomic_operation_but_its_lock) {
  locked_deque<item8, ext::counting_sync> q(8);
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
