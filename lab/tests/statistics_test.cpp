#include "lab/measure/statistics.hpp"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <vector>

namespace pilfer::lab {
namespace {

TEST(statistics, median_of_odd_and_even_counts) {
  EXPECT_DOUBLE_EQ(median(std::array{3.0, 1.0, 2.0}), 2.0);
  EXPECT_DOUBLE_EQ(median(std::array{4.0, 1.0, 3.0, 2.0}), 2.5);
  EXPECT_DOUBLE_EQ(median(std::array{7.0}), 7.0);
}

TEST(statistics, minimum_is_the_smallest) { EXPECT_DOUBLE_EQ(minimum(std::array{3.0, 1.0, 2.0}), 1.0); }

TEST(statistics, percentiles_interpolate_between_neighbours) {
  const std::array values{40.0, 10.0, 30.0, 20.0, 50.0};
  EXPECT_DOUBLE_EQ(percentile(values, 0), 10.0);
  EXPECT_DOUBLE_EQ(percentile(values, 25), 20.0);
  EXPECT_DOUBLE_EQ(percentile(values, 90), 46.0);
  EXPECT_DOUBLE_EQ(percentile(values, 100), 50.0);
}

TEST(statistics, the_nearest_rank_is_one_of_the_values) {
  const std::array counts{3.0, 0.0, 1.0, 0.0};
  EXPECT_DOUBLE_EQ(nearest_rank(counts, 0), 0.0);
  EXPECT_DOUBLE_EQ(nearest_rank(counts, 50), 0.0);
  EXPECT_DOUBLE_EQ(nearest_rank(counts, 75), 1.0);  // three of four are at most 1
  EXPECT_DOUBLE_EQ(nearest_rank(counts, 76), 3.0);
  EXPECT_DOUBLE_EQ(nearest_rank(counts, 100), 3.0);
  std::vector<double> thousand(1000, 1.0);
  thousand.back() = 9.0;
  EXPECT_DOUBLE_EQ(nearest_rank(thousand, 99.9), 1.0);
  EXPECT_THROW((void)nearest_rank({}, 50), std::invalid_argument);
  EXPECT_THROW((void)nearest_rank(counts, 101), std::invalid_argument);
}

TEST(statistics, nothing_has_no_median) {
  EXPECT_THROW((void)median({}), std::invalid_argument);
  EXPECT_THROW((void)minimum({}), std::invalid_argument);
  EXPECT_THROW((void)median_estimate({}), std::invalid_argument);
  EXPECT_THROW((void)paired_ratio({}, {}), std::invalid_argument);
}

TEST(statistics, a_percentile_is_within_0_and_100) {
  EXPECT_THROW((void)percentile(std::array{1.0}, -1), std::invalid_argument);
  EXPECT_THROW((void)percentile(std::array{1.0}, 100.5), std::invalid_argument);
}

TEST(statistics, ratios_are_of_pairs_not_of_medians) {
  // The machine slows down over time, both by the same factor: each pair still says 2.
  const std::array slow{2.0, 4.0, 8.0, 16.0, 32.0};
  const std::array fast{1.0, 2.0, 4.0, 8.0, 16.0};
  const estimate ratio = paired_ratio(slow, fast);
  EXPECT_DOUBLE_EQ(ratio.value, 2.0);
  EXPECT_DOUBLE_EQ(ratio.low, 2.0);
  EXPECT_DOUBLE_EQ(ratio.high, 2.0);
}

TEST(statistics, pairs_need_equal_lengths) {
  EXPECT_THROW((void)paired_ratios(std::array{1.0, 2.0}, std::array{1.0}), std::invalid_argument);
}

TEST(statistics, the_interval_holds_the_median_and_is_the_same_every_time) {
  std::vector<double> values;
  for (int i = 0; i < 101; ++i) values.push_back(1.0 + (i * 37 % 101) / 100.0);
  const estimate first = median_estimate(values);
  const estimate second = median_estimate(values);
  EXPECT_DOUBLE_EQ(first.value, 1.5);
  EXPECT_LT(first.low, first.value);
  EXPECT_GT(first.high, first.value);
  // Of a uniform sample of 101 the 95 % interval of the median is about +-0.1 wide.
  EXPECT_NEAR(first.low, 1.4, 0.06);
  EXPECT_NEAR(first.high, 1.6, 0.06);
  EXPECT_DOUBLE_EQ(first.low, second.low);
  EXPECT_DOUBLE_EQ(first.high, second.high);
}

TEST(statistics, another_seed_draws_other_samples) {
  std::vector<double> values;
  for (int i = 0; i < 57; ++i) values.push_back(static_cast<double>(i * i % 101));
  const estimate a = median_estimate(values, {.resamples = 20, .seed = 1});
  const estimate b = median_estimate(values, {.resamples = 20, .seed = 2});
  EXPECT_DOUBLE_EQ(a.value, b.value);
  EXPECT_TRUE(a.low != b.low || a.high != b.high);
}

TEST(statistics, more_confidence_is_a_wider_interval) {
  std::vector<double> values;
  for (int i = 0; i < 61; ++i) values.push_back(static_cast<double>(i * 17 % 61));
  const estimate narrow = median_estimate(values, {.confidence = 0.5});
  const estimate wide = median_estimate(values, {.confidence = 0.99});
  EXPECT_LT(wide.low, narrow.low);
  EXPECT_GT(wide.high, narrow.high);
}

}  // namespace
}  // namespace pilfer::lab
