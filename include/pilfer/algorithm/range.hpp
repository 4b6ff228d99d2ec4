// What loops run over: indices, blocks, and ranges of the standard library.
#pragma once

#include <concepts>
#include <cstddef>
#include <iterator>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>

#include <pilfer/algorithm/inside.hpp>

namespace pilfer {

// Indices from begin to before end, for bodies that want a block of them.
template <std::integral Index = std::size_t>
class blocked_range {
 public:
  // Blocks are at least `grain` long, if there are so many indices.
  //   Throws  std::invalid_argument for an end before the begin, and for a grain of 0.
  blocked_range(Index begin, Index end, std::size_t grain = 1) : begin_(begin), end_(end), grain_(grain) {
    if (end < begin) {
      detail::bad_argument("pilfer: blocked_range from " + std::to_string(begin) + " to " + std::to_string(end));
    }
    if (grain == 0) detail::bad_argument("pilfer: a grain of 0");
  }
  [[nodiscard]] Index begin() const noexcept { return begin_; }
  [[nodiscard]] Index end() const noexcept { return end_; }
  [[nodiscard]] std::size_t size() const noexcept {
    return static_cast<std::size_t>(end_) - static_cast<std::size_t>(begin_);
  }
  [[nodiscard]] bool empty() const noexcept { return begin_ == end_; }
  [[nodiscard]] std::size_t grain() const noexcept { return grain_; }

 private:
  Index begin_;
  Index end_;
  std::size_t grain_;
};

// A rectangle of indices.
class blocked_range2d {
 public:
  //   Throws  std::invalid_argument for an end before its begin, and for a grain of 0.
  blocked_range2d(std::size_t rows_begin, std::size_t rows_end, std::size_t cols_begin, std::size_t cols_end,
                  std::size_t grain_rows = 1, std::size_t grain_cols = 1)
      : rows_(rows_begin, rows_end, grain_rows), cols_(cols_begin, cols_end, grain_cols) {}
  blocked_range2d(const blocked_range<>& rows, const blocked_range<>& cols) noexcept : rows_(rows), cols_(cols) {}
  [[nodiscard]] const blocked_range<>& rows() const noexcept { return rows_; }
  [[nodiscard]] const blocked_range<>& cols() const noexcept { return cols_; }
  [[nodiscard]] bool empty() const noexcept { return rows_.empty() || cols_.empty(); }

 private:
  blocked_range<> rows_;
  blocked_range<> cols_;
};

namespace detail {

template <class R>
concept loop_range = std::ranges::random_access_range<R> && std::ranges::sized_range<R>;
template <class I>
concept loop_index = std::integral<I> && !std::same_as<I, bool> && sizeof(I) <= sizeof(std::size_t);
// What some thread writes a part of.
template <class O>
concept loop_output = std::random_access_iterator<O>;

// Options come last, so nothing that a template takes is one.
template <class F>
concept not_options = !std::same_as<std::remove_cvref_t<F>, loop_options>;

// Where an end may stand instead: an array is a range and an iterator.
template <class T, class R>
concept not_end_of = !std::sentinel_for<T, std::ranges::iterator_t<R>>;

// first[i], whatever the iterator counts with.
template <class Iterator>
[[gnu::always_inline]] constexpr Iterator advanced(const Iterator& first, std::size_t i) {
  return first + static_cast<std::iter_difference_t<Iterator>>(i);
}

template <class I, class S>
[[nodiscard]] auto range_of(I first, S last) {
  if (last - first < 0) bad_argument("pilfer: a range that ends before it begins");
  return std::ranges::subrange<I, S, std::ranges::subrange_kind::sized>(std::move(first), std::move(last));
}

template <class R>
[[nodiscard]] std::size_t size_of(R&& range) {
  return static_cast<std::size_t>(std::ranges::size(range));
}

template <class Index>
[[nodiscard, gnu::always_inline]] constexpr Index index_at(Index first, std::size_t i) noexcept {
  return static_cast<Index>(static_cast<std::size_t>(first) + i);
}

// From one index to another, in their common type.
template <loop_index First, loop_index Last>
class index_span {
 public:
  using index = std::common_type_t<First, Last>;
  index_span(First first, Last last, const char* what) : first_(static_cast<index>(first)) {
    // What the common type makes of a negative number is not what was meant.
    const bool changed = std::cmp_not_equal(+first_, +first) || std::cmp_not_equal(+static_cast<index>(last), +last);
    if (changed || std::cmp_less(+last, +first)) {
      bad_argument("pilfer: " + std::string(what) + " from " + std::to_string(first) + " to " + std::to_string(last));
    }
    size_ = static_cast<std::size_t>(static_cast<index>(last)) - static_cast<std::size_t>(first_);
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] index first() const noexcept { return first_; }

 private:
  index first_;
  std::size_t size_;
};

}  // namespace detail
}  // namespace pilfer
