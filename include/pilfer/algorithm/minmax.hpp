// parallel_min_element, parallel_max_element, parallel_minmax_element: the element that the standard library would pick.
//
//   auto at = pilfer::parallel_min_element(people, std::less<>{}, &person::age);
//
// Calls     comp(proj(a), proj(b)), on several threads and in any order.
// Returns   the first minimum; the first maximum; of minmax, the first minimum and the last maximum (min, max). The end of an
//           empty range.
// Throws    as parallel_for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>

#include <pilfer/algorithm/loop.hpp>
#include <pilfer/algorithm/range.hpp>

namespace pilfer {
namespace detail {

enum class extreme : std::uint8_t { first_min, first_max, last_max };

template <class Iterator, class Comp, class Proj>
struct projected_order {
  static constexpr bool nothrow =
      std::is_nothrow_invocable_v<Proj&, std::iter_reference_t<Iterator>> &&
      std::is_nothrow_invocable_v<Comp&, std::invoke_result_t<Proj&, std::iter_reference_t<Iterator>>,
                                  std::invoke_result_t<Proj&, std::iter_reference_t<Iterator>>> &&
      noexcept(*std::declval<Iterator&>());
  Iterator first;
  Comp& comp;
  Proj& proj;
  [[gnu::always_inline]] bool is_less(std::size_t a, std::size_t b) const noexcept(nothrow) {
    return static_cast<bool>(
        std::invoke(comp, std::invoke(proj, *advanced(first, a)), std::invoke(proj, *advanced(first, b))));
  }
  // Should the later of two be taken?
  template <extreme Which>
  [[gnu::always_inline]] bool prefers(std::size_t later, std::size_t earlier) const noexcept(nothrow) {
    if constexpr (Which == extreme::first_min) return is_less(later, earlier);
    if constexpr (Which == extreme::first_max) return is_less(earlier, later);
    if constexpr (Which == extreme::last_max) return !is_less(later, earlier);
  }
};

template <class Order, extreme... Which>
struct extreme_body {
  static constexpr bool nothrow = Order::nothrow;
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  template <extreme>
  struct best {
    std::size_t at = none;
  };
  const Order& order;
  std::tuple<best<Which>...> found{};

  void run(std::size_t begin, std::size_t end) noexcept(nothrow) {
    const Order local = order;
    if (std::get<0>(found).at == none) {
      ((std::get<best<Which>>(found).at = begin), ...);
      ++begin;
    }
    (improve<Which>(local, begin, end), ...);
  }
  [[nodiscard]] extreme_body other() const noexcept { return {order}; }
  void absorb(const extreme_body& right) noexcept(nothrow) {
    (improve<Which>(order, std::get<best<Which>>(right.found).at, std::get<best<Which>>(right.found).at + 1), ...);
  }

 private:
  // While nothing better comes, the best one so far does not change: no comparison waits for the one before.
  template <extreme One>
  [[gnu::always_inline]] void improve(const Order& local, std::size_t begin, std::size_t end) noexcept(nothrow) {
    std::size_t at = std::get<best<One>>(found).at;
    for (std::size_t i = begin; i < end; ++i) {
      while (!local.template prefers<One>(i, at)) {
        if (++i == end) {
          std::get<best<One>>(found).at = at;
          return;
        }
      }
      at = i;
    }
    std::get<best<One>>(found).at = at;
  }
};

template <class Iterator, class Comp, class Proj>
inline constexpr bool can_compare =
    requires { requires std::indirect_strict_weak_order<Comp&, std::projected<Iterator, Proj>>; };

template <extreme... Which, class R, class Comp, class Proj>
[[nodiscard]] auto extremes_of(R&& range, Comp& comp, Proj& proj, const loop_options& options) {
  using iterator = std::ranges::iterator_t<R>;
  static_assert(
      can_compare<iterator, Comp, Proj>,
      "pilfer: the comparison of two elements is comp(a, b), or comp(proj(a), proj(b)), and cannot be made with "
      "this comp and proj");
  if constexpr (can_compare<iterator, Comp, Proj>) {
    require_callable(comp, proj);
    require_grain(options);
    const std::size_t n = size_of(range);
    using order_type = projected_order<iterator, Comp, Proj>;
    const order_type order{std::ranges::begin(range), comp, proj};
    using body_type = extreme_body<order_type, Which...>;
    body_type body{order};
    if (n != 0) inside([&](context here) noexcept(body_type::nothrow) { run_loop(here, body, n, options); });
    return std::apply([&](auto... best) { return std::tuple{advanced(order.first, std::min(best.at, n))...}; },
                      body.found);
  } else {
    return std::tuple{(static_cast<void>(Which), refused_call<iterator>())...};
  }
}

}  // namespace detail

template <class Iterator>
using min_max_result = std::ranges::min_max_result<Iterator>;

template <detail::loop_range R, detail::not_options Comp = std::ranges::less, detail::not_options Proj = std::identity>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> parallel_min_element(R&& range, Comp comp = {}, Proj proj = {},
                                                                       const loop_options& options = {}) {
  return std::get<0>(detail::extremes_of<detail::extreme::first_min>(range, comp, proj, options));
}
template <detail::loop_range R, detail::not_options Comp = std::ranges::less, detail::not_options Proj = std::identity>
[[nodiscard]] std::ranges::borrowed_iterator_t<R> parallel_max_element(R&& range, Comp comp = {}, Proj proj = {},
                                                                       const loop_options& options = {}) {
  return std::get<0>(detail::extremes_of<detail::extreme::first_max>(range, comp, proj, options));
}
template <detail::loop_range R, detail::not_options Comp = std::ranges::less, detail::not_options Proj = std::identity>
[[nodiscard]] min_max_result<std::ranges::borrowed_iterator_t<R>> parallel_minmax_element(
    R&& range, Comp comp = {}, Proj proj = {}, const loop_options& options = {}) {
  using detail::extreme;
  const auto found = detail::extremes_of<extreme::first_min, extreme::last_max>(range, comp, proj, options);
  return {std::get<0>(found), std::get<1>(found)};
}

// Wrong calls.
template <class... Args>
detail::likely_iterator<Args...> parallel_min_element(const Args&... /*args*/) {
  static_assert(detail::wrong_call<Args...>::is_explained,
                "pilfer: parallel_min_element takes (range), perhaps comp and then proj, then loop_options; for two "
                "iterators write std::ranges::subrange(first, last)");
  return detail::refused_call<detail::likely_iterator<Args...>>();
}
template <class... Args>
detail::likely_iterator<Args...> parallel_max_element(const Args&... /*args*/) {
  static_assert(detail::wrong_call<Args...>::is_explained,
                "pilfer: parallel_max_element takes (range), perhaps comp and then proj, then loop_options; for two "
                "iterators write std::ranges::subrange(first, last)");
  return detail::refused_call<detail::likely_iterator<Args...>>();
}
template <class... Args>
min_max_result<detail::likely_iterator<Args...>> parallel_minmax_element(const Args&... /*args*/) {
  static_assert(detail::wrong_call<Args...>::is_explained,
                "pilfer: parallel_minmax_element takes (range), perhaps comp and then proj, then loop_options; for two "
                "iterators write std::ranges::subrange(first, last)");
  return detail::refused_call<min_max_result<detail::likely_iterator<Args...>>>();
}

}  // namespace pilfer
