#include <pilfer/coro/fork.hpp>

#include <chrono>

#include <pilfer/detail/protocol/completion.hpp>

#include "../runtime/rest.hpp"

namespace pilfer::detail {

namespace {
constexpr fork_join_word::word thread_waits = 2;  // beside the address of a completion; otherwise it is a coroutine's
}

std::coroutine_handle<> end_of_fork(coro_promise_base& ended) noexcept {
  const fork_join_word::word who = static_cast<fork_join_word*>(ended.owner())->finish();
  if (who == 0) return std::noop_coroutine();
  if ((who & thread_waits) == 0) {
    return hand_over(std::coroutine_handle<>::from_address(reinterpret_cast<void*>(who)));
  }
  reinterpret_cast<completion<ext::default_sync>*>(who & ~thread_waits)->finish();
  return std::noop_coroutine();
}

void wait_for_fork(fork_join_word& child) noexcept {
  constexpr std::chrono::nanoseconds no_limit{-1};
  completion<ext::default_sync> ended(1);
  static_assert(alignof(completion<ext::default_sync>) > thread_waits);
  if (!child.wait_with(reinterpret_cast<fork_join_word::word>(&ended) | thread_waits)) return;
  awaited_completion what(ended, {.what = wait_target::kind::coroutine, .object = &child, .home = nullptr},
                          failing::never);
  static_cast<void>(rest_until_done(what, no_limit));
}

}  // namespace pilfer::detail
