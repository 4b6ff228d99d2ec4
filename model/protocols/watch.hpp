// Events of workers that are busy: a worker that sleeps looks at them, or is called to.
//
// Scripts    owner: e start an operation; m sleep beside it for a while, as its owner does in its ring; + begin a long job; P the operation
//            completes, while its owner is busy. Thieves: + the same three, e + P; s do nothing but look for completions, and sleep, until all
//            are taken; M watch, let those go on that wait for it (w), get up by itself and begin a long job; T sleep, get up by itself, and begin a long job; N sleep, until it is called or its time is over, and begin a long
//            job; b be about to sleep, find something to do, and begin a long job. A long job does not end: its thread does.
// Properties each completion is taken, as long as a worker has nothing else to do: a worker that sleeps for ever is a deadlock.
// Time runs out here when nothing else can happen.
#pragma once

#include <array>

#include "model/model_sync.hpp"
#include "protocols/orders.hpp"
#include "verify/run.hpp"

namespace pilfer::model::protocols {

enum class watch_fault : std::uint8_t {
  none,
  looks_first,      // S3 before S1: a sleeper looks at the events before it enters the parking's word
  no_fence,         // B2 and L2 are missing: what others wrote is a hint
  late_operation,   // B1 after B3
  own_events_only,  // L3 is missing: a watcher begins a job, and looks at its own events only
  call_ends,        // the same of a sleeper that was called and did not watch
  leaves_late,      // L1 after L3
};

template <bool Fenced>
struct watch_sync : model_sync {
  static void fence(std::memory_order order, const where& site = where::current()) noexcept {
    if constexpr (Fenced) model_sync::fence(order, site);
  }
};

template <watch_fault Fault = watch_fault::none>
class watch_scenario {
  using enum watch_fault;
  using watch = pilfer::detail::watch<watch_sync<Fault != no_fence>, watch_variable>;

 public:
  explicit watch_scenario(const verify::run& what) : run_(&what) {
    operates_[0] = true;
    for (std::size_t i = 0; i < what.thieves.size(); ++i) {
      operates_[i + 1] = what.thieves[i].find('+') != std::string::npos;
      if (what.thieves[i].find_first_of("sN") != std::string::npos) ++sleepers_;
    }
    for (const bool each : operates_) expected_ += each ? 1U : 0U;
  }

  void thread(std::size_t number) {
    const std::string& script = number == 0 ? run_->owner : run_->thieves[number - 1];
    for (std::size_t i = 0; i < script.size(); ++i) {
      phase(i);
      if (number == 0) {
        own(script[i]);
      } else if (script[i] == 'w') {
        await(0);
      } else if (script[i] == '+') {
        for (const char each : {'e', '+', 'P'}) step(number, each);
      } else {
        idle(number, script[i]);
      }
    }
  }
  void finish() {
    require(taken_.load(std::memory_order_relaxed) == expected_, "each completion was taken");
    require(!parking_.anyone_sleeps(), "nobody is left in the word");
  }

 private:
  // A worker, and its one operation.
  struct worker {
    model_sync::atomic<std::uint32_t> outstanding{0, "outstanding"};
    model_sync::atomic<std::uint32_t> asleep{0, "asleep"};  // beside it
    model_sync::atomic<std::uint32_t> come{0, "come"};
    typename watch::duty duty;
    pilfer::detail::lookout<model_sync, parking_variable> out;
  };

  void own(char what) {
    if (what == 'w') {
      await(0);
      return;
    }
    if (what == 'm') {
      workers_[0].asleep.store(1, std::memory_order_relaxed);
      workers_[0].asleep.store(0, std::memory_order_relaxed);
      return;
    }
    step(0, what);
  }
  void step(std::size_t number, char what) {
    worker& self = workers_[number];
    switch (what) {
      case 'e':
        if constexpr (Fault != late_operation) self.outstanding.store(1, std::memory_order_relaxed);
        break;
      case '+':
        begin(number, self.duty);
        if constexpr (Fault == late_operation) self.outstanding.store(1, std::memory_order_relaxed);
        break;
      default:
        self.come.store(1, std::memory_order_release);
        model_sync::fence(std::memory_order_seq_cst);  // who looks after this moment finds it
        break;
    }
  }

  void begin(std::size_t number, typename watch::duty& duty) {
    watch_.begin(
        duty, parking_, [&] { return workers_[number].outstanding.load(std::memory_order_relaxed) != 0; },
        [&] { return Fault != own_events_only && others_wait(number, false); });
  }
  [[nodiscard]] bool others_wait(std::size_t number, bool attended_too) const {
    for (std::size_t i = 0; i <= run_->thieves.size(); ++i) {
      if (i == number || !operates_[i] || workers_[i].outstanding.load(std::memory_order_relaxed) == 0) continue;
      if (attended_too || workers_[i].asleep.load(std::memory_order_relaxed) == 0) return true;
    }
    return false;
  }
  [[nodiscard]] bool anything_to_do() const {
    if (is_over()) return true;
    for (std::size_t i = 0; i <= run_->thieves.size(); ++i) {
      if (operates_[i] && workers_[i].come.load(std::memory_order_relaxed) != 0) return true;
    }
    return false;
  }

  void idle(std::size_t number, char how) {
    for (;;) {
      if (how == 's') {
        if (take_completions() || is_over()) return;
      }
      bool watches = false;
      if constexpr (Fault == looks_first) watches = others_wait(number, true);
      const bool certain = parking_.prepare([] {});
      if (how == 'b' || (how != 'M' && anything_to_do())) {
        parking_.cancel();
      } else {
        if constexpr (Fault != looks_first) watches = how == 'M' || others_wait(number, true);
        sleep(number, how, watches, certain);
      }
      if (how == 's') continue;
      if constexpr (Fault == call_ends) workers_[number].duty = {};
      begin(number, workers_[number].duty);
      return;
    }
  }
  void sleep(std::size_t number, char how, bool watches, bool certain) {
    worker& self = workers_[number];
    watch_.sleep(self.duty, watches, [&]() noexcept {
      if (how == 'T' || how == 'M') {
        parking_.sleep_in(self.out, [&]() noexcept {
          if (how == 'M') announce(0);
        });
      } else {
        parking_.sleep(std::chrono::nanoseconds{watches || !certain ? 1 : -1});
      }
      if (Fault == leaves_late && watches) {
        watch_.sleep(self.duty, false, []() noexcept {});  // it owes already
        begin(number, self.duty);
      }
    });
    if (Fault == leaves_late && watches) self.duty = {};
  }

  // A worker that has nothing else to do may be asleep when the others are done.
  [[nodiscard]] bool is_over() const { return sleepers_ > 1 && stop_.load(std::memory_order_relaxed) != 0; }
  // Returns true if these were the last.
  [[nodiscard]] bool take_completions() {
    for (std::size_t i = 0; i <= run_->thieves.size(); ++i) {
      std::uint32_t there = operates_[i] ? workers_[i].come.load(std::memory_order_relaxed) : 0;
      if (there == 0) continue;
      if (!workers_[i].come.compare_exchange(there, 0, std::memory_order_acquire, std::memory_order_relaxed)) continue;
      workers_[i].outstanding.store(0, std::memory_order_relaxed);
      if (taken_.fetch_add(1, std::memory_order_relaxed) + 1 != expected_) continue;
      if (sleepers_ > 1) {
        stop_.store(1, std::memory_order_relaxed);
        parking_.notify_all();
      }
      return true;
    }
    return false;
  }

  static constexpr std::size_t most_workers = 5;
  const verify::run* run_;
  std::array<bool, most_workers> operates_{};
  std::uint32_t expected_ = 0;
  unsigned sleepers_ = 0;
  std::array<worker, most_workers> workers_;
  model_sync::atomic<std::uint32_t> taken_{0, "taken"};
  model_sync::atomic<std::uint32_t> stop_{0, "stop"};
  pilfer::detail::parking<model_sync, parking_variable> parking_;
  watch watch_;
};

}  // namespace pilfer::model::protocols
