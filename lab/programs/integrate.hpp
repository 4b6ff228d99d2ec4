// Adaptive quadrature by the trapezoid rule: halves an interval until both halves agree with the whole. The area under
// x^3 + x, whose antiderivative is known.
#pragma once

#include <cmath>
#include <cstdint>

namespace pilfer::lab::programs {

inline constexpr double integrate_tolerance = 1e-9;

[[nodiscard]] inline double integrand(double x) noexcept { return (x * x + 1.0) * x; }
[[nodiscard]] inline double integral_up_to(double x) noexcept { return (x * x / 4.0 + 0.5) * x * x; }

// One interval is its ends, the values there and the trapezoid's area: five numbers in registers, not a struct in memory.
[[nodiscard]] inline double serial_integrate(double from, double at_from, double to, double at_to,
                                             double area) noexcept {
  const double half = (to - from) / 2;
  const double middle = from + half;
  const double at_middle = integrand(middle);
  const double left = (at_from + at_middle) / 2 * half;
  const double right = (at_middle + at_to) / 2 * half;
  if (std::abs(left + right - area) < integrate_tolerance) return left + right;
  return serial_integrate(from, at_from, middle, at_middle, left) +
         serial_integrate(middle, at_middle, to, at_to, right);
}

template <class S>
// NOLINTNEXTLINE(bugprone-exception-escape): a program that cannot fork has failed
[[nodiscard]] inline double integrate(double from, double at_from, double to, double at_to, double area) noexcept {
  const double half = (to - from) / 2;
  const double middle = from + half;
  const double at_middle = integrand(middle);
  const double left = (at_from + at_middle) / 2 * half;
  const double right = (at_middle + at_to) / 2 * half;
  if (std::abs(left + right - area) < integrate_tolerance) return left + right;
  auto [a, b] = S::fork_join([=]() noexcept { return integrate<S>(from, at_from, middle, at_middle, left); },
                             [=]() noexcept { return integrate<S>(middle, at_middle, to, at_to, right); });
  return a + b;
}

[[nodiscard]] inline double serial_integrate(std::int64_t up_to) noexcept {
  const auto end = static_cast<double>(up_to);
  return serial_integrate(0, integrand(0), end, integrand(end), (integrand(0) + integrand(end)) / 2 * end);
}

template <class S>
[[nodiscard]] double integrate(std::int64_t up_to) noexcept {
  const auto end = static_cast<double>(up_to);
  return integrate<S>(0, integrand(0), end, integrand(end), (integrand(0) + integrand(end)) / 2 * end);
}

}  // namespace pilfer::lab::programs
