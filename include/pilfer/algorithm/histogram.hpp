// parallel_histogram: how many elements have each key.
//
//   std::vector<std::size_t> counts =
//       pilfer::parallel_histogram(text, 256, [](char c) { return static_cast<unsigned char>(c); });
//
// Calls     key once for each element, on several threads and in any order.
// Returns   for each number below `bins`, how many elements have it as their key.
// Throws    as parallel_for, and std::bad_alloc; std::out_of_range for a key that is no number below `bins`.
// Cost      each half that is forked off has counts of its own, so a part is not smaller than the counts are.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <pilfer/algorithm/loop.hpp>
#include <pilfer/algorithm/range.hpp>

namespace pilfer {
namespace detail {

template <class Iterator, class Key>
struct histogram_body {
  static constexpr bool nothrow = false;
  Iterator first;
  Key& key;
  std::vector<std::size_t> counts;

  void run(std::size_t begin, std::size_t end) {
    const std::size_t bins = counts.size();
    std::size_t* const count = counts.data();
    const Iterator from = first;
    chunk_callable<Key, std::iter_reference_t<Iterator>> call = key;
    for (std::size_t i = begin; i < end; ++i) {
      const auto k = std::invoke(call, *advanced(from, i));
      // A negative key becomes a large one.
      if (static_cast<std::size_t>(k) >= bins) [[unlikely]] {
        refuse<std::out_of_range>("pilfer: parallel_histogram with " + std::to_string(bins) + " bins got the key " +
                                  std::to_string(k));
      }
      ++count[static_cast<std::size_t>(k)];
    }
  }
  [[nodiscard]] histogram_body other() const { return {first, key, std::vector<std::size_t>(counts.size())}; }
  void absorb(const histogram_body& right) noexcept {
    std::transform(counts.begin(), counts.end(), right.counts.begin(), counts.begin(), std::plus<>{});
  }
};

template <class Key, class Element>
inline constexpr bool gives_key = false;
template <class Key, class Element>
  requires std::is_invocable_v<Key, Element>
inline constexpr bool gives_key<Key, Element> =
    std::integral<std::remove_cvref_t<std::invoke_result_t<Key, Element>>> &&
    sizeof(std::remove_cvref_t<std::invoke_result_t<Key, Element>>) <= sizeof(std::size_t);

}  // namespace detail

// A template of the number's type, so that it is never converted: the overload for wrong calls would fit better.
template <detail::loop_range R, std::convertible_to<std::size_t> Bins, class Key>
[[nodiscard]] std::vector<std::size_t> parallel_histogram(R&& range, Bins bins, Key&& key,
                                                          const loop_options& options = {}) {
  using iterator = std::ranges::iterator_t<R>;
  using element = std::iter_reference_t<iterator>;
  static_assert(detail::algorithm_callable<Key&, element>::is_plain);
  static_assert(
      detail::gives_key<Key&, element> || detail::is_coroutine_function<Key&, element>,
      "pilfer: parallel_histogram asks key(x) of each element, which must give an integer, and this key cannot "
      "be called so");
  if constexpr (detail::gives_key<Key&, element>) {
    detail::require_callable(key);
    detail::require_grain(options);
    const auto number = static_cast<std::size_t>(bins);
    detail::histogram_body<iterator, std::remove_reference_t<Key>> body{std::ranges::begin(range), key,
                                                                        std::vector<std::size_t>(number)};
    const std::size_t n = detail::size_of(range);
    if (n != 0) detail::inside([&](context here) { detail::run_loop(here, body, n, options, number); });
    return std::move(body.counts);
  } else {
    return {};
  }
}

// Wrong calls.
template <class... Args>
std::vector<std::size_t> parallel_histogram(const Args&... /*args*/) {
  static_assert(
      detail::wrong_call<Args...>::is_explained,
      "pilfer: parallel_histogram takes (range, bins, key), then loop_options; bins is a number, and key(x) one "
      "below it");
  return {};
}

template <detail::loop_range R, class Key>
[[deprecated("pilfer: histogram is called parallel_histogram now"), nodiscard]] std::vector<std::size_t> histogram(
    R&& range, std::size_t bins, Key&& key, const loop_options& options = {}) {
  return parallel_histogram(std::forward<R>(range), bins, std::forward<Key>(key), options);
}

}  // namespace pilfer
