// parallel_find_if and its like: searches that end early; counts.
//
//   auto at = pilfer::parallel_find_if(words, [](const std::string& w) { return w.empty(); });
//
// Calls     pred at most once for each element, on several threads; also for elements behind the first match, of which it may throw.
// Returns   the first match, as the standard library does, or the end of the range.
// Throws    as parallel_for.
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

#include <pilfer/algorithm/loop.hpp>
#include <pilfer/algorithm/range.hpp>
#include <pilfer/algorithm/reduce.hpp>
#include <pilfer/ext/sync.hpp>

namespace pilfer {
namespace detail {

struct find_orders {
  static constexpr auto relaxed = std::memory_order_relaxed;
};

// The smallest index that anybody has found so far.
//
// State        writer   reader   meaning
//   best_      all      all      only falls
// Edges
//   none: it is an index and nothing else; the last reader is ordered by the joins.
class best_match {
  using Orders = find_orders;

 public:
  explicit best_match(std::size_t none) noexcept : best_(none) {}
  [[nodiscard]] std::size_t index() const noexcept {
    return best_.load(Orders::relaxed);
  }  // hint; carried by the joins
  void lower_to(std::size_t i) noexcept {
    std::size_t seen = index();
    while (i < seen && !best_.compare_exchange(seen, i, Orders::relaxed, Orders::relaxed)) {  // carried by the joins
    }
  }

 private:
  ext::default_sync::atomic<std::size_t> best_;
};

// Any: the first match that somebody finds ends the search, wherever it is.
template <bool Any, class Iterator, class Pred>
struct find_body {
  using reference = std::iter_reference_t<Iterator>;
  static constexpr bool nothrow = std::is_nothrow_invocable_v<Pred&, reference> && noexcept(*std::declval<Iterator&>());
  Iterator first;
  Pred& pred;
  best_match& best;
  const std::size_t n;

  [[nodiscard]] bool run(std::size_t begin, std::size_t end) const noexcept(nothrow) {
    if (best.index() < (Any ? n : begin)) return true;
    const Iterator from = first;
    chunk_callable<Pred, reference> call = pred;
    for (std::size_t i = begin; i < end; ++i) {
      if (std::invoke(call, *advanced(from, i))) {
        best.lower_to(i);
        return true;
      }
    }
    return false;
  }
};

// The index of a match, or n.
template <bool Any, class R, class Pred>
[[nodiscard]] std::size_t find_index(R&& range, Pred& pred, const loop_options& options) {
  using iterator = std::ranges::iterator_t<R>;
  static_assert(algorithm_callable<Pred&, std::iter_reference_t<iterator>>::is_plain);
  static_assert(std::is_invocable_r_v<bool, Pred&, std::iter_reference_t<iterator>>,
                "pilfer: the predicate of a search cannot be called with an element");
  require_callable(pred);
  require_grain(options);
  const std::size_t n = size_of(range);
  if (n == 0) return 0;
  best_match best(n);
  const find_body<Any, iterator, Pred> body{std::ranges::begin(range), pred, best, n};
  inside([&](context here) noexcept(body.nothrow) { run_loop(here, body, n, options); });
  return best.index();
}

template <class Value>
[[nodiscard]] auto equal_to(const Value& value) {
  return [&value](const auto& x) { return static_cast<bool>(x == value); };
}

}  // namespace detail

template <detail::loop_range R, class Pred>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> parallel_find_if(R&& range, Pred&& pred,
                                                                   const loop_options& options = {}) {
  return detail::advanced(std::ranges::begin(range), detail::find_index<false>(range, pred, options));
}
template <std::random_access_iterator I, std::sized_sentinel_for<I> S, class Pred>
[[nodiscard]] I parallel_find_if(I first, S last, Pred&& pred, const loop_options& options = {}) {
  return parallel_find_if(detail::range_of(first, last), pred, options);
}
template <detail::loop_range R, class Value>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> parallel_find(R&& range, const Value& value,
                                                                const loop_options& options = {}) {
  return parallel_find_if(std::forward<R>(range), detail::equal_to(value), options);
}
template <std::random_access_iterator I, std::sized_sentinel_for<I> S, class Value>
[[nodiscard]] I parallel_find(I first, S last, const Value& value, const loop_options& options = {}) {
  return parallel_find_if(detail::range_of(first, last), detail::equal_to(value), options);
}

template <detail::loop_range R, class Pred>
[[nodiscard]] bool parallel_any_of(R&& range, Pred&& pred, const loop_options& options = {}) {
  return detail::find_index<true>(range, pred, options) != detail::size_of(range);
}
template <detail::loop_range R, class Pred>
[[nodiscard]] bool parallel_none_of(R&& range, Pred&& pred, const loop_options& options = {}) {
  return !parallel_any_of(range, pred, options);
}
template <detail::loop_range R, class Pred>
[[nodiscard]] bool parallel_all_of(R&& range, Pred&& pred, const loop_options& options = {}) {
  static_assert(detail::algorithm_callable<Pred&, std::ranges::range_reference_t<R>>::is_plain);
  static_assert(std::is_invocable_r_v<bool, Pred&, std::ranges::range_reference_t<R>>,
                "pilfer: the predicate of a search cannot be called with an element");
  detail::require_callable(pred);
  const auto fails = [&](std::ranges::range_reference_t<R> x) {
    return !static_cast<bool>(std::invoke(pred, std::forward<std::ranges::range_reference_t<R>>(x)));
  };
  return !parallel_any_of(range, fails, options);
}

template <detail::loop_range R, class Pred>
[[nodiscard]] std::size_t parallel_count_if(R&& range, Pred&& pred, const loop_options& options = {}) {
  static_assert(detail::algorithm_callable<Pred&, std::ranges::range_reference_t<R>>::is_plain);
  static_assert(std::is_invocable_r_v<bool, Pred&, std::ranges::range_reference_t<R>>,
                "pilfer::parallel_count_if: pred cannot be called with an element");
  detail::require_callable(pred);
  const auto one_if = [&](std::ranges::range_reference_t<R> x) {
    return std::size_t{static_cast<bool>(std::invoke(pred, std::forward<std::ranges::range_reference_t<R>>(x)))};
  };
  return parallel_reduce(range, std::size_t{0}, std::plus<>{}, one_if, options);
}
template <detail::loop_range R, class Value>
[[nodiscard]] std::size_t parallel_count(R&& range, const Value& value, const loop_options& options = {}) {
  return parallel_count_if(range, detail::equal_to(value), options);
}

}  // namespace pilfer
