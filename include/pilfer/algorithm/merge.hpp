// parallel_merge: two sorted ranges become one, cut in pieces that are merged in parallel.
//
//   pilfer::parallel_merge(a, b, out.begin());
//
// Stable: of equal values those of the first range come first, as in std::merge. Copies values.
// Calls     comp from several threads at once.
// Returns   the end of the output.
// Throws    what comp or a copy throws; std::invalid_argument for a null comp. Some of the output may have been written then.
// Requires  ranges that are sorted, and room for all at `out`, which overlaps neither of them.
#pragma once

#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

#include <pilfer/algorithm/check.hpp>
#include <pilfer/algorithm/inside.hpp>
#include <pilfer/algorithm/range.hpp>
#include <pilfer/algorithm/sort_merge.hpp>
#include <pilfer/algorithm/sort_order.hpp>
#include <pilfer/fork_join.hpp>

namespace pilfer {
namespace detail {

template <class Left, class Right, class Out, class Order>
Out merge_copies(Left left, Left left_end, Right right, Right right_end, Out out, Order less) {
  using value = std::iter_value_t<Left>;
  if constexpr (is_plain_value<value> && std::is_same_v<Left, Right> &&
                std::is_same_v<std::iter_reference_t<Out>, value&> &&
                std::is_lvalue_reference_v<std::iter_reference_t<Left>>) {
    const auto size = (left_end - left) + (right_end - right);
    merge_rest<target::values, Left, Out> rest(left, left_end, right, right_end, out);
    merge_serially(rest, less);
    return out + static_cast<std::iter_difference_t<Out>>(size);
  } else {
    while (left != left_end && right != right_end) {
      if (less(*right, *left)) {
        *out = *right;
        ++right;
      } else {
        *out = *left;
        ++left;
      }
      ++out;
    }
    for (; left != left_end; ++left, ++out) *out = *left;
    for (; right != right_end; ++right, ++out) *out = *right;
    return out;
  }
}

template <class Left, class Right, class Out, class Order>
void merge_copies_in_parallel(context here, Left left, Left left_end, Right right, Right right_end, Out out,
                              Order less) {
  if ((left_end - left) + (right_end - right) <= merge_grain<std::iter_value_t<Left>>) {
    merge_copies(left, left_end, right, right_end, out, less);
    return;
  }
  const auto cut = cut_for_merge(left, left_end, right, right_end, less);
  const Out out_of_rest = out + static_cast<std::iter_difference_t<Out>>((cut.left - left) + (cut.right - right));
  fork_join(
      here, [&](context x) { merge_copies_in_parallel(x, left, cut.left, right, cut.right, out, less); },
      [&](context x) { merge_copies_in_parallel(x, cut.left, left_end, cut.right, right_end, out_of_rest, less); });
}

template <class It1, class It2, class Out>
inline constexpr bool can_copy_both = std::indirectly_copyable<It1, Out> && std::indirectly_copyable<It2, Out>;
template <class It1, class It2, class Out, class Comp>
inline constexpr bool can_merge = std::mergeable<It1, It2, Out, Comp>;

template <class It1, class It2, class Out, class Comp>
Out merge_sorted(It1 first1, sort_distance<It1> size1, It2 first2, sort_distance<It2> size2, Out out, Comp& comp) {
  static_assert(
      can_copy_both<It1, It2, Out>,
      "pilfer: parallel_merge assigns elements of both inputs to those of the output, which cannot be assigned "
      "so");
  static_assert(can_merge<It1, It2, Out, Comp> || !can_copy_both<It1, It2, Out>,
                "pilfer: parallel_merge compares elements of both inputs by comp(a, b), and cannot with this comp; "
                "without a comp they need operator<");
  if constexpr (can_merge<It1, It2, Out, Comp>) {
    require_callable(comp);
    if (size1 < 0 || size2 < 0) bad_argument("pilfer: a range that ends before it begins");
    const It1 end1 = first1 + size1;
    const It2 end2 = first2 + size2;
    std::identity projection;
    const sort_order<Comp, std::identity> less(comp, projection);
    if (size1 + size2 <= merge_grain<std::iter_value_t<It1>>) {
      return merge_copies(first1, end1, first2, end2, out, less);
    }
    inside([&](context here) { merge_copies_in_parallel(here, first1, end1, first2, end2, out, less); });
    return out + static_cast<std::iter_difference_t<Out>>(size1 + size2);
  } else {
    return refused_call<Out>();
  }
}

}  // namespace detail

template <std::random_access_iterator It1, std::sized_sentinel_for<It1> End1, std::random_access_iterator It2,
          std::sized_sentinel_for<It2> End2, detail::loop_output Out, class Comp = std::less<>>
Out parallel_merge(It1 first1, End1 last1, It2 first2, End2 last2, Out out, Comp comp = {}) {
  return detail::merge_sorted(first1, last1 - first1, first2, last2 - first2, out, comp);
}

template <detail::loop_range Range1, detail::loop_range Range2, detail::loop_output Out, class Comp = std::less<>>
Out parallel_merge(Range1&& range1, Range2&& range2, Out out, Comp comp = {}) {
  return detail::merge_sorted(std::ranges::begin(range1), std::ranges::distance(range1), std::ranges::begin(range2),
                              std::ranges::distance(range2), out, comp);
}

// Wrong calls.
template <class... Args>
detail::refused_result parallel_merge(const Args&... /*args*/) {
  static_assert(detail::wrong_call<Args...>::is_explained,
                "pilfer: parallel_merge takes (range1, range2, out.begin()) or (first1, last1, first2, last2, "
                "out.begin()), then perhaps comp");
  return {};
}

}  // namespace pilfer
