// Loops over pieces of a range, in parallel: all pieces of one size, known in advance.
#pragma once

#include <cstddef>

#include <pilfer/fork_join.hpp>

namespace pilfer::detail {

// Calls f(begin, end) on pieces of at most `grain` that cover [begin, end).
template <class F>
void for_pieces(context here, std::ptrdiff_t begin, std::ptrdiff_t end, std::ptrdiff_t grain, const F& f) {
  if (end - begin <= grain) return f(begin, end);
  const std::ptrdiff_t pieces = (end - begin + grain - 1) / grain;
  const std::ptrdiff_t middle = begin + pieces / 2 * grain;
  fork_join(
      here, [&](context left) { for_pieces(left, begin, middle, grain, f); },
      [&](context right) { for_pieces(right, middle, end, grain, f); });
}

// Calls both, in parallel if they are worth it.
template <class Left, class Right>
void run_both(context here, bool worth_it, const Left& left, const Right& right) {
  if (worth_it) return fork_join(here, left, right);
  left(here);
  right(here);
}

}  // namespace pilfer::detail
