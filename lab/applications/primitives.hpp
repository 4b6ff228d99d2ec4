// What several programs need, written once over fork_join and parallel_for of a kit S (see application.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace pilfer::lab::applications {

// f(begin, end) for blocks of `block` indices of [0, size); the last may be shorter.
template <class S, class F>
void for_blocks(std::size_t size, std::size_t block, F f) {
  S::parallel_for(0, (size + block - 1) / block, 1,
                  [=](std::size_t i) { f(i * block, std::min(size, (i + 1) * block)); });
}

// combine(…) of what each block of at most `grain` indices gives: piece(begin, end). In halves, so that order does not
// matter but to rounding, and is the same for everybody.
template <class S, class Piece, class Combine>
[[nodiscard]] auto reduce(std::size_t first, std::size_t last, std::size_t grain, Piece piece, Combine combine)
    -> decltype(piece(first, last)) {
  if (last - first <= grain) return piece(first, last);
  const std::size_t middle = first + (last - first) / 2;
  auto [a, b] = S::fork_join([=] { return reduce<S>(first, middle, grain, piece, combine); },
                             [=] { return reduce<S>(middle, last, grain, piece, combine); });
  return combine(std::move(a), std::move(b));
}

inline constexpr std::size_t primitive_block = 4096;  // items: microseconds of work

// Replaces each by the sum of those before it; the sum of all is returned.
template <class S, class T>
T exclusive_scan(std::span<T> values) {
  const std::size_t size = values.size();
  const std::size_t blocks = (size + primitive_block - 1) / primitive_block;
  std::vector<T> sums(blocks);
  T* const sum_of = sums.data();
  T* const at = values.data();
  for_blocks<S>(size, primitive_block, [=](std::size_t begin, std::size_t end) {
    T sum{};
    for (std::size_t i = begin; i < end; ++i) sum += at[i];
    sum_of[begin / primitive_block] = sum;
  });
  T all{};
  for (T& sum : sums) all += std::exchange(sum, all);
  for_blocks<S>(size, primitive_block, [=](std::size_t begin, std::size_t end) {
    T sum = sum_of[begin / primitive_block];
    for (std::size_t i = begin; i < end; ++i) sum += std::exchange(at[i], sum);
  });
  return all;
}

// value(i) of all i below `size` for which keep(i), in order, to `out`, which has room for all; how many there were.
// Both are called twice.
template <class S, class T, class Keep, class Value>
[[nodiscard]] std::size_t pack(std::size_t size, T* out, Keep keep, Value value) {
  const std::size_t blocks = (size + primitive_block - 1) / primitive_block;
  std::vector<std::size_t> offsets(blocks);
  std::size_t* const offset_of = offsets.data();
  for_blocks<S>(size, primitive_block, [=](std::size_t begin, std::size_t end) {
    std::size_t kept = 0;
    for (std::size_t i = begin; i < end; ++i) kept += keep(i) ? 1 : 0;
    offset_of[begin / primitive_block] = kept;
  });
  std::size_t all = 0;
  for (std::size_t& offset : offsets) all += std::exchange(offset, all);
  for_blocks<S>(size, primitive_block, [=](std::size_t begin, std::size_t end) {
    T* to = out + offset_of[begin / primitive_block];
    for (std::size_t i = begin; i < end; ++i) {
      if (keep(i)) *to++ = value(i);
    }
  });
  return all;
}

}  // namespace pilfer::lab::applications
