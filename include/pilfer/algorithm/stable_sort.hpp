// parallel_stable_sort: merge sort, the halves in parallel and the merges too; equal values keep their order.
//
//   pilfer::parallel_stable_sort(people, {}, &person::name);
//
// Calls     comp and proj from several threads at once; O(n log n) times.
// Throws    as parallel_sort: the range then holds all of its values.
// Requires  a strict weak order; with any other comparator the result is some permutation.
// Memory    as many values again. Without it, or if moving a value may throw, it sorts in place, with O(n log^2 n) moves.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <ranges>
#include <type_traits>
#include <utility>

#include <pilfer/algorithm/check.hpp>
#include <pilfer/algorithm/inside.hpp>
#include <pilfer/algorithm/range.hpp>
#include <pilfer/algorithm/sort.hpp>
#include <pilfer/algorithm/sort_buffer.hpp>
#include <pilfer/algorithm/sort_merge.hpp>
#include <pilfer/algorithm/sort_order.hpp>
#include <pilfer/algorithm/sort_pieces.hpp>
#include <pilfer/algorithm/sort_serial.hpp>
#include <pilfer/algorithm/sort_small.hpp>
#include <pilfer/algorithm/sort_strings.hpp>
#include <pilfer/fork_join.hpp>

namespace pilfer {
namespace detail {

// The nodes of the merge tree have levels, from 0 for the leaves to an even number for the root. A node of an even level leaves
// its values in the range, one of an odd level in the buffer, also when it ends by an exception, and sorted if not. Nodes of
// level 1 are the first to write to the buffer: they construct what they write, and the others assign. So after the root
// all values of the buffer exist, whatever has happened.
template <class It, class Order>
class merge_sorter {
 public:
  using value = sort_value<It>;
  merge_sorter(It first, value* buffer, Order less) : first_(first), buffer_(buffer), less_(less) {}

  void sort(context here, std::ptrdiff_t size) {
    int level = 0;
    for (std::ptrdiff_t leaf = size; leaf > most_in_leaf; leaf = (leaf + 3) / 4) level += 2;
    const buffer_end at_end{buffer_, level > 0 ? size : 0};
    sort_node(here, 0, size, level);
  }

 private:
  static constexpr std::ptrdiff_t most_in_leaf = 24;

  struct buffer_end {
    value* buffer;
    std::ptrdiff_t size;
    ~buffer_end() { std::destroy(buffer, buffer + size); }
  };

  // Has its values where they belong when it ends.
  struct node {
    merge_sorter& sorter;
    std::ptrdiff_t begin;
    std::ptrdiff_t end;
    int level;
    enum { untouched, left_ended, halves_ended, done } state = untouched;  // ended: well, or by an exception

    [[nodiscard]] std::ptrdiff_t middle() const noexcept { return begin + (end - begin) / 2; }
    ~node() {
      if (state == untouched) sorter.place(begin, end, level);
      if (state == left_ended) sorter.place(middle(), end, level - 1);
      if (state == left_ended || state == halves_ended) sorter.lift(begin, end, level);
    }
  };

  // From where values of level 0 are to where those of `level` are.
  void place(std::ptrdiff_t begin, std::ptrdiff_t end, int level) noexcept {
    if (level == 0) return;
    lift(begin, end, 1);
    if (level % 2 == 0) lift(begin, end, 2);
  }
  // From where the level below has its values.
  void lift(std::ptrdiff_t begin, std::ptrdiff_t end, int level) noexcept {
    if (level == 1) {
      put_all<target::nothing>(first_ + begin, first_ + end, buffer_ + begin);
    } else if (level % 2 == 1) {
      put_all<target::values>(first_ + begin, first_ + end, buffer_ + begin);
    } else {
      put_all<target::values>(buffer_ + begin, buffer_ + end, first_ + begin);
    }
  }

  template <target Target, class From, class To>
  void merge(context here, const node& at, From from, To to) {
    merge_in_parallel<Target>(here, from + at.begin, from + at.middle(), from + at.middle(), from + at.end,
                              to + at.begin, less_);
  }

  void sort_node(context here, std::ptrdiff_t begin, std::ptrdiff_t end, int level) {
    if (level == 0) {
      if (end - begin > 1) insertion_sort(first_ + begin, first_ + (begin + 1), first_ + end, less_);
      return;
    }
    node at{*this, begin, end, level};
    if (end - begin > 2 * most_in_leaf && is_one_run(first_ + begin, first_ + end, less_)) return;
    if (end - begin > sort_grain<value>) {
      at.state = node::halves_ended;
      fork_join(
          here, [&](context x) { sort_node(x, begin, at.middle(), level - 1); },
          [&](context x) { sort_node(x, at.middle(), end, level - 1); });
    } else {
      at.state = node::left_ended;
      sort_node(here, begin, at.middle(), level - 1);
      at.state = node::halves_ended;
      sort_node(here, at.middle(), end, level - 1);
    }
    at.state = node::done;
    if (level == 1) {
      merge<target::nothing>(here, at, first_, buffer_);
    } else if (level % 2 == 1) {
      merge<target::values>(here, at, first_, buffer_);
    } else {
      merge<target::values>(here, at, buffer_, first_);
    }
  }

  It first_;
  value* buffer_;
  Order less_;
};

template <class It, class Order>
void stable_sort_in_place(context here, It first, It last, Order less) {
  const auto size = last - first;
  if (size <= 16) return insertion_sort(first, first, last, less);
  if (is_one_run(first, last, less)) return;
  const It middle = first + size / 2;
  const auto do_left = [&](context x) { stable_sort_in_place(x, first, middle, less); };
  const auto do_right = [&](context x) { stable_sort_in_place(x, middle, last, less); };
  run_both(here, size > sort_grain<sort_value<It>>, do_left, do_right);
  merge_in_place(here, first, middle, last, less);
}

template <class It, class Comp, class Proj>
void stable_sort_values(It first, sort_distance<It> size, Comp& comp, Proj& proj) {
  using value = sort_value<It>;
  // Equal integers cannot be told apart.
  if constexpr (std::is_integral_v<value> && std::is_same_v<Proj, std::identity> &&
                (is_standard_less<Comp, value> || is_standard_greater<Comp, value>)) {
    return sort_values(first, size, comp, proj);
  } else {
    const sort_order<Comp, Proj> less(comp, proj);
    if (size <= 16) return insertion_sort(first, first, first + size, less);
    const auto sort = [&](context here) {
      if constexpr (is_sorted_as_strings<It, Comp, Proj>) {
        if (size > sort_grain<value> && sort_strings<true>(here, first, first + size, comp, proj)) return;
      }
      if constexpr (is_safely_movable<value>) {
        const sort_buffer<value> buffer(static_cast<std::size_t>(size));
        if (buffer) return merge_sorter<It, sort_order<Comp, Proj>>(first, buffer.data(), less).sort(here, size);
      }
      stable_sort_in_place(here, first, first + size, less);
    };
    if (size <= sort_grain<value>) return sort(detail::access::context_at(nullptr));  // no forks: no matter where
    inside(sort);
  }
}

inline constexpr auto stable_sort = [](auto first, auto size, auto& comp, auto& proj) {
  stable_sort_values(first, size, comp, proj);
};

}  // namespace detail

template <std::random_access_iterator It, std::sized_sentinel_for<It> End, class Comp = std::less<>,
          class Proj = std::identity>
void parallel_stable_sort(It first, End last, Comp comp = {}, Proj proj = {}) {
  detail::sort_with(detail::stable_sort, first, last - first, comp, proj);
}

template <detail::loop_range Range, detail::not_end_of<Range> Comp = std::less<>, class Proj = std::identity>
void parallel_stable_sort(Range&& range, Comp comp = {}, Proj proj = {}) {
  static_assert(
      detail::is_kept<Range>,
      "pilfer: parallel_stable_sort sorts in place, and this range is a temporary; give it a name, or hand over "
      "a view");
  detail::sort_with(detail::stable_sort, std::ranges::begin(range), std::ranges::distance(range), comp, proj);
}

// Wrong calls.
template <class... Args>
void parallel_stable_sort(const Args&... /*args*/) {
  static_assert(
      detail::wrong_call<Args...>::is_explained,
      "pilfer: parallel_stable_sort takes (range) or (first, last) with two iterators, then perhaps comp, and "
      "then perhaps proj");
}

}  // namespace pilfer
