#include "support/refusals.hpp"

#include <cerrno>
#include <cstddef>
#include <new>

#include <dlfcn.h>
#include <pthread.h>

namespace pilfer::test {
constinit failure_plan threads_refused;
constinit failure_plan memory_refused;
}  // namespace pilfer::test

// The sanitizers have a pthread_create of their own behind this one.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define PILFER_TEST_SANITIZED
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define PILFER_TEST_SANITIZED
#endif
#endif

extern "C" {
using create_function = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
#if defined(PILFER_TEST_SANITIZED)
create_function __interceptor_pthread_create;  // NOLINT(bugprone-reserved-identifier)
#endif
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                   void* argument) noexcept {
  if (pilfer::test::threads_refused.fails()) return EAGAIN;
#if defined(PILFER_TEST_SANITIZED)
  return __interceptor_pthread_create(thread, attributes, start, argument);
#else
  static const auto real = reinterpret_cast<create_function*>(::dlsym(RTLD_NEXT, "pthread_create"));
  return real(thread, attributes, start, argument);
#endif
}
}

// The linker puts these in the place of operator new (--wrap): a sanitizer's cannot be replaced.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {
void* __real__Znwm(std::size_t bytes);
void* __real__ZnwmRKSt9nothrow_t(std::size_t bytes, const std::nothrow_t& tag) noexcept;
void* __real__ZnwmSt11align_val_t(std::size_t bytes, std::align_val_t alignment);
void* __real__ZnwmSt11align_val_tRKSt9nothrow_t(std::size_t bytes, std::align_val_t alignment,
                                                const std::nothrow_t& tag) noexcept;
void* __wrap__Znwm(std::size_t bytes) {
  if (pilfer::test::memory_refused.fails()) throw std::bad_alloc();
  return __real__Znwm(bytes);
}
void* __wrap__ZnwmRKSt9nothrow_t(std::size_t bytes, const std::nothrow_t& tag) noexcept {
  return pilfer::test::memory_refused.fails() ? nullptr : __real__ZnwmRKSt9nothrow_t(bytes, tag);
}
void* __wrap__ZnwmSt11align_val_t(std::size_t bytes, std::align_val_t alignment) {
  if (pilfer::test::memory_refused.fails()) throw std::bad_alloc();
  return __real__ZnwmSt11align_val_t(bytes, alignment);
}
void* __wrap__ZnwmSt11align_val_tRKSt9nothrow_t(std::size_t bytes, std::align_val_t alignment,
                                                const std::nothrow_t& tag) noexcept {
  return pilfer::test::memory_refused.fails() ? nullptr
                                              : __real__ZnwmSt11align_val_tRKSt9nothrow_t(bytes, alignment, tag);
}
}
// NOLINTEND(bugprone-reserved-identifier)
