// What a call returns that does not compile, so that the compiler says one sentence, and nothing of what follows from it.
#pragma once

#include <type_traits>
#include <utility>

namespace pilfer::detail {

template <class R, class... Args>
std::type_identity<R> result_meant_by(R (*f)(Args...));
template <class R, class F, class... Args>
std::type_identity<R> result_meant_by(R (F::*f)(Args...));
template <class R, class F, class... Args>
std::type_identity<R> result_meant_by(R (F::*f)(Args...) const);

// What a wrong callable would return if it were called rightly; of what is not a callable, itself: f(x) was written instead of a callable.
template <class F>
struct result_meant : std::type_identity<F> {};
template <class F>
  requires requires(F f) { result_meant_by(f); }
struct result_meant<F> : decltype(result_meant_by(std::declval<F>())){};
template <class F>
  requires requires { result_meant_by(&F::operator()); }
struct result_meant<F> : decltype(result_meant_by(&F::operator())){};

template <class F>
using likely_result = typename result_meant<std::decay_t<F>>::type;

// What f(args...) returns; if it cannot be called so, what was meant.
template <class F, class... Args>
struct call_result : std::type_identity<likely_result<F>> {};
template <class F, class... Args>
  requires std::is_invocable_v<F, Args...>
struct call_result<F, Args...> : std::invoke_result<F, Args...> {};
template <class F, class... Args>
using called_result = typename call_result<F, Args...>::type;

// For assertions: of sizeof...(Args) != 0 clang says what it evaluates to, in three lines more.
template <class... Args>
inline constexpr bool are_some = sizeof...(Args) != 0;

// Never called.
template <class R>
R refused_call() {
  __builtin_unreachable();
}

}  // namespace pilfer::detail
