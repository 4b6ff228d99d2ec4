// How much of the calling thread's stack is left.
#pragma once

#include <pthread.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace pilfer::detail {

// The lowest address of the calling thread's stack that nested tasks may reach: the other half is left for what they call. 0: unknown.
[[nodiscard, gnu::noinline, gnu::cold]] inline std::uintptr_t find_stack_floor() noexcept {
  pthread_attr_t attributes;
  if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return 0;
  void* lowest = nullptr;
  std::size_t bytes = 0;
  const bool is_known = ::pthread_attr_getstack(&attributes, &lowest, &bytes) == 0;
  ::pthread_attr_destroy(&attributes);
  if (!is_known) return 0;
  const std::uintptr_t highest = reinterpret_cast<std::uintptr_t>(lowest) + bytes;
  // A main thread without a limit says so by a stack that is larger than any that is used.
  constexpr std::size_t most_of_main = std::size_t{64} << 20;
  if (bytes > most_of_main && ::gettid() == ::getpid()) bytes = most_of_main;
  return highest - bytes / 2;
}

// May the calling thread begin another task on top of those that it is in, also when it has used so many bytes more? Linux's stacks grow
// downwards.
[[nodiscard]] inline bool has_stack_room(std::size_t bytes = 0) noexcept {
  static thread_local constinit std::uintptr_t floor = 1;  // not asked yet
  if (floor == 1) floor = find_stack_floor();
  return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) > floor + bytes;
}

}  // namespace pilfer::detail
