#include "lab/measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace pilfer::lab {
namespace {

void require_values(std::span<const double> values) {
  if (values.empty()) throw std::invalid_argument("statistics: no values");
}

double percentile_of_sorted(std::span<const double> sorted, double percent) {
  const double position = percent / 100 * static_cast<double>(sorted.size() - 1);
  const double below = std::floor(position);
  const auto index = static_cast<std::size_t>(below);
  if (index + 1 >= sorted.size()) return sorted.back();
  return sorted[index] + (position - below) * (sorted[index + 1] - sorted[index]);
}

std::vector<double> sorted_for(std::span<const double> values, double percent) {
  require_values(values);
  if (std::isnan(percent) || percent < 0 || percent > 100)
    throw std::invalid_argument("statistics: a percentile is within 0 and 100");
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  return sorted;
}

// splitmix64: the standard distributions differ between libraries, and an interval must not.
class generator {
 public:
  explicit generator(std::uint64_t seed) : state_(seed) {}
  std::size_t below(std::size_t bound) {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    z ^= z >> 31;
    return static_cast<std::size_t>((z >> 32) * bound >> 32);  // bias below bound / 2^32
  }

 private:
  std::uint64_t state_;
};

// Median of a scratch array, which it reorders.
double median_in_place(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

}  // namespace

double percentile(std::span<const double> values, double percent) {
  return percentile_of_sorted(sorted_for(values, percent), percent);
}

double nearest_rank(std::span<const double> values, double percent) {
  const std::vector<double> sorted = sorted_for(values, percent);
  constexpr double rounding = 1e-9;  // 99.9 % of 1000 are 999, not one more
  const double rank = std::ceil(percent / 100 * static_cast<double>(sorted.size()) - rounding);
  return sorted[rank < 1 ? 0 : static_cast<std::size_t>(rank) - 1];
}

double median(std::span<const double> values) { return percentile(values, 50); }

double minimum(std::span<const double> values) {
  require_values(values);
  return *std::ranges::min_element(values);
}

estimate median_estimate(std::span<const double> values, const bootstrap& how) {
  const double value = median(values);
  generator random(how.seed);
  std::vector<double> medians(std::max<std::size_t>(how.resamples, 1));
  std::vector<double> resample(values.size());
  for (double& m : medians) {
    for (double& drawn : resample) drawn = values[random.below(values.size())];
    m = median_in_place(resample);
  }
  std::ranges::sort(medians);
  const double tail = (1 - how.confidence) / 2 * 100;
  return {value, percentile_of_sorted(medians, tail), percentile_of_sorted(medians, 100 - tail)};
}

std::vector<double> paired_ratios(std::span<const double> numerator, std::span<const double> denominator) {
  require_values(numerator);
  if (numerator.size() != denominator.size())
    throw std::invalid_argument("statistics: pairs need as many values on either side");
  std::vector<double> ratios(numerator.size());
  std::ranges::transform(numerator, denominator, ratios.begin(), [](double n, double d) { return n / d; });
  return ratios;
}

estimate paired_ratio(std::span<const double> numerator, std::span<const double> denominator, const bootstrap& how) {
  return median_estimate(paired_ratios(numerator, denominator), how);
}

}  // namespace pilfer::lab
