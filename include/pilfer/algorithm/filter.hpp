// parallel_filter, parallel_pack: the elements that pass, in their order.
//
//   auto end = pilfer::parallel_filter(in, out.begin(), [](int x) { return x > 0; });
//   auto end = pilfer::parallel_pack(in, flags, out.begin());
//
// Calls     pred once for each element, on several threads and in any order.
// Returns   the end of the output, which must not overlap the input and must have room for what passes.
// Throws    as parallel_for, and std::bad_alloc; std::invalid_argument also for fewer flags than elements.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <pilfer/algorithm/prefix.hpp>
#include <pilfer/algorithm/range.hpp>

namespace pilfer {
namespace detail {

// Passes: tells for an index whether its element does.
template <class In, class Out, class Passes>
class filter_job {
 public:
  filter_job(In in, Out out, const Passes& passes) : in_(std::move(in)), out_(std::move(out)), passes_(passes) {}

  void front(std::size_t begin, std::size_t end) {
    Out to = advanced(out_, kept_);
    for (std::size_t i = begin; i < end; ++i) {
      if (passes_(i)) {
        *to = *advanced(in_, i);
        ++to;
      }
    }
    kept_ = static_cast<std::size_t>(to - out_);
  }
  void open(std::size_t blocks, std::size_t block) {
    words_ = (block - 1) / word_bits + 1;
    if (flags_.size() < blocks * words_) flags_.resize(blocks * words_);
  }
  void prepare(std::size_t k, std::size_t begin, std::size_t end) {
    std::uint64_t* word = flags_.data() + k * words_;
    std::size_t passing = 0;
    for (std::size_t from = begin; from < end; from += word_bits) {
      const std::size_t n = std::min(word_bits, end - from);
      std::uint64_t bits = 0;
      for (std::size_t i = 0; i != n; ++i) bits |= std::uint64_t{passes_(from + i)} << i;
      *word++ = bits;
      passing += static_cast<std::size_t>(std::popcount(bits));
    }
    slots_[k] = passing;
  }
  void settle(std::size_t k) noexcept { kept_ += std::exchange(slots_[k], kept_); }
  void finish(std::size_t k, std::size_t begin, std::size_t end) const {
    const std::uint64_t* word = flags_.data() + k * words_;
    Out to = advanced(out_, slots_[k]);
    for (std::size_t from = begin; from < end; from += word_bits) {
      for (std::uint64_t bits = *word++; bits != 0; bits &= bits - 1) {
        *to = *advanced(in_, from + static_cast<std::size_t>(std::countr_zero(bits)));
        ++to;
      }
    }
  }
  [[nodiscard]] std::size_t kept() const noexcept { return kept_; }

 private:
  static constexpr std::size_t word_bits = 64;
  In in_;
  Out out_;
  const Passes& passes_;
  std::size_t kept_ = 0;                                                   // so many passed before the front
  std::size_t words_ = 0;                                                  // of a block
  std::vector<std::uint64_t> flags_;                                       // of a stretch: who passes
  std::array<std::size_t, prefix_loop<filter_job>::most_blocks> slots_{};  // how many pass, then how many before
};

template <class R, class O, class Passes>
O filter_of(R&& in, O out, const Passes& passes, const loop_options& options) {
  using job_type = filter_job<std::ranges::iterator_t<R>, O, Passes>;
  require_grain(options);
  const std::size_t n = size_of(in);
  if (n == 0) return out;
  job_type job(std::ranges::begin(in), out, passes);
  prefix_loop<job_type> loop(job, n, options);
  inside([&](context here) { loop.run(here); });
  return advanced(out, job.kept());
}

template <class In, class Out>
inline constexpr bool can_assign_element =
    std::is_assignable_v<std::iter_reference_t<Out>, std::ranges::range_reference_t<In>>;

// The elements for which pred holds.
template <class R, class O, class Pred>
O filter_by(R&& in, O out, Pred& pred, const loop_options& options) {
  using element = std::ranges::range_reference_t<R>;
  constexpr bool can_ask = can_test<Pred&, element>;
  static_assert(can_ask || is_coroutine_function<Pred&, element>,
                "pilfer: parallel_filter asks pred(x) of its elements, which must give a bool, and this pred cannot be "
                "called so");
  static_assert(
      can_assign_element<R, O>,
      "pilfer: parallel_filter assigns elements of the input to those of the output, which cannot be assigned "
      "so");
  if constexpr (can_ask && can_assign_element<R, O>) {
    require_callable(pred);
    const auto first = std::ranges::begin(in);
    const auto passes = [&](std::size_t i) { return static_cast<bool>(std::invoke(pred, *advanced(first, i))); };
    return filter_of(in, std::move(out), passes, options);
  } else {
    return refused_call<O>();
  }
}

}  // namespace detail

template <detail::loop_range R, detail::loop_output O, class Pred>
O parallel_filter(R&& in, O out, Pred&& pred, const loop_options& options = {}) {
  static_assert(detail::algorithm_callable<Pred&, std::ranges::range_reference_t<R>>::is_plain);
  return detail::filter_by(in, std::move(out), pred, options);
}
template <std::random_access_iterator I, std::sized_sentinel_for<I> S, detail::loop_output O, class Pred>
O parallel_filter(I first, S last, O out, Pred&& pred, const loop_options& options = {}) {
  static_assert(detail::algorithm_callable<Pred&, std::iter_reference_t<I>>::is_plain);
  return detail::filter_by(detail::range_of(first, last), std::move(out), pred, options);
}

template <detail::loop_range R, detail::loop_range Flags, detail::loop_output O>
O parallel_pack(R&& in, Flags&& flags, O out, const loop_options& options = {}) {
  constexpr bool has_flags = std::is_constructible_v<bool, std::ranges::range_reference_t<Flags>>;
  static_assert(has_flags, "pilfer: the flags of parallel_pack must be bool, or convert to it");
  static_assert(
      detail::can_assign_element<R, O>,
      "pilfer: parallel_pack assigns elements of the input to those of the output, which cannot be assigned so");
  if constexpr (has_flags && detail::can_assign_element<R, O>) {
    if (detail::size_of(flags) < detail::size_of(in)) {
      detail::bad_argument("pilfer: parallel_pack of " + std::to_string(detail::size_of(in)) + " elements with " +
                           std::to_string(detail::size_of(flags)) + " flags");
    }
    const auto first = std::ranges::begin(flags);
    const auto passes = [&](std::size_t i) { return static_cast<bool>(*detail::advanced(first, i)); };
    return detail::filter_of(in, std::move(out), passes, options);
  } else {
    return detail::refused_call<O>();
  }
}

// Wrong calls.
template <class... Args>
detail::refused_result parallel_filter(const Args&... /*args*/) {
  static_assert(detail::wrong_call<Args...>::is_explained,
                "pilfer: parallel_filter takes (in, out.begin(), pred) or (first, last, out.begin(), pred), then "
                "loop_options");
  return {};
}
template <class... Args>
detail::refused_result parallel_pack(const Args&... /*args*/) {
  static_assert(detail::wrong_call<Args...>::is_explained,
                "pilfer: parallel_pack takes (in, flags, out.begin()) with a range of flags, then loop_options");
  return {};
}

}  // namespace pilfer
