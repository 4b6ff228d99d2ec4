// What can be awaited, what that gives, and a coroutine that does nothing else: for when_all and when_any.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include <pilfer/coro/task.hpp>

namespace pilfer::detail {

template <class Awaitable>
[[nodiscard]] decltype(auto) awaiter_of(Awaitable&& what) {
  if constexpr (requires { std::forward<Awaitable>(what).operator co_await(); }) {
    return std::forward<Awaitable>(what).operator co_await();
  } else if constexpr (requires { operator co_await(std::forward<Awaitable>(what)); }) {
    return operator co_await(std::forward<Awaitable>(what));
  } else {
    return std::forward<Awaitable>(what);
  }
}
template <class Awaitable>
using awaiter_type = decltype(awaiter_of(std::declval<Awaitable>()));

// Of an rvalue if it is no reference, as std::forward has it.
template <class T>
concept awaitable_type = requires(std::remove_reference_t<awaiter_type<T>>& awaiter) {
  { awaiter.await_ready() } -> std::convertible_to<bool>;
  awaiter.await_resume();
};
// What co_await gives; references that will not last become values.
template <class Awaitable>
using given_t = decltype(std::declval<std::remove_reference_t<awaiter_type<Awaitable>>&>().await_resume());
template <class Awaitable>
using awaited_t = std::conditional_t<std::is_lvalue_reference_v<given_t<Awaitable>>, given_t<Awaitable>,
                                     std::remove_cvref_t<given_t<Awaitable>>>;

template <class Awaitable>
pilfer::task<awaited_t<Awaitable>> await_alone(Awaitable what) {
  // By its name where that is the same: g++ 12 would copy what std::forward gives.
  if constexpr (std::is_lvalue_reference_v<Awaitable> || requires { what.await_ready(); }) {
    co_return co_await what;
  } else {
    co_return co_await std::move(what);
  }
}

// The coroutine itself, or one that awaits something else: of an rvalue, if Awaitable is no reference.
//   Throws  std::future_error if it is a task that is empty.
template <class Awaitable>
[[nodiscard]] coro_owner<awaited_t<Awaitable>> coroutine_for(std::type_identity_t<Awaitable>&& what) {
  if constexpr (is_coroutine<std::remove_reference_t<Awaitable>>) {
    return std::forward<Awaitable>(what).release();
  } else {
    return await_alone<Awaitable>(std::forward<Awaitable>(what)).release();
  }
}

}  // namespace pilfer::detail
