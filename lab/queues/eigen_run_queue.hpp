// Eigen's RunQueue behind our interface. As in Eigen's own thread pool, the owner pushes and pops at the front
// (PushFront, PopFront) and thieves take from the back (PopBack, which locks a mutex against other thieves). Its owner is
// thus LIFO; 001 lists it among the FIFO queues, so it is compared with the ring and with bwos_fifo.
#pragma once

#include <cstddef>
#include <optional>
#include <unsupported/Eigen/CXX11/ThreadPool>

#include <pilfer/ext/queue_concept.hpp>

namespace pilfer::lab::queues {

// Items must not be zero: to Eigen a default-constructed item means "none".
template <ext::queue_item T, unsigned Capacity>
class eigen_run_queue {
 public:
  using item_type = T;
  static constexpr ext::queue_traits traits{.name = "eigen-runqueue", .order = ext::queue_order::lifo, .bounded = true};

  explicit eigen_run_queue(std::size_t /*capacity*/) {}
  ~eigen_run_queue() { queue_.Flush(); }
  eigen_run_queue(const eigen_run_queue&) = delete;
  eigen_run_queue& operator=(const eigen_run_queue&) = delete;

  [[nodiscard]] ext::owner_handle<eigen_run_queue> owner() noexcept {
    return ext::owner_handle<eigen_run_queue>(*this);
  }
  [[nodiscard]] ext::thief_handle<eigen_run_queue> thief() noexcept {
    return ext::thief_handle<eigen_run_queue>(*this);
  }
  [[nodiscard]] std::size_t capacity() const noexcept { return Capacity; }

  [[nodiscard]] bool push(T item) noexcept { return queue_.PushFront(item) == T{}; }
  [[nodiscard]] std::optional<T> pop() noexcept {
    const T item = queue_.PopFront();
    if (item == T{}) return std::nullopt;
    return item;
  }
  // Eigen does not say why it failed: there still being something is taken for a lost race.
  [[nodiscard]] ext::steal_result<T> steal() noexcept {
    const T item = queue_.PopBack();
    if (item != T{}) return ext::steal_result<T>::of(item);
    return queue_.Empty() ? ext::steal_status::empty : ext::steal_status::lost;
  }

 private:
  Eigen::RunQueue<T, Capacity> queue_;
};

}  // namespace pilfer::lab::queues
