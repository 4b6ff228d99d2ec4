// parallel_partition and parallel_stable_partition: values for which pred holds before all others.
//
//   auto end_of_even = pilfer::parallel_partition(numbers, is_even);
//
// Calls     pred exactly once for each value, from several threads at once.
// Returns   where the others begin.
// Throws    what pred throws; std::invalid_argument if it is null. The range then holds all of its values, in some order, provided
//           that moving a value does not throw.
// Memory    parallel_partition: none. parallel_stable_partition: as many values again; without it, or if moving a value may
//           throw, it works in place, with O(n log n) moves.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <ranges>
#include <utility>

#include <pilfer/algorithm/check.hpp>
#include <pilfer/algorithm/inside.hpp>
#include <pilfer/algorithm/range.hpp>
#include <pilfer/algorithm/sort_buffer.hpp>
#include <pilfer/algorithm/sort_order.hpp>
#include <pilfer/algorithm/sort_partition.hpp>
#include <pilfer/algorithm/sort_pieces.hpp>
#include <pilfer/algorithm/sort_serial.hpp>
#include <pilfer/detail/fork/hunger.hpp>
#include <pilfer/detail/immovable.hpp>
#include <pilfer/fork_join.hpp>

namespace pilfer {
namespace detail {

// --- Stable, by one thread: those that do not stay wait in the buffer.
template <class It>
struct set_aside {
  It kept;  // where the next value that stays goes
  sort_value<It>* waiting;
  sort_value<It>* waiting_end;

  // There is a place for each of them, also if not all values have been asked about.
  ~set_aside() {
    std::move(waiting, waiting_end, kept);
    std::destroy(waiting, waiting_end);
  }
};

template <class It, class Pred>
[[nodiscard]] It stable_partition_serially(It first, It last, sort_value<It>* buffer, Pred pred) {
  set_aside<It> state{first, buffer, buffer};
  for (It it = first; it != last; ++it) {
    if (pred(*it)) {
      if (it != state.kept) *state.kept = std::move(*it);
      ++state.kept;
    } else {
      std::construct_at(state.waiting_end, std::move(*it));
      ++state.waiting_end;
    }
  }
  return state.kept;
}

// --- Stable, by several: each chunk goes to its part of the buffer, those that pred holds for from the front and the others from
// the back; when all are there, and counted, each value goes to its place.
template <class It, class Pred>
class stable_partitioner : immovable {
 public:
  using value = sort_value<It>;
  stable_partitioner(It first, std::ptrdiff_t size, value* buffer, Pred pred)
      : first_(first), size_(size), chunk_(chunk_size(size)), buffer_(buffer), pred_(pred) {
    ends_of_left_.fill(not_in_buffer);
  }
  // Only after an exception: back from the buffer.
  ~stable_partitioner() {
    for (std::ptrdiff_t begin = 0; begin < size_; begin += chunk_) {
      if (end_of_left(begin) == not_in_buffer) continue;
      const std::ptrdiff_t end = std::min(begin + chunk_, size_);
      std::move(buffer_ + begin, buffer_ + end, first_ + begin);
      std::destroy(buffer_ + begin, buffer_ + end);
    }
  }

  [[nodiscard]] It run(context here) {
    for_pieces(here, 0, size_, chunk_, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      to_buffer moved{first_ + begin, buffer_ + begin, buffer_ + begin, buffer_ + end, buffer_ + end};
      for (It it = first_ + begin; it != first_ + end; ++it) {
        if (pred_(*it)) {
          std::construct_at(moved.left_end, std::move(*it));
          ++moved.left_end;
        } else {
          std::construct_at(moved.right - 1, std::move(*it));
          --moved.right;
        }
      }
      end_of_left(begin) = moved.left_end - buffer_;
      moved.give_away();
    });
    std::array<std::ptrdiff_t, most_chunks> lefts_before;
    std::ptrdiff_t lefts = 0;
    for (std::ptrdiff_t begin = 0; begin < size_; begin += chunk_) {
      lefts_before[index(begin)] = lefts;
      lefts += end_of_left(begin) - begin;
    }
    for_pieces(here, 0, size_, chunk_, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      const std::ptrdiff_t middle = std::exchange(end_of_left(begin), not_in_buffer);
      const std::ptrdiff_t before = lefts_before[index(begin)];
      std::move(buffer_ + begin, buffer_ + middle, first_ + before);
      std::move(std::make_reverse_iterator(buffer_ + end), std::make_reverse_iterator(buffer_ + middle),
                first_ + (lefts + (begin - before)));
      std::destroy(buffer_ + begin, buffer_ + end);
    });
    return first_ + lefts;
  }

 private:
  static constexpr std::ptrdiff_t not_in_buffer = -1;

  // What has been moved of a chunk. Goes back, to the front of the chunk, if pred throws.
  struct to_buffer {
    It home;
    value* left;
    value* left_end;
    value* right;
    value* right_end;
    ~to_buffer() {
      std::move(right, right_end, std::move(left, left_end, home));
      std::destroy(left, left_end);
      std::destroy(right, right_end);
    }
    void give_away() {
      left = left_end;
      right = right_end;
    }
  };

  [[nodiscard]] std::size_t index(std::ptrdiff_t begin) const { return static_cast<std::size_t>(begin / chunk_); }
  [[nodiscard]] std::ptrdiff_t& end_of_left(std::ptrdiff_t begin) { return ends_of_left_[index(begin)]; }

  It first_;
  std::ptrdiff_t size_;
  std::ptrdiff_t chunk_;
  value* buffer_;
  Pred pred_;
  std::array<std::ptrdiff_t, most_chunks> ends_of_left_;
};

// --- Stable, in place.
template <class It, class Pred>
[[nodiscard]] It stable_partition_in_place(context here, It first, It last, Pred pred) {
  const auto size = last - first;
  if (size == 0) return first;
  if (size == 1) return pred(*first) ? last : first;
  const It middle = first + size / 2;
  It left_end = first;
  It right_end = middle;
  const auto do_left = [&](context x) { left_end = stable_partition_in_place(x, first, middle, pred); };
  const auto do_right = [&](context x) { right_end = stable_partition_in_place(x, middle, last, pred); };
  run_both(here, size > least_chunk, do_left, do_right);
  return std::rotate(left_end, middle, right_end);
}

template <class It, class Pred>
[[nodiscard]] It stable_partition_values(context here, It first, It last, Pred pred) {
  const std::ptrdiff_t size = last - first;
  if constexpr (is_safely_movable<sort_value<It>>) {
    const sort_buffer<sort_value<It>> buffer(static_cast<std::size_t>(size));
    if (buffer && size > least_chunk && is_anyone_hungry(position_of(here))) {
      return stable_partitioner<It, Pred>(first, size, buffer.data(), pred).run(here);
    }
    if (buffer) return stable_partition_serially(first, last, buffer.data(), pred);
  }
  return stable_partition_in_place(here, first, last, pred);
}

template <class It, class Pred>
inline constexpr bool can_test_values = std::indirect_unary_predicate<Pred, It>;

// Calls work(context, first, last, predicate) with plain iterators, and returns what it returns as the caller's iterator.
template <class It, class Pred, class Work>
It partition_values(It first, sort_distance<It> size, Pred& pred, Work work) {
  constexpr bool can_do = has_objects<It> && can_move<It>;
  static_assert(can_do,
                "pilfer: a partition moves elements, and these cannot be moved: they are const, proxies as those of "
                "std::vector<bool>, or their type does not allow it");
  static_assert(can_test_values<It, Pred> || !can_do,
                "pilfer: a partition asks pred(x) of its elements, which must give a bool, and this pred cannot be "
                "called so");
  if constexpr (can_do && can_test_values<It, Pred>) {
    require_callable(pred);
    if (size < 0) bad_argument("pilfer: a range that ends before it begins");
    if (size == 0) return first;
    const auto plain = plain_iterator(first);
    const auto holds = [&pred](auto& value) { return static_cast<bool>(std::invoke(pred, value)); };
    const auto run = [&](context here) { return work(here, plain, plain + size, holds) - plain; };
    if (size <= least_chunk) return first + run(detail::access::context_at(nullptr));  // no forks: no matter where
    return first + inside(run);
  } else {
    return refused_call<It>();
  }
}

inline constexpr auto partition_quickly = [](context here, auto begin, auto end, auto holds) {
  if (end - begin > least_chunk && is_anyone_hungry(position_of(here))) {
    return partition_in_parallel(here, begin, end, holds);
  }
  return partition_serially(begin, end, holds);
};
inline constexpr auto partition_stably = [](context here, auto begin, auto end, auto holds) {
  return stable_partition_values(here, begin, end, holds);
};

}  // namespace detail

template <std::random_access_iterator It, std::sized_sentinel_for<It> End, class Pred>
It parallel_partition(It first, End last, Pred pred) {
  return detail::partition_values(first, last - first, pred, detail::partition_quickly);
}
template <detail::loop_range Range, class Pred>
std::ranges::borrowed_iterator_t<Range> parallel_partition(Range&& range, Pred pred) {
  static_assert(
      detail::is_kept<Range>,
      "pilfer: parallel_partition works in place, and this range is a temporary; give it a name, or hand over a "
      "view");
  return detail::partition_values(std::ranges::begin(range), std::ranges::distance(range), pred,
                                  detail::partition_quickly);
}

template <std::random_access_iterator It, std::sized_sentinel_for<It> End, class Pred>
It parallel_stable_partition(It first, End last, Pred pred) {
  return detail::partition_values(first, last - first, pred, detail::partition_stably);
}
template <detail::loop_range Range, class Pred>
std::ranges::borrowed_iterator_t<Range> parallel_stable_partition(Range&& range, Pred pred) {
  static_assert(
      detail::is_kept<Range>,
      "pilfer: parallel_stable_partition works in place, and this range is a temporary; give it a name, or hand "
      "over a view");
  return detail::partition_values(std::ranges::begin(range), std::ranges::distance(range), pred,
                                  detail::partition_stably);
}

// Wrong calls.
template <class... Args>
detail::likely_iterator<Args...> parallel_partition(const Args&... /*args*/) {
  static_assert(detail::wrong_call<Args...>::is_explained,
                "pilfer: parallel_partition takes (range, pred) or (first, last, pred) with two iterators");
  return detail::refused_call<detail::likely_iterator<Args...>>();
}
template <class... Args>
detail::likely_iterator<Args...> parallel_stable_partition(const Args&... /*args*/) {
  static_assert(detail::wrong_call<Args...>::is_explained,
                "pilfer: parallel_stable_partition takes (range, pred) or (first, last, pred) with two iterators");
  return detail::refused_call<detail::likely_iterator<Args...>>();
}

}  // namespace pilfer
