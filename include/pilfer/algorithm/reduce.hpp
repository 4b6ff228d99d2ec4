// parallel_reduce: combines all elements, or what a function makes of them, into one value.
//
//   double sum = pilfer::parallel_reduce(v, 0.0, std::plus<>{});
//   long area = pilfer::parallel_reduce(shapes, 0L, std::plus<>{}, [](const shape& s) { return s.area(); });
//   pilfer::parallel_reduce(0, n, identity, op, [&](int i) { return f(i); });
//
// Calls     op(T, T) for neighbours only, left before right: it must be associative and need not be commutative. transform once
//           for each element. The values in between are moved; T may be move-only.
// Returns   identity op x0 op x1 op ..., with the brackets set by who was idle when; with options.deterministic by the size and the
//           grain alone. identity enters once, as the leftmost value.
// Throws    as parallel_for; deterministic ones also std::bad_alloc.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

#include <pilfer/algorithm/loop.hpp>
#include <pilfer/algorithm/range.hpp>

namespace pilfer {
namespace detail {

// What is combined: f of each element, or of each index.
template <class Iterator, class F>
struct element_source {
  static constexpr bool is_callable = std::is_invocable_v<F&, std::iter_reference_t<Iterator>>;
  static constexpr bool is_coroutine = coroutine_function<F&, std::iter_reference_t<Iterator>>;
  using value = called_result<F&, std::iter_reference_t<Iterator>>;
  static constexpr bool nothrow =
      std::is_nothrow_invocable_v<F&, std::iter_reference_t<Iterator>> && noexcept(*std::declval<Iterator&>());
  Iterator first;
  F& f;
  [[gnu::always_inline]] decltype(auto) operator()(std::size_t i) const noexcept(nothrow) {
    return std::invoke(f, *advanced(first, i));
  }
};
template <class Index, class F>
struct index_source {
  static constexpr bool is_callable = std::is_invocable_v<F&, Index>;
  static constexpr bool is_coroutine = coroutine_function<F&, Index>;
  using value = called_result<F&, Index>;
  static constexpr bool nothrow = std::is_nothrow_invocable_v<F&, Index>;
  Index first;
  F& f;
  [[gnu::always_inline]] decltype(auto) operator()(std::size_t i) const noexcept(nothrow) {
    return std::invoke(f, index_at(first, i));
  }
};

template <class T, class Source, class Op>
inline constexpr bool folds_nothrow =
    Source::nothrow && std::is_nothrow_constructible_v<T, std::invoke_result_t<const Source&, std::size_t>> &&
    std::is_nothrow_invocable_v<Op&, T, std::invoke_result_t<const Source&, std::size_t>> &&
    std::is_nothrow_invocable_v<Op&, T, T> && std::is_nothrow_move_constructible_v<T> &&
    std::is_nothrow_move_assignable_v<T>;

// sum op source(begin) op ... up to before end.
template <class T, class Source, class Op>
[[gnu::always_inline]] inline T fold(T sum, const Source& from, Op& op, std::size_t begin, std::size_t end) {
  const Source source = from;
  if constexpr (std::is_floating_point_v<T>) {
    // Each addition to the sum waits for the one before; eight elements are added up beside that, and op is associative.
    const auto two = [&](std::size_t i) -> T { return std::invoke(op, T(source(i)), source(i + 1)); };
    const auto four = [&](std::size_t i) -> T { return std::invoke(op, two(i), two(i + 2)); };
    for (; end - begin >= 8; begin += 8) sum = std::invoke(op, sum, std::invoke(op, four(begin), four(begin + 4)));
  }
  for (std::size_t i = begin; i < end; ++i) sum = std::invoke(op, std::move(sum), source(i));
  return sum;
}

template <class T, class Source, class Op>
struct reduce_body {
  static constexpr bool nothrow = folds_nothrow<T, Source, Op>;
  const Source& source;
  Op& op;
  std::optional<T> sum;  // none yet: a right half begins with its first element

  void run(std::size_t begin, std::size_t end) noexcept(nothrow) {
    if (!sum) sum.emplace(source(begin++));
    *sum = fold<T>(std::move(*sum), source, op, begin, end);
  }
  [[nodiscard]] reduce_body other() const noexcept { return {source, op, std::nullopt}; }
  // NOLINTNEXTLINE(bugprone-unchecked-optional-access): both halves have run, and run() leaves a sum
  void absorb(reduce_body& right) noexcept(nothrow) { *sum = std::invoke(op, *std::move(sum), *std::move(right.sum)); }
};

// Blocks whose size depends on the number of elements alone; then their sums, combined in a fixed tree.
template <class T, class Source, class Op>
class fixed_reduction {
  static constexpr std::size_t most_blocks = 256;  // of a small loop, so that heavy iterations can be shared
  static constexpr std::size_t largest_block = 4096;

 public:
  fixed_reduction(const Source& source, Op& op, std::size_t n, const loop_options& options)
      : source_(source),
        op_(op),
        n_(n),
        block_(std::min(n, options.grain.value_or(std::clamp<std::size_t>(n / most_blocks, 1, largest_block)))),
        sums_((n - 1) / block_ + 1) {}

  [[nodiscard]] T run(context here, const loop_options& options) {
    const loop_clock::ticks start = loop_clock::now();
    const blocks body{*this};
    run_loop(here, body, sums_.size(),
             loop_options{.grain = options.grain ? std::optional<std::size_t>(1) : std::nullopt});
    forking_ = loop_clock::now() - start >= pace::patience;
    combine(here, 0, sums_.size());
    // NOLINTNEXTLINE(bugprone-unchecked-optional-access): there is a block at least, and each has left its sum
    return *std::move(sums_.front());
  }

 private:
  struct blocks {
    static constexpr bool nothrow = folds_nothrow<T, Source, Op>;
    fixed_reduction& all;
    void run(std::size_t begin, std::size_t end) const noexcept(nothrow) {
      for (std::size_t k = begin; k != end; ++k) {
        const std::size_t from = k * all.block_;
        const std::size_t to = from + std::min(all.block_, all.n_ - from);
        all.sums_[k].emplace(fold<T>(T(all.source_(from)), all.source_, all.op_, from + 1, to));
      }
    }
  };

  // Leaves the sum of [begin, end) at begin.
  void combine(context here, std::size_t begin, std::size_t end) {
    if (end - begin == 1) return;
    const std::size_t middle = begin + std::bit_ceil(end - begin) / 2;
    if (forking_ && end - begin > 8) {
      fork_join(here, [&](context x) { combine(x, begin, middle); }, [&](context x) { combine(x, middle, end); });
    } else {
      combine(here, begin, middle);
      combine(here, middle, end);
    }
    // NOLINTNEXTLINE(bugprone-unchecked-optional-access): the blocks have run before, and each has left its sum
    *sums_[begin] = std::invoke(op_, *std::move(sums_[begin]), *std::move(sums_[middle]));
  }

  const Source& source_;
  Op& op_;
  const std::size_t n_;
  const std::size_t block_;
  std::vector<std::optional<T>> sums_;
  bool forking_ = false;
};

// Whether T can be made of what the source gives, and op can combine the two and leave the sum in a T.
template <class T, class Source>
inline constexpr bool can_begin_sum =
    Source::is_callable && std::is_constructible_v<T, typename Source::value> && std::is_move_constructible_v<T>;
template <class T, class Source, class Op>
inline constexpr bool can_sum = can_assign_call<T&, Op&, T, T> && can_assign_call<T&, Op&, T, typename Source::value>;

template <class T, class Source, class Op>
[[nodiscard]] T reduce_of(const Source& source, std::size_t n, T identity, Op& op, const loop_options& options) {
  constexpr bool can_begin = can_begin_sum<T, Source>;
  constexpr bool can_continue = can_begin && can_sum<T, Source, Op>;
  static_assert(Source::is_callable,
                "pilfer: parallel_reduce calls f(x) with each element or index, and this f cannot be called so");
  static_assert(can_begin || !Source::is_callable || Source::is_coroutine,
                "pilfer: parallel_reduce makes values of the type of its identity of all elements, and cannot make one "
                "of these; give an f that returns one, or an identity of another type");
  static_assert(can_continue || !can_begin || is_coroutine_function<Op&, T, T>,
                "pilfer: parallel_reduce combines values of the type of its identity, as a = op(a, b), and this op "
                "cannot be used so");
  if constexpr (can_continue) {
    require_callable(op, source.f);
    require_grain(options);
    if (n == 0) return identity;
    if (options.deterministic) {
      fixed_reduction<T, Source, Op> blocks(source, op, n, options);
      T sum = inside([&](context here) -> T { return blocks.run(here, options); });
      return std::invoke(op, std::move(identity), std::move(sum));
    }
    reduce_body<T, Source, Op> body{source, op, std::move(identity)};
    inside([&](context here) noexcept(body.nothrow) { run_loop(here, body, n, options); });
    return *std::move(body.sum);
  } else {
    return refused_call<T>();
  }
}

template <class R, class F>
[[nodiscard]] auto elements_of(R& range, F& f) {
  return element_source<std::ranges::iterator_t<R>, F>{std::ranges::begin(range), f};
}

inline constexpr std::identity as_it_is{};

// The sum's type, if the identity stands where it should.
template <class... Args>
struct sum_meant {
  using type = refused_result;
};
template <class First, class Second, class Third, class... Rest>
struct sum_meant<First, Second, Third, Rest...> {
  using type = std::decay_t<std::conditional_t<std::ranges::range<First&>, Second, Third>>;
};

}  // namespace detail

template <detail::loop_range R, class T, class Op>
[[nodiscard]] T parallel_reduce(R&& range, T identity, Op&& op, const loop_options& options = {}) {
  static_assert(detail::algorithm_callable<Op&, T, T>::is_plain);
  return detail::reduce_of<T>(detail::elements_of(range, detail::as_it_is), detail::size_of(range), std::move(identity),
                              op, options);
}
template <detail::loop_range R, class T, class Op, detail::not_options F>
[[nodiscard]] T parallel_reduce(R&& range, T identity, Op&& op, F&& transform, const loop_options& options = {}) {
  static_assert(detail::algorithm_callable<Op&, T, T>::is_plain);
  static_assert(detail::algorithm_callable<F&, std::ranges::range_reference_t<R>>::is_plain);
  return detail::reduce_of<T>(detail::elements_of(range, transform), detail::size_of(range), std::move(identity), op,
                              options);
}
template <std::random_access_iterator I, std::sized_sentinel_for<I> S, class T, class Op>
[[nodiscard]] T parallel_reduce(I first, S last, T identity, Op&& op, const loop_options& options = {}) {
  static_assert(detail::algorithm_callable<Op&, T, T>::is_plain);
  const auto range = detail::range_of(first, last);
  return detail::reduce_of<T>(detail::elements_of(range, detail::as_it_is), range.size(), std::move(identity), op,
                              options);
}
template <std::random_access_iterator I, std::sized_sentinel_for<I> S, class T, class Op, detail::not_options F>
[[nodiscard]] T parallel_reduce(I first, S last, T identity, Op&& op, F&& transform, const loop_options& options = {}) {
  static_assert(detail::algorithm_callable<Op&, T, T>::is_plain);
  static_assert(detail::algorithm_callable<F&, std::iter_reference_t<I>>::is_plain);
  const auto range = detail::range_of(first, last);
  return detail::reduce_of<T>(detail::elements_of(range, transform), range.size(), std::move(identity), op, options);
}
// transform of each index.
template <detail::loop_index First, detail::loop_index Last, class T, class Op, detail::not_options F>
[[nodiscard]] T parallel_reduce(First first, Last last, T identity, Op&& op, F&& transform,
                                const loop_options& options = {}) {
  static_assert(detail::algorithm_callable<Op&, T, T>::is_plain);
  using span = detail::index_span<First, Last>;
  using index = typename span::index;
  static_assert(detail::algorithm_callable<F&, index>::is_plain);
  const span all(first, last, "parallel_reduce");
  const detail::index_source<index, std::remove_reference_t<F>> source{all.first(), transform};
  return detail::reduce_of<T>(source, all.size(), std::move(identity), op, options);
}

// Wrong calls.
template <class... Args>
typename detail::sum_meant<Args...>::type parallel_reduce(const Args&... /*args*/) {
  static_assert(
      detail::wrong_call<Args...>::is_explained,
      "pilfer: parallel_reduce takes (range, identity, op), (range, identity, op, f), or two iterators instead "
      "of the range, or (first, last, identity, op, f) with two integers, then loop_options");
  return detail::refused_call<typename detail::sum_meant<Args...>::type>();
}

}  // namespace pilfer
