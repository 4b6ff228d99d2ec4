// Sleep and waking: producers publish work and notify, consumers look, prepare, look again and sleep.
//
// Scripts    thread 0 and every thief may do anything: + publish one unit and notify, s take one unit and sleep until there
//            is one, P (owner) stop everybody, M (thief) take units until everybody is stopped.
// Properties nobody sleeps for ever beside work, or after the stop: that is a deadlock. There are never more calls
//            than sleepers. What the caller did is visible to who was called.
#pragma once

#include "model/model_sync.hpp"
#include "protocols/orders.hpp"
#include "verify/run.hpp"

namespace pilfer::model::protocols {

enum class parking_fault : std::uint8_t {
  none,
  no_light_fence,  // P2 is missing
  no_heavy_fence,  // S2 is missing, where membarrier works
  looks_first,     // S3 before S1
  late_work,       // P3 before P1
};

// Looks at every change of the word.
template <bool Light, bool Heavy>
struct parking_sync : model_sync {
  template <class T>
  class atomic : public model_sync::atomic<T> {
   public:
    using model_sync::atomic<T>::atomic;
    bool compare_exchange(T& expected, T desired, std::memory_order success, std::memory_order failure,
                          const where& site = where::current()) noexcept {
      if constexpr (sizeof(T) == 4) require((desired & 0xffff) <= desired >> 16, "never more calls than sleepers");
      return model_sync::atomic<T>::compare_exchange(expected, desired, success, failure, site);
    }
  };
  static void light_fence() noexcept {
    if constexpr (Light) model_sync::light_fence();
  }
  [[nodiscard]] static bool heavy_fence(const where& site = where::current()) noexcept {
    if constexpr (!Heavy) return true;
    return model_sync::heavy_fence(site);
  }
};

template <parking_fault Fault = parking_fault::none>
class parking_scenario {
  using sync = parking_sync<Fault != parking_fault::no_light_fence, Fault != parking_fault::no_heavy_fence>;

 public:
  explicit parking_scenario(const verify::run& what) : run_(&what) {}

  void thread(std::size_t number) {
    const std::string& script = number == 0 ? run_->owner : run_->thieves[number - 1];
    for (std::size_t i = 0; i < script.size(); ++i) {
      phase(i);
      switch (script[i]) {
        case '+': produce(); break;
        case 'P':
          stop_.store(1, std::memory_order_relaxed);
          parking_.notify_all();
          break;
        default: consume(script[i] == 'M'); break;
      }
    }
  }
  void finish() { require(!parking_.anyone_sleeps(), "nobody is left in the word"); }

 private:
  void produce() {
    if constexpr (Fault == parking_fault::late_work) parking_.notify();
    made_.fetch_add(1, std::memory_order_relaxed);
    work_.fetch_add(1, std::memory_order_release);
    if constexpr (Fault != parking_fault::late_work) parking_.notify();
  }
  void consume(bool until_stopped) {
    for (;;) {
      std::uint32_t units = work_.load(std::memory_order_relaxed);
      while (units != 0) {
        if (!work_.compare_exchange(units, units - 1, std::memory_order_acquire, std::memory_order_relaxed)) continue;
        if (!until_stopped) return;
        units = work_.load(std::memory_order_relaxed);
      }
      if (until_stopped && stop_.load(std::memory_order_relaxed) != 0) return;
      bool seen = false;
      if constexpr (Fault == parking_fault::looks_first) seen = anything(until_stopped);
      const bool certain = parking_.prepare([] {});
      if constexpr (Fault != parking_fault::looks_first) seen = anything(until_stopped);
      if (seen) {
        parking_.cancel();
      } else if (parking_.sleep(std::chrono::nanoseconds{certain ? -1 : 1})) {
        const bool called_for = made_.load(std::memory_order_relaxed) + stop_.load(std::memory_order_relaxed) != 0;
        require(called_for, "who was called sees why");
      }
    }
  }
  [[nodiscard]] bool anything(bool until_stopped) const {
    if (until_stopped && stop_.load(std::memory_order_relaxed) != 0) return true;
    return work_.load(std::memory_order_relaxed) != 0;
  }

  const verify::run* run_;
  model_sync::atomic<std::uint32_t> work_{0, "work"};
  model_sync::atomic<std::uint32_t> made_{0, "made"};
  model_sync::atomic<std::uint32_t> stop_{0, "stop"};
  pilfer::detail::parking<sync, parking_variable> parking_;
};

}  // namespace pilfer::model::protocols
