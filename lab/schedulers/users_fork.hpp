// pilfer::fork_join for the programs of the lab.
#pragma once

#include <cstdint>
#include <utility>

#include <pilfer/fork_join.hpp>

namespace pilfer::lab::schedulers {

struct users_fork {
  template <class F, class G>
  [[gnu::always_inline]] static auto fork_join(F&& f, G&& g) {
    return pilfer::fork_join(std::forward<F>(f), std::forward<G>(g));
  }
};

[[nodiscard]] inline std::int64_t context_fib(context here, int n) noexcept {
  if (n < 2) return n;
  auto [a, b] = pilfer::fork_join(
      here, [n](context inner) noexcept { return context_fib(inner, n - 1); },
      [n](context inner) noexcept { return context_fib(inner, n - 2); });
  return a + b;
}

}  // namespace pilfer::lab::schedulers
