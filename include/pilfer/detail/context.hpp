// Where a task stands in its worker's stack of forks, and how a callable that wants to know it is called.
#pragma once

#include <type_traits>
#include <utility>

#include <pilfer/detail/coroutine_function.hpp>
#include <pilfer/detail/outcome.hpp>
#include <pilfer/detail/refused_call.hpp>

namespace pilfer {

namespace detail {
struct access;
}

// One pointer. Valid in the task that was given it, on its thread, until that task returns; forks need it, nothing else. Do not keep it.
class context {
  friend struct detail::access;
  explicit context(void* at) noexcept : at_(at) {}
  void* at_;  // a detail::fork_slot
};

namespace detail {

struct runtime;
class task_scope;

// What is inside of what users have: for the library itself.
struct access {
  [[nodiscard]] static context context_at(void* at) noexcept { return context(at); }
  [[nodiscard]] static void* position(context here) noexcept { return here.at_; }
  template <class Pool>
  [[nodiscard]] static runtime& of(Pool& home) noexcept {
    return *home.runtime_;
  }
  template <class Home>
  [[nodiscard]] static auto target_of(const Home& home) {
    return home.target();
  }
  template <class Group>
  [[nodiscard]] static task_scope& scope_of(Group& group) noexcept {
    return *group.scope_;
  }
};

// Callables may take a context, or nothing.
template <class F>
concept takes_context = std::is_invocable_v<F, context>;
template <class F>
concept task_callable = takes_context<F> || std::is_invocable_v<F>;
// For assertions: the compiler explains at length why a concept is not satisfied.
template <class... Fs>
inline constexpr bool are_task_callables = (task_callable<Fs> && ...);

template <class F>
struct task_traits {
  using result = called_result<F>;
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
template <class... Fs>  // NOLINTNEXTLINE(misc-redundant-expression)
inline constexpr bool any_coroutine = (is_coroutine<std::remove_cvref_t<task_result<Fs>>> || ...);

template <class F>
[[gnu::always_inline]] inline task_result<F> invoke_task(F&& f,
                                                         [[maybe_unused]] void* at) noexcept(task_is_nothrow<F>) {
  if constexpr (takes_context<F>) {
    return std::forward<F>(f)(access::context_at(at));
  } else {
    return std::forward<F>(f)();
  }
}
template <class F>
[[gnu::always_inline]] inline value_of<task_result<F>> call_task(F&& f, void* at) noexcept(task_is_nothrow<F>) {
  return call_for_value<task_result<F>>(
      [&]() noexcept(task_is_nothrow<F>) -> task_result<F> { return invoke_task(std::forward<F>(f), at); });
}

// A call that is to be made inside of a pool, and keeps what it returns or throws.
struct inside_call {
  void (*run)(void* self, void* at);
  void* self;
};
void run_in(runtime& home, const inside_call& call);
void run_on_default_pool(const inside_call& call);

template <class Run, class F>
task_result<F> call_inside(Run&& run, F&& f) {
  using result = task_result<F>;
  outcome<result> kept;
  auto body = [&](void* at) { kept.keep_result_of([&]() -> result { return invoke_task(std::forward<F>(f), at); }); };
  run(inside_call{[](void* self, void* at) { (*static_cast<decltype(body)*>(self))(at); }, &body});
  return static_cast<result>(kept.take());
}

}  // namespace detail
}  // namespace pilfer
