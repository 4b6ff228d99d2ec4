// Which callables are coroutine functions.
#pragma once

#include <type_traits>

namespace pilfer {
template <class T>
class task;  // a coroutine; in pilfer/coro/task.hpp
}

namespace pilfer::detail {

// What a coroutine function returns. Nothing of it runs until it is awaited: a caller that drops it has run nothing.
template <class R>
inline constexpr bool is_coroutine = false;
template <class T>
inline constexpr bool is_coroutine<pilfer::task<T>> = true;

template <class F, class... Args>
concept coroutine_function =
    std::is_invocable_v<F, Args...> && is_coroutine<std::remove_cvref_t<std::invoke_result_t<F, Args...>>>;

}  // namespace pilfer::detail
