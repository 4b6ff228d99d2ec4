// parallel_invoke: several things that may run in parallel, as fork_join; their results are dropped.
//
//   pilfer::parallel_invoke([&] { load(a); }, [&] { load(b); }, [&] { load(c); });
//
// Throws    as fork_join; std::invalid_argument, before anything runs, if one of them is null.
#pragma once

#include <pilfer/algorithm/inside.hpp>

namespace pilfer {

template <class... Fs>
void parallel_invoke(Fs&&... fs) {
  static_assert(detail::are_some<Fs...>, "pilfer: parallel_invoke needs a callable: parallel_invoke(f, g)");
  static_assert(
      detail::are_task_callables<Fs&...>,
      "pilfer: parallel_invoke calls each argument as f() or f(context), and cannot call one of these so; write "
      "parallel_invoke([&] { f(x); }, [&] { g(y); })");
  static_assert(
      !detail::any_coroutine<Fs&...>,
      "pilfer: parallel_invoke does not run coroutine functions; use co_await pilfer::when_all(f(), g()) instead, "
      "or spawn them into a task_group");
  if constexpr (detail::are_some<Fs...> && detail::are_task_callables<Fs&...>) {
    detail::require_callable(fs...);
    const auto dropping = []<class F>(F& f) {
      return [&f](context here) noexcept(detail::task_is_nothrow<F&>) {
        static_cast<void>(detail::invoke_task(f, detail::access::position(here)));
      };
    };
    detail::inside([&](context here) { fork_join(here, dropping(fs)...); });
  }
}

}  // namespace pilfer
