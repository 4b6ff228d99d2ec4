// A completion that its reaper keeps for itself, without a call: it is run by the reaper, or a sleeper is called after all.
//
// Scripts    owner: e reap one completion, m two, - none; p take a job out of the own queue and run it, if there is one; P find another job
//            first, which is long: the owner runs nothing any more. Thieves: s take jobs out of the owner's queue, and sleep, until all are run.
// Properties every completion is run; a worker that sleeps for ever beside one is a deadlock.
#pragma once

#include "model/model_sync.hpp"
#include "protocols/orders.hpp"
#include "verify/run.hpp"

namespace pilfer::model::protocols {

enum class deferred_fault : std::uint8_t {
  none,
  forgotten,     // the owner begins another job, and makes no call
  two_kept,      // of two completions the owner runs one, and makes no call for the other
  none_forgets,  // a reap that brings nothing takes the deferred call back
};

template <deferred_fault Fault = deferred_fault::none>
class deferred_scenario {
  using enum deferred_fault;

 public:
  explicit deferred_scenario(const verify::run& what) : run_(&what) {
    for (const char each : what.owner) expected_ += each == 'e' ? 1U : each == 'm' ? 2U : 0U;
  }

  void thread(std::size_t number) {
    if (number != 0) {
      help();
      return;
    }
    for (std::size_t i = 0; i < run_->owner.size(); ++i) {
      phase(i);
      switch (run_->owner[i]) {
        case 'e': reap(1); break;
        case 'm': reap(2); break;
        case '-': reap(0); break;
        case 'p': take_own(); break;
        default: go(); break;
      }
    }
  }
  void finish() {
    require(ran_.load(std::memory_order_relaxed) == expected_, "every completion is run");
    require(!parking_.anyone_sleeps(), "nobody is left in the word");
  }

 private:
  void reap(std::size_t count) {
    if (Fault == none_forgets && count == 0) deferred_ = {};
    deferred_.reap(
        [&] {
          for (std::size_t i = 0; i < count; ++i) push();
          return count;
        },
        [&] {
          if constexpr (Fault != two_kept) parking_.notify();
        });
  }
  void push() {
    queue_.fetch_add(1, std::memory_order_release);
    if (!deferred_.defers()) parking_.notify();
  }
  // The job that a worker begins is out of the queue by then.
  void take_own() {
    if (!take()) return;
    call_if_due();
    ran();
  }
  void go() {
    if constexpr (Fault != forgotten) call_if_due();
  }
  void call_if_due() {
    if (deferred_.is_due([&] { return queue_.load(std::memory_order_relaxed) != 0; })) parking_.notify();
  }

  void help() {
    bool called = false;
    for (;;) {
      while (take()) {
        if (called && queue_.load(std::memory_order_relaxed) != 0) parking_.notify_fenced();
        called = false;
        ran();
      }
      if (stop_.load(std::memory_order_relaxed) != 0) return;
      const bool certain = parking_.prepare([] {});
      if (queue_.load(std::memory_order_relaxed) != 0 || stop_.load(std::memory_order_relaxed) != 0) {
        parking_.cancel();
      } else {
        called = parking_.sleep(std::chrono::nanoseconds{certain ? -1 : 1}) || called;
      }
    }
  }
  [[nodiscard]] bool take() {
    std::uint32_t there = queue_.load(std::memory_order_relaxed);
    while (there != 0) {
      if (queue_.compare_exchange(there, there - 1, std::memory_order_acquire, std::memory_order_relaxed)) return true;
    }
    return false;
  }
  void ran() {
    if (ran_.fetch_add(1, std::memory_order_relaxed) + 1 != expected_) return;
    stop_.store(1, std::memory_order_relaxed);
    parking_.notify_all();
  }

  const verify::run* run_;
  std::uint32_t expected_ = 0;
  pilfer::detail::deferred_call deferred_;
  model_sync::atomic<std::uint32_t> queue_{0, "queue"};
  model_sync::atomic<std::uint32_t> ran_{0, "ran"};
  model_sync::atomic<std::uint32_t> stop_{0, "stop"};
  pilfer::detail::parking<model_sync, parking_variable> parking_;
};

}  // namespace pilfer::model::protocols
