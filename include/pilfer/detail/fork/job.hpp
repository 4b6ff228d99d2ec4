// Jobs, and the frame that a fork keeps on its stack.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

#include <pilfer/detail/build_mode.hpp>
#include <pilfer/detail/job_class.hpp>
#include <pilfer/ext/sync.hpp>

namespace pilfer::detail {

class task_scope;

// What lies in queues: the head that all kinds have in common. The others are spawned_job in src/runtime/, resume_job in detail/resume.hpp.
struct job {
  explicit job(const job_class& t) noexcept : type(t) {}
  job(const job&) = delete;

  const job_class& type;
  job* next_injected;  // NOLINT(cppcoreguidelines-pro-type-member-init): left as it is until it is injected
};

// On the stack of the worker that forks. What is not initialized is left as it is until a slow path needs it.
struct forked_job : job {
  using job::job;
  ext::default_sync::atomic<std::uint64_t> state{0};  // a join_latch
  task_scope* scope;   // NOLINT(cppcoreguidelines-pro-type-member-init): the group of the task around it; null: none
  void* ticket;        // NOLINT(cppcoreguidelines-pro-type-member-init): what stands for it in a queue that is not LIFO
  std::uint8_t level;  // NOLINT(cppcoreguidelines-pro-type-member-init): of the task around it
};

// A callable of the caller, for as long as the caller's full expression lasts. A small trivial one is copied, so that the
// original needs no memory of its own; any other is referred to, so that nothing is moved and nothing can throw.
template <class F>
class borrowed {
  using plain = std::remove_reference_t<F>;
  static constexpr bool is_named = std::is_lvalue_reference_v<F>;  // a function, too, whose size must not be asked
  static constexpr bool copied = std::is_trivially_copyable_v<plain> &&
                                 std::is_trivially_constructible_v<std::remove_cv_t<plain>, plain&> &&
                                 sizeof(std::conditional_t<is_named, void*, plain>) <= 4 * sizeof(void*) && !is_named;

 public:
  [[gnu::always_inline]] explicit borrowed(plain& f) noexcept : held_(hold(f)) {}
  [[nodiscard, gnu::always_inline]] F&& get() noexcept {
    if constexpr (copied) {
      return static_cast<F&&>(held_);
    } else {
      return static_cast<F&&>(*held_);
    }
  }

 private:
  static auto hold(plain& f) noexcept {
    if constexpr (copied) {
      return f;
    } else {
      return std::addressof(f);
    }
  }
  std::conditional_t<copied, std::remove_cv_t<plain>, plain*> held_;
};

}  // namespace pilfer::detail
