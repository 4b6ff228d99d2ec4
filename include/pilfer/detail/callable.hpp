// Callables that users hand over: which may be null, and what is said then; which are coroutine functions.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace pilfer {
template <class T>
class task;  // a coroutine; in pilfer/coro/task.hpp
}

namespace pilfer::detail {

[[noreturn, gnu::noinline, gnu::cold]] inline void bad_argument([[maybe_unused]] const std::string& message) {
#if defined(__cpp_exceptions)
  throw std::invalid_argument(message);
#else
  std::abort();
#endif
}
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

// What a coroutine function returns. Nothing of it runs until it is awaited: a caller that drops it has run nothing.
template <class R>
inline constexpr bool is_coroutine = false;
template <class T>
inline constexpr bool is_coroutine<pilfer::task<T>> = true;
// The result of a call: of a coroutine function, what the coroutine returns.
template <class R>
struct result_of_call {
  using type = R;
};
template <class T>
struct result_of_call<pilfer::task<T>> {
  using type = T;
};

template <class F, class... Args>
concept coroutine_function =
    std::is_invocable_v<F, Args...> && is_coroutine<std::remove_cvref_t<std::invoke_result_t<F, Args...>>>;

// Where nothing could await what it returns. A class, so that this is what the compiler says first.
template <class F, class... Args>
struct algorithm_callable {
  static_assert(!coroutine_function<F, Args...>,
                "pilfer: an algorithm does not run coroutine functions; spawn them into a task_group instead, or call "
                "pilfer::sync_wait(f()) inside a plain callable");
  static constexpr bool is_plain = true;
};

// What a std::function is made of, unless it is a coroutine function, which that would call and not run.
template <class... Args>
class hook {
  using function = std::function<void(Args...)>;

 public:
  hook() noexcept = default;
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, hook> && std::is_constructible_v<function, F>)
  hook(F&& f)  // NOLINT(google-explicit-constructor,bugprone-forwarding-reference-overload): as std::function
      : function_(std::forward<F>(f)) {
    static_assert(
        !coroutine_function<F&, Args...>,
        "pilfer: a pool does not run coroutine functions as hooks; call pilfer::detach(pool, f()) inside the hook");
  }
  operator const function&() const noexcept { return function_; }  // NOLINT(google-explicit-constructor)
  [[nodiscard]] explicit operator bool() const noexcept { return static_cast<bool>(function_); }

 private:
  function function_;
};

}  // namespace pilfer::detail
