// Where workers wait for one another. Nobody is left waiting for ever: a pool may have got fewer threads than it asked for.
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "lab/priorities/design.hpp"

namespace pilfer::lab::priorities {

class starting_gate {
 public:
  explicit starting_gate(std::size_t awaited) : awaited_(awaited) {}

  // Returns when all have come; the last one calls `open` before.
  //   Throws  std::runtime_error if some do not come; what `open` throws.
  template <class Open>
  void pass(Open&& open) {
    if (arrive(open)) return;
    // Waking up takes as long as some tasks do: at first stay awake.
    for (const auto until = clock::now() + stays_awake; clock::now() < until; std::this_thread::yield()) {
      if (is_open_.load(std::memory_order_acquire)) return;
    }
    std::unique_lock lock(mutex_);
    if (!opened_.wait_for(lock, patience, [this] { return is_open_.load(std::memory_order_acquire); })) {
      throw std::runtime_error(fmt::format("only {} of {} workers came", arrived_, awaited_));
    }
  }
  void pass() {
    pass([] {});
  }

 private:
  using clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds patience{60};
  static constexpr std::chrono::microseconds stays_awake{500};

  // True for the last one.
  template <class Open>
  bool arrive(Open& open) {
    const std::lock_guard lock(mutex_);
    if (++arrived_ != awaited_) return false;
    open();
    is_open_.store(true, std::memory_order_release);
    opened_.notify_all();
    return true;
  }

  std::mutex mutex_;
  std::condition_variable opened_;
  std::size_t awaited_;
  std::size_t arrived_ = 0;
  std::atomic<bool> is_open_{false};
};

// Calls f(number) on each worker: nobody can have two of these tasks, as long as one has none.
template <class F>
void spawn_on_each_worker(arena& where, task_group& group, starting_gate& inside, const F& f) {
  for (std::size_t number = 0; number < where.workers(); ++number) {
    where.spawn(group, 0, [&inside, f, number] {
      inside.pass();
      f(number);
    });
  }
}

}  // namespace pilfer::lab::priorities
