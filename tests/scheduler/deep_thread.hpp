// A thread with a stack of a chosen size, and how much of it was used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include <pthread.h>

#include "scheduler/any_pool.hpp"

namespace pilfer::test {

// Runs f on a thread of its own with that much stack, and waits for it.
inline void deep_thread(task_ref f, std::size_t stack = std::size_t{256} << 20U) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack);
  pthread_t thread{};
  const int error = pthread_create(
      &thread, &attributes,
      [](void* self) -> void* {
        (*static_cast<task_ref*>(self))();
        return nullptr;
      },
      &f);
  pthread_attr_destroy(&attributes);
  if (error != 0) throw std::runtime_error("no thread");
  pthread_join(thread, nullptr);
}

// The address behind the calling thread's stack.
[[nodiscard]] inline std::uintptr_t stack_top() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) throw std::runtime_error("no attributes");
  void* lowest = nullptr;
  std::size_t size = 0;
  pthread_attr_getstack(&attributes, &lowest, &size);
  pthread_attr_destroy(&attributes);
  return reinterpret_cast<std::uintptr_t>(lowest) + size;
}

}  // namespace pilfer::test
