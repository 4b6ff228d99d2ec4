// Thief threads that live as long as an experiment; between samples they sleep.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

#include "lab/queues/measured_queue.hpp"

namespace pilfer::lab::queues {

class thief_crew {
 public:
  // One thread per element: the processor it is bound to.
  explicit thief_crew(const std::vector<int>& processors);
  ~thief_crew();
  thief_crew(const thief_crew&) = delete;
  thief_crew& operator=(const thief_crew&) = delete;

  // Sends all thieves to the queue; returns when each has arrived. Until finish(), both arguments must live.
  void begin(measured_queue& queue, traffic& with, const steal_plan& plan);
  // Raises with.stop, waits for the thieves, and returns what they took together.
  thief_totals finish();

  // False if the system did not let a thread be bound to its processor.
  [[nodiscard]] bool pinned() const noexcept { return pinned_; }

 private:
  void work(int processor);

  std::mutex mutex_;
  std::condition_variable changed_;
  measured_queue* queue_ = nullptr;
  traffic* with_ = nullptr;
  steal_plan plan_;
  thief_totals totals_;
  std::uint64_t job_ = 0;  // counts calls of begin()
  std::size_t arrived_ = 0;
  std::size_t running_ = 0;
  bool leaving_ = false;
  bool pinned_ = true;
  std::vector<std::jthread> threads_;
};

}  // namespace pilfer::lab::queues
