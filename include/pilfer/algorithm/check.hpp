// What algorithms say to wrong calls, when the program is compiled.
//
// A wrong callable is refused by the overload that got it, which then compiles nothing else. Each algorithm has a last overload for calls that
// no other one takes: it names the forms that there are. So the compiler's answer is one sentence, not a list of overloads.
#pragma once

#include <cstddef>
#include <iterator>
#include <ranges>
#include <type_traits>

#include <pilfer/detail/coroutine_function.hpp>
#include <pilfer/detail/refused_call.hpp>

namespace pilfer::detail {

// Where nothing could await what it returns. A class, so that this is what the compiler says first.
template <class F, class... Args>
struct algorithm_callable {
  static_assert(!coroutine_function<F, Args...>,
                "pilfer: an algorithm does not run coroutine functions; spawn them into a task_group instead, or call "
                "pilfer::sync_wait(f()) inside a plain callable");
  static constexpr bool is_plain = true;
};

// What assertions ask. Variables, because the compiler explains at length why a concept is not satisfied. Where the callable is a coroutine
// function one assertion is enough: algorithm_callable's.
template <class F, class... Args>
inline constexpr bool is_coroutine_function = coroutine_function<F, Args...>;
template <class Pred, class... Args>
inline constexpr bool can_test = std::is_invocable_r_v<bool, Pred, Args...>;
template <class Element, class F, class... Args>
inline constexpr bool can_assign_call =
    requires { requires std::is_assignable_v<Element, std::invoke_result_t<F, Args...>>; };

// What they return: the less the caller's code finds wrong with it, the fewer errors follow.
struct refused_result {
  template <class T>
  operator T() const {  // NOLINT(google-explicit-constructor): that is what it is for
    return refused_call<T>();
  }
  template <class T>
  friend bool operator==(const refused_result& /*result*/, const T& /*other*/) {
    return false;
  }
  template <class T>
  friend std::ptrdiff_t operator-(const refused_result& /*result*/, const T& /*other*/) {
    return 0;
  }
};
// An iterator of the range or of the same kind, where a range or an iterator was given.
template <class First = refused_result, class...>
struct iterator_meant {
  using type = First;
};
template <class First, class... Rest>
  requires std::ranges::range<First&>
struct iterator_meant<First, Rest...> {
  using type = std::ranges::iterator_t<First&>;
};
template <class... Args>
using likely_iterator = typename iterator_meant<Args...>::type;

template <class A>
inline constexpr bool is_slow_range =
    std::ranges::range<A&> && !(std::ranges::random_access_range<A&> && std::ranges::sized_range<A&>);
template <class A>
inline constexpr bool is_slow_iterator = std::input_iterator<A> && !std::random_access_iterator<A>;
template <class A>
inline constexpr bool is_slow_output =
    std::weakly_incrementable<A> && !std::input_iterator<A> && !std::is_arithmetic_v<A>;

// Of a call that no form fits.
template <class... Args>
struct wrong_call {
 private:
  static constexpr bool is_slow = ((is_slow_range<Args> || is_slow_iterator<Args>) || ...);
  static constexpr bool writes_slowly = (is_slow_output<Args> || ...);

 public:
  static_assert(!is_slow,
                "pilfer: an algorithm needs random access to a range that knows its size; copy a list, a map or a "
                "generator to a std::vector first, or spawn tasks");
  static_assert(is_slow || !writes_slowly,
                "pilfer: several threads write the output at once; make the container large enough and hand over its "
                "begin(), not a std::back_inserter");
  // Otherwise the overload says which forms there are.
  static constexpr bool is_explained = is_slow || writes_slowly;
};

}  // namespace pilfer::detail
