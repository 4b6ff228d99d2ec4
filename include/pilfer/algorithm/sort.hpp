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

#include <pilfer/algorithm/check.hpp>
#include <pilfer/algorithm/inside.hpp>
#include <pilfer/algorithm/range.hpp>
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

inline constexpr auto sort_in_place = [](auto first, auto size, auto& comp, auto& proj) {
  sort_values(first, size, comp, proj);
};

template <class It, class Comp, class Proj>
inline constexpr bool can_sort = std::sortable<It, Comp, Proj>;

// Calls sort(first, size, comp, proj) with a plain iterator, if there is something to be sorted.
template <class It, class Comp, class Proj, class Sort>
void sort_with(Sort sort, It first, sort_distance<It> size, Comp& comp, Proj& proj) {
  constexpr bool can_do = has_objects<It> && can_move<It>;
  static_assert(has_objects<It>,
                "pilfer: a sort moves elements, which must be objects in memory; this range hands out proxies, as "
                "std::vector<bool> does");
  static_assert(
      can_do || !has_objects<It>,
      "pilfer: a sort moves elements, and these cannot be moved: they are const, or their type does not allow "
      "it");
  static_assert(
      can_sort<It, Comp, Proj> || !can_do,
      "pilfer: a sort compares elements by comp(a, b), or comp(proj(a), proj(b)), and cannot with this comp and "
      "this proj; without a comp they need operator<");
  if constexpr (can_do && can_sort<It, Comp, Proj>) {
    require_callable(comp, proj);
    if (size < 0) bad_argument("pilfer: a range that ends before it begins");
    if (size > 1) sort(plain_iterator(first), size, comp, proj);
  }
}

}  // namespace detail

template <std::random_access_iterator It, std::sized_sentinel_for<It> End, class Comp = std::less<>,
          class Proj = std::identity>
void parallel_sort(It first, End last, Comp comp = {}, Proj proj = {}) {
  detail::sort_with(detail::sort_in_place, first, last - first, comp, proj);
}

template <detail::loop_range Range, detail::not_end_of<Range> Comp = std::less<>, class Proj = std::identity>
void parallel_sort(Range&& range, Comp comp = {}, Proj proj = {}) {
  static_assert(
      detail::is_kept<Range>,
      "pilfer: parallel_sort sorts in place, and this range is a temporary; give it a name, or hand over a view");
  detail::sort_with(detail::sort_in_place, std::ranges::begin(range), std::ranges::distance(range), comp, proj);
}

// Wrong calls.
template <class... Args>
void parallel_sort(const Args&... /*args*/) {
  static_assert(detail::wrong_call<Args...>::is_explained,
                "pilfer: parallel_sort takes (range) or (first, last) with two iterators, then perhaps comp, and then "
                "perhaps proj");
}

}  // namespace pilfer
