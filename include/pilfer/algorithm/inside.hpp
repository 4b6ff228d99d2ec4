// What all algorithms do first: check what they were given, and get inside a pool.
#pragma once

#include <cstddef>

#include <pilfer/algorithm/check.hpp>
#include <pilfer/algorithm/options.hpp>
#include <pilfer/detail/callable.hpp>
#include <pilfer/fork_join.hpp>

namespace pilfer::detail {

inline void require_grain(const loop_options& options) {
  if (options.grain == std::size_t{0}) bad_argument("pilfer: a grain of 0");
}

template <class F>
[[gnu::noinline, gnu::cold]] task_result<F> inside_default_pool(F& f) {
  return call_inside(run_on_default_pool, f);
}

// Calls f(context) in the caller's pool, or in the default one, and returns its result.
template <class F>
[[gnu::always_inline]] inline task_result<F> inside(F&& f) {
  fork_stack* const deque = current_deque;
  if (deque == nullptr) [[unlikely]]
    return inside_default_pool(f);
  return f(access::context_at(deque->cursor()));
}

}  // namespace pilfer::detail
