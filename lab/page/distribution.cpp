#include "lab/page/distribution.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "lab/measure/statistics.hpp"

namespace pilfer::lab::page {
namespace {

// Silverman's rule; the quartiles keep a few far samples from smearing everything.
double bandwidth(const std::vector<double>& values) {
  const double count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double square = 0;
  for (const double each : values) square += (each - mean) * (each - mean);
  const double deviation = std::sqrt(square / count);
  const double quartiles = (percentile(values, 75) - percentile(values, 25)) / 1.34;
  const double spread = quartiles > 0 ? std::min(deviation, quartiles) : deviation;
  return 0.9 * spread * std::pow(count, -0.2);
}

// With more samples the picture is the same, and takes seconds.
std::vector<double> thinned(const std::vector<double>& values) {
  constexpr std::size_t enough = 2000;
  if (values.size() <= enough) return values;
  std::vector<double> some;
  some.reserve(enough);
  for (std::size_t i = 0; i < enough; ++i) some.push_back(values[i * (values.size() - 1) / (enough - 1)]);
  return some;
}

}  // namespace

std::vector<double> finite_sorted(const std::vector<double>& samples) {
  std::vector<double> kept;
  std::ranges::copy_if(samples, std::back_inserter(kept), [](double s) { return std::isfinite(s); });
  std::ranges::sort(kept);
  return kept;
}

five_numbers summarize(const std::vector<double>& sorted) {
  five_numbers five;
  five.quartile_low = percentile(sorted, 25);
  five.middle = percentile(sorted, 50);
  five.quartile_high = percentile(sorted, 75);
  const double reach = 1.5 * (five.quartile_high - five.quartile_low);
  five.whisker_low = five.quartile_low;
  five.whisker_high = five.quartile_high;
  for (const double each : sorted) {
    if (each < five.quartile_low - reach || each > five.quartile_high + reach) {
      five.outliers.push_back(each);
    } else {
      five.whisker_low = std::min(five.whisker_low, each);
      five.whisker_high = std::max(five.whisker_high, each);
    }
  }
  return five;
}

std::vector<density_point> density(const std::vector<double>& sorted, bool logarithmic) {
  constexpr std::size_t fewest = 3;
  if (sorted.size() < fewest) return {};
  std::vector<double> values = thinned(sorted);
  if (logarithmic) {
    for (double& each : values) each = std::log(each);
  }
  const double low = values.front();
  const double high = values.back();
  const double width = std::max(bandwidth(values), (high - low) / 200);
  if (!(high > low) || !(width > 0)) return {};

  constexpr int steps = 48;
  std::vector<density_point> curve;
  double most = 0;
  for (int i = 0; i <= steps; ++i) {
    const double at = low + (high - low) * i / steps;
    double sum = 0;
    for (const double each : values) {
      const double distance = (at - each) / width;
      sum += std::exp(-0.5 * distance * distance);
    }
    most = std::max(most, sum);
    curve.push_back({logarithmic ? std::exp(at) : at, sum});
  }
  for (density_point& each : curve) each.density /= most;
  return curve;
}

}  // namespace pilfer::lab::page
