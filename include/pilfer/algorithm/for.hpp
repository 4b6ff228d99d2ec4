// parallel_for and its like: calls without results.
//
//   pilfer::parallel_for(0, n, [&](int i) { out[i] = f(in[i]); });
//   pilfer::parallel_for(pilfer::blocked_range(0, n), [&](const auto& block) { for (int i = block.begin(); ...) });
//   pilfer::parallel_for_each(particles, [](particle& p) { p.move(); });
//
// Calls     f once for each index, block or element, on several threads and in any order. A small trivial f may be copied.
// Returns   when all calls are done.
// Throws    as fork_join: one of the exceptions, after everything that runs has finished; some calls may then be missing.
//           std::invalid_argument for an end before its begin, a grain of 0, a null f.
// Cost      of a loop that nobody helps with: a comparison and a look at the clock for some 8 us of work.
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

#include <pilfer/algorithm/loop.hpp>
#include <pilfer/algorithm/range.hpp>

namespace pilfer {
namespace detail {

template <class Index, class F>
struct index_body {
  static constexpr bool nothrow = std::is_nothrow_invocable_v<F&, Index>;
  F& f;
  Index first;
  [[gnu::always_inline]] void run(std::size_t begin, std::size_t end) const noexcept(nothrow) {
    chunk_callable<F, Index> call = f;
    const Index last = index_at(first, end);
    for (Index i = index_at(first, begin); i < last; ++i) static_cast<void>(std::invoke(call, i));
  }
};

template <class Index, class F>
struct block_body {
  static constexpr bool nothrow = std::is_nothrow_invocable_v<F&, const blocked_range<Index>&>;
  F& f;
  const blocked_range<Index>& all;
  void run(std::size_t begin, std::size_t end) const noexcept(nothrow) {
    const blocked_range<Index> block(index_at(all.begin(), begin), index_at(all.begin(), end), all.grain());
    static_cast<void>(std::invoke(f, block));
  }
};

// f(*iterator) for each.
template <class Iterator, class F>
struct each_body {
  using reference = std::iter_reference_t<Iterator>;
  static constexpr bool nothrow = std::is_nothrow_invocable_v<F&, reference> && noexcept(*std::declval<Iterator&>());
  F& f;
  const Iterator& first;
  [[gnu::always_inline]] void run(std::size_t begin, std::size_t end) const noexcept(nothrow) {
    chunk_callable<F, reference> call = f;
    const Iterator from = advanced(first, begin);
    for (std::size_t i = 0; i != end - begin; ++i) static_cast<void>(std::invoke(call, *advanced(from, i)));
  }
};

template <class R, class F>
void for_each_of(R&& range, F& f, const loop_options& options) {
  using iterator = std::ranges::iterator_t<R>;
  static_assert(std::is_invocable_v<F&, std::iter_reference_t<iterator>>,
                "pilfer: parallel_for_each calls f(x) with each element x, and this f cannot be called so");
  if constexpr (std::is_invocable_v<F&, std::iter_reference_t<iterator>>) {
    require_callable(f);
    require_grain(options);
    const std::size_t n = size_of(range);
    if (n == 0) return;
    const iterator first = std::ranges::begin(range);
    const each_body<iterator, F> body{f, first};
    inside([&](context here) noexcept(body.nothrow) { run_loop(here, body, n, options); });
  }
}

}  // namespace detail

// Indices. Of two types, their common type is handed to f.
template <detail::loop_index First, detail::loop_index Last, class F>
void parallel_for(First first, Last last, F&& f, const loop_options& options = {}) {
  using span = detail::index_span<First, Last>;
  using index = typename span::index;
  static_assert(detail::algorithm_callable<F&, index>::is_plain);
  static_assert(std::is_invocable_v<F&, index>,
                "pilfer: parallel_for calls f(i) with each index i, and this f cannot be called so");
  if constexpr (std::is_invocable_v<F&, index>) {
    detail::require_callable(f);
    detail::require_grain(options);
    const span all(first, last, "parallel_for");
    if (all.size() == 0) return;
    const detail::index_body<index, std::remove_reference_t<F>> body{f, all.first()};
    detail::inside([&](context here) noexcept(body.nothrow) { detail::run_loop(here, body, all.size(), options); });
  }
}

// Blocks of indices, of automatic size but not below the range's grain. Options that name a grain name the blocks' size.
template <class Index, class F>
void parallel_for(const blocked_range<Index>& all, F&& f, const loop_options& options = {}) {
  static_assert(detail::algorithm_callable<F&, const blocked_range<Index>&>::is_plain);
  static_assert(std::is_invocable_v<F&, const blocked_range<Index>&>,
                "pilfer: parallel_for over a blocked_range calls f(block), and this f cannot be called so; for single "
                "indices write parallel_for(first, last, f)");
  if constexpr (std::is_invocable_v<F&, const blocked_range<Index>&>) {
    detail::require_callable(f);
    detail::require_grain(options);
    if (all.empty()) return;
    const detail::block_body<Index, std::remove_reference_t<F>> body{f, all};
    detail::inside(
        [&](context here) noexcept(body.nothrow) { detail::run_loop(here, body, all.size(), options, all.grain()); });
  }
}

// Elements.
template <detail::loop_range R, class F>
void parallel_for_each(R&& range, F&& f, const loop_options& options = {}) {
  static_assert(detail::algorithm_callable<F&, std::ranges::range_reference_t<R>>::is_plain);
  detail::for_each_of(range, f, options);
}
template <std::random_access_iterator I, std::sized_sentinel_for<I> S, class F>
void parallel_for_each(I first, S last, F&& f, const loop_options& options = {}) {
  static_assert(detail::algorithm_callable<F&, std::iter_reference_t<I>>::is_plain);
  detail::for_each_of(detail::range_of(first, last), f, options);
}

// Wrong calls.
template <class... Args>
void parallel_for(const Args&... /*args*/) {
  static_assert(
      detail::wrong_call<Args...>::is_explained,
      "pilfer: parallel_for takes (first, last, f) with two integers, (blocked_range, f) or (blocked_range2d, "
      "f), then loop_options; for the elements of a range write parallel_for_each(range, f)");
}
template <class... Args>
void parallel_for_each(const Args&... /*args*/) {
  static_assert(detail::wrong_call<Args...>::is_explained,
                "pilfer: parallel_for_each takes (range, f) or (first, last, f) with two iterators, then loop_options; "
                "for indices write parallel_for(first, last, f)");
}

}  // namespace pilfer
