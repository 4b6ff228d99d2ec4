// Quicksort of 64-bit integers down to 32 items: a fork for every few hundred nanoseconds of work, and memory traffic.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "lab/measure/xorshift.hpp"

namespace pilfer::lab::programs {

inline constexpr std::ptrdiff_t quicksort_cutoff = 32;

inline void insertion_sort(std::int64_t* first, std::int64_t* last) noexcept {
  if (first == last) return;
  for (std::int64_t* next = first + 1; next < last; ++next) {
    const std::int64_t value = *next;
    std::int64_t* hole = next;
    for (; hole > first && hole[-1] > value; --hole) *hole = hole[-1];
    *hole = value;
  }
}

// Hoare's partition around the median of three; everything before the result is at most everything from it on, and
// neither side is empty.
[[nodiscard]] inline std::int64_t* partition_by_median(std::int64_t* first, std::int64_t* last) noexcept {
  const std::int64_t a = *first;
  const std::int64_t b = first[(last - first) / 2];
  const std::int64_t c = last[-1];
  const std::int64_t pivot = std::max(std::min(a, b), std::min(std::max(a, b), c));
  std::int64_t* low = first;
  std::int64_t* high = last - 1;
  for (;;) {
    while (*low < pivot) ++low;
    while (pivot < *high) --high;
    if (low >= high) break;
    std::swap(*low, *high);
    ++low;
    --high;
  }
  return low == first ? low + 1 : low;
}

// Both return the number of pieces that were small enough to be sorted by insertion.
[[nodiscard]] inline std::int64_t serial_quicksort(std::int64_t* first, std::int64_t* last) noexcept {
  if (last - first <= quicksort_cutoff) {
    insertion_sort(first, last);
    return 1;
  }
  std::int64_t* const middle = partition_by_median(first, last);
  return serial_quicksort(first, middle) + serial_quicksort(middle, last);
}

template <class S>
// NOLINTNEXTLINE(bugprone-exception-escape): a program that cannot fork has failed
[[nodiscard]] inline std::int64_t quicksort(std::int64_t* first, std::int64_t* last) noexcept {
  if (last - first <= quicksort_cutoff) {
    insertion_sort(first, last);
    return 1;
  }
  std::int64_t* const middle = partition_by_median(first, last);
  auto [a, b] = S::fork_join([first, middle]() noexcept { return quicksort<S>(first, middle); },
                             [middle, last]() noexcept { return quicksort<S>(middle, last); });
  return a + b;
}

// The same numbers every time.
[[nodiscard]] inline std::vector<std::int64_t> numbers_to_sort(std::size_t count) {
  std::vector<std::int64_t> numbers(count);
  xorshift random;
  for (std::int64_t& number : numbers) number = static_cast<std::int64_t>(random.next());
  return numbers;
}

}  // namespace pilfer::lab::programs
