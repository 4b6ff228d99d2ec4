// In how many ways can n queens stand on a board of n by n so that none attacks another? A search tree, one task for each branch.
#include <cstdio>
#include <functional>

#include <pilfer/pilfer.hpp>

namespace {

// Who is attacked in the next row: as sets of columns, one bit each.
struct board {
  unsigned columns = 0;
  unsigned left_diagonals = 0;
  unsigned right_diagonals = 0;
  int rows_left = 0;

  [[nodiscard]] bool is_free(int column) const {
    return (((columns | left_diagonals | right_diagonals) >> column) & 1U) == 0;
  }
  [[nodiscard]] board with_queen(int column) const {
    const unsigned queen = 1U << column;
    return {columns | queen, (left_diagonals | queen) << 1U, (right_diagonals | queen) >> 1U, rows_left - 1};
  }
};

long solutions(const board& b, int n) {
  if (b.rows_left == 0) return 1;
  const auto below = [&](int column) { return b.is_free(column) ? solutions(b.with_queen(column), n) : 0L; };
  if (b.rows_left <= 4) {  // a handful of moves: not worth a loop that can be shared
    long sum = 0;
    for (int column = 0; column < n; ++column) sum += below(column);
    return sum;
  }
  return pilfer::parallel_reduce(0, n, 0L, std::plus<>{}, below, {.grain = 1});
}

}  // namespace

int main() {
  constexpr int n = 10;
  const long found = solutions({.rows_left = n}, n);
  std::printf("%d queens can stand in %ld ways\n", n, found);
  return found == 724 ? 0 : 1;
}
