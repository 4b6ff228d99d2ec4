#include <cstddef>
#include <string>

#include <gtest/gtest.h>

#include <pilfer/queue/asymmetric_deque.hpp>

#include "support/construction.hpp"
#include "support/counting.hpp"
#include "support/items.hpp"

namespace pilfer::test {
namespace {

using ext::counting_sync;
using queue::asymmetric_deque;
using queue::fencing;

TEST(asymmetric_deque, rejects_bad_arguments) {
  for (const fencing choice : {fencing::automatic, fencing::always}) {
    expect_rejected([=] { asymmetric_deque<item8> q(0, choice); }, {"asymmetric_deque", "capacity", "0"});
    expect_rejected([=] { asymmetric_deque<item8> q(48, choice); },
                    {"asymmetric_deque", "capacity", "48", "power of two"});
    expect_rejected([=] { asymmetric_deque<item8> q(huge, choice); },
                    {"asymmetric_deque", "capacity", std::to_string(huge)});
  }
}

TEST(asymmetric_deque, survives_no_memory) {
  for (const fencing choice : {fencing::automatic, fencing::always}) {
    expect_construction_survives_no_memory<asymmetric_deque<item8, failing_sync>>(std::size_t{4}, choice);
    expect_growth_survives_no_memory<asymmetric_deque<item8, failing_sync>>(std::size_t{2}, choice);
  }
}

TEST(asymmetric_deque, uses_membarrier_where_it_may) {
  EXPECT_EQ(asymmetric_deque<item8>(4).uses_membarrier(), ext::default_sync::asymmetric_fences());
  EXPECT_EQ(asymmetric_deque<item8>(4, fencing::automatic).uses_membarrier(), ext::default_sync::asymmetric_fences());
  EXPECT_FALSE(asymmetric_deque<item8>(4, fencing::always).uses_membarrier());
}

// A machine without membarrier, or with it, whatever this one has.
template <bool Works>
struct pretending_sync : counting_sync {
  [[nodiscard]] static bool asymmetric_fences() noexcept { return Works; }
  [[nodiscard]] static bool heavy_fence() noexcept {
    ++counts().heavy_fences;
    return Works;
  }
};

template <class Queue>
void fill_for_costs(Queue& q) {
  EXPECT_EQ(cost_of([&] {
              for (item8 i = 0; i < 8; ++i) static_cast<void>(q.owner().push(i));
            }),
            "nothing");
}

TEST(asymmetric_deque, owner_pays_nothing_with_membarrier) {
  asymmetric_deque<item8, pretending_sync<true>> q(16);
  ASSERT_TRUE(q.uses_membarrier());
  fill_for_costs(q);
  EXPECT_EQ(cost_of([&] { static_cast<void>(q.owner().pop()); }), "nothing");
  EXPECT_EQ(cost_of([&] { static_cast<void>(q.thief().steal()); }), "1 cas, 1 heavy_fences");
  while (q.size_hint() > 1) static_cast<void>(q.owner().pop());
  EXPECT_EQ(cost_of([&] { static_cast<void>(q.owner().pop()); }), "1 cas") << "the last item";
  EXPECT_EQ(cost_of([&] { static_cast<void>(q.thief().steal()); }), "nothing")
      << "an empty victim costs no system call";
}

TEST(asymmetric_deque, both_pay_a_fence_without_membarrier) {
  asymmetric_deque<item8, pretending_sync<false>> refused(16);
  asymmetric_deque<item8, pretending_sync<true>> chosen(16, fencing::always);
  const auto check = [](auto& q) {
    ASSERT_FALSE(q.uses_membarrier());
    fill_for_costs(q);
    EXPECT_EQ(cost_of([&] { static_cast<void>(q.owner().pop()); }), "1 fences");
    EXPECT_EQ(cost_of([&] { static_cast<void>(q.thief().steal()); }), "1 fences, 1 cas");
    while (q.size_hint() > 1) static_cast<void>(q.owner().pop());
    EXPECT_EQ(cost_of([&] { static_cast<void>(q.owner().pop()); }), "1 fences, 1 cas") << "the last item";
  };
  check(refused);
  check(chosen);
}

// The kernel said yes when the deque was made, and no to the barrier: no claim may rest on it.
struct withdrawing_sync : ext::default_sync {
  [[nodiscard]] static bool asymmetric_fences() noexcept { return true; }
  [[nodiscard]] static bool heavy_fence() noexcept { return false; }
};

TEST(asymmetric_deque, steals_nothing_on_a_barrier_that_was_refused) {
  asymmetric_deque<item8, withdrawing_sync> q(16);
  for (std::uint64_t id = 0; id < 8; ++id) ASSERT_TRUE(q.owner().push(make_item<item8>(id)));
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(q.thief().steal()) << "the owner cannot know yet";
  // From here on the owner may agree to use fences; whoever gets an item, each comes once and in order.
  std::uint64_t oldest = 0;
  std::uint64_t youngest = 7;
  while (const auto got = q.owner().pop()) {
    ASSERT_EQ(id_of(*got), youngest);
    --youngest;
    if (const auto stolen = q.thief().steal()) {
      ASSERT_EQ(id_of(*stolen), oldest);
      ++oldest;
    }
  }
  EXPECT_EQ(oldest, youngest + 1);
}

TEST(asymmetric_deque, growth_allocates_once) {
  asymmetric_deque<item8, counting_sync> q(4);
  for (item8 i = 0; i < 4; ++i) ASSERT_TRUE(q.owner().push(i));
  EXPECT_EQ(cost_of([&] { static_cast<void>(q.owner().push(4)); }), "1 allocations");
}

}  // namespace
}  // namespace pilfer::test
