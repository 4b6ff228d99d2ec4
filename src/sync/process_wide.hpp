// What a process has one of: made on first use, and never destroyed, because its threads may look at it until the process is gone.
//
// A child of fork(2) has none of these threads, and perhaps locks that nobody will ever give back. So it forgets what it has inherited, and makes
// another one when it needs it.
//
// State      writer                      reader   meaning
//   one_     who makes it; a new child   all      null: none yet
// Edges
//   made     make: CAS of one_   -> only, make: load of one_   it is whole
#pragma once

#include <pthread.h>

#include <memory>

#include <pilfer/ext/sync.hpp>

namespace pilfer::detail {

template <class T>
class process_wide {
 public:
  [[nodiscard]] static T& only() {
    if (T* const there = one_.load(orders::made.acq)) [[likely]]
      return *there;
    return make();
  }

 private:
  struct orders {
    static constexpr ext::edge made{};
    static constexpr auto relaxed = std::memory_order_relaxed;
  };

  [[gnu::noinline, gnu::cold]] static T& make() {
    auto fresh = std::make_unique<T>();
    T* there = nullptr;
    static_cast<void>(&is_registered_);  // so that it exists; without memory for it, children are on their own
    if (!one_.compare_exchange(there, fresh.get(), orders::made.rel, orders::made.acq)) return *there;
    return *fresh.release();
  }
  static void forget() noexcept { one_.store(nullptr, orders::relaxed); }  // a new child has one thread

  static inline constinit ext::default_sync::atomic<T*> one_{nullptr};
  // Before main, so that no child can find it half done.
  static inline const bool is_registered_ = ::pthread_atfork(nullptr, nullptr, &forget) == 0;
};

}  // namespace pilfer::detail
