// Threads that do one job at a time beside the measured one; between jobs they sleep.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace pilfer::lab::details {

using stop_flag = std::atomic<bool>;

class crew {
 public:
  using job = std::function<void(std::size_t member, const stop_flag& stop)>;  // must not throw

  // One thread per element: the processor it is bound to.
  explicit crew(const std::vector<int>& processors);
  ~crew();
  crew(const crew&) = delete;
  crew& operator=(const crew&) = delete;

  // Every member begins the job; returns when each has. What the job refers to must live until finish().
  void begin(job what);
  // Raises the flag, and waits until all have returned.
  void finish();
  // The same without raising it: the job ends by itself.
  void wait();

  // False if the system did not let a thread be bound to its processor.
  [[nodiscard]] bool pinned();

 private:
  void work(std::size_t member, int processor);

  std::mutex mutex_;
  std::condition_variable changed_;
  job job_;
  std::uint64_t jobs_ = 0;  // calls of begin()
  std::size_t arrived_ = 0;
  std::size_t running_ = 0;
  bool leaving_ = false;
  bool pinned_ = true;
  stop_flag stop_{false};
  std::vector<std::jthread> threads_;  // last: joined before the rest goes
};

}  // namespace pilfer::lab::details
