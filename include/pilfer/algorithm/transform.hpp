// parallel_transform, parallel_copy, parallel_fill, parallel_generate: what writes one output for each input.
//
//   pilfer::parallel_transform(in, out.begin(), [](double x) { return std::sqrt(x); });
//   pilfer::parallel_transform(a, b, out.begin(), std::plus<>{});
//
// Calls     f once for each element, on several threads and in any order. A small trivial f may be copied.
// Returns   the end of the output. The output may be the input itself, and must not overlap it otherwise.
// Throws    as parallel_for; std::invalid_argument also if the second input is shorter than the first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <pilfer/algorithm/loop.hpp>
#include <pilfer/algorithm/range.hpp>

namespace pilfer {
namespace detail {

template <class Out, class F, class... Ins>
class transform_body {
  using result = std::invoke_result_t<F&, std::iter_reference_t<Ins>...>;

 public:
  static constexpr bool nothrow = std::is_nothrow_invocable_v<F&, std::iter_reference_t<Ins>...> &&
                                  (noexcept(*std::declval<Ins&>()) && ...) &&
                                  std::is_nothrow_assignable_v<std::iter_reference_t<Out>, result>;
  transform_body(F& f, Out out, Ins... ins) : f_(f), out_(std::move(out)), ins_(std::move(ins)...) {}

  [[gnu::always_inline]] void run(std::size_t begin, std::size_t end) const noexcept(nothrow) {
    std::apply([&](const auto&... ins) { loop(end - begin, advanced(out_, begin), advanced(ins, begin)...); }, ins_);
  }

 private:
  [[gnu::always_inline]] void loop(std::size_t n, const Out out, const Ins... ins) const noexcept(nothrow) {
    chunk_callable<F, std::iter_reference_t<Ins>...> call = f_;
    for (std::size_t i = 0; i != n; ++i) *advanced(out, i) = std::invoke(call, *advanced(ins, i)...);
  }
  F& f_;
  Out out_;
  std::tuple<Ins...> ins_;
};

template <class Out, class F, class... Ins>
Out transform_all(std::size_t n, F& f, const loop_options& options, Out out, Ins... ins) {
  constexpr bool is_callable = std::is_invocable_v<F&, std::iter_reference_t<Ins>...>;
  static_assert(
      is_callable,
      "pilfer: parallel_transform calls f(x) with each element, or f(x, y) with those of two inputs, and this "
      "f cannot be called so");
  constexpr bool can_assign = can_assign_call<std::iter_reference_t<Out>, F&, std::iter_reference_t<Ins>...>;
  static_assert(can_assign || !is_callable || is_coroutine_function<F&, std::iter_reference_t<Ins>...>,
                "pilfer: parallel_transform assigns what f returns to the elements of the output, and they cannot be "
                "assigned that");
  if constexpr (can_assign) {
    require_callable(f);
    require_grain(options);
    const transform_body<Out, F, Ins...> body(f, out, std::move(ins)...);
    if (n != 0) inside([&](context here) noexcept(body.nothrow) { run_loop(here, body, n, options); });
    return advanced(out, n);
  } else {
    return refused_call<Out>();
  }
}

// Chunks as pairs of iterators, for what the standard library does best.
template <class F>
struct chunk_body {
  static constexpr bool nothrow = false;
  const F& f;
  void run(std::size_t begin, std::size_t end) const { f(begin, end); }
};
template <class F>
void run_chunks(std::size_t n, const F& f, const loop_options& options) {
  require_grain(options);
  const chunk_body<F> body{f};
  if (n != 0) inside([&](context here) { run_loop(here, body, n, options); });
}

}  // namespace detail

template <detail::loop_range R, detail::loop_output O, class F>
O parallel_transform(R&& in, O out, F&& f, const loop_options& options = {}) {
  static_assert(detail::algorithm_callable<F&, std::ranges::range_reference_t<R>>::is_plain);
  return detail::transform_all(detail::size_of(in), f, options, std::move(out), std::ranges::begin(in));
}
template <std::random_access_iterator I, std::sized_sentinel_for<I> S, detail::loop_output O, class F>
  requires(!detail::loop_range<I>)
O parallel_transform(I first, S last, O out, F&& f, const loop_options& options = {}) {
  static_assert(detail::algorithm_callable<F&, std::iter_reference_t<I>>::is_plain);
  const std::size_t n = detail::size_of(detail::range_of(first, last));
  return detail::transform_all(n, f, options, std::move(out), std::move(first));
}
template <detail::loop_range R1, detail::loop_range R2, detail::loop_output O, class F>
O parallel_transform(R1&& in1, R2&& in2, O out, F&& f, const loop_options& options = {}) {
  static_assert(
      detail::algorithm_callable<F&, std::ranges::range_reference_t<R1>, std::ranges::range_reference_t<R2>>::is_plain);
  const std::size_t n = detail::size_of(in1);
  if (detail::size_of(in2) < n) {
    detail::bad_argument("pilfer: parallel_transform of " + std::to_string(n) + " elements and " +
                         std::to_string(detail::size_of(in2)));
  }
  return detail::transform_all(n, f, options, std::move(out), std::ranges::begin(in1), std::ranges::begin(in2));
}

template <detail::loop_range R, detail::loop_output O>
O parallel_copy(R&& in, O out, const loop_options& options = {}) {
  using element = std::ranges::range_reference_t<R>;
  static_assert(
      std::is_assignable_v<std::iter_reference_t<O>, element>,
      "pilfer: parallel_copy assigns elements of the input to those of the output, which cannot be assigned so");
  if constexpr (std::is_assignable_v<std::iter_reference_t<O>, element>) {
    const auto first = std::ranges::begin(in);
    const std::size_t n = detail::size_of(in);
    detail::run_chunks(
        n,
        [&](std::size_t begin, std::size_t end) {
          std::copy(detail::advanced(first, begin), detail::advanced(first, end), detail::advanced(out, begin));
        },
        options);
    return detail::advanced(out, n);
  } else {
    return detail::refused_call<O>();
  }
}

template <detail::loop_range R, class T>
void parallel_fill(R&& out, const T& value, const loop_options& options = {}) {
  using element = std::ranges::range_reference_t<R>;
  static_assert(std::is_assignable_v<element, const T&>,
                "pilfer: parallel_fill assigns the value to each element, which cannot be assigned so");
  if constexpr (std::is_assignable_v<element, const T&>) {
    const auto first = std::ranges::begin(out);
    detail::run_chunks(
        detail::size_of(out),
        [&](std::size_t begin, std::size_t end) {
          std::fill(detail::advanced(first, begin), detail::advanced(first, end), value);
        },
        options);
  }
}

// f() for each element, in any order.
template <detail::loop_range R, class F>
void parallel_generate(R&& out, F&& f, const loop_options& options = {}) {
  static_assert(detail::algorithm_callable<F&>::is_plain);
  using element = std::ranges::range_reference_t<R>;
  static_assert(
      detail::can_assign_call<element, F&> || detail::is_coroutine_function<F&>,
      "pilfer: parallel_generate assigns f() to each element; this f cannot be called so, or returns what they "
      "cannot be assigned");
  if constexpr (detail::can_assign_call<element, F&>) {
    detail::require_callable(f);
    const auto first = std::ranges::begin(out);
    detail::run_chunks(
        detail::size_of(out),
        [&](std::size_t begin, std::size_t end) {
          std::generate(detail::advanced(first, begin), detail::advanced(first, end), std::ref(f));
        },
        options);
  }
}

// Wrong calls.
template <class... Args>
detail::refused_result parallel_transform(const Args&... /*args*/) {
  static_assert(detail::wrong_call<Args...>::is_explained,
                "pilfer: parallel_transform takes (in, out.begin(), f), (in1, in2, out.begin(), f) or (first, last, "
                "out.begin(), f), then loop_options");
  return {};
}
template <class... Args>
detail::refused_result parallel_copy(const Args&... /*args*/) {
  static_assert(detail::wrong_call<Args...>::is_explained,
                "pilfer: parallel_copy takes (in, out.begin()), then loop_options; for two iterators write "
                "std::ranges::subrange(first, last)");
  return {};
}
template <class... Args>
void parallel_fill(const Args&... /*args*/) {
  static_assert(detail::wrong_call<Args...>::is_explained,
                "pilfer: parallel_fill takes (range, value), then loop_options; for two iterators write "
                "std::ranges::subrange(first, last)");
}
template <class... Args>
void parallel_generate(const Args&... /*args*/) {
  static_assert(detail::wrong_call<Args...>::is_explained,
                "pilfer: parallel_generate takes (range, f), then loop_options; for two iterators write "
                "std::ranges::subrange(first, last)");
}

}  // namespace pilfer
