#include <pilfer/coro/race.hpp>
#include <pilfer/coro/waiter.hpp>

namespace pilfer::detail {

bool waiter::begin(const std::stop_token& stop, std::coroutine_handle<> who) {
  const bool stoppable = stop.stop_possible();
  if (stoppable && stop.stop_requested()) {
    fate_ = fate::stopped;
    return false;
  }
  // Asked for before it is in line: then it may be elsewhere already.
  next_.what = who;
  next_.where = place_of_caller();
  if (stoppable) {
    // Most get in at once, and need no callback.
    {
      wake_ups others;
      const std::lock_guard lock(guard_);
      if (try_enter(others)) {
        fate_ = fate::woken;
        return false;
      }
    }
    on_stop_.emplace(stop, stopper{this});
  }
  wake_ups others;
  const std::lock_guard lock(guard_);
  if (fate_ == fate::stopped) return false;
  if (try_enter(others)) {
    fate_ = fate::woken;
    return false;
  }
  fate_ = fate::waits;
  line_up(others);
  return true;
}

void waiter::stop() noexcept {
  wake_ups all;
  const std::lock_guard lock(guard_);
  if (fate_ == fate::undecided) {
    fate_ = fate::stopped;
  } else if (fate_ == fate::waits) {
    step_out(all);
    all.append(*this, fate::stopped);
  }
}

bool waiter::withdraw() noexcept {
  wake_ups others;
  const std::lock_guard lock(guard_);
  if (fate_ != fate::waits) return false;
  step_out(others);
  fate_ = fate::stopped;
  return true;
}

void wake_ups::resume_all() noexcept {
  while (first_ != nullptr) {
    waiter* const one = first_;
    first_ = one->newer_;
    if (one->race_ == nullptr) {
      resume_later(one->next_, one->next_.what);
    } else {
      static_cast<race*>(one->race_)->end_by(*one);
    }
  }
  if (bell_ != nullptr) ext::default_sync::futex_wake(*bell_, 1);
}

}  // namespace pilfer::detail
