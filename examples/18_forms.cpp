// The forms that algorithms have: a range, two iterators, an output, options.
#include <cstddef>
#include <cstdio>
#include <functional>
#include <list>
#include <numeric>
#include <ranges>
#include <vector>

#include <pilfer/pilfer.hpp>

int main() {
  std::vector<int> v(1000);
  std::iota(v.begin(), v.end(), 1);

  // A range, or a part of one: by two iterators where there is such a form, else as a subrange.
  const long all = pilfer::parallel_reduce(v, 0L, std::plus<>{});
  const long half = pilfer::parallel_reduce(v.begin(), v.begin() + 500, 0L, std::plus<>{});
  const auto even = [](int x) { return x % 2 == 0; };
  const std::size_t few = pilfer::parallel_count_if(std::ranges::subrange(v.begin(), v.begin() + 10), even);

  // An output: an iterator to elements that exist. What is returned is the end of what was written.
  std::vector<int> out(v.size());
  out.erase(pilfer::parallel_filter(v, out.begin(), even), out.end());
  // It may be the input itself, where each element is read before it is written.
  pilfer::parallel_inclusive_scan(out, out.begin(), std::plus<>{}, {.grain = 100});

  // What has no random access is copied first.
  const std::list<int> list(v.begin(), v.end());
  std::vector<int> copy(list.begin(), list.end());
  pilfer::parallel_sort(copy, std::greater<>{});

  // A rectangle. No block is lower than 2 or narrower than 8, and none has fewer than 64 cells.
  std::vector<int> cells(60UL * 80UL);
  const auto fill = [&](const pilfer::blocked_range2d& block) {
    for (std::size_t r = block.rows().begin(); r != block.rows().end(); ++r)
      for (std::size_t c = block.cols().begin(); c != block.cols().end(); ++c) cells[r * 80 + c] = 1;
  };
  pilfer::parallel_for(pilfer::blocked_range2d(0, 60, 0, 80, 2, 8), fill, {.grain = 64});

  const long filled = pilfer::parallel_reduce(cells, 0L, std::plus<>{});
  std::printf("sums %ld and %ld, %zu even; %zu written, the last is %d; %d first; %ld cells\n", all, half, few,
              out.size(), out.back(), copy.front(), filled);
  return all == 500500 && half == 125250 && few == 5 && out.back() == 250500 && copy.front() == 1000 && filled == 4800
             ? 0
             : 1;
}
