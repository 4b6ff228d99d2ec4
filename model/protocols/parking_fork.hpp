// The combination that the default pool ships: forks on a fork_deque, whose owner looks at its bounds and not at the
// sleepers' word; a thief that goes to sleep takes the bounds away first.
//
// Scripts    owner: + fork, - join; the forks that are left at the end are for the thieves, one each. Thief: s gets one item,
//            and sleeps while there is none; if it is private, it asks first and then exposes it by itself. S: without asking.
// Property   no thief sleeps for ever beside an item that its owner does not take: that is a deadlock.
#pragma once

#include <array>

#include <pilfer/queue/fork_deque.hpp>

#include "protocols/parking.hpp"
#include "verify/fork_orders.hpp"

namespace pilfer::model::protocols {

enum class sleeping_fault : std::uint8_t {
  none,
  no_light_fence,
  no_heavy_fence,
  no_request,           // S1, S2 without a word to the owner
  request_after_fence,  // the request follows S2
  no_notify,            // the owner exposes and wakes nobody
  no_relay,             // who was called asks again for the others at once, and looks no more
};

template <sleeping_fault Fault = sleeping_fault::none>
class parking_fork_scenario {
  using sync = parking_sync<Fault != sleeping_fault::no_light_fence, Fault != sleeping_fault::no_heavy_fence>;
  using deque = queue::fork_deque<std::uint32_t, sync, verify::fork_variable, 2048>;

 public:
  explicit parking_fork_scenario(const verify::run& what) : run_(&what), deque_(what.size) {}

  void thread(std::size_t number) {
    const std::string& script = number == 0 ? run_->owner : run_->thieves[number - 1];
    for (std::size_t i = 0; i < script.size(); ++i) {
      phase(i);
      if (number != 0) {
        took(hunt(script[i] == 's'));
      } else if (script[i] == '+') {
        fork();
      } else {
        join();
      }
    }
  }
  void finish() {
    while (deque_.cursor() != bottom_) join();
    for (std::uint32_t x = 1; x <= pushed_; ++x) require(taken_[x] == 1, "each item is taken once");
    require(!parking_.anyone_sleeps(), "nobody is left in the word");
  }

 private:
  // As deque_lane::fork and join.
  void fork() {
    auto* const at = deque_.cursor();
    if (deque_.push_at(at, ++pushed_)) return;
    const auto [next, exposed] = deque_.look_up_after_push(at);
    require(next != at, "there is room");
    if (exposed == 0 || Fault == sleeping_fault::no_notify) return;
    sync::fence(std::memory_order_seq_cst);
    parking_.notify_after_fence();
  }
  void join() {
    auto* const at = deque_.cursor() - 1;
    if (!deque_.pop_at(at)) {
      const auto [outcome, exposed] = deque_.look_up_before_pop(at);
      if (exposed != 0 && Fault != sleeping_fault::no_notify) {
        sync::fence(std::memory_order_seq_cst);
        parking_.notify_after_fence();
      }
      if (outcome == deque::pop_outcome::stolen) return;
    }
    took(at->load(std::memory_order_relaxed));
  }

  [[nodiscard]] std::uint32_t hunt(bool asks) {
    bool called = false;
    for (;;) {
      const auto got = deque_.thief().steal();
      if (got) {
        if (called && Fault != sleeping_fault::no_relay) relay();
        return *got;
      }
      if (got.status() == ext::steal_status::empty) {
        called = park() || called;
      } else if (got.status() == ext::steal_status::private_work) {
        if (asks) {
          deque_.request();
        } else if (deque_.seize() == 0) {
          sync::pause();
        }
        asks = false;
      }
    }
  }
  // The answer to a request is everybody's, and calls one only: who was called asks again for the others, and calls the next
  // if there is more already.
  void relay() {
    if (!parking_.anyone_sleeps()) return;
    deque_.request();
    static_cast<void>(sync::heavy_fence());  // refused: the owner always looks up, and the request's own fence serves
    if (deque_.has_items()) parking_.notify_after_fence();
  }
  // True: it was called.
  bool park() {
    const bool certain = parking_.prepare([&] {
      if constexpr (Fault != sleeping_fault::no_request && Fault != sleeping_fault::request_after_fence)
        deque_.request();
    });
    if constexpr (Fault == sleeping_fault::request_after_fence) deque_.request();
    if (deque_.has_items()) {
      parking_.cancel();
      return false;
    }
    if (!parking_.sleep(std::chrono::nanoseconds{certain ? -1 : 1})) return false;
    if (Fault == sleeping_fault::no_relay && parking_.anyone_sleeps()) deque_.request();
    return true;
  }
  void took(std::uint32_t x) {
    require(x >= 1 && x <= pushed_, "an item that was pushed");
    ++taken_[x];
  }

  const verify::run* run_;
  deque deque_;
  typename deque::slot* const bottom_ = deque_.cursor();
  pilfer::detail::parking<sync, parking_variable> parking_;
  std::uint32_t pushed_ = 0;
  std::array<unsigned, 8> taken_{};
};

}  // namespace pilfer::model::protocols
