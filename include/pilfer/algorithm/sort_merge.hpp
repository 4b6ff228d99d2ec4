// Merges of two sorted ranges to another place, and in place. All are stable: of equal values the left ones come first.
//
// A merge to another place moves every value there, also when a comparison throws: then those that are left go unsorted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>

#include <pilfer/algorithm/sort_order.hpp>
#include <pilfer/algorithm/sort_pieces.hpp>
#include <pilfer/algorithm/sort_small.hpp>
#include <pilfer/detail/immovable.hpp>
#include <pilfer/fork_join.hpp>

namespace pilfer::detail {

// What is at the place that values are moved to.
enum class target : bool { values, nothing };

template <target Target, class From, class To>
[[gnu::always_inline]] inline void put(To to, From from) {
  if constexpr (Target == target::nothing) {
    std::construct_at(std::to_address(to), std::move(*from));
  } else {
    *to = std::move(*from);
  }
}
template <target Target, class From, class To>
[[gnu::always_inline]] inline To put_all(From first, From last, To to) {
  for (; first != last; ++first, ++to) put<Target>(to, first);
  return to;
}

// What is not merged yet. Ends by moving the rest.
template <target Target, class From, class To>
struct merge_rest : immovable {
  From left;
  From left_end;
  From right;
  From right_end;
  To to;
  merge_rest(From a, From a_end, From b, From b_end, To t)
      : left(a), left_end(a_end), right(b), right_end(b_end), to(t) {}
  ~merge_rest() { put_all<Target>(right, right_end, put_all<Target>(left, left_end, to)); }
  [[nodiscard]] bool has_both() const { return left != left_end && right != right_end; }
  // Somebody else does it.
  void give_away() {
    left = left_end;
    right = right_end;
  }
};

// Plain values: from both ends at once, and without branches that depend on the order.
template <target Target, class From, class To, class Order>
[[gnu::always_inline]] inline void merge_plain(merge_rest<Target, From, To>& rest, Order less) {
  using distance = sort_distance<From>;
  constexpr distance worth_it = 16;
  for (;;) {
    // So many steps from each end cannot meet, whatever the comparisons say.
    const distance steps = std::min(rest.left_end - rest.left, rest.right_end - rest.right) / 2;
    if (steps < worth_it) break;
    To to_end = rest.to + ((rest.left_end - rest.left) + (rest.right_end - rest.right));
    for (distance i = 0; i < steps; ++i) {
      // Both are asked before anything changes: if one throws, all of the rest is where it was.
      const bool take_right = less(*rest.right, *rest.left);
      const bool take_left = less(*std::prev(rest.right_end), *std::prev(rest.left_end));
      *rest.to = *(take_right ? rest.right : rest.left);
      rest.right += distance{take_right};
      rest.left += distance{!take_right};
      ++rest.to;
      rest.left_end -= distance{take_left};
      rest.right_end -= distance{!take_left};
      *--to_end = *(take_left ? rest.left_end : rest.right_end);
    }
  }
  while (rest.has_both()) {
    const bool take_right = less(*rest.right, *rest.left);
    *rest.to = *(take_right ? rest.right : rest.left);
    rest.right += distance{take_right};
    rest.left += distance{!take_right};
    ++rest.to;
  }
}

template <target Target, class From, class To, class Order>
[[gnu::always_inline]] inline void merge_serially(merge_rest<Target, From, To>& rest, Order less) {
  if (!rest.has_both() || !less(*rest.right, *std::prev(rest.left_end))) return;  // in order already
  if constexpr (is_plain_value<sort_value<From>>) {
    merge_plain(rest, less);
  } else {
    for (;;) {
      if (less(*rest.right, *rest.left)) {
        put<Target>(rest.to, rest.right);
        ++rest.to;
        if (++rest.right == rest.right_end) return;
      } else {
        put<Target>(rest.to, rest.left);
        ++rest.to;
        if (++rest.left == rest.left_end) return;
      }
    }
  }
}

// Where to cut two sorted ranges so that what is before both cuts comes before what is behind them.
template <class Left, class Right>
struct merge_cut {
  Left left;
  Right right;
};
template <class Left, class Right, class Order>
[[nodiscard]] merge_cut<Left, Right> cut_for_merge(Left left, Left left_end, Right right, Right right_end, Order less) {
  if (left_end - left >= right_end - right) {
    const Left cut = left + (left_end - left) / 2;
    return {cut, std::lower_bound(right, right_end, *cut, less)};
  }
  const Right cut = right + (right_end - right) / 2;
  return {std::upper_bound(left, left_end, *cut, less), cut};
}

// What one thread merges in some 20 to 50 microseconds.
template <class T>
inline constexpr std::ptrdiff_t merge_grain = is_plain_value<T> ? 16 * 1024 : 2048;

template <target Target, class From, class To, class Order>
void merge_in_parallel(context here, From left, From left_end, From right, From right_end, To to, Order less) {
  merge_rest<Target, From, To> rest(left, left_end, right, right_end, to);
  const auto size = (left_end - left) + (right_end - right);
  if (size <= merge_grain<sort_value<From>>) return merge_serially(rest, less);
  const auto cut = cut_for_merge(left, left_end, right, right_end, less);
  rest.give_away();
  fork_join(
      here, [&](context x) { merge_in_parallel<Target>(x, left, cut.left, right, cut.right, to, less); },
      [&](context x) {
        merge_in_parallel<Target>(x, cut.left, left_end, cut.right, right_end,
                                  to + ((cut.left - left) + (cut.right - right)), less);
      });
}

// --- In place: O(n log n) moves, no memory.

template <class It, class Order>
void merge_in_place(context here, It first, It middle, It last, Order less) {
  if (first == middle || middle == last || !less(*middle, *std::prev(middle))) return;
  if (last - first <= 16) return insertion_sort(first, middle, last, less);
  const auto cut = cut_for_merge(first, middle, middle, last, less);
  const It new_middle = std::rotate(cut.left, middle, cut.right);
  const auto do_left = [&](context x) { merge_in_place(x, first, cut.left, new_middle, less); };
  const auto do_right = [&](context x) { merge_in_place(x, new_middle, cut.right, last, less); };
  run_both(here, last - first > merge_grain<sort_value<It>>, do_left, do_right);
}

}  // namespace pilfer::detail
