// parallel_inclusive_scan, parallel_exclusive_scan: all sums of beginnings.
//
//   pilfer::parallel_inclusive_scan(v, v.begin());                        // 1 2 3 4 -> 1 3 6 10
//   auto end = pilfer::parallel_exclusive_scan(sizes, offsets.begin(), 0UL);     // 1 2 3 4 -> 0 1 3 6
//
// Calls     op(T, T) for neighbours only, left before right: it must be associative and need not be commutative. Up to twice for
//           each element; once where nobody helps.
// Returns   the end of the output. The output may be the input itself, and must not overlap it otherwise.
// Throws    as parallel_for. The output then holds some of the sums.
// Options   grain: elements that are never shared. deterministic: the brackets depend on the size and the grain alone.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>

#include <pilfer/algorithm/prefix.hpp>
#include <pilfer/algorithm/reduce.hpp>

namespace pilfer {
namespace detail {

template <bool Inclusive, class T, class In, class Out, class Op>
class scan_job {
  using source = element_source<In, const std::identity>;

 public:
  scan_job(In in, Out out, Op& op, std::optional<T> before, bool deterministic)
      : in_{std::move(in), as_it_is},
        out_(std::move(out)),
        op_(op),
        before_(std::move(before)),
        deterministic_(deterministic) {}

  void front(std::size_t begin, std::size_t end) {
    if (!deterministic_) {
      before_ = scan(before_, begin, end);
      return;
    }
    T sum = total(begin, end);  // first: the output may be the input
    static_cast<void>(scan(before_, begin, end));
    go_past(std::move(sum));
  }
  void open(std::size_t /*blocks*/, std::size_t /*block*/) noexcept {}
  void prepare(std::size_t k, std::size_t begin, std::size_t end) { slots_[k] = total(begin, end); }
  void settle(std::size_t k) {
    std::optional<T> own = before_;
    // NOLINTNEXTLINE(bugprone-unchecked-optional-access): prepare(k) has filled it
    go_past(*std::move(slots_[k]));
    slots_[k] = std::move(own);
  }
  void finish(std::size_t k, std::size_t begin, std::size_t end) {
    static_cast<void>(scan(std::move(slots_[k]), begin, end));
  }

 private:
  [[nodiscard]] T total(std::size_t begin, std::size_t end) { return fold<T>(T(in_(begin)), in_, op_, begin + 1, end); }
  void go_past(T sum) {
    if (before_) {
      before_ = std::invoke(op_, *std::move(before_), std::move(sum));
    } else {
      before_ = std::move(sum);
    }
  }

  // Returns the sum of all up to the end.
  [[nodiscard]] T scan(std::optional<T> before, std::size_t begin, std::size_t end) {
    const source in = in_;
    const Out out = out_;
    if constexpr (Inclusive) {
      T sum = before ? T(std::invoke(op_, *std::move(before), in(begin))) : T(in(begin));
      *advanced(out, begin) = sum;
      for (std::size_t i = begin + 1; i < end; ++i) {
        sum = std::invoke(op_, std::move(sum), in(i));
        *advanced(out, i) = sum;
      }
      return sum;
    } else {
      T sum = *std::move(before);
      for (std::size_t i = begin; i < end; ++i) {
        T next = std::invoke(op_, sum, in(i));  // before the store: the output may be the input
        *advanced(out, i) = std::move(sum);
        sum = std::move(next);
      }
      return sum;
    }
  }

  source in_;
  Out out_;
  Op& op_;
  std::optional<T> before_;  // the sum of all before the front
  const bool deterministic_;
  std::array<std::optional<T>, prefix_loop<scan_job>::most_blocks> slots_;  // sums of blocks, then of all before them
};

template <class T, class Element, class Op>
inline constexpr bool can_scan = std::copyable<T> && std::is_constructible_v<T, Element> &&
                                 can_assign_call<T&, Op&, T, T> && can_assign_call<T&, Op&, T, Element>;

template <bool Inclusive, class T, class R, class O, class Op>
O scan_of(R&& in, O out, Op& op, std::optional<T> before, const loop_options& options) {
  using iterator = std::ranges::iterator_t<R>;
  constexpr bool can_sum = can_scan<T, std::iter_reference_t<iterator>, Op>;
  constexpr bool can_write = std::is_assignable_v<std::iter_reference_t<O>, const T&>;
  static_assert(can_sum,
                "pilfer: a scan begins with an element or with init, copies its sums, and goes on by sum = op(sum, "
                "element) and sum = op(sum, sum); this op cannot be used so with sums of this type");
  static_assert(can_write || !can_sum,
                "pilfer: a scan assigns its sums to the elements of the output, which cannot be assigned one");
  if constexpr (can_sum && can_write) {
    require_callable(op);
    require_grain(options);
    const std::size_t n = size_of(in);
    if (n == 0) return out;
    using job_type = scan_job<Inclusive, T, iterator, O, Op>;
    job_type job(std::ranges::begin(in), out, op, std::move(before), options.deterministic);
    std::optional<std::size_t> block;
    if (options.deterministic) block = options.grain.value_or(std::clamp<std::size_t>(n / 256, 1, 4096));
    prefix_loop<job_type> loop(job, n, options, block);
    inside([&](context here) { loop.run(here); });
    return advanced(out, n);
  } else {
    return refused_call<O>();
  }
}

inline constexpr std::plus<> plus{};

}  // namespace detail

template <detail::loop_range R, detail::loop_output O>
O parallel_inclusive_scan(R&& in, O out, const loop_options& options = {}) {
  return detail::scan_of<true, std::ranges::range_value_t<R>>(in, std::move(out), detail::plus, {}, options);
}
template <detail::loop_range R, detail::loop_output O, detail::not_options Op>
O parallel_inclusive_scan(R&& in, O out, Op&& op, const loop_options& options = {}) {
  return detail::scan_of<true, std::ranges::range_value_t<R>>(in, std::move(out), op, {}, options);
}
template <detail::loop_range R, detail::loop_output O, detail::not_options Op, detail::not_options T>
O parallel_inclusive_scan(R&& in, O out, Op&& op, T init, const loop_options& options = {}) {
  return detail::scan_of<true>(in, std::move(out), op, std::optional<T>(std::move(init)), options);
}
template <std::random_access_iterator I, std::sized_sentinel_for<I> S, detail::loop_output O>
O parallel_inclusive_scan(I first, S last, O out, const loop_options& options = {}) {
  return detail::scan_of<true, std::iter_value_t<I>>(detail::range_of(first, last), std::move(out), detail::plus, {},
                                                     options);
}
template <std::random_access_iterator I, std::sized_sentinel_for<I> S, detail::loop_output O, detail::not_options Op>
O parallel_inclusive_scan(I first, S last, O out, Op&& op, const loop_options& options = {}) {
  return detail::scan_of<true, std::iter_value_t<I>>(detail::range_of(first, last), std::move(out), op, {}, options);
}
template <std::random_access_iterator I, std::sized_sentinel_for<I> S, detail::loop_output O, detail::not_options Op,
          detail::not_options T>
O parallel_inclusive_scan(I first, S last, O out, Op&& op, T init, const loop_options& options = {}) {
  return detail::scan_of<true>(detail::range_of(first, last), std::move(out), op, std::optional<T>(std::move(init)),
                               options);
}

template <detail::loop_range R, detail::loop_output O, detail::not_options T>
O parallel_exclusive_scan(R&& in, O out, T init, const loop_options& options = {}) {
  return detail::scan_of<false>(in, std::move(out), detail::plus, std::optional<T>(std::move(init)), options);
}
template <detail::loop_range R, detail::loop_output O, detail::not_options T, detail::not_options Op>
O parallel_exclusive_scan(R&& in, O out, T init, Op&& op, const loop_options& options = {}) {
  return detail::scan_of<false>(in, std::move(out), op, std::optional<T>(std::move(init)), options);
}
template <std::random_access_iterator I, std::sized_sentinel_for<I> S, detail::loop_output O, detail::not_options T>
O parallel_exclusive_scan(I first, S last, O out, T init, const loop_options& options = {}) {
  return detail::scan_of<false>(detail::range_of(first, last), std::move(out), detail::plus,
                                std::optional<T>(std::move(init)), options);
}
template <std::random_access_iterator I, std::sized_sentinel_for<I> S, detail::loop_output O, detail::not_options T,
          detail::not_options Op>
O parallel_exclusive_scan(I first, S last, O out, T init, Op&& op, const loop_options& options = {}) {
  return detail::scan_of<false>(detail::range_of(first, last), std::move(out), op, std::optional<T>(std::move(init)),
                                options);
}

// Another name for the inclusive one.
template <detail::loop_range R, detail::loop_output O>
O parallel_scan(R&& in, O out, const loop_options& options = {}) {
  return detail::scan_of<true, std::ranges::range_value_t<R>>(in, std::move(out), detail::plus, {}, options);
}
template <detail::loop_range R, detail::loop_output O, detail::not_options Op>
O parallel_scan(R&& in, O out, Op&& op, const loop_options& options = {}) {
  return detail::scan_of<true, std::ranges::range_value_t<R>>(in, std::move(out), op, {}, options);
}
template <detail::loop_range R, detail::loop_output O, detail::not_options Op, detail::not_options T>
O parallel_scan(R&& in, O out, Op&& op, T init, const loop_options& options = {}) {
  return detail::scan_of<true>(in, std::move(out), op, std::optional<T>(std::move(init)), options);
}
template <std::random_access_iterator I, std::sized_sentinel_for<I> S, detail::loop_output O>
O parallel_scan(I first, S last, O out, const loop_options& options = {}) {
  return detail::scan_of<true, std::iter_value_t<I>>(detail::range_of(first, last), std::move(out), detail::plus, {},
                                                     options);
}
template <std::random_access_iterator I, std::sized_sentinel_for<I> S, detail::loop_output O, detail::not_options Op>
O parallel_scan(I first, S last, O out, Op&& op, const loop_options& options = {}) {
  return detail::scan_of<true, std::iter_value_t<I>>(detail::range_of(first, last), std::move(out), op, {}, options);
}
template <std::random_access_iterator I, std::sized_sentinel_for<I> S, detail::loop_output O, detail::not_options Op,
          detail::not_options T>
O parallel_scan(I first, S last, O out, Op&& op, T init, const loop_options& options = {}) {
  return detail::scan_of<true>(detail::range_of(first, last), std::move(out), op, std::optional<T>(std::move(init)),
                               options);
}

// Wrong calls.
template <class... Args>
detail::refused_result parallel_inclusive_scan(const Args&... /*args*/) {
  static_assert(detail::wrong_call<Args...>::is_explained,
                "pilfer: parallel_inclusive_scan takes (in, out.begin()), perhaps op and then init, or two iterators "
                "instead of the range, then loop_options");
  return {};
}
template <class... Args>
detail::refused_result parallel_scan(const Args&... /*args*/) {
  static_assert(
      detail::wrong_call<Args...>::is_explained,
      "pilfer: parallel_scan takes (in, out.begin()), perhaps op and then init, or two iterators instead of the "
      "range, then loop_options");
  return {};
}
template <class... Args>
detail::refused_result parallel_exclusive_scan(const Args&... /*args*/) {
  static_assert(
      detail::wrong_call<Args...>::is_explained,
      "pilfer: parallel_exclusive_scan takes (in, out.begin(), init), perhaps op, or two iterators instead of "
      "the range, then loop_options");
  return {};
}

}  // namespace pilfer
