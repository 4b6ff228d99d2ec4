// moodycamel::ConcurrentQueue behind our interface: the general queue that many programs have, used as its manual advises for
// one producer. The owner has the one producer token; everybody takes from that producer directly, which spares the search
// for producers that try_dequeue makes; thieves take in bulk.
#pragma once

#include <concurrentqueue/concurrentqueue.h>

#include <cstddef>
#include <limits>
#include <optional>
#include <span>

#include <pilfer/ext/queue_concept.hpp>

namespace pilfer::lab::queues {

template <ext::queue_item T>
class moodycamel_queue {
 public:
  using item_type = T;
  static constexpr ext::queue_traits traits{
      .name = "moodycamel", .order = ext::queue_order::fifo, .bounded = false, .batch = true};

  // Room for one producer; it grows when that is used up, and keeps its blocks.
  explicit moodycamel_queue(std::size_t capacity) : queue_(capacity, 1, 0), producer_(queue_) {}

  [[nodiscard]] ext::owner_handle<moodycamel_queue> owner() noexcept {
    return ext::owner_handle<moodycamel_queue>(*this);
  }
  [[nodiscard]] ext::thief_handle<moodycamel_queue> thief() noexcept {
    return ext::thief_handle<moodycamel_queue>(*this);
  }
  [[nodiscard]] std::size_t capacity() const noexcept { return std::numeric_limits<std::size_t>::max(); }
  [[nodiscard]] std::size_t size_hint() const noexcept { return queue_.size_approx(); }

  // Not try_enqueue: that never lengthens its list of blocks, which begins with room for 32 of 32 items.
  [[nodiscard]] bool push(T item) noexcept { return queue_.enqueue(producer_, item); }
  [[nodiscard]] std::optional<T> pop() noexcept {
    T item{};
    if (!queue_.try_dequeue_from_producer(producer_, item)) return std::nullopt;
    return item;
  }
  [[nodiscard]] ext::steal_result<T> steal() noexcept {
    T item{};
    if (queue_.try_dequeue_from_producer(producer_, item)) return ext::steal_result<T>::of(item);
    return why_failed();
  }
  [[nodiscard]] ext::batch_result steal_batch(std::span<T> out) noexcept {
    const std::size_t count = queue_.try_dequeue_bulk_from_producer(producer_, out.data(), out.size());
    if (count == 0) return {.status = why_failed(), .count = 0};
    return {.status = ext::steal_status::taken, .count = count};
  }

 private:
  // It does not say why: there still being something is taken for a lost race.
  [[nodiscard]] ext::steal_status why_failed() const noexcept {
    return queue_.size_approx() == 0 ? ext::steal_status::empty : ext::steal_status::lost;
  }

  moodycamel::ConcurrentQueue<T> queue_;
  moodycamel::ProducerToken producer_;
};

}  // namespace pilfer::lab::queues
