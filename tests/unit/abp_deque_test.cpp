#include <cstddef>

#include <gtest/gtest.h>

#include <pilfer/queue/abp_deque.hpp>

#include "support/construction.hpp"
#include "support/counting.hpp"
#include "support/items.hpp"

namespace pilfer::test {
namespace {

using ext::counting_sync;
using queue::abp_deque;

TEST(abp_deque, rejects_bad_arguments) {
  expect_rejected([] { abp_deque<item8> q(0); }, {"abp_deque", "capacity", "0"});
  expect_rejected([] { abp_deque<item8> q(huge); }, {"abp_deque", "capacity", std::to_string(huge)});
  // An index has what the tag leaves of 64 bits: 24.
  expect_rejected([] { abp_deque<item8> q(std::size_t{1} << 25); }, {"abp_deque", "capacity", "33554432", "at most"});
}

TEST(abp_deque, survives_no_memory) {
  expect_construction_survives_no_memory<abp_deque<item8, failing_sync>>(std::size_t{3});
}

TEST(abp_deque, gets_stolen_space_back_when_it_empties) {
  abp_deque<item8> q(4);
  for (std::uint64_t id = 0; id < 4; ++id) ASSERT_TRUE(q.owner().push(make_item<item8>(id)));
  ASSERT_EQ(id_of(*q.thief().steal()), 0U);
  ASSERT_EQ(id_of(*q.thief().steal()), 1U);
  EXPECT_EQ(q.size_hint(), 2U);
  ASSERT_EQ(id_of(q.owner().pop().value()), 3U);
  ASSERT_EQ(id_of(q.owner().pop().value()), 2U);
  for (std::uint64_t id = 0; id < 4; ++id) EXPECT_TRUE(q.owner().push(make_item<item8>(id)));
  EXPECT_FALSE(q.owner().push(9));
}

TEST(abp_deque, gets_all_space_back_after_thieves_emptied_it) {
  abp_deque<item8> q(4);
  for (int round = 0; round < 10; ++round) {
    for (std::uint64_t id = 0; id < 4; ++id) ASSERT_TRUE(q.owner().push(make_item<item8>(id)));
    for (std::uint64_t id = 0; id < 4; ++id) ASSERT_EQ(id_of(*q.thief().steal()), id);
    EXPECT_FALSE(q.owner().pop().has_value());
  }
}

TEST(abp_deque, costs_one_fence_per_pop_and_per_steal) {
  abp_deque<item8, counting_sync> q(16);
  EXPECT_EQ(cost_of([&] {
              for (item8 i = 0; i < 8; ++i) static_cast<void>(q.owner().push(i));
            }),
            "nothing");
  EXPECT_EQ(cost_of([&] { static_cast<void>(q.owner().pop()); }), "1 fences");
  EXPECT_EQ(cost_of([&] { static_cast<void>(q.thief().steal()); }), "1 fences, 1 cas");
  while (q.size_hint() > 1) static_cast<void>(q.owner().pop());
  EXPECT_EQ(cost_of([&] { static_cast<void>(q.owner().pop()); }), "1 fences, 1 cas") << "the last item";
  EXPECT_EQ(counted([&] { static_cast<void>(q.thief().steal()); }).cas, 0U) << "nothing to steal";
  EXPECT_EQ(counted([&] { static_cast<void>(q.owner().pop()); }).cas, 0U) << "nothing to pop";
}

}  // namespace
}  // namespace pilfer::test
