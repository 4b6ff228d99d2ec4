#include <cstddef>
#include <string>

#include <gtest/gtest.h>

#include <pilfer/queue/chase_lev_deque.hpp>

#include "support/construction.hpp"
#include "support/counting.hpp"
#include "support/items.hpp"

namespace pilfer::test {
namespace {

using ext::counting_sync;
using queue::bounded_chase_lev_deque;
using queue::chase_lev_deque;
using queue::chase_lev_orders;

template <class Queue>
void check_bad_arguments() {
  expect_rejected([] { Queue q(0); }, {"chase_lev_deque", "capacity", "0"});
  for (const std::size_t odd : {std::size_t{3}, std::size_t{6}, std::size_t{63}, std::size_t{65}}) {
    expect_rejected([=] { Queue q(odd); }, {"chase_lev_deque", "capacity", std::to_string(odd), "power of two"});
  }
  expect_rejected([] { Queue q(huge); }, {"chase_lev_deque", "capacity", std::to_string(huge)});
  expect_rejected([] { Queue q(std::size_t{1} << 63); }, {"chase_lev_deque", "capacity"});
}

TEST(chase_lev_deque, rejects_bad_arguments) {
  check_bad_arguments<chase_lev_deque<item8>>();
  check_bad_arguments<bounded_chase_lev_deque<item16>>();
  // More items than eight bits can number.
  using narrow = bounded_chase_lev_deque<item8, ext::default_sync, chase_lev_orders, 8>;
  expect_rejected([] { narrow q(256); }, {"chase_lev_deque", "capacity", "256", "at most"});
}

TEST(chase_lev_deque, survives_no_memory) {
  expect_construction_survives_no_memory<chase_lev_deque<item8, failing_sync>>(std::size_t{4});
  expect_construction_survives_no_memory<bounded_chase_lev_deque<item8, failing_sync>>(std::size_t{4});
  expect_growth_survives_no_memory<chase_lev_deque<item8, failing_sync>>(std::size_t{2});
  expect_growth_survives_no_memory<chase_lev_deque<item16, failing_sync>>(std::size_t{2});
}

TEST(chase_lev_deque, grows_by_doubling) {
  chase_lev_deque<item8> q(2);
  for (std::uint64_t id = 0; id < 1000; ++id) {
    ASSERT_TRUE(q.owner().push(make_item<item8>(id)));
    ASSERT_GE(q.capacity(), id + 1);
    ASSERT_LE(q.capacity(), std::max<std::uint64_t>(2, 2 * id));
  }
}

template <class Queue>
void check_chase_lev_costs() {
  Queue q(16);
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

TEST(chase_lev_deque, costs_one_fence_per_pop_and_per_steal) {
  check_chase_lev_costs<chase_lev_deque<item8, counting_sync>>();
  check_chase_lev_costs<bounded_chase_lev_deque<item8, counting_sync>>();
}

TEST(chase_lev_deque, growth_allocates_once) {
  chase_lev_deque<item8, counting_sync> q(4);
  for (item8 i = 0; i < 4; ++i) ASSERT_TRUE(q.owner().push(i));
  EXPECT_EQ(cost_of([&] { static_cast<void>(q.owner().push(4)); }), "1 allocations");
  EXPECT_EQ(cost_of([&] { static_cast<void>(q.owner().push(5)); }), "nothing");
}

// Regression of Lê et al.'s listing: the push that grows goes to the new buffer, and thieves find it there.
TEST(chase_lev_deque, push_after_growth_uses_the_new_buffer) {
  chase_lev_deque<item8> q(1);
  for (std::uint64_t id = 0; id < 2; ++id) ASSERT_TRUE(q.owner().push(make_item<item8>(id)));
  EXPECT_EQ(id_of(*q.thief().steal()), 0U);
  EXPECT_EQ(id_of(*q.thief().steal()), 1U);
}

}  // namespace
}  // namespace pilfer::test
