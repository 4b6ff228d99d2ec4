#include "lab/measure/interleave.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace pilfer::lab {
namespace {

TEST(interleave, repetitions_are_outermost_and_the_order_rotates) {
  std::string order;
  const auto named = [&](char c) {
    return contender{std::string(1, c), [&order, c] {
                       order += c;
                       return static_cast<double>(order.size());
                     }};
  };
  const sample_matrix samples = run_interleaved({named('a'), named('b'), named('c')}, 4, "test");
  EXPECT_EQ(order, "abcbcacababc");
  ASSERT_EQ(samples.size(), 3U);
  EXPECT_EQ(samples[0], (std::vector<double>{1, 6, 8, 10}));
  EXPECT_EQ(samples[1], (std::vector<double>{2, 4, 9, 11}));
  EXPECT_EQ(samples[2], (std::vector<double>{3, 5, 7, 12}));
}

TEST(interleave, an_exception_of_a_contender_comes_through) {
  const contender bad{"bad", []() -> double { throw std::runtime_error("lost an item"); }};
  EXPECT_THROW((void)run_interleaved({bad}, 1, "test"), std::runtime_error);
}

TEST(interleave, no_contenders_no_samples) { EXPECT_TRUE(run_interleaved({}, 3, "test").empty()); }

}  // namespace
}  // namespace pilfer::lab
