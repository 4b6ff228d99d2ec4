#include <algorithm>
#include <cstddef>
#include <string>

#include <gtest/gtest.h>

#include <pilfer/queue/split_deque.hpp>

#include "push_ids.hpp"
#include "support/construction.hpp"
#include "support/counting.hpp"
#include "support/items.hpp"

namespace pilfer::test {
namespace {

using ext::counting_sync;
using ext::steal_status;
using queue::exposure_rule;
using queue::signal_safe_split_deque;
using queue::split_deque;

template <class Queue>
class both_split_forms : public ::testing::Test {};
using forms = ::testing::Types<split_deque<item8>, signal_safe_split_deque<item8>, split_deque<item16>,
                               signal_safe_split_deque<item16>>;
TYPED_TEST_SUITE(both_split_forms, forms);

TYPED_TEST(both_split_forms, rejects_bad_arguments) {
  expect_rejected([] { TypeParam q(0); }, {"split_deque", "capacity", "0"});
  for (const std::size_t odd : {std::size_t{3}, std::size_t{12}, std::size_t{127}}) {
    expect_rejected([=] { TypeParam q(odd); }, {"split_deque", "capacity", std::to_string(odd), "power of two"});
  }
  expect_rejected([] { TypeParam q(huge); }, {"split_deque", "capacity", std::to_string(huge)});
  expect_rejected([] { TypeParam q(std::size_t{1} << 63); }, {"split_deque", "capacity"});
}

TEST(split_deque, survives_no_memory) {
  expect_construction_survives_no_memory<split_deque<item8, failing_sync>>(std::size_t{4});
  expect_construction_survives_no_memory<signal_safe_split_deque<item8, failing_sync>>(std::size_t{4});
  expect_growth_survives_no_memory<split_deque<item8, failing_sync>>(std::size_t{2});
  expect_growth_survives_no_memory<signal_safe_split_deque<item8, failing_sync>>(std::size_t{2});
}

TYPED_TEST(both_split_forms, tells_private_work_from_empty) {
  TypeParam q(4);
  EXPECT_EQ(q.thief().steal().status(), steal_status::empty);
  push_ids(q, 0, 3);
  EXPECT_EQ(q.thief().steal().status(), steal_status::private_work);
  q.owner().expose(1);
  EXPECT_EQ(id_of(*q.thief().steal()), 0U);
  EXPECT_EQ(q.thief().steal().status(), steal_status::private_work);
  while (q.owner().take()) {
  }
  EXPECT_EQ(q.thief().steal().status(), steal_status::empty);
  push_ids(q, 3, 4);
  EXPECT_EQ(q.thief().steal().status(), steal_status::private_work);
}

// However the private part became empty, the next private item is announced.
TYPED_TEST(both_split_forms, announces_private_work_after_every_way_to_be_empty) {
  for (std::size_t items = 1; items <= 3; ++items) {
    for (std::size_t exposed = 0; exposed <= items; ++exposed) {
      for (std::size_t stolen = 0; stolen <= exposed; ++stolen) {
        TypeParam q(4);
        push_ids(q, 0, items);
        q.owner().expose(exposed);
        for (std::size_t i = 0; i < stolen; ++i) ASSERT_TRUE(q.thief().steal());
        while (q.owner().pop()) {
        }
        while (q.owner().pop_public()) {
        }
        EXPECT_EQ(q.thief().steal().status(), steal_status::empty);
        push_ids(q, items, items + 1);
        EXPECT_EQ(q.thief().steal().status(), steal_status::private_work) << items << " " << exposed << " " << stolen;
      }
    }
  }
}

TYPED_TEST(both_split_forms, exposes_the_oldest) {
  TypeParam q(16);
  push_ids(q, 0, 10);
  EXPECT_EQ(q.owner().private_size(), 10U);
  EXPECT_EQ(q.owner().expose(0), 0U);
  EXPECT_EQ(q.owner().expose(3), 3U);
  EXPECT_EQ(q.owner().private_size(), 7U);
  EXPECT_EQ(q.owner().expose(100), 7U) << "no more than there are";
  EXPECT_EQ(q.owner().expose(1), 0U);
  EXPECT_EQ(q.owner().private_size(), 0U);
  for (std::uint64_t id = 0; id < 10; ++id) EXPECT_EQ(id_of(*q.thief().steal()), id);
  EXPECT_FALSE(q.thief().steal());
}

TYPED_TEST(both_split_forms, pop_leaves_the_public_part_alone) {
  TypeParam q(16);
  push_ids(q, 0, 4);
  q.owner().expose(2);
  EXPECT_EQ(id_of(q.owner().pop().value()), 3U);
  EXPECT_EQ(id_of(q.owner().pop().value()), 2U);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(q.owner().pop().has_value());
  EXPECT_EQ(id_of(q.owner().pop_public().value()), 1U);
  EXPECT_EQ(id_of(*q.thief().steal()), 0U);
  EXPECT_FALSE(q.owner().pop_public().has_value());
  EXPECT_FALSE(q.owner().take().has_value());
}

// A failed pop leaves no trace, so that pushes after it are neither lost nor shifted.
TYPED_TEST(both_split_forms, pops_that_find_nothing_do_no_harm) {
  TypeParam q(2);
  for (std::uint64_t round = 0; round < 50; ++round) {
    for (std::uint64_t i = 0; i < round % 4; ++i) EXPECT_FALSE(q.owner().pop().has_value());
    if (round % 5 == 0) {
      EXPECT_FALSE(q.owner().pop_public().has_value());
    }
    EXPECT_EQ(q.owner().private_size(), 0U);
    EXPECT_EQ(q.owner().expose(5), 0U) << "a phantom";
    push_ids(q, 0, round % 7 + 1);
    for (std::uint64_t id = round % 7 + 1; id > 0; --id) ASSERT_EQ(id_of(q.owner().pop().value()), id - 1);
  }
}

TYPED_TEST(both_split_forms, take_goes_through_both_parts) {
  TypeParam q(4);
  push_ids(q, 0, 8);
  q.owner().expose(5);
  for (std::uint64_t id = 8; id > 0; --id) EXPECT_EQ(id_of(q.owner().take().value()), id - 1);
  EXPECT_FALSE(q.owner().take().has_value());
}

// Growth while part of the items is public, at every split.
TYPED_TEST(both_split_forms, growth_keeps_the_split) {
  for (std::size_t exposed = 0; exposed <= 4; ++exposed) {
    for (std::size_t stolen = 0; stolen <= exposed; ++stolen) {
      TypeParam q(4);
      push_ids(q, 0, 4);
      q.owner().expose(exposed);
      for (std::uint64_t id = 0; id < stolen; ++id) ASSERT_EQ(id_of(*q.thief().steal()), id);
      push_ids(q, 4, 40);
      EXPECT_EQ(q.owner().private_size(), 40 - exposed);
      for (std::uint64_t id = stolen; id < exposed; ++id) ASSERT_EQ(id_of(*q.thief().steal()), id);
      EXPECT_EQ(q.thief().steal().status(), steal_status::private_work);
      for (std::uint64_t id = 40; id > exposed; --id) ASSERT_EQ(id_of(q.owner().take().value()), id - 1);
      EXPECT_FALSE(q.owner().take().has_value());
    }
  }
}

// What the owner's next operation makes public after a request (004, sections 3 and 4.1): with `items` private items left.
std::size_t expected_exposure(exposure_rule rule, std::size_t items) {
  switch (rule) {
    case exposure_rule::one: return std::min<std::size_t>(items, 1);
    case exposure_rule::conservative: return items >= 2 ? 1 : 0;
    case exposure_rule::half:
    case exposure_rule::lace: return items >= 3 ? (items + 1) / 2 : std::min<std::size_t>(items, 1);
  }
  return 0;
}

TEST(split_deque, answers_a_request_at_the_next_push) {
  for (const exposure_rule rule :
       {exposure_rule::one, exposure_rule::conservative, exposure_rule::half, exposure_rule::lace}) {
    for (std::uint64_t items = 0; items < 12; ++items) {
      SCOPED_TRACE("rule " + std::to_string(static_cast<int>(rule)) + ", items " + std::to_string(items));
      split_deque<item8> q(16, rule);
      push_ids(q, 0, items);
      q.thief().request();
      EXPECT_FALSE(q.thief().steal()) << "the owner has not had a chance yet";
      push_ids(q, items, items + 1);
      EXPECT_EQ(items + 1 - q.owner().private_size(), expected_exposure(rule, items + 1));
      if (expected_exposure(rule, items + 1) > 0) {
        EXPECT_EQ(id_of(*q.thief().steal()), 0U);
      }
    }
  }
}

// An answer to one request is no answer to the next.
TEST(split_deque, answers_each_request_once) {
  split_deque<item8> q(16, exposure_rule::one);
  push_ids(q, 0, 8);
  q.thief().request();
  push_ids(q, 8, 12);
  EXPECT_EQ(q.owner().private_size(), 11U);
  q.thief().request();
  q.thief().request();  // two thieves, one answer
  push_ids(q, 12, 16);
  EXPECT_EQ(q.owner().private_size(), 14U);
}

TEST(split_deque, answers_a_request_at_the_next_pop) {
  for (const exposure_rule rule :
       {exposure_rule::one, exposure_rule::conservative, exposure_rule::half, exposure_rule::lace}) {
    for (std::uint64_t items = 3; items < 12; ++items) {
      SCOPED_TRACE("rule " + std::to_string(static_cast<int>(rule)) + ", items " + std::to_string(items));
      split_deque<item8> q(16, rule);
      push_ids(q, 0, items);
      q.thief().request();
      EXPECT_EQ(id_of(q.owner().pop().value()), items - 1);
      const std::size_t exposed = items - 1 - q.owner().private_size();
      // The owner may answer before or after it takes its item.
      EXPECT_GE(exposed, expected_exposure(rule, items - 1));
      EXPECT_LE(exposed, expected_exposure(rule, items));
      EXPECT_EQ(id_of(*q.thief().steal()), 0U);
    }
  }
}

// With one item and a request, the owner either gets it or exposes it; it is not lost.
TEST(split_deque, last_item_survives_a_request) {
  for (const exposure_rule rule :
       {exposure_rule::one, exposure_rule::conservative, exposure_rule::half, exposure_rule::lace}) {
    for (const bool thief_first : {false, true}) {
      split_deque<item8> q(4, rule);
      push_ids(q, 0, 1);
      q.thief().request();
      const auto popped = q.owner().pop();
      const bool stolen = thief_first && q.thief().steal();
      const auto rest = q.owner().take();
      EXPECT_EQ((popped ? 1 : 0) + (stolen ? 1 : 0) + (rest ? 1 : 0), 1);
    }
  }
}

// Lace's rule: when the private part is empty, half of the public one comes back, rounded up, and thieves cannot reach it.
TEST(split_deque, lace_takes_half_of_the_public_part_back) {
  for (std::uint64_t items = 1; items <= 12; ++items) {
    for (std::uint64_t stolen = 0; stolen < items; ++stolen) {
      SCOPED_TRACE("items " + std::to_string(items) + ", stolen " + std::to_string(stolen));
      split_deque<item8> q(4, exposure_rule::lace);
      push_ids(q, 0, items);
      ASSERT_EQ(q.owner().expose(items), items);
      for (std::uint64_t id = 0; id < stolen; ++id) ASSERT_EQ(id_of(*q.thief().steal()), id);
      const std::uint64_t left = items - stolen;
      const std::uint64_t back = (left + 1) / 2;
      EXPECT_EQ(id_of(q.owner().take().value()), items - 1);
      EXPECT_EQ(q.owner().private_size(), back - 1) << "the others that came back";
      for (std::uint64_t id = stolen; id < items - back; ++id) ASSERT_EQ(id_of(*q.thief().steal()), id);
      EXPECT_EQ(q.thief().steal().status(), back > 1 ? steal_status::private_work : steal_status::empty);
      for (std::uint64_t id = items - 1; id > items - back; --id) EXPECT_EQ(id_of(q.owner().take().value()), id - 1);
      EXPECT_FALSE(q.owner().take().has_value());
      EXPECT_EQ(q.thief().steal().status(), steal_status::empty);
      push_ids(q, 0, 1);
      EXPECT_EQ(q.thief().steal().status(), steal_status::private_work);
    }
  }
}

TEST(split_deque, lace_gives_what_came_back_away_again_when_asked) {
  split_deque<item8> q(16, exposure_rule::lace);
  push_ids(q, 0, 8);
  q.owner().expose(8);
  EXPECT_EQ(id_of(q.owner().take().value()), 7U);  // 4, 5, 6 are private
  q.thief().request();
  EXPECT_EQ(id_of(q.owner().take().value()), 6U);  // and exposes half of two
  EXPECT_EQ(q.owner().private_size(), 1U);
  for (std::uint64_t id = 0; id < 5; ++id) EXPECT_EQ(id_of(*q.thief().steal()), id);
  EXPECT_EQ(id_of(q.owner().take().value()), 5U);
  EXPECT_FALSE(q.owner().take().has_value());
}

// One fence for half of the public part, where the other rules pay one for each item.
TEST(split_deque, lace_pays_one_fence_for_half) {
  split_deque<item8, counting_sync> q(32, exposure_rule::lace);
  push_ids(q, 0, 16);
  q.owner().expose(16);
  EXPECT_EQ(cost_of([&] { EXPECT_TRUE(q.owner().take()); }), "1 fences");
  EXPECT_EQ(cost_of([&] {
              for (int i = 0; i < 7; ++i) EXPECT_TRUE(q.owner().take());
            }),
            "nothing");
  EXPECT_EQ(cost_of([&] { EXPECT_TRUE(q.owner().take()); }), "1 fences");
}

// Back over the end of the buffer, with indices that wrap.
TEST(split_deque, lace_takes_back_across_segments) {
  using queue::split_form;
  split_deque<item8, ext::default_sync, queue::split_orders, split_form::polled, 6> q(8, exposure_rule::lace);
  for (std::uint64_t shift = 0; shift < 200; ++shift) {
    push_ids(q, 0, 8);
    q.owner().expose(8);
    ASSERT_EQ(id_of(*q.thief().steal()), 0U);  // moves everything on by one
    for (std::uint64_t id = 8; id > 1; --id) ASSERT_EQ(id_of(q.owner().take().value()), id - 1) << shift;
    ASSERT_FALSE(q.owner().take().has_value());
  }
}

template <class Queue>
void check_split_deque_costs() {
  Queue q(32);
  push_ids(q, 0, 2);
  EXPECT_EQ(cost_of([&] { push_ids(q, 2, 20); }), "nothing");
  EXPECT_EQ(cost_of([&] {
              for (int i = 0; i < 10; ++i) static_cast<void>(q.owner().pop());
            }),
            "nothing");
  EXPECT_EQ(counted([&] { q.owner().expose(4); }).fences, 0U);
  EXPECT_EQ(cost_of([&] { EXPECT_TRUE(q.thief().steal()); }), "1 fences, 1 cas");
  while (q.owner().pop()) {
  }
  EXPECT_EQ(cost_of([&] { EXPECT_TRUE(q.owner().pop_public()); }), "1 fences");
  EXPECT_EQ(cost_of([&] { EXPECT_TRUE(q.owner().pop_public()); }), "1 fences");
  EXPECT_EQ(cost_of([&] { EXPECT_TRUE(q.owner().pop_public()); }), "1 fences, 1 cas") << "the last public item";
  EXPECT_EQ(counted([&] { EXPECT_FALSE(q.thief().steal()); }).cas, 0U);
}

TEST(split_deque, owner_pays_nothing_while_work_is_private) {
  check_split_deque_costs<split_deque<item8, counting_sync>>();
  check_split_deque_costs<signal_safe_split_deque<item8, counting_sync>>();
}

TEST(split_deque, request_costs_the_thief_no_fence) {
  split_deque<item8, counting_sync> q(8);
  push_ids(q, 0, 4);
  EXPECT_EQ(counted([&] { q.thief().request(); }).fences, 0U);
}

}  // namespace
}  // namespace pilfer::test
