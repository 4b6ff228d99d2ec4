// Conway's game of life: each generation is a parallel loop over the rows, and the end of the loop is the barrier between two.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <pilfer/pilfer.hpp>

namespace {

// A torus: what leaves on one side comes back on the other.
using grid = std::vector<std::string>;

int neighbours(const grid& world, std::size_t r, std::size_t c) {
  const std::size_t rows = world.size();
  const std::size_t cols = world[r].size();
  int alive = 0;
  for (const std::size_t i : {r + rows - 1, r, r + 1}) {
    for (const std::size_t j : {c + cols - 1, c, c + 1}) alive += world[i % rows][j % cols] == '#' ? 1 : 0;
  }
  return alive - (world[r][c] == '#' ? 1 : 0);
}

void step(const grid& now, grid& next) {
  pilfer::parallel_for(std::size_t{0}, now.size(), [&](std::size_t r) {
    for (std::size_t c = 0; c < now[r].size(); ++c) {
      const int n = neighbours(now, r, c);
      next[r][c] = n == 3 || (n == 2 && now[r][c] == '#') ? '#' : '.';
    }
  });
}

}  // namespace

int main() {
  constexpr std::size_t size = 64;
  grid world(size, std::string(size, '.'));
  const char* const glider[] = {".#.", "..#", "###"};
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t c = 0; c < 3; ++c) world[r][c] = glider[r][c];
  }

  const grid start = world;
  grid next = world;
  for (std::size_t generation = 0; generation < 4 * size; ++generation) {
    step(world, next);
    std::swap(world, next);
  }
  for (std::size_t r = 0; r < 4; ++r) std::printf("%.32s\n", world[r].c_str());
  std::printf("after %zu generations the glider is %s\n", 4 * size, world == start ? "back where it began" : "LOST");
  return world == start ? 0 : 1;
}
