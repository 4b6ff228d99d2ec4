// The tasks of a pool with ageing, more or less by the time at which they rise.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>

#include <pilfer/detail/immovable.hpp>

#include "spawned_job.hpp"

namespace pilfer::detail {

class age_list : immovable {
 public:
  // Zero: tasks do not age.
  explicit age_list(std::chrono::nanoseconds ageing) noexcept : ageing_(ageing) {}

  [[nodiscard]] bool is_used() const noexcept { return ageing_.count() != 0; }
  // When a task rises that has begun to wait now, or has risen now.
  [[nodiscard]] std::int64_t next_rise(std::int64_t now_ns) const noexcept { return now_ns + ageing_.count(); }

  // Takes over an entry of the task.
  void add(spawned_job& work, std::int64_t now_ns) noexcept {
    const std::lock_guard lock(mutex_);
    work.rises_ns = next_rise(now_ns);
    if (first_ == nullptr) first_rises_.store(work.rises_ns, orders::relaxed);  // hint; guarded
    append(work);
  }

  // Returns the time at which the next task rises, or 0 if the list is empty. A hint: before that time raise_due does nothing.
  [[nodiscard]] std::int64_t first_rise() const noexcept { return first_rises_.load(orders::relaxed); }  // hint
  // Calls `raise` for each task that is due, at most once, and drops those that have been claimed or cannot rise further.
  template <class Raise>
  void raise_due(std::int64_t now_ns, Raise&& raise) noexcept {
    const std::lock_guard lock(mutex_);
    spawned_job* const last = last_;  // a task that has just risen comes to the end
    while (first_ != nullptr && (first_->rises_ns <= now_ns || first_->is_claimed())) {
      spawned_job& oldest = pop();
      if (oldest.is_claimed() || oldest.level() == 0) {
        oldest.let_go();
      } else {
        raise(oldest);
        append(oldest);
      }
      if (&oldest == last) break;
    }
    first_rises_.store(first_ == nullptr ? 0 : first_->rises_ns, orders::relaxed);  // hint; guarded
  }

  // At the end of the pool.
  void clear() noexcept {
    const std::lock_guard lock(mutex_);
    while (first_ != nullptr) pop().let_go();
    first_rises_.store(0, orders::relaxed);  // hint; guarded
  }

 private:
  using orders = claim_orders;
  void append(spawned_job& work) noexcept {
    work.next_by_age = nullptr;
    (last_ != nullptr ? last_->next_by_age : first_) = &work;
    last_ = &work;
  }
  spawned_job& pop() noexcept {
    spawned_job& oldest = *first_;
    first_ = oldest.next_by_age;
    if (first_ == nullptr) last_ = nullptr;
    return oldest;
  }

  const std::chrono::nanoseconds ageing_;
  std::mutex mutex_;  // guards the list
  spawned_job* first_ = nullptr;
  spawned_job* last_ = nullptr;
  ext::default_sync::atomic<std::int64_t> first_rises_{0};  // 0: the list is empty
};

}  // namespace pilfer::detail
