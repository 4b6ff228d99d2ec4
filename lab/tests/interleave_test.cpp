#include "lab/measure/interleave.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>

namespace pilfer::lab {
namespace {

TEST(interleave, repetitions_are_outermost_and_each_has_an_order_of_its_own) {
  std::string order;
  const auto named = [&](char c) {
    return contender{std::string(1, c), [&order, c] {
                       order += c;
                       return static_cast<double>(order.size());
                     }};
  };
  constexpr std::size_t repetitions = 40;
  const sample_matrix samples = run_interleaved({named('a'), named('b'), named('c')}, repetitions, "test");
  ASSERT_EQ(samples.size(), 3U);
  std::set<std::string> orders;
  for (std::size_t r = 0; r < repetitions; ++r) {
    std::string one = order.substr(3 * r, 3);
    orders.insert(one);
    for (std::size_t c = 0; c < 3; ++c) {
      const auto place = static_cast<std::size_t>(samples[c].at(r)) - 1;
      EXPECT_EQ(order.at(place), "abc"[c]) << "sample " << r << " belongs to another repetition or contender";
      EXPECT_EQ(place / 3, r);
    }
  }
  EXPECT_EQ(orders.size(), 6U) << "all orders of three turn up in forty repetitions";
}

TEST(interleave, orders_are_permutations_and_the_same_in_every_run) {
  for (std::size_t contenders : {0U, 1U, 2U, 17U}) {
    std::vector<std::size_t> order = shuffled_order(contenders, 5);
    EXPECT_EQ(order, shuffled_order(contenders, 5));
    std::ranges::sort(order);
    for (std::size_t i = 0; i < contenders; ++i) EXPECT_EQ(order[i], i);
  }
}

TEST(interleave, an_exception_of_a_contender_comes_through) {
  const contender bad{"bad", []() -> double { throw std::runtime_error("lost an item"); }};
  EXPECT_THROW((void)run_interleaved({bad}, 1, "test"), std::runtime_error);
}

TEST(interleave, no_contenders_no_samples) { EXPECT_TRUE(run_interleaved({}, 3, "test").empty()); }

}  // namespace
}  // namespace pilfer::lab
