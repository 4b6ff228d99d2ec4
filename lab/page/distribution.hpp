// What box plots and violins show of samples.
#pragma once

#include <cstddef>
#include <vector>

namespace pilfer::lab::page {

struct five_numbers {
  double whisker_low = 0, quartile_low = 0, middle = 0, quartile_high = 0, whisker_high = 0;
  std::vector<double> outliers;  // beyond 1.5 times the distance of the quartiles
};

// The finite ones, ascending.
[[nodiscard]] std::vector<double> finite_sorted(const std::vector<double>& samples);

//   `sorted` is not empty.
[[nodiscard]] five_numbers summarize(const std::vector<double>& sorted);

struct density_point {
  double value;
  double density;  // 1 at the highest place
};

// Gaussian kernel density from the smallest to the largest sample; on the logarithms if `logarithmic`, which then are all
// above 0. Empty if all samples are equal or there are fewer than three: there is nothing to estimate.
[[nodiscard]] std::vector<density_point> density(const std::vector<double>& sorted, bool logarithmic);

}  // namespace pilfer::lab::page
