// Sorting a few elements, and sorting any number in place when quicksort fails.
//
// Sources: Edelkamp, Weiss, "BlockQuicksort: Avoiding Branch Mispredictions in Quicksort", ESA 2016, for how much a branch costs
// here; Knuth, "The Art of Computer Programming", volume 3, 5.3.4 (networks) and 5.2.3 (heapsort).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>

#include <pilfer/algorithm/sort_order.hpp>

namespace pilfer::detail {

// Stable. [first, sorted) is sorted already.
template <class It, class Order>
void insertion_sort(It first, It sorted, It last, Order less) {
  for (It next = sorted; next != last; ++next) {
    if (next == first || !less(*next, *std::prev(next))) continue;
    held_value<It> taken(next);
    do {
      taken.fill_from(std::prev(taken.hole));
    } while (taken.hole != first && less(taken.value, *std::prev(taken.hole)));
  }
}

template <class It, class Order>
void sift_down(It first, sort_distance<It> at, sort_distance<It> size, Order less) {
  held_value<It> taken(first + at);
  for (sort_distance<It> child = 2 * at + 1; child < size; child = 2 * at + 1) {
    if (child + 1 < size && less(first[child], first[child + 1])) ++child;
    if (!less(taken.value, first[child])) break;
    taken.fill_from(first + child);
    at = child;
  }
}

// Never many comparisons, whatever the input: what quicksort ends in when its pivots are bad.
template <class It, class Order>
[[gnu::noinline, gnu::cold]] void heap_sort(It first, It last, Order less) {
  sort_distance<It> size = last - first;
  for (sort_distance<It> at = size / 2; at > 0; --at) sift_down(first, at - 1, size, less);
  for (; size > 1; --size) {
    std::iter_swap(first, first + (size - 1));
    sift_down(first, sort_distance<It>{0}, size - 1, less);
  }
}

// --- Without branches that depend on the order, for plain values.

// Networks that sort 2 to 8 elements, as pairs of places: the lower value goes to the first of them.
inline constexpr std::array<std::string_view, 9> networks{
    "",
    "",
    "01",
    "02 01 12",
    "02 13 01 23 12",
    "03 14 02 13 01 24 12 34 23",
    "05 13 24 12 34 03 25 01 23 45 12 34",
    "06 23 45 02 14 36 01 25 34 12 46 23 45 12 34 56",
    "02 13 46 57 04 15 26 37 01 23 45 67 24 35 14 36 12 34 56",
};
template <std::size_t N, std::size_t Character>
inline constexpr unsigned char network_place = static_cast<unsigned char>(networks[N][Character] - '0');

template <class It, class Order>
[[gnu::always_inline]] inline void order_two(It a, It b, Order less) {
  const sort_value<It> low = *a;
  const sort_value<It> high = *b;
  const bool swapped = less(high, low);
  *a = swapped ? high : low;
  *b = swapped ? low : high;
}

template <std::size_t N, class It, class Order>
[[gnu::always_inline]] inline void sort_by_network(It first, Order less) {
  [&]<std::size_t... Step>(std::index_sequence<Step...>) {
    (order_two(first + network_place<N, 3 * Step>, first + network_place<N, 3 * Step + 1>, less), ...);
  }(std::make_index_sequence<(networks[N].size() + 1) / 3>{});
}

template <class It, class Order>
void sort_up_to_eight(It first, sort_distance<It> size, Order less) {
  switch (size) {
    case 2: return sort_by_network<2>(first, less);
    case 3: return sort_by_network<3>(first, less);
    case 4: return sort_by_network<4>(first, less);
    case 5: return sort_by_network<5>(first, less);
    case 6: return sort_by_network<6>(first, less);
    case 7: return sort_by_network<7>(first, less);
    case 8: return sort_by_network<8>(first, less);
    default: return;
  }
}

// Stable: merges from[0, half) and from[half, size), of lengths that differ by one at most, from both ends at once: two
// chains of dependent instructions instead of one. No value is read outside, nor any lost, if `less` is no order.
// Requires plain values and half == size / 2. If it throws, `to` has been written to and `from` is as it was.
template <class From, class To, class Order>
void merge_from_both_ends(From from, sort_distance<From> half, sort_distance<From> size, To to, Order less) {
  using distance = sort_distance<From>;
  distance left = 0;
  distance right = half;
  distance left_end = half - 1;
  distance right_end = size - 1;
  for (distance i = 0; i < half; ++i) {
    const bool take_right = less(from[right], from[left]);
    to[i] = from[take_right ? right : left];
    right += distance{take_right};
    left += distance{!take_right};
    const bool take_left = less(from[right_end], from[left_end]);
    to[size - 1 - i] = from[take_left ? left_end : right_end];
    left_end -= distance{take_left};
    right_end -= distance{!take_left};
  }
  if (2 * half != size) {
    const bool in_left = left <= left_end;
    to[half] = from[in_left ? left : right];
    left += distance{in_left};
    right += distance{!in_left};
  }
  if (left != left_end + 1 || right != right_end + 1) [[unlikely]]  // `less` contradicted itself
    std::copy(from, from + size, to);
}

// Room for values that are not there yet.
template <class T, std::size_t N>
union plain_room {
  plain_room() noexcept {}  // NOLINT(modernize-use-equals-default): stays as it is
  T values[N];              // NOLINT(modernize-avoid-c-arrays)
};

inline constexpr std::ptrdiff_t plain_small_size = 32;

template <class It>
struct copied_back {
  sort_value<It>* from;
  It to;
  sort_distance<It> size;
  ~copied_back() {
    if (from != nullptr) std::copy(from, from + size, to);
  }
};

// Up to plain_small_size plain values; not stable.
template <class It, class Order>
void sort_few_plain(It first, sort_distance<It> size, Order less) {
  if (size <= 8) return sort_up_to_eight(first, size, less);
  plain_room<sort_value<It>, plain_small_size> room;
  const sort_distance<It> half = size / 2;
  if (size <= 16) {
    sort_up_to_eight(first, half, less);
    sort_up_to_eight(first + half, size - half, less);
    merge_from_both_ends(first, half, size, room.values, less);
    std::copy(room.values, room.values + size, first);
    return;
  }
  const sort_distance<It> rest = size - half;
  sort_up_to_eight(first, half / 2, less);
  sort_up_to_eight(first + half / 2, half - half / 2, less);
  merge_from_both_ends(first, half / 2, half, room.values, less);
  sort_up_to_eight(first + half, rest / 2, less);
  sort_up_to_eight(first + half + rest / 2, rest - rest / 2, less);
  merge_from_both_ends(first + half, rest / 2, rest, room.values + half, less);
  copied_back<It> unless_done{room.values, first, size};
  merge_from_both_ends(room.values, static_cast<std::ptrdiff_t>(half), static_cast<std::ptrdiff_t>(size), first, less);
  unless_done.from = nullptr;
}

}  // namespace pilfer::detail
