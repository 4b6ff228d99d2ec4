// Sleepers that wait for something else, too: beside those on the word.
//
// Scripts    owner: + publish one unit and notify, P stop everybody. Thieves: s take one unit, asleep on the word until there is one; S the
//            same, asleep in a lookout; T lie down in a lookout and get up at once, because something else has come, and pass a call on;
//            M as S, until everybody is stopped.
// Properties nobody sleeps for ever beside work, or after the stop: that is a deadlock. Who was called sees why.
#pragma once

#include <array>

#include "model/model_sync.hpp"
#include "protocols/orders.hpp"
#include "verify/run.hpp"

namespace pilfer::model::protocols {

enum class lookout_fault : std::uint8_t {
  none,
  no_kick,      // who calls wakes those on the word only
  leaves_call,  // who gets up by itself passes no call on
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
          made_.fetch_add(1, std::memory_order_relaxed);
          work_.fetch_add(1, std::memory_order_release);
          parking_.notify();
          break;
        case 'P':
          stop_.store(1, std::memory_order_relaxed);
          parking_.notify_all();
          break;
        case 's': take_a_unit(nullptr, false); break;
        case 'S': take_a_unit(&nooks_[number - 1], false); break;
        case 'M': take_a_unit(&nooks_[number - 1], true); break;
        default: get_up_at_once(nooks_[number - 1]); break;
      }
    }
  }
  void finish() { require(!parking_.anyone_sleeps(), "nobody is left in the word"); }

 private:
  struct nook {
    lookout out;
    model_sync::atomic<std::uint32_t> bell{0, "bell"};  // rung by a kick
  };

  static void kick(void* self, bool all) noexcept {
    auto& me = *static_cast<lookout_scenario*>(self);
    for (std::size_t i = 0; i < me.run_->thieves.size(); ++i) {
      if (!me.nooks_[i].out.call()) continue;
      me.nooks_[i].bell.store(1, std::memory_order_relaxed);
      model_sync::futex_wake(me.nooks_[i].bell, 1);
      if (!all) return;
    }
  }
  bool sleep(nook* at, bool certain) {
    const std::chrono::nanoseconds limit{certain ? -1 : 1};
    bool called = false;
    if (at == nullptr) {
      called = parking_.sleep(limit);
    } else {
      called = parking_.sleep_in(at->out, [&]() noexcept {
        if (at->bell.load(std::memory_order_relaxed) == 0) model_sync::futex_wait(at->bell, 0, limit);
      });
      at->bell.store(0, std::memory_order_relaxed);
    }
    if (called) {
      const bool called_for = made_.load(std::memory_order_relaxed) + stop_.load(std::memory_order_relaxed) != 0;
      require(called_for, "who was called sees why");
    }
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
  void get_up_at_once(nook& at) {
    static_cast<void>(parking_.prepare([] {}));
    const bool called = parking_.sleep_in(at.out, []() noexcept {});
    if (!called || Fault == lookout_fault::leaves_call) return;
    if (work_.load(std::memory_order_relaxed) != 0) parking_.notify_fenced();
    if (stop_.load(std::memory_order_relaxed) != 0) parking_.notify_all();
  }

  const verify::run* run_;
  model_sync::atomic<std::uint32_t> work_{0, "work"};
  model_sync::atomic<std::uint32_t> made_{0, "made"};
  model_sync::atomic<std::uint32_t> stop_{0, "stop"};
  std::array<nook, most_thieves> nooks_;
  parking parking_;
};

}  // namespace pilfer::model::protocols
