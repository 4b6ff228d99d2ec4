// fork_join in plain functions: two halves that may run in parallel, their results, and an exception.
#include <cstdio>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include <pilfer/pilfer.hpp>

namespace {

long fib(int n) {
  if (n < 2) return n;
  auto [a, b] = pilfer::fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

double sum(std::span<const double> values) {
  if (values.size() < 1024) return std::accumulate(values.begin(), values.end(), 0.0);
  const std::size_t half = values.size() / 2;
  auto [left, right] =
      pilfer::fork_join([&] { return sum(values.first(half)); }, [&] { return sum(values.subspan(half)); });
  return left + right;
}

}  // namespace

int main() {
  pilfer::pool pool;  // as many workers as this process may use
  const long f = pool.run([] { return fib(27); });

  const std::vector<double> ones(1'000'000, 1.0);
  const double s = pool.run([&] { return sum(ones); });

  bool caught = false;
  try {
    pool.run([] { pilfer::fork_join([] {}, [] { throw std::runtime_error("from the second half"); }, [] {}); });
  } catch (const std::runtime_error&) {
    caught = true;
  }

  std::printf("fib(27) = %ld, sum = %.0f, %zu workers, %llu steals\n", f, s, pool.size(),
              static_cast<unsigned long long>(pool.statistics().total().steals_taken));
  return f == 196418 && s == 1e6 && caught ? 0 : 1;
}
