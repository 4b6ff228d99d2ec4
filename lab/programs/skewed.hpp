// Skewed trees, for tests: every fork gives one side a small part of the numbers and the other the rest, so that the tree
// is as deep as it is unfair. Left: the first callable gets the rest; right: the second does.
#pragma once

#include <algorithm>
#include <cstdint>

namespace pilfer::lab::programs {

enum class skew : unsigned char { left, right };

inline constexpr std::int64_t skewed_divisor = 64;  // a side gets this part of the numbers, at least one

[[nodiscard]] inline std::int64_t skewed_value(std::int64_t number) noexcept { return number ^ (number >> 3); }

[[nodiscard]] inline std::int64_t serial_skewed(std::int64_t count) noexcept {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += skewed_value(i);
  return sum;
}

// Sum over [first, last), which is not empty.
template <class S, skew To>
// NOLINTNEXTLINE(bugprone-exception-escape): a program that cannot fork has failed
[[nodiscard]] inline std::int64_t skewed(std::int64_t first, std::int64_t last) noexcept {
  if (last - first == 1) return skewed_value(first);
  const std::int64_t small = std::max<std::int64_t>((last - first) / skewed_divisor, 1);
  const std::int64_t middle = To == skew::left ? last - small : first + small;
  auto [a, b] = S::fork_join([first, middle]() noexcept { return skewed<S, To>(first, middle); },
                             [middle, last]() noexcept { return skewed<S, To>(middle, last); });
  return a + b;
}

}  // namespace pilfer::lab::programs
