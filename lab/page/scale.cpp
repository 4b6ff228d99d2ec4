#include "lab/page/scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pilfer::lab::page {
namespace {

// 1, 2 or 5 times a power of ten, so that there are at most `most` steps.
double nice_step(double span, int most) {
  const double rough = span / std::max(1, most);
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

std::string trimmed(double value) {
  std::string text = fmt::format("{:.6g}", value);
  return text == "-0" ? "0" : text;
}

}  // namespace

std::string axis_number(double value) {
  const double size = std::abs(value);
  if (size >= 1e15 || (size > 0 && size < 1e-4)) return fmt::format("{:.3g}", value);
  struct suffix {
    double factor;
    const char* name;
  };
  for (const suffix& each : {suffix{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}}) {
    // "2500" reads better than "2.5k".
    if (size >= each.factor && (each.factor > 1e3 || size >= 1e4)) return trimmed(value / each.factor) + each.name;
  }
  return trimmed(value);
}

void extent::include(double value) {
  if (!std::isfinite(value)) return;
  low_ = std::min(low_.value_or(value), value);
  high_ = std::max(high_.value_or(value), value);
  if (value > 0) least_positive_ = std::min(least_positive_.value_or(value), value);
}

void extent::include(const std::optional<double>& value) {
  if (value) include(*value);
}

scale::scale(const extent& values, bool logarithmic, baseline from, int most_ticks)
    : logarithmic_(logarithmic && values.least_positive().has_value()) {
  if (logarithmic_) {
    make_logarithmic(values, from, most_ticks);
  } else {
    make_linear(values, from, most_ticks);
  }
}

void scale::make_linear(const extent& values, baseline from, int most_ticks) {
  low_ = values.low();
  high_ = values.high();
  constexpr double far_from_zero = 0.6;
  const bool with_zero = from == baseline::zero || (from == baseline::close && low_ < far_from_zero * high_) ||
                         (from == baseline::close && low_ < 0 && high_ > 0);
  if (with_zero) {
    low_ = std::min(low_, 0.0);
    high_ = std::max(high_, 0.0);
  }
  if (!(high_ - low_ > 1e-12 * std::max(std::abs(low_), std::abs(high_)))) {  // all equal
    const double pad = low_ == 0 ? 1 : std::abs(low_) * 0.1;
    high_ += pad;
    if (low_ != 0 || from != baseline::zero) low_ -= pad;
  }
  const double step = nice_step(high_ - low_, most_ticks);
  if (from != baseline::tight) {
    low_ = std::floor(low_ / step + 1e-9) * step;
    high_ = std::ceil(high_ / step - 1e-9) * step;
  }
  const double first = std::ceil(low_ / step - 1e-9);
  for (int i = 0; i <= most_ticks + 2; ++i) {
    const double value = (first + i) * step;
    if (value > high_ + step * 1e-6) break;
    ticks_.push_back({value, axis_number(value)});
  }
}

void scale::make_logarithmic(const extent& values, baseline from, int most_ticks) {
  const double least = values.least_positive().value_or(1);
  double low = std::log10(least);
  double high = std::log10(std::max(values.high(), least));
  if (from == baseline::tight) {
    if (high - low < 1e-9) {
      low -= 0.5;
      high += 0.5;
    }
  } else {
    // A bar of the smallest value must be seen, too.
    if (from == baseline::zero) low -= 0.15;
    const double wide_span = 1.3;
    if (high - low > wide_span) {
      low = std::floor(low + 1e-9);
      high = std::ceil(high - 1e-9);
    } else {
      low -= 0.08;
      high += 0.08;
    }
  }
  low_ = low;
  high_ = high;
  const double span = high - low;
  const auto add = [&](double factor, int power) {
    const double value = factor * std::pow(10.0, power);
    const double at = std::log10(value);
    if (at >= low - 1e-9 && at <= high + 1e-9) ticks_.push_back({value, axis_number(value)});
  };
  const int first = static_cast<int>(std::floor(low));
  const int last = static_cast<int>(std::ceil(high));
  if (span <= 0.7) {  // less than one factor of 5: even steps say more
    const double from_value = std::pow(10.0, low);
    const double step = nice_step(std::pow(10.0, high) - from_value, most_ticks);
    for (double i = std::ceil(from_value / step); i * step <= std::pow(10.0, high) * (1 + 1e-9); ++i) {
      ticks_.push_back({i * step, axis_number(i * step)});
    }
  } else if (span * 3 <= most_ticks + 1) {
    for (int power = first; power <= last; ++power) {
      for (const double factor : {1.0, 2.0, 5.0}) add(factor, power);
    }
  } else {
    const int every = std::max(1, static_cast<int>(std::ceil(span / most_ticks)));
    for (int power = first; power <= last; power += every) add(1, power);
  }
}

bool scale::shows(double value) const { return std::isfinite(value) && (!logarithmic_ || value > 0); }

double scale::operator()(double value) const {
  const double at = logarithmic_ ? std::log10(value) : value;
  return (at - low_) / (high_ - low_);
}

double scale::origin() const {
  if (logarithmic_) return std::pow(10.0, low_);
  return std::clamp(0.0, low_, high_);
}

}  // namespace pilfer::lab::page
