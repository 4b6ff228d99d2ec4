// Sleepers that wait for something else, too: beside those on the word.
//
// Scripts    owner: + publish one unit and notify, e ring for each thief that waits for an event, P stop everybody. Thieves: s take one
//            unit, asleep on the word until there is one; S the same, asleep in a lookout; N wait for the event in a lookout, and pass on
//            calls that were not for it; M (S until everybody is stopped).
// Properties nobody sleeps for ever beside work, or after the stop, or after its event: that is a deadlock.
#pragma once

#include <array>

#include "model/model_sync.hpp"
#include "protocols/orders.hpp"
#include "verify/run.hpp"

namespace pilfer::model::protocols {

enum class lookout_fault : std::uint8_t {
  none,
  no_kick,      // who calls wakes those on the word only
  leaves_call,  // who leaves for its event leaves the call to nobody
};

template <lookout_fault Fault = lookout_fault::none>
class lookout_scenario {
  static constexpr std::size_t most_thieves = 3;
  using parking = pilfer::detail::parking<model_sync, parking_variable>;
  using lookout = pilfer::detail::lookout<model_sync, parking_variable>;

 public:
  explicit lookout_scenario(const verify::run& what) : run_(&what) {
    if constexpr (Fault != lookout_fault::no_kick) parking_.kick_by(&kick, this);
  }

  void thread(std::size_t number) {
    const std::string& script = number == 0 ? run_->owner : run_->thieves[number - 1];
    for (std::size_t i = 0; i < script.size(); ++i) {
      phase(i);
      switch (script[i]) {
        case '+':
          work_.fetch_add(1, std::memory_order_release);
          parking_.notify();
          break;
        case 'e': ring_for_events(); break;
        case 'P':
          stop_.store(1, std::memory_order_relaxed);
          parking_.notify_all();
          break;
        case 's': take_a_unit(nullptr, false); break;
        case 'S': take_a_unit(&nooks_[number - 1], false); break;
        case 'M': take_a_unit(&nooks_[number - 1], true); break;
        default: wait_for_event(nooks_[number - 1]); break;
      }
    }
  }
  void finish() { require(!parking_.anyone_sleeps(), "nobody is left in the word"); }

 private:
  struct nook {
    lookout out;
    model_sync::atomic<std::uint32_t> bell{0, "bell"};  // rung by a kick and by the event
    model_sync::atomic<std::uint32_t> event{0, "event"};
  };

  static void ring(nook& at) {
    at.bell.exchange(1, std::memory_order_release);  // as the kernel: neither ringing is lost in the other
    model_sync::futex_wake(at.bell, 1);
  }
  static void kick(void* self, bool all) noexcept {
    auto& me = *static_cast<lookout_scenario*>(self);
    for (std::size_t i = 0; i < me.run_->thieves.size(); ++i) {
      if (!me.nooks_[i].out.call()) continue;
      ring(me.nooks_[i]);
      if (!all) return;
    }
  }
  void ring_for_events() {
    for (std::size_t i = 0; i < run_->thieves.size(); ++i) {
      if (run_->thieves[i].find('N') == std::string::npos) continue;
      nooks_[i].event.store(1, std::memory_order_relaxed);
      ring(nooks_[i]);
    }
  }
  bool sleep(nook* at, bool certain) {
    if (at == nullptr) return parking_.sleep(std::chrono::nanoseconds{certain ? -1 : 1});
    bool called = parking_.sleep_in(at->out, [&]() noexcept {
      if (!certain) return;
      while (at->bell.load(std::memory_order_acquire) == 0) {
        model_sync::futex_wait(at->bell, 0, std::chrono::nanoseconds{-1});
      }
    });
    at->bell.exchange(0, std::memory_order_acquire);  // an event that rang is seen
    return called;
  }
  void take_a_unit(nook* at, bool until_stopped) {
    bool called = false;
    for (;;) {
      std::uint32_t units = work_.load(std::memory_order_relaxed);
      while (units != 0) {
        if (!work_.compare_exchange(units, units - 1, std::memory_order_acquire, std::memory_order_relaxed)) continue;
        if (called && units > 1) parking_.notify_fenced();  // more than one of us may have been called by that
        if (!until_stopped) return;
        units = work_.load(std::memory_order_relaxed);
      }
      if (until_stopped && stop_.load(std::memory_order_relaxed) != 0) return;
      const bool certain = parking_.prepare([] {});
      const bool seen =
          work_.load(std::memory_order_relaxed) != 0 || (until_stopped && stop_.load(std::memory_order_relaxed) != 0);
      if (seen) {
        parking_.cancel();
      } else {
        called = sleep(at, certain) || called;
      }
    }
  }
  // A worker that was called and then has something else to do calls another one first.
  void wait_for_event(nook& at) {
    bool called = false;
    while (at.event.load(std::memory_order_relaxed) == 0) {
      const bool certain = parking_.prepare([] {});
      called = sleep(&at, certain) || called;
    }
    if (!called || Fault == lookout_fault::leaves_call) return;
    if (work_.load(std::memory_order_relaxed) != 0) parking_.notify_fenced();
    if (stop_.load(std::memory_order_relaxed) != 0) parking_.notify_all();
  }

  const verify::run* run_;
  model_sync::atomic<std::uint32_t> work_{0, "work"};
  model_sync::atomic<std::uint32_t> stop_{0, "stop"};
  std::array<nook, most_thieves> nooks_;
  parking parking_;
};

}  // namespace pilfer::model::protocols
