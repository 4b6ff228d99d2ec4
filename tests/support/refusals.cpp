#include "support/refusals.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <new>

#include <dlfcn.h>
#include <pthread.h>

namespace pilfer::test {
constinit failure_plan threads_refused;
constinit failure_plan memory_refused;
constinit thread_limit threads_allowed;

namespace {

// A thread that is counted until it ends.
struct counted_thread {
  void* (*start)(void*);
  void* argument;
};

void* run_counted(void* memory) {
  const counted_thread mine = *static_cast<counted_thread*>(memory);
  std::free(memory);
  struct at_end {
    ~at_end() { threads_allowed.leave(); }
  } const leave;
  return mine.start(mine.argument);
}

}  // namespace
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
  using pilfer::test::threads_allowed;
  if (pilfer::test::threads_refused.fails()) return EAGAIN;
#if defined(PILFER_TEST_SANITIZED)
  create_function* const real = &__interceptor_pthread_create;
#else
  static const auto real = reinterpret_cast<create_function*>(::dlsym(RTLD_NEXT, "pthread_create"));
#endif
  if (!threads_allowed.applies()) return real(thread, attributes, start, argument);
  auto* const counted =
      static_cast<pilfer::test::counted_thread*>(std::malloc(sizeof(pilfer::test::counted_thread)));  // not refused
  if (counted == nullptr || !threads_allowed.enter()) {
    std::free(counted);
    return EAGAIN;
  }
  *counted = {start, argument};
  const int error = real(thread, attributes, &pilfer::test::run_counted, counted);
  if (error != 0) {
    threads_allowed.leave();
    std::free(counted);
  }
  return error;
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
