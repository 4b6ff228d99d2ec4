// fork_join: the cheapest way to say that two things may run in parallel.
//
//   auto [a, b] = pilfer::fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
//
// Calls     the first callable on this thread; each other one on the thread that stole it, else on this thread, in order.
// Returns   when all are done: a tuple of their results, std::monostate in place of `void`; nothing if all are void.
// Throws    the exception of the first callable, in order of the arguments, that threw one; all of them have finished. Further
//           exceptions are counted in the pool's statistics.
// Requires  nothing of the caller: inside a pool it uses that pool, outside it starts the default one on first use.
// Waiting   when something was stolen, this thread runs only descendants of it meanwhile (pool_options::wait).
// Cost      for each fork that is not stolen one push and one pop of a pointer: no fence, no locked instruction, no
//           allocation, no system call. `noexcept` callables that capture by value are the cheapest: without a landing pad
//           a recursive function can be inlined into itself.
//
// With a context, one pointer that a task gets and hands on, a fork need not ask the thread who it is:
//
//   long fib(pilfer::context here, int n) {
//     if (n < 2) return n;
//     auto [a, b] = pilfer::fork_join(here, [n](pilfer::context x) { return fib(x, n - 1); },
//                                           [n](pilfer::context x) { return fib(x, n - 2); });
//     return a + b;
//   }
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include <pilfer/detail/callable.hpp>
#include <pilfer/detail/fork_path.hpp>

namespace pilfer {

// Where a task stands in its worker's stack of forks. Valid in the task that was given it, on its thread, until that task
// returns; forks need it, nothing else. Do not keep it.
class context {
 public:
  explicit context(detail::fork_slot* at) noexcept : at_(at) {}
  [[nodiscard]] detail::fork_slot* position() const noexcept { return at_; }

 private:
  detail::fork_slot* at_;
};

namespace detail {

// Callables may take a context, or nothing.
template <class F>
concept takes_context = std::is_invocable_v<F, context>;

template <class F>
struct task_traits {
  using result = std::invoke_result_t<F>;
  static constexpr bool nothrow = std::is_nothrow_invocable_v<F>;
};
template <takes_context F>
struct task_traits<F> {
  using result = std::invoke_result_t<F, context>;
  static constexpr bool nothrow = std::is_nothrow_invocable_v<F, context>;
};
template <class F>
using task_result = typename task_traits<F>::result;
template <class F>
inline constexpr bool task_is_nothrow = task_traits<F>::nothrow;

template <class F>
[[gnu::always_inline]] inline task_result<F> invoke_task(F&& f,
                                                         [[maybe_unused]] fork_slot* at) noexcept(task_is_nothrow<F>) {
  if constexpr (takes_context<F>) {
    return std::forward<F>(f)(context(at));
  } else {
    return std::forward<F>(f)();
  }
}
template <class F>
[[gnu::always_inline]] inline value_of<task_result<F>> call_task(F&& f, fork_slot* at) noexcept(task_is_nothrow<F>) {
  return call_for_value<task_result<F>>(
      [&]() noexcept(task_is_nothrow<F>) -> task_result<F> { return invoke_task(std::forward<F>(f), at); });
}

// A fork: the job, its callable, and room for what it returns when a thief runs it.
template <class F>
class forked : public job {
 public:
  [[gnu::always_inline]] explicit forked(std::remove_reference_t<F>& f) noexcept : job(&run_stolen), task_(f) {}
  [[nodiscard, gnu::always_inline]] F&& task() noexcept { return task_.get(); }
  using outcome_type = outcome<task_result<F>, task_is_nothrow<F>>;
  [[nodiscard]] outcome_type& kept() noexcept { return outcome_; }
  void run_and_keep(fork_slot* at) noexcept {
    outcome_.keep_result_of([&]() -> task_result<F> { return invoke_task(task(), at); });
  }

 private:
  static void run_stolen(job& self) noexcept { static_cast<forked&>(self).run_and_keep(current_deque->position()); }

  borrowed<F> task_;
  outcome_type outcome_;
};

// The first callable has thrown: the other one is finished all the same, and what it says is dropped.
template <class G>
[[gnu::noinline, gnu::cold]] void finish_after_throw(fork_deque& deque, fork_slot* at, forked<G>& other) noexcept {
  if (deque.pop_at(at) || join_slowly(at, other)) other.run_and_keep(at);
  if (other.kept().discard()) count_suppressed(at);
}

template <class F, class G>
using pair_of_results = std::tuple<value_of<task_result<F>>, value_of<task_result<G>>>;

// What a fork_join does where it leaves the fast path is in functions of its own that do all the rest: the fast path then has
// no place where a slow one comes back to it, which g++ needs in order to inline a recursive function into itself.
template <class F, class G>
struct both_results {
  value_of<task_result<F>> first;
  value_of<task_result<G>> second;
};

// The end of a join that left the fast path.
template <class G>
[[gnu::noinline, gnu::cold]] value_of<task_result<G>> second_slowly(fork_slot* at, forked<G>& other) {
  if (join_slowly(at, other)) return call_task(other.task(), at);
  return other.kept().take();
}

template <class G>
[[gnu::always_inline]] inline value_of<task_result<G>> second_part(fork_deque& deque, fork_slot* at, forked<G>& other) {
  if (deque.pop_at(at)) [[likely]]
    return call_task(other.task(), at);
  return second_slowly(at, other);
}

template <class F, class G>
[[gnu::always_inline]] inline value_of<task_result<F>> first_part([[maybe_unused]] fork_deque& deque,
                                                                  [[maybe_unused]] fork_slot* at, fork_slot* next,
                                                                  F&& f, [[maybe_unused]] forked<G>& other) {
#if defined(__cpp_exceptions)
  if constexpr (!task_is_nothrow<F>) {
    try {
      return call_task(std::forward<F>(f), next);
    } catch (...) {
      finish_after_throw(deque, at, other);
      throw;
    }
  }
#endif
  return call_task(std::forward<F>(f), next);
}

// All of a fork_join whose fork left the fast path.
template <class F, class G>
[[gnu::noinline, gnu::cold]] both_results<F, G> both_slowly(fork_deque& deque, fork_slot* at, borrowed<F> f,
                                                            forked<G>& other) {
  fork_slot* const next = fork_slowly(at, other);
  auto&& first = first_part(deque, at, next, f.get(), other);
  auto&& second =
      second_part(deque, at, other);  // before anything is moved: a move may throw, and `other` must be joined
  return {std::forward<decltype(first)>(first), std::forward<decltype(second)>(second)};
}

template <class F, class G>
[[gnu::always_inline]] inline pair_of_results<F, G> fork_two(fork_deque& deque, fork_slot* at, F&& f, G&& g) {
  forked<G> other(g);
  if (!deque.push_at(at, &other)) [[unlikely]] {
    auto both = both_slowly<F, G>(deque, at, borrowed<F>(f), other);
    return {std::forward<value_of<task_result<F>>>(both.first), std::forward<value_of<task_result<G>>>(both.second)};
  }
  auto&& first = first_part(deque, at, at + 1, std::forward<F>(f), other);
  return {std::forward<decltype(first)>(first), second_part(deque, at, other)};
}

template <class F>
[[gnu::always_inline]] inline std::tuple<value_of<task_result<F>>> fork_all(fork_slot* at, F&& f) {
  return {call_task(std::forward<F>(f), at)};
}
template <class F, class G>
[[gnu::always_inline]] inline pair_of_results<F, G> fork_all(fork_slot* at, F&& f, G&& g) {
  return fork_two(fork_deque::of(at), at, std::forward<F>(f), std::forward<G>(g));
}
// More than two: the first beside all the others.
template <class F, class G, class... Rest>
auto fork_all(fork_slot* at, F&& f, G&& g, Rest&&... rest) {
  auto [first, others] = fork_two(fork_deque::of(at), at, std::forward<F>(f), [&](context here) {
    return fork_all(here.position(), std::forward<G>(g), std::forward<Rest>(rest)...);
  });
  return std::tuple_cat(std::tuple<value_of<task_result<F>>>(std::forward<decltype(first)>(first)), std::move(others));
}

template <class... Fs>
struct fork_join_callables {
  static_assert(
      (!is_coroutine<std::remove_cvref_t<task_result<Fs>>> && ...),
      "pilfer: fork_join does not run coroutine functions; use co_await pilfer::when_all(f(), g()) instead, or "
      "spawn them into a task_group");
  static constexpr bool are_plain = true;
};

template <class... Fs>
inline constexpr bool all_void = (std::is_void_v<task_result<Fs>> && ...);  // NOLINT(misc-redundant-expression)

// In src/runtime/pool.cpp: runs it on the default pool.
struct outside_call {
  void (*run)(void* self, fork_slot* at);
  void* self;
};
void run_on_default_pool(const outside_call& call);

template <class... Fs>
[[gnu::noinline, gnu::cold]] auto fork_from_outside(borrowed<Fs>... fs) {
  using result = decltype(fork_all(nullptr, fs.get()...));
  outcome<result> kept;
  auto body = [&](fork_slot* at) { kept.keep_result_of([&]() -> result { return fork_all(at, fs.get()...); }); };
  run_on_default_pool({[](void* self, fork_slot* at) { (*static_cast<decltype(body)*>(self))(at); }, &body});
  return kept.take();
}

}  // namespace detail

template <class... Fs>
  requires(sizeof...(Fs) >= 1)
[[gnu::always_inline]] inline auto fork_join(context here, Fs&&... fs) {
  static_assert(detail::fork_join_callables<Fs...>::are_plain);
  if constexpr (detail::all_void<Fs...>) {
    static_cast<void>(detail::fork_all(here.position(), std::forward<Fs>(fs)...));
  } else {
    return detail::fork_all(here.position(), std::forward<Fs>(fs)...);
  }
}

template <class First, class... Fs>
  requires(!std::is_same_v<std::remove_cvref_t<First>, context>)
[[gnu::always_inline]] inline auto fork_join(First&& first, Fs&&... fs) {
  static_assert(detail::fork_join_callables<First, Fs...>::are_plain);
  using result =
      std::conditional_t<detail::all_void<First, Fs...>, void,
                         decltype(detail::fork_all(nullptr, std::forward<First>(first), std::forward<Fs>(fs)...))>;
  detail::fork_deque* const deque = detail::current_deque;
  if (deque == nullptr) [[unlikely]] {
    return static_cast<result>(
        detail::fork_from_outside<First, Fs...>(detail::borrowed<First>(first), detail::borrowed<Fs>(fs)...));
  }
  if constexpr (sizeof...(Fs) == 1) {  // the deque is known: no need to find it from the position
    return static_cast<result>(
        detail::fork_two(*deque, deque->position(), std::forward<First>(first), std::forward<Fs>(fs)...));
  } else {
    return static_cast<result>(
        detail::fork_all(deque->position(), std::forward<First>(first), std::forward<Fs>(fs)...));
  }
}

}  // namespace pilfer
