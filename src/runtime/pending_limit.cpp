#include "pending_limit.hpp"

#include <chrono>

#include <pilfer/detail/protocol/completion.hpp>

#include "../sync/stack_room.hpp"
#include "current_worker.hpp"
#include "rest.hpp"
#include "runtime.hpp"

namespace pilfer::detail {

struct pending_limit::blocked {
  completion<ext::default_sync> answered{1};
  bool has_room = false;  // carried by `answered`
  blocked* next = nullptr;
};

bool pending_limit::enter(runtime& home) {
  // The tasks that are pending may need any worker, of another pool, too: none sleeps here.
  const bool may_wait = when_full_ == overflow::block && current_worker() == nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (pending_ < most_) {
      ++pending_;
      return true;
    }
    if (when_full_ == overflow::refuse) {
      ++counted_.refused;
      throw too_many_tasks();
    }
    if (!may_wait) {
      // A task that spawns the next one, and so on, would run in a stack without end.
      if (has_stack_room()) {
        ++counted_.run_inline;
        return false;
      }
      ++pending_;
      return true;
    }
  }
  return wait_for_room(home);
}

bool pending_limit::wait_for_room(runtime& home) {
  const bool has_threads = home.crew.has_threads();  // makes one
  blocked me;
  {
    const std::lock_guard lock(mutex_);
    if (pending_ < most_) {
      ++pending_;
      return true;
    }
    if (is_open_ || !has_threads) {
      ++counted_.run_inline;
      return false;
    }
    ++counted_.blocked;
    (last_ != nullptr ? last_->next : first_) = &me;
    last_ = &me;
  }
  awaited_completion room(me.answered, {.what = wait_target::kind::room, .object = &home, .home = &home},
                          failing::never);
  static_cast<void>(rest_until_done(room, std::chrono::nanoseconds{-1}));
  return me.has_room;
}

void pending_limit::leave() noexcept {
  blocked* next = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (pending_ > most_ || first_ == nullptr) {
      --pending_;
      return;
    }
    next = first_;
    first_ = next->next;
    if (first_ == nullptr) last_ = nullptr;
  }
  next->has_room = true;
  next->answered.finish();
}

void pending_limit::open() noexcept {
  blocked* each = nullptr;
  {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    each = first_;
    first_ = last_ = nullptr;
  }
  while (each != nullptr) {
    blocked* const next = each->next;  // its thread may be gone when it has its answer
    each->answered.finish();
    each = next;
  }
}

pending_limit::figures pending_limit::count() const noexcept {
  const std::lock_guard lock(mutex_);
  figures all = counted_;
  all.pending = pending_;
  return all;
}

}  // namespace pilfer::detail
