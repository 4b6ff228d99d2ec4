// What one writes in a minute: std::deque under std::mutex. The owner works at the back, thieves take from the front.
#pragma once

#include <cstddef>
#include <deque>
#include <limits>
#include <mutex>
#include <optional>

#include <pilfer/ext/queue_concept.hpp>

namespace pilfer::lab::queues {

template <ext::queue_item T>
class mutex_deque {
 public:
  using item_type = T;
  static constexpr ext::queue_traits traits{.name = "mutex-deque", .order = ext::queue_order::lifo, .bounded = false};

  explicit mutex_deque(std::size_t /*capacity*/) {}

  [[nodiscard]] ext::owner_handle<mutex_deque> owner() noexcept { return ext::owner_handle<mutex_deque>(*this); }
  [[nodiscard]] ext::thief_handle<mutex_deque> thief() noexcept { return ext::thief_handle<mutex_deque>(*this); }
  [[nodiscard]] std::size_t capacity() const noexcept { return std::numeric_limits<std::size_t>::max(); }

  [[nodiscard]] bool push(T item) noexcept {
    const std::lock_guard lock(mutex_);
    items_.push_back(item);
    return true;
  }
  [[nodiscard]] std::optional<T> pop() noexcept {
    const std::lock_guard lock(mutex_);
    if (items_.empty()) return std::nullopt;
    const T item = items_.back();
    items_.pop_back();
    return item;
  }
  [[nodiscard]] ext::steal_result<T> steal() noexcept {
    const std::lock_guard lock(mutex_);
    if (items_.empty()) return ext::steal_status::empty;
    const T item = items_.front();
    items_.pop_front();
    return ext::steal_result<T>::of(item);
  }

 private:
  std::mutex mutex_;
  std::deque<T> items_;
};

}  // namespace pilfer::lab::queues
