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

#include <pilfer/detail/context.hpp>
#include <pilfer/detail/coroutine_function.hpp>
#include <pilfer/detail/fork/fork_path.hpp>
#include <pilfer/detail/refused_call.hpp>

namespace pilfer {

namespace detail {

// A fork: the job, its callable, and room for what it returns when a thief runs it.
template <class F>
class forked : public forked_job {
 public:
  [[gnu::always_inline]] explicit forked(std::remove_reference_t<F>& f) noexcept : forked_job(stolen), task_(f) {}
  [[nodiscard, gnu::always_inline]] F&& task() noexcept { return task_.get(); }
  using outcome_type = outcome<task_result<F>, task_is_nothrow<F>>;
  [[nodiscard]] outcome_type& kept() noexcept { return outcome_; }
  void run_and_keep(void* at) noexcept {
    outcome_.keep_result_of([&]() -> task_result<F> { return invoke_task(task(), at); });
  }

 private:
  static void run_stolen(job& self) noexcept {
    void* at = nullptr;
    if constexpr (takes_context<F>) at = current_deque->cursor();
    static_cast<forked&>(self).run_and_keep(at);
  }
  static constexpr job_class stolen{job_kind::forked, &run_stolen};

  borrowed<F> task_;
  outcome_type outcome_;
};

// How a fork and its join reach the queue; this one is that of pilfer::pool. A fast operation that returns false has not been done: the slow one
// does it. After a slow fork another path leads on. A slow join returns false if a thief has run the job.
class slow_deque_path;
class deque_path {
 public:
  [[gnu::always_inline]] deque_path(fork_stack& deque, fork_slot* at) noexcept : deque_(deque), at_(at) {}
  [[nodiscard, gnu::always_inline]] bool fork(forked_job& work) const noexcept { return deque_.push_at(at_, &work); }
  [[nodiscard]] slow_deque_path fork_slowly(forked_job& work) const noexcept;
  [[nodiscard, gnu::always_inline]] bool join(forked_job& /*work*/) const noexcept { return deque_.pop_at(at_); }
  [[nodiscard, gnu::always_inline]] bool join_slowly(forked_job& work) const noexcept {
    return detail::join_slowly(at_, work);
  }
  // Where the first callable forks, and the second one.
  [[nodiscard, gnu::always_inline]] fork_slot* inner() const noexcept { return at_ + 1; }
  [[nodiscard, gnu::always_inline]] fork_slot* outer() const noexcept { return at_; }
  void count_suppressed() const noexcept { detail::count_suppressed(at_); }

 private:
  fork_stack& deque_;
  fork_slot* const at_;
};
class slow_deque_path : public deque_path {
 public:
  slow_deque_path(const deque_path& from, fork_slot* inner) noexcept : deque_path(from), inner_(inner) {}
  [[nodiscard]] fork_slot* inner() const noexcept { return inner_; }

 private:
  fork_slot* const inner_;
};
inline slow_deque_path deque_path::fork_slowly(forked_job& work) const noexcept {
  return {*this, detail::fork_slowly(at_, work)};
}

// The first callable has thrown: the other one is finished all the same, and what it says is dropped.
template <class Path, class G>
[[gnu::noinline, gnu::cold]] void finish_after_throw(Path path, forked<G>& other) noexcept {
  if (path.join(other) || path.join_slowly(other)) other.run_and_keep(path.outer());
  if (other.kept().discard()) path.count_suppressed();
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
template <class Path, class G>
[[gnu::noinline, gnu::cold]] value_of<task_result<G>> second_slowly(Path path, forked<G>& other) {
  if (path.join_slowly(other)) return call_task(other.task(), path.outer());
  return other.kept().take();
}

template <class Path, class G>
[[gnu::always_inline]] inline value_of<task_result<G>> second_part(Path path, forked<G>& other) {
  if (path.join(other)) [[likely]]
    return call_task(other.task(), path.outer());
  return second_slowly(path, other);
}

template <class Path, class F, class G>
[[gnu::always_inline]] inline value_of<task_result<F>> first_part(Path path, F&& f, [[maybe_unused]] forked<G>& other) {
#if defined(__cpp_exceptions)
  if constexpr (!task_is_nothrow<F>) {
    try {
      return call_task(std::forward<F>(f), path.inner());
    } catch (...) {
      finish_after_throw(path, other);
      throw;
    }
  }
#endif
  return call_task(std::forward<F>(f), path.inner());
}

// All of a fork_join whose fork left the fast path.
template <class Path, class F, class G>
[[gnu::noinline, gnu::cold]] both_results<F, G> both_slowly(Path path, borrowed<F> f, forked<G>& other) {
  const auto slow = path.fork_slowly(other);
  auto&& first = first_part(slow, f.get(), other);
  auto&& second = second_part(slow, other);  // before anything is moved: a move may throw, and `other` must be joined
  return {std::forward<decltype(first)>(first), std::forward<decltype(second)>(second)};
}

template <class Path, class F, class G>
[[gnu::always_inline]] inline pair_of_results<F, G> fork_two(Path path, F&& f, G&& g) {
  forked<G> other(g);
  if (!path.fork(other)) [[unlikely]] {
    auto both = both_slowly<Path, F, G>(path, borrowed<F>(f), other);
    return {std::forward<value_of<task_result<F>>>(both.first), std::forward<value_of<task_result<G>>>(both.second)};
  }
  auto&& first = first_part(path, std::forward<F>(f), other);
  return {std::forward<decltype(first)>(first), second_part(path, other)};
}

template <class F>
[[gnu::always_inline]] inline std::tuple<value_of<task_result<F>>> fork_all(fork_slot* at, F&& f) {
  return {call_task(std::forward<F>(f), at)};
}
template <class F, class G>
[[gnu::always_inline]] inline pair_of_results<F, G> fork_all(fork_slot* at, F&& f, G&& g) {
  return fork_two(deque_path(fork_stack::of(at), at), std::forward<F>(f), std::forward<G>(g));
}
// More than two: the first beside all the others.
template <class F, class G, class... Rest>
auto fork_all(fork_slot* at, F&& f, G&& g, Rest&&... rest) {
  auto [first, others] = fork_two(deque_path(fork_stack::of(at), at), std::forward<F>(f), [&](context here) {
    return fork_all(position_of(here), std::forward<G>(g), std::forward<Rest>(rest)...);
  });
  return std::tuple_cat(std::tuple<value_of<task_result<F>>>(std::forward<decltype(first)>(first)), std::move(others));
}

template <class... Fs>
inline constexpr bool all_void = (std::is_void_v<task_result<Fs>> && ...);  // NOLINT(misc-redundant-expression)
template <class... Fs>
using fork_join_result = std::conditional_t<all_void<Fs...>, void, std::tuple<value_of<task_result<Fs>>...>>;

template <class... Fs>
[[gnu::noinline, gnu::cold]] auto fork_from_outside(borrowed<Fs>... fs) {
  return call_inside(run_on_default_pool, [&](context here) { return fork_all(position_of(here), fs.get()...); });
}

}  // namespace detail

template <class... Fs>
[[gnu::always_inline]] inline auto fork_join(context here, Fs&&... fs) {
  static_assert(detail::are_some<Fs...>, "pilfer: fork_join needs a callable after the context: fork_join(here, f, g)");
  static_assert(detail::are_task_callables<Fs...>,
                "pilfer: fork_join calls each argument as f() or f(context), and cannot call one of these so; write "
                "fork_join([&] { return f(x); }, [&] { return g(y); })");
  static_assert(!detail::any_coroutine<Fs...>,
                "pilfer: fork_join does not run coroutine functions; use co_await pilfer::when_all(f(), g()) instead, "
                "or spawn them into a task_group");
  if constexpr (!detail::are_some<Fs...> || !detail::are_task_callables<Fs...>) {
    return detail::refused_call<detail::fork_join_result<Fs...>>();
  } else if constexpr (detail::all_void<Fs...>) {
    static_cast<void>(detail::fork_all(detail::position_of(here), std::forward<Fs>(fs)...));
  } else {
    return detail::fork_all(detail::position_of(here), std::forward<Fs>(fs)...);
  }
}

template <class First, class... Fs>
  requires(!std::is_same_v<std::remove_cvref_t<First>, context>)
[[gnu::always_inline]] inline auto fork_join(First&& first, Fs&&... fs) {
  using result = detail::fork_join_result<First, Fs...>;
  static_assert(detail::are_task_callables<First, Fs...>,
                "pilfer: fork_join calls each argument as f() or f(context), and cannot call one of these so; write "
                "fork_join([&] { return f(x); }, [&] { return g(y); })");
  static_assert(!detail::any_coroutine<First, Fs...>,
                "pilfer: fork_join does not run coroutine functions; use co_await pilfer::when_all(f(), g()) instead, "
                "or spawn them into a task_group");
  if constexpr (!detail::are_task_callables<First, Fs...>) {
    return detail::refused_call<result>();
  } else {
    detail::fork_stack* const deque = detail::current_deque;
    if (deque == nullptr) [[unlikely]] {
      return static_cast<result>(
          detail::fork_from_outside<First, Fs...>(detail::borrowed<First>(first), detail::borrowed<Fs>(fs)...));
    }
    if constexpr (sizeof...(Fs) == 1) {  // the deque is known: no need to find it from the position
      return static_cast<result>(detail::fork_two(detail::deque_path(*deque, deque->cursor()),
                                                  std::forward<First>(first), std::forward<Fs>(fs)...));
    } else {
      return static_cast<result>(
          detail::fork_all(deque->cursor(), std::forward<First>(first), std::forward<Fs>(fs)...));
    }
  }
}

template <class... None>
void fork_join() {
  static_assert(detail::are_some<None...>, "pilfer: fork_join needs a callable: fork_join(f, g)");
}

}  // namespace pilfer
