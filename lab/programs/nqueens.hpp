// All ways to place n queens: a tree whose nodes do some work (the check of a row) and have a few children each.
#pragma once

#include <bit>
#include <cstdint>

namespace pilfer::lab::programs {

inline constexpr int most_queens = 16;

// Up to 16 columns in one word, four bits each, the last one lowest: copied from node to node for nothing.
using queens_columns = std::uint64_t;

[[nodiscard]] constexpr queens_columns with_queen(queens_columns before, int column) noexcept {
  return before << 4 | static_cast<queens_columns>(column);
}

// Whether none of the queens in the `rows` rows above attacks this column of the next row.
[[nodiscard]] inline bool queen_is_safe(queens_columns above, int rows, int column) noexcept {
  for (int distance = 1; distance <= rows; ++distance) {
    const int other = static_cast<int>(above & 15);
    if (other == column || other == column - distance || other == column + distance) return false;
    above >>= 4;
  }
  return true;
}

// The safe columns of the next row, as bits: the work of a node. Out of line, so that it is the same code for everybody and
// a comparison shows what a fork costs: inlined, its unpredictable branches cost a fifth more or less, depending on what
// the compiler put around them.
[[nodiscard, gnu::noinline]] inline std::uint32_t safe_columns(queens_columns above, int rows, int size) noexcept {
  std::uint32_t safe = 0;
  for (int column = 0; column < size; ++column) {
    if (queen_is_safe(above, rows, column)) safe |= std::uint32_t{1} << column;
  }
  return safe;
}

// Takes the lowest column out of a set that is not empty.
[[nodiscard]] inline int take_column(std::uint32_t& columns) noexcept {
  const int lowest = std::countr_zero(columns);
  columns &= columns - 1;
  return lowest;
}

[[nodiscard]] inline std::int64_t serial_nqueens(int size, queens_columns above = 0, int row = 0) noexcept {
  if (row == size) return 1;
  std::int64_t found = 0;
  for (std::uint32_t safe = safe_columns(above, row, size); safe != 0;) {
    const int column = take_column(safe);
    found += serial_nqueens(size, with_queen(above, column), row + 1);
  }
  return found;
}

// Forks one child and the rest of its row, until one child is left.
template <class S>
class nqueens_tree {
 public:
  [[nodiscard]] static std::int64_t count(int size, queens_columns above, int row) noexcept {
    if (row == size) return 1;
    const std::uint32_t safe = safe_columns(above, row, size);
    return safe == 0 ? 0 : count_children(size, above, row, safe);
  }

 private:
  // NOLINTNEXTLINE(bugprone-exception-escape): a program that cannot fork has failed
  static std::int64_t count_children(int size, queens_columns above, int row, std::uint32_t safe) noexcept {
    const queens_columns child = with_queen(above, take_column(safe));
    if (safe == 0) return count(size, child, row + 1);
    auto [a, b] = S::fork_join([size, child, row]() noexcept { return count(size, child, row + 1); },
                               [size, above, row, safe]() noexcept { return count_children(size, above, row, safe); });
    return a + b;
  }
};

template <class S>
[[nodiscard]] std::int64_t nqueens(int size) noexcept {
  return nqueens_tree<S>::count(size, 0, 0);
}

}  // namespace pilfer::lab::programs
