// Quicksort by several threads, in place.
#pragma once

#include <cstddef>

#include <pilfer/algorithm/sort_order.hpp>
#include <pilfer/algorithm/sort_partition.hpp>
#include <pilfer/algorithm/sort_serial.hpp>
#include <pilfer/detail/fork/hunger.hpp>
#include <pilfer/fork_join.hpp>

namespace pilfer::detail {

// What one thread sorts in some 20 to 50 microseconds: not worth a fork.
template <class T>
inline constexpr std::ptrdiff_t sort_grain = is_plain_value<T> ? 2048 : 512;
// Several threads need not be brought together for less.
inline constexpr std::ptrdiff_t least_parallel_partition = 32 * least_chunk;

template <class It, class Order>
void quicksort_in_parallel(context here, unsorted<It> rest, Order less) {
  while (rest.size() > sort_grain<sort_value<It>>) {
    const unsorted<It> left = quicksort_step(rest, less, [here](It first, It last, auto goes_left) {
      if (last - first >= least_parallel_partition && is_anyone_hungry(position_of(here))) {
        return partition_in_parallel(here, first, last, goes_left);
      }
      return partition_serially(first, last, goes_left);
    });
    if (left.size() < small_sort_size<sort_value<It>>) {
      quicksort(left, less);
    } else if (rest.size() < small_sort_size<sort_value<It>>) {
      quicksort(rest, less);
      rest = left;
    } else {
      return fork_join(
          here, [&](context x) { quicksort_in_parallel(x, left, less); },
          [&](context x) { quicksort_in_parallel(x, rest, less); });
    }
  }
  quicksort(rest, less);
}

}  // namespace pilfer::detail
