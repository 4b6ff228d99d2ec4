// An axis: which values it spans, where a value lies on it, and its ticks.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace pilfer::lab::page {

struct tick {
  double value = 0;
  std::string label;
};

// The values that a scale must show. Those that are not finite are passed over.
class extent {
 public:
  void include(double value);
  void include(const std::optional<double>& value);
  [[nodiscard]] bool empty() const noexcept { return !low_; }
  [[nodiscard]] double low() const { return low_.value_or(0); }
  [[nodiscard]] double high() const { return high_.value_or(0); }
  // The smallest above 0: where a logarithmic axis may begin.
  [[nodiscard]] std::optional<double> least_positive() const { return least_positive_; }

 private:
  std::optional<double> low_, high_, least_positive_;
};

enum class baseline : unsigned char {
  zero,   // bars: their length is the value
  close,  // from 0 unless all values lie far from it
  tight,  // the values and nothing else: an x axis
};

class scale {
 public:
  // A logarithmic axis needs a value above 0; without one it is a plain axis.
  scale(const extent& values, bool logarithmic, baseline from, int most_ticks);

  // Whether it can be shown at all: finite, and above 0 on a logarithmic axis.
  [[nodiscard]] bool shows(double value) const;
  // 0 at the beginning of the axis, 1 at its end.
  [[nodiscard]] double operator()(double value) const;
  [[nodiscard]] const std::vector<tick>& ticks() const noexcept { return ticks_; }
  [[nodiscard]] bool logarithmic() const noexcept { return logarithmic_; }
  // From where a bar grows: 0, or the beginning of a logarithmic axis.
  [[nodiscard]] double origin() const;

 private:
  void make_linear(const extent& values, baseline from, int most_ticks);
  void make_logarithmic(const extent& values, baseline from, int most_ticks);

  bool logarithmic_;
  double low_ = 0, high_ = 1;
  std::vector<tick> ticks_;
};

// A value on an axis: "0.5", "200", "10k", "1M".
[[nodiscard]] std::string axis_number(double value);

}  // namespace pilfer::lab::page
