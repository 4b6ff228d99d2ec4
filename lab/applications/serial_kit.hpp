// Forks that are calls, and loops that are loops: serial code where a program has none of its own.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace pilfer::lab::applications {

struct serial_kit {
  template <class F, class G>
  [[gnu::always_inline]] static auto fork_join(F&& f, G&& g) {
    if constexpr (std::is_void_v<decltype(g())>) {
      f();
      g();
    } else {
      auto first = f();
      auto second = g();
      return std::pair(std::move(first), std::move(second));
    }
  }
  template <class F>
  [[gnu::always_inline]] static void parallel_for(std::size_t first, std::size_t last, std::size_t /*grain*/, F f) {
    for (std::size_t i = first; i < last; ++i) f(i);
  }
};

}  // namespace pilfer::lab::applications
