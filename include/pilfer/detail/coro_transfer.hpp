// From one coroutine to the next, without a deeper stack.
//
// What await_suspend returns is resumed in the place of the coroutine that suspends. clang makes that a tail call in every build; g++ 12
// does from -O2 on, but not under AddressSanitizer, where a loop of a million co_awaits would be the end of the stack. So with
// g++ a look at the stack tells whether it has grown since resume_here; then the next coroutine is left with the thread, everything
// returns, and the loop in resume_here goes on with it. Where there is no such loop, because somebody has called resume() by
// himself, one is begun on the spot.
#pragma once

#include <coroutine>
#include <cstdint>
#include <utility>

namespace pilfer::detail {

#if defined(__clang__)

inline void resume_here(std::coroutine_handle<> what) { what.resume(); }
[[nodiscard, gnu::always_inline]] inline std::coroutine_handle<> hand_over(std::coroutine_handle<> to) { return to; }

#else

struct coro_relay {
  static constexpr std::uintptr_t most_bytes = 8192;  // of stack, below the loop

  std::uintptr_t floor;          // where the stack of the thread's loop is; 0: there is none
  std::coroutine_handle<> next;  // for the loop; null: none
};
constinit inline thread_local coro_relay this_thread_relay{};

// Roughly where the stack is. Not __builtin_frame_address, where it can be helped: that costs every coroutine a frame pointer.
[[nodiscard, gnu::always_inline]] inline std::uintptr_t stack_position() noexcept {
#if defined(__x86_64__)
  std::uintptr_t here;  // NOLINT(cppcoreguidelines-init-variables)
  __asm__("movq %%rsp, %0" : "=r"(here));
  return here;
#else
  return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
#endif
}

// Resumes it, and what it hands over to.
[[gnu::noinline]] inline void resume_here(std::coroutine_handle<> what) {
  coro_relay& relay = this_thread_relay;
  const std::uintptr_t outer = std::exchange(relay.floor, stack_position());
  // Left by one that somebody has resumed by himself, below the outer loop: the caller may be about to wait for it.
  std::coroutine_handle<> left = std::exchange(relay.next, nullptr);
  for (; left; left = std::exchange(relay.next, nullptr)) left.resume();
  for (; what; what = std::exchange(relay.next, nullptr)) what.resume();
  relay.floor = outer;
}

// The loop is far away, or there is none.
[[nodiscard, gnu::cold, gnu::noinline]] inline std::coroutine_handle<> hand_to_loop(std::coroutine_handle<> to) {
  coro_relay& relay = this_thread_relay;
  if (relay.floor == 0 || relay.next) {
    resume_here(to);
  } else {
    relay.next = to;
  }
  return std::noop_coroutine();
}

// What await_suspend is to return so that `to` is resumed next.
[[nodiscard, gnu::always_inline]] inline std::coroutine_handle<> hand_over(std::coroutine_handle<> to) {
  if (this_thread_relay.floor - stack_position() < coro_relay::most_bytes) [[likely]]
    return to;
  return hand_to_loop(to);
}

#endif

}  // namespace pilfer::detail
