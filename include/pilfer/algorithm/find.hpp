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
  using element = std::iter_reference_t<iterator>;
  static_assert(can_test<Pred&, element> || is_coroutine_function<Pred&, element>,
                "pilfer: a search asks pred(x) of its elements, which must give a bool, and this pred cannot be called "
                "so");
  if constexpr (can_test<Pred&, element>) {
    require_callable(pred);
    require_grain(options);
    const std::size_t n = size_of(range);
    if (n == 0) return 0;
    best_match best(n);
    const find_body<Any, iterator, Pred> body{std::ranges::begin(range), pred, best, n};
    inside([&](context here) noexcept(body.nothrow) { run_loop(here, body, n, options); });
    return best.index();
  } else {
    return 0;
  }
}

// x == value, of an element x.
template <class Value>
struct equality {
  const Value& value;
  template <class T>
  [[nodiscard]] auto operator()(const T& x) const noexcept(noexcept(static_cast<bool>(x == value)))
      -> decltype(static_cast<bool>(x == value)) {
    return static_cast<bool>(x == value);
  }
};

template <class R, class Value>
[[nodiscard]] std::size_t find_value(R&& range, const Value& value, const loop_options& options) {
  constexpr bool can_equal = can_test<equality<Value>, std::ranges::range_reference_t<R>>;
  static_assert(
      can_equal,
      "pilfer: parallel_find compares elements with the value by x == value, and these cannot be compared so");
  if constexpr (can_equal) {
    const equality<Value> equal{value};
    return find_index<false>(range, equal, options);
  } else {
    return 0;
  }
}

}  // namespace detail

template <detail::loop_range R, class Pred>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> parallel_find_if(R&& range, Pred&& pred,
                                                                   const loop_options& options = {}) {
  static_assert(detail::algorithm_callable<Pred&, std::ranges::range_reference_t<R>>::is_plain);
  return detail::advanced(std::ranges::begin(range), detail::find_index<false>(range, pred, options));
}
template <std::random_access_iterator I, std::sized_sentinel_for<I> S, class Pred>
[[nodiscard]] I parallel_find_if(I first, S last, Pred&& pred, const loop_options& options = {}) {
  static_assert(detail::algorithm_callable<Pred&, std::iter_reference_t<I>>::is_plain);
  return detail::advanced(first, detail::find_index<false>(detail::range_of(first, last), pred, options));
}
template <detail::loop_range R, class Value>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> parallel_find(R&& range, const Value& value,
                                                                const loop_options& options = {}) {
  return detail::advanced(std::ranges::begin(range), detail::find_value(range, value, options));
}
template <std::random_access_iterator I, std::sized_sentinel_for<I> S, class Value>
[[nodiscard]] I parallel_find(I first, S last, const Value& value, const loop_options& options = {}) {
  return detail::advanced(first, detail::find_value(detail::range_of(first, last), value, options));
}

template <detail::loop_range R, class Pred>
[[nodiscard]] bool parallel_any_of(R&& range, Pred&& pred, const loop_options& options = {}) {
  static_assert(detail::algorithm_callable<Pred&, std::ranges::range_reference_t<R>>::is_plain);
  return detail::find_index<true>(range, pred, options) != detail::size_of(range);
}
template <detail::loop_range R, class Pred>
[[nodiscard]] bool parallel_none_of(R&& range, Pred&& pred, const loop_options& options = {}) {
  static_assert(detail::algorithm_callable<Pred&, std::ranges::range_reference_t<R>>::is_plain);
  return detail::find_index<true>(range, pred, options) == detail::size_of(range);
}
template <detail::loop_range R, class Pred>
[[nodiscard]] bool parallel_all_of(R&& range, Pred&& pred, const loop_options& options = {}) {
  using element = std::ranges::range_reference_t<R>;
  static_assert(detail::algorithm_callable<Pred&, element>::is_plain);
  static_assert(detail::can_test<Pred&, element> || detail::is_coroutine_function<Pred&, element>,
                "pilfer: parallel_all_of asks pred(x) of its elements, which must give a bool, and this pred cannot be "
                "called so");
  if constexpr (detail::can_test<Pred&, element>) {
    detail::require_callable(pred);
    const auto fails = [&](element x) { return !static_cast<bool>(std::invoke(pred, std::forward<element>(x))); };
    return detail::find_index<true>(range, fails, options) == detail::size_of(range);
  } else {
    return false;
  }
}

template <detail::loop_range R, class Pred>
[[nodiscard]] std::size_t parallel_count_if(R&& range, Pred&& pred, const loop_options& options = {}) {
  using element = std::ranges::range_reference_t<R>;
  static_assert(detail::algorithm_callable<Pred&, element>::is_plain);
  static_assert(
      detail::can_test<Pred&, element> || detail::is_coroutine_function<Pred&, element>,
      "pilfer: parallel_count_if asks pred(x) of its elements, which must give a bool, and this pred cannot be "
      "called so");
  if constexpr (detail::can_test<Pred&, element>) {
    detail::require_callable(pred);
    const auto one_if = [&](element x) {
      return std::size_t{static_cast<bool>(std::invoke(pred, std::forward<element>(x)))};
    };
    return parallel_reduce(range, std::size_t{0}, std::plus<>{}, one_if, options);
  } else {
    return 0;
  }
}
template <detail::loop_range R, class Value>
[[nodiscard]] std::size_t parallel_count(R&& range, const Value& value, const loop_options& options = {}) {
  using equal = detail::equality<Value>;
  static_assert(
      detail::can_test<equal, std::ranges::range_reference_t<R>>,
      "pilfer: parallel_count compares elements with the value by x == value, and these cannot be compared so");
  if constexpr (detail::can_test<equal, std::ranges::range_reference_t<R>>) {
    return parallel_count_if(range, equal{value}, options);
  } else {
    return 0;
  }
}

// Wrong calls.
template <class... Args>
detail::likely_iterator<Args...> parallel_find_if(const Args&... /*args*/) {
  static_assert(
      detail::wrong_call<Args...>::is_explained,
      "pilfer: parallel_find_if takes (range, pred) or (first, last, pred) with two iterators, then loop_options");
  return detail::refused_call<detail::likely_iterator<Args...>>();
}
template <class... Args>
detail::likely_iterator<Args...> parallel_find(const Args&... /*args*/) {
  static_assert(
      detail::wrong_call<Args...>::is_explained,
      "pilfer: parallel_find takes (range, value) or (first, last, value) with two iterators, then loop_options");
  return detail::refused_call<detail::likely_iterator<Args...>>();
}
template <class... Args>
bool parallel_any_of(const Args&... /*args*/) {
  static_assert(detail::wrong_call<Args...>::is_explained,
                "pilfer: parallel_any_of takes (range, pred), then loop_options; for two iterators write "
                "std::ranges::subrange(first, last)");
  return {};
}
template <class... Args>
bool parallel_none_of(const Args&... /*args*/) {
  static_assert(detail::wrong_call<Args...>::is_explained,
                "pilfer: parallel_none_of takes (range, pred), then loop_options; for two iterators write "
                "std::ranges::subrange(first, last)");
  return {};
}
template <class... Args>
bool parallel_all_of(const Args&... /*args*/) {
  static_assert(detail::wrong_call<Args...>::is_explained,
                "pilfer: parallel_all_of takes (range, pred), then loop_options; for two iterators write "
                "std::ranges::subrange(first, last)");
  return {};
}
template <class... Args>
std::size_t parallel_count_if(const Args&... /*args*/) {
  static_assert(detail::wrong_call<Args...>::is_explained,
                "pilfer: parallel_count_if takes (range, pred), then loop_options; for two iterators write "
                "std::ranges::subrange(first, last)");
  return {};
}
template <class... Args>
std::size_t parallel_count(const Args&... /*args*/) {
  static_assert(detail::wrong_call<Args...>::is_explained,
                "pilfer: parallel_count takes (range, value), then loop_options; for two iterators write "
                "std::ranges::subrange(first, last)");
  return {};
}

}  // namespace pilfer
