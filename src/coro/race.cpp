#include <pilfer/coro/race.hpp>

#include <cstdint>
#include <mutex>

namespace pilfer::detail {

std::coroutine_handle<> race::begin(std::coroutine_handle<> parent, const std::stop_token& stop) {
  children_ = 0;
  for (const alternative& each : all_) children_ += each.operation == nullptr ? 1U : 0U;
  const bool has_operations = children_ != all_.size();
  if (has_operations) {
    if (stop.stop_requested()) return hand_over(parent);
    for (const alternative& each : all_) {
      if (each.operation != nullptr) each.operation->prepare();
    }
    if (try_operations()) return hand_over(parent);
  }
  // All that can fail comes before the first operation gets in line.
  parent_ = parent;
  next_.where = bell_.where = place_of_caller();
  if (children_ != 0) {
    stop_children_.emplace(stop);
    if (has_operations) {
      ringer_ = ring(*stop_children_).release();
      ringer_.promise().begin(&end_of_ring, this, never_stopped);
    }
  }
  left_.begin(static_cast<std::uint32_t>(children_ + 2));  // R, D and each E
  if (has_operations) {
    if (stop.stop_possible()) on_stop_.emplace(stop, stopper{this});
    line_up();
  }
  return start_children();
}

bool race::try_operations() noexcept {
  for (const alternative& each : all_) {
    if (each.operation == nullptr) continue;
    waiter& one = *each.operation;
    one.race_ = this;
    wake_ups others;
    const std::lock_guard lock(one.guard_);
    if (!one.try_enter(others)) continue;
    one.fate_ = waiter::fate::woken;
    first_ = &one;
    return true;
  }
  return false;
}

void race::line_up() noexcept {
  for (const alternative& each : all_) {
    if (each.operation != nullptr) {
      if (is_taken()) return;
      waiter& one = *each.operation;
      wake_ups others;
      const std::lock_guard lock(one.guard_);
      if (one.try_enter(others)) {
        one.fate_ = waiter::fate::woken;
        first_ = &one;
        static_cast<void>(left_.arrive());  // D; R is to come
        return;
      }
      one.fate_ = waiter::fate::waits;
      one.line_up(others);
    }
    ++in_line_;
  }
}

// The last part of R. What the caller resumes next.
std::coroutine_handle<> race::start_children() {
  if (children_ == 0) return arrive();
  if (is_taken()) {
    for (std::size_t i = 0; i < children_; ++i) static_cast<void>(left_.arrive());  // not begun: ended
    return arrive();
  }
  alternative* first = nullptr;
  for (const alternative& each : all_) {
    // NOLINTNEXTLINE(bugprone-unchecked-optional-access): begin makes it where there are children
    if (each.child != nullptr) each.child->begin(&end_of_child, this, stop_children_->token());
  }
  for (std::size_t i = all_.size(); i-- != 0;) {
    if (all_[i].child == nullptr) continue;
    if (first != nullptr) resume_later(first->begin, first->frame);
    first = &all_[i];
    first->begin.where = next_.where;
  }
  static_cast<void>(left_.arrive());  // the first child has not begun: it is not the last
  return hand_over(first->frame);
}

std::coroutine_handle<> race::arrive() noexcept {
  const std::coroutine_handle<> parent = parent_;
  return left_.arrive() ? hand_over(parent) : std::noop_coroutine();
}

std::coroutine_handle<> race::end_of_child(coro_promise_base& ended) noexcept {
  race& me = *static_cast<race*>(ended.owner());
  if (me.claim()) {
    me.first_ = &ended;
    // NOLINTNEXTLINE(bugprone-unchecked-optional-access): begin makes it where there are children
    me.stop_children_->request_stop();
    static_cast<void>(me.left_.arrive());  // D; E is to come
  }
  return me.arrive();
}

void race::end_by(waiter& first) noexcept {
  if (!ringer_) {
    decide(&first);
    return;
  }
  first_ = &first;
  resume_later(bell_, ringer_.handle());
}

pilfer::task<void> race::ring(linked_stop& what) {
  what.request_stop();
  co_return;
}

std::coroutine_handle<> race::end_of_ring(coro_promise_base& ended) noexcept {
  return static_cast<race*>(ended.owner())->arrive();
}

void race::stop() noexcept {
  if (claim()) decide(nullptr);  // the children have it from linked_stop
}

void race::decide(const void* first) noexcept {
  first_ = first;
  if (left_.arrive()) resume_later(next_, parent_);
}

std::size_t race::index_of_first() const noexcept {
  if (first_ == nullptr) return stopped;
  std::size_t i = 0;
  while (all_[i].operation != first_ && all_[i].child != first_) ++i;
  return i;
}

void race::end() noexcept {
  on_stop_.reset();
  stop_children_.reset();  // before the parent ends, and its token with it
  for (const alternative& each : all_) {
    if (each.operation == nullptr || each.operation->race_ != this) continue;
    waiter& one = *each.operation;
    if (&each < all_.data() + in_line_) {
      wake_ups others;
      const std::lock_guard lock(one.guard_);
      if (one.fate_ == waiter::fate::waits) {
        one.step_out(others);
        one.leave();
      }
    }
    one.race_ = nullptr;
  }
  in_line_ = 0;
}

std::exception_ptr cancelled_error() noexcept { return std::make_exception_ptr(task_cancelled()); }

}  // namespace pilfer::detail
