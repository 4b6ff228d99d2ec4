// Callables that users hand over: which may be null, and what is said then.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace pilfer::detail {

template <class Error>
[[noreturn, gnu::noinline, gnu::cold]] void refuse([[maybe_unused]] const std::string& message) {
#if defined(__cpp_exceptions)
  throw Error(message);
#else
  std::abort();
#endif
}
[[noreturn]] inline void bad_argument(const std::string& message) { refuse<std::invalid_argument>(message); }
// Pointers to functions and members, std::function and its like: what may stand for nothing. A lambda that converts to a
// pointer is never null.
template <class F>
concept nullable_callable = std::is_pointer_v<F> || std::is_member_pointer_v<F> ||
                            (std::is_class_v<F> && std::is_constructible_v<F, std::nullptr_t> &&
                             requires(const F& f) { static_cast<bool>(f == nullptr); });

template <class... Fs>
void require_callable([[maybe_unused]] const Fs&... fs) {
  [[maybe_unused]] const auto check = []<class F>(const F& f) {
    if constexpr (nullable_callable<F>) {
      if (f == nullptr) bad_argument("pilfer: a callable is null");
    }
  };
  (check(fs), ...);
}

}  // namespace pilfer::detail
