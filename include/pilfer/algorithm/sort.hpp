// parallel_sort: quicksort in place, both sides of each partition in parallel; large partitions are made by several threads
// while somebody is idle.
//
//   pilfer::parallel_sort(values);
//   pilfer::parallel_sort(people, std::greater<>{}, &person::age);
//
// Calls     comp and proj from several threads at once; O(n log n) times in any case.
// Throws    what comp or proj throws; std::invalid_argument if one of them is null. Then the range holds all of its values, in
//           some order, provided that moving a value does not throw.
// Requires  a strict weak order. With any other comparator the result is some permutation: nothing outside of the range is
//           touched, and it ends.
// Memory    none for most types. Values need not be copyable, nor default constructible. Values with std::string or
//           std::string_view as the key, in the usual order, are sorted by parts of their keys in an array of 16 bytes for each,
//           and moved once through a buffer; without memory for these they are sorted in place.
// Not stable: see stable_sort.hpp.
#pragma once

#include <functional>
#include <iterator>
#include <ranges>
#include <utility>

#include <pilfer/algorithm/inside.hpp>
#include <pilfer/algorithm/sort_order.hpp>
#include <pilfer/algorithm/sort_quicksort.hpp>
#include <pilfer/algorithm/sort_serial.hpp>
#include <pilfer/algorithm/sort_strings.hpp>
#include <pilfer/fork_join.hpp>

namespace pilfer {
namespace detail {

template <class It, class Comp, class Proj>
void sort_values(It first, sort_distance<It> size, Comp& comp, Proj& proj) {
  const It last = first + size;
  const sort_order<Comp, Proj> less(comp, proj);
  if (size <= sort_grain<sort_value<It>>) return quicksort(first, last, less);
  inside([&](context here) {
    if constexpr (is_sorted_as_strings<It, Comp, Proj>) {
      if (sort_strings<false>(here, first, last, comp, proj)) return;
    }
    quicksort_in_parallel(here, unsorted<It>{first, last, quicksort_limit(size), false}, less);
  });
}

}  // namespace detail

template <std::random_access_iterator It, std::sized_sentinel_for<It> End, class Comp = std::less<>,
          class Proj = std::identity>
  requires std::sortable<It, Comp, Proj>
void parallel_sort(It first, End last, Comp comp = {}, Proj proj = {}) {
  detail::require_callable(comp, proj);
  const auto size = last - first;
  if (size < 0) detail::bad_argument("pilfer: a range that ends before it begins");
  if (size < 2) return;
  detail::sort_values(detail::plain_iterator(first), size, comp, proj);
}

template <detail::sort_range Range, class Comp = std::less<>, class Proj = std::identity>
  requires std::sortable<std::ranges::iterator_t<Range>, Comp, Proj>
void parallel_sort(Range&& range, Comp comp = {}, Proj proj = {}) {
  const auto first = std::ranges::begin(range);
  parallel_sort(first, first + std::ranges::distance(range), std::move(comp), std::move(proj));
}

}  // namespace pilfer
