// Tasks that are not done yet. Who waits sleeps: a thread that waits for a group would become a worker, one more than the program has.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>

#include <pilfer/task_group.hpp>

namespace pilfer::lab::priorities {

class countdown {
 public:
  explicit countdown(std::size_t tasks) : left_(tasks) {}

  void add(std::size_t tasks) noexcept { left_.fetch_add(tasks, std::memory_order_relaxed); }
  // True for the last: then the caller calls open(), which ends the wait.
  [[nodiscard]] bool finish() noexcept { return left_.fetch_sub(1, std::memory_order_acq_rel) == 1; }
  void open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    opened_.notify_one();
  }
  [[nodiscard]] bool wait_for(std::chrono::seconds limit) {
    std::unique_lock lock(mutex_);
    return opened_.wait_for(lock, limit, [this] { return is_open_; });
  }

 private:
  alignas(64) std::atomic<std::size_t> left_;
  alignas(64) std::mutex mutex_;
  std::condition_variable opened_;
  bool is_open_ = false;
};

// Waits for both, and never becomes a worker.
//   Throws  what a task threw.
inline void wait_as_outsider(countdown& left, task_group& group) {
  using namespace std::chrono_literals;
  while (!left.wait_for(1s)) {
    if (group.unfinished() == 0) break;  // some have failed, and not counted themselves
  }
  while (group.unfinished() != 0) std::this_thread::yield();
  group.wait();
}

}  // namespace pilfer::lab::priorities
