// fib without a cut-off: nothing but forks. What a fork costs shows here and nowhere better.
//
// Programs are templates over a scheduler S with
//     template <class F, class G> static auto S::fork_join(F&& f, G&& g);   // both results, to be taken apart by auto [a, b]
// and each has a serial version that is what one writes without a scheduler, not S with the forks made calls.
//
// Functions are inline, callables noexcept and their captures by value: this is what g++ 12 makes its shortest code of.
#pragma once

#include <cstdint>

namespace pilfer::lab::programs {

[[nodiscard]] inline std::int64_t serial_fib(int n) noexcept {
  if (n < 2) return n;
  return serial_fib(n - 1) + serial_fib(n - 2);
}

template <class S>
// NOLINTNEXTLINE(bugprone-exception-escape): a program that cannot fork has failed
[[nodiscard]] inline std::int64_t fib(int n) noexcept {
  if (n < 2) return n;
  auto [a, b] = S::fork_join([n]() noexcept { return fib<S>(n - 1); }, [n]() noexcept { return fib<S>(n - 2); });
  return a + b;
}

// The same with callables that may throw, as most are written.
template <class S>
[[nodiscard]] inline std::int64_t fib_throwing(int n) {
  if (n < 2) return n;
  auto [a, b] = S::fork_join([n] { return fib_throwing<S>(n - 1); }, [n] { return fib_throwing<S>(n - 2); });
  return a + b;
}

// What must come out, without recursion.
[[nodiscard]] constexpr std::int64_t fib_number(int n) noexcept {
  std::int64_t a = 0;
  std::int64_t b = 1;
  for (int i = 0; i < n; ++i) {
    const std::int64_t next = a + b;
    a = b;
    b = next;
  }
  return a;
}

// Forks of fib(n): fib(n + 1) - 1.
[[nodiscard]] constexpr std::uint64_t fib_forks(int n) noexcept {
  return static_cast<std::uint64_t>(fib_number(n + 1) - 1);
}

}  // namespace pilfer::lab::programs
