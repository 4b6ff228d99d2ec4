// Order statistics and paired ratios. Every figure the lab prints comes from here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pilfer::lab {

// The value below which `percent` of the values lie, interpolated between neighbours; 50 is the median.
//   Throws  std::invalid_argument if there are no values, or `percent` is not in [0, 100].
[[nodiscard]] double percentile(std::span<const double> values, double percent);
// The smallest of the values that `percent` of them do not exceed: for counts, where there is nothing in between.
//   Throws  as percentile.
[[nodiscard]] double nearest_rank(std::span<const double> values, double percent);
[[nodiscard]] double median(std::span<const double> values);
[[nodiscard]] double minimum(std::span<const double> values);

// A figure and its confidence interval.
struct estimate {
  double value = 0;
  double low = 0;
  double high = 0;
};

// How a confidence interval is made. Seeded: the same samples give the same interval.
struct bootstrap {
  double confidence = 0.95;
  std::size_t resamples = 2000;
  std::uint64_t seed = 0x70696c666572;
};

// Median of the values, with the percentile bootstrap interval of that median.
[[nodiscard]] estimate median_estimate(std::span<const double> values, const bootstrap& how = {});

// numerator[i] / denominator[i], i being a repetition: both were measured one shortly after the other, so that what
// disturbs the machine for longer than that disturbs both alike.
//   Throws  std::invalid_argument if the lengths differ or there are no values.
[[nodiscard]] std::vector<double> paired_ratios(std::span<const double> numerator, std::span<const double> denominator);
[[nodiscard]] estimate paired_ratio(std::span<const double> numerator, std::span<const double> denominator,
                                    const bootstrap& how = {});

}  // namespace pilfer::lab
