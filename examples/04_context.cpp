// With a context, one pointer that is handed down, a fork costs little more than a call.
#include <chrono>
#include <cstdio>

#include <pilfer/pilfer.hpp>

namespace {

inline long fib(pilfer::context here, int n) noexcept {
  if (n < 2) return n;
  auto [a, b] = pilfer::fork_join(
      here, [n](pilfer::context x) noexcept { return fib(x, n - 1); },
      [n](pilfer::context x) noexcept { return fib(x, n - 2); });
  return a + b;
}

}  // namespace

int main() {
  pilfer::pool pool;
  const auto begin = std::chrono::steady_clock::now();
  const long result = pool.run([](pilfer::context here) { return fib(here, 32); });
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
  constexpr double forks = 3524577;  // fib(33) - 1
  std::printf("fib(32) = %ld: %.1f ns per fork on %zu workers\n", result, took.count() / forks, pool.size());
  return result == 2178309 ? 0 : 1;
}
