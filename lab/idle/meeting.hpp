// Two halves of something that was handed over: how long until the later one began, and whether another thread did it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

namespace pilfer::lab::idle {

struct wake_up {
  double us = 0;
  bool elsewhere = true;  // the halves began on different threads
};

class meeting {
 public:
  using clock = std::chrono::steady_clock;
  // How long the first half waits for the other. Some schedulers hide work until its owner goes on: then it begins so late.
  static constexpr std::chrono::microseconds patience{2000};
  // What was handed over from outside and has not begun by then is lost.
  static constexpr std::chrono::seconds deadline{10};

  static constexpr std::chrono::microseconds between_looks{100};

  // Just before the other half is handed over.
  void begin() noexcept { begin_ = clock::now(); }

  // Each half, first of all. The first one waits.
  void arrive() noexcept {
    const auto now = clock::now();
    const void* nobody = nullptr;
    if (first_.compare_exchange_strong(nobody, this_thread(), std::memory_order_acq_rel)) {
      while (!is_done() && clock::now() < begin_ + patience) std::this_thread::yield();
      return;
    }
    finish(now, nobody != this_thread());
  }
  // Only one half counts: that of another thread.
  void arrive_alone() noexcept { finish(clock::now(), true); }

  // From outside, asleep: it takes no processor from those who are being woken. False: it has not begun in time.
  [[nodiscard]] bool wait() const noexcept {
    while (!is_done()) {
      if (clock::now() > begin_ + deadline) return false;
      std::this_thread::sleep_for(between_looks);
    }
    return true;
  }
  [[nodiscard]] bool is_done() const noexcept { return done_.load(std::memory_order_acquire); }
  // When it is done.
  [[nodiscard]] const wake_up& result() const noexcept { return result_; }

 private:
  static const void* this_thread() noexcept {
    static thread_local const char place = 0;
    return &place;
  }
  void finish(clock::time_point now, bool elsewhere) noexcept {
    result_ = {std::chrono::duration<double, std::micro>(now - begin_).count(), elsewhere};
    done_.store(true, std::memory_order_release);  // the last that this half does with it
  }

  clock::time_point begin_;
  std::atomic<const void*> first_{nullptr};
  wake_up result_;
  std::atomic<bool> done_{false};
};

}  // namespace pilfer::lab::idle
