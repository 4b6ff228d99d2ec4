// One step of quicksort, and the serial sort made of it.
//
// Plain values are partitioned without a branch that depends on them: every element is moved, to its side or to a place where
// the next one overwrites it (Lomuto's scheme with a hole that wanders). Other values are partitioned from both ends
// (Hoare's), with one move for each value on the wrong side. A pivot that equals the one before the range is the least value
// of the range, and there are probably many of them: they are split off and done. Pivots are medians of about sqrt(n) values,
// and when too many of them were bad the range is sorted by heapsort: O(n log n) comparisons in any case.
//
// Every loop is bounded by indices, not by what comparisons promise: a comparator that is no strict weak order gives some
// permutation, never an access outside of the range, nor an endless loop.
//
// Sources: Peters, "Pattern-defeating Quicksort", 2021 (equal values); Edelkamp, Weiss, "BlockQuicksort", ESA 2016;
// Musser, "Introspective Sorting and Selection Algorithms", 1997 (the limit).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <iterator>

#include <pilfer/algorithm/sort_order.hpp>
#include <pilfer/algorithm/sort_small.hpp>

namespace pilfer::detail {

template <class It, class Order>
[[nodiscard]] It median_of_three(It a, It b, It c, Order less) {
  const bool ab = less(*a, *b);
  if (ab != less(*a, *c)) return a;
  return less(*b, *c) == ab ? b : c;
}
template <class It, class Order>
[[nodiscard]] It median_of_many(It a, It b, It c, sort_distance<It> spread, Order less) {
  if (spread >= 8) {
    const sort_distance<It> eighth = spread / 8;
    a = median_of_many(a, a + 4 * eighth, a + 7 * eighth, eighth, less);
    b = median_of_many(b, b + 4 * eighth, b + 7 * eighth, eighth, less);
    c = median_of_many(c, c + 4 * eighth, c + 7 * eighth, eighth, less);
  }
  return median_of_three(a, b, c, less);
}
// Requires at least eight elements.
template <class It, class Order>
[[nodiscard]] It choose_pivot(It first, It last, Order less) {
  const sort_distance<It> eighth = (last - first) / 8;
  return median_of_many(first, first + 4 * eighth, first + 7 * eighth, eighth, less);
}

// --- Partition: what goes left before what does not. Each element is asked about once.

template <class It, class GoesLeft>
[[nodiscard]] It partition_plain(It first, It last, GoesLeft goes_left) {
  if (first == last) return first;
  It left = first;
  held_value<It> taken(first);
  for (It it = std::next(first); it != last; ++it) {
    const bool goes = goes_left(*it);
    *taken.hole = *left;
    *left = *it;
    taken.hole = it;
    left += sort_distance<It>{goes};
  }
  const bool goes = goes_left(taken.value);
  *taken.hole = *left;
  taken.hole = left;
  return left + sort_distance<It>{goes};
}

template <class It, class GoesLeft>
[[nodiscard]] It partition_by_moves(It first, It last, GoesLeft goes_left) {
  while (first != last && goes_left(*first)) ++first;
  if (first == last) return first;
  do {
    --last;
    if (first == last) return first;
  } while (!goes_left(*last));
  // *first belongs to the right, *last to the left.
  held_value<It> taken(first);
  for (;;) {
    taken.fill_from(last);
    do {
      if (++first == last) return first;
    } while (goes_left(*first));
    taken.fill_from(first);
    do {
      if (--last == first) return first;
    } while (!goes_left(*last));
  }
}

template <class It, class GoesLeft>
[[nodiscard]] It partition_serially(It first, It last, GoesLeft goes_left) {
  if constexpr (is_plain_value<sort_value<It>>) {
    return partition_plain(first, last, goes_left);
  } else {
    return partition_by_moves(first, last, goes_left);
  }
}

// The two ways to split a range by its first element. `partition(first, last, goes_left)` does the work; returns where the
// pivot is in the end.
template <class It, class Order, class Partition>
[[nodiscard]] It split_less(It first, It last, Order less, Partition partition) {
  It end_of_left;
  if constexpr (is_plain_value<sort_value<It>>) {
    const sort_value<It> pivot = *first;
    end_of_left = partition(std::next(first), last, [pivot, less](const auto& x) { return less(x, pivot); });
  } else {
    end_of_left = partition(std::next(first), last, [first, less](const auto& x) { return less(x, *first); });
  }
  --end_of_left;
  if (end_of_left != first) std::iter_swap(first, end_of_left);
  return end_of_left;
}
template <class It, class Order, class Partition>
[[nodiscard]] It split_not_greater(It first, It last, Order less, Partition partition) {
  if constexpr (is_plain_value<sort_value<It>>) {
    const sort_value<It> pivot = *first;
    return std::prev(partition(std::next(first), last, [pivot, less](const auto& x) { return !less(pivot, x); }));
  } else {
    return std::prev(partition(std::next(first), last, [first, less](const auto& x) { return !less(*first, x); }));
  }
}

// True: it is sorted now, and was before, perhaps in reverse order. For most other ranges two or three comparisons say no.
template <class It, class Order>
[[nodiscard]] bool is_one_run(It first, It last, Order less) {
  It it = std::next(first);
  if (less(*it, *first)) {
    do {
      if (++it == last) {
        std::reverse(first, last);
        return true;
      }
    } while (less(*it, *std::prev(it)));
    return false;
  }
  do {
    if (++it == last) return true;
  } while (!less(*it, *std::prev(it)));
  return false;
}

// How many partitions deep it may go.
template <class Distance>
[[nodiscard]] constexpr int quicksort_limit(Distance size) noexcept {
  return 3 * static_cast<int>(std::bit_width(static_cast<std::size_t>(size)));
}

template <class T>
inline constexpr std::ptrdiff_t small_sort_size = is_plain_value<T> ? plain_small_size : 20;

// What is left of a quicksort.
template <class It>
struct unsorted {
  It first;
  It last;
  int limit;
  bool has_lower;  // *(first - 1) exists, is in its place, and is not greater than anything here
  [[nodiscard]] sort_distance<It> size() const noexcept { return last - first; }
};

// Splits `rest` in two parts with sorted values between them: returns the left one and makes `rest` the right one. Both are
// empty if all of it is sorted.
template <class It, class Order, class Partition>
[[nodiscard]] unsorted<It> quicksort_step(unsorted<It>& rest, Order less, Partition partition) {
  unsorted<It> left{rest.first, rest.first, 0, rest.has_lower};
  if (rest.limit-- == 0) {
    heap_sort(rest.first, rest.last, less);
    rest.first = rest.last;
    return left;
  }
  if (rest.size() > 128 && is_one_run(rest.first, rest.last, less)) {
    rest.first = rest.last;
    return left;
  }
  const It pivot = choose_pivot(rest.first, rest.last, less);
  if (pivot != rest.first) std::iter_swap(rest.first, pivot);
  if (rest.has_lower && !less(*std::prev(rest.first), *rest.first)) {
    rest.first = std::next(split_not_greater(rest.first, rest.last, less, partition));
    return left;
  }
  left.last = split_less(rest.first, rest.last, less, partition);
  left.limit = rest.limit;
  rest.first = std::next(left.last);
  rest.has_lower = true;
  return left;
}

template <class It, class Order>
void quicksort(unsorted<It> rest, Order less) {
  using value = sort_value<It>;
  while (rest.size() > small_sort_size<value>) {
    const unsorted<It> left = quicksort_step(
        rest, less, [](It first, It last, auto goes_left) { return partition_serially(first, last, goes_left); });
    if (left.size() > 1) quicksort(left, less);
  }
  if constexpr (is_plain_value<value>) {
    sort_few_plain(rest.first, rest.size(), less);
  } else {
    insertion_sort(rest.first, rest.first, rest.last, less);
  }
}

template <class It, class Order>
void quicksort(It first, It last, Order less) {
  quicksort(unsorted<It>{first, last, quicksort_limit(last - first), false}, less);
}

}  // namespace pilfer::detail
