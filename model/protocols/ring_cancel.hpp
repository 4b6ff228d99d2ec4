// Operations in a ring, told to stop by another thread.
//
// Scripts    owner: + place an operation, e submit what was placed, m sleep in the ring until all operations have ended, taking what comes. Thieves: s, S request
//            the stop of the first, the second operation; T the device completes the first operation, when the kernel has it and nobody has cancelled it; b the
//            kernel tries the first operation once more in vain, and does not find it meanwhile; - take the completions that are there, N until all operations have ended; M the same,
//            and send cancellations again, as a worker does that looks after the ring of another.
// Properties each operation is resumed once, with its only completion; then nobody touches it, nor its buffer; one that was told to stop ends, even if its owner
//            has left for another place after it has submitted: otherwise its taker waits for ever.
// The kernel is a mutex: system calls are ordered. Its completion queue is what it is, a tail that it publishes.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>

#include "model/model_sync.hpp"
#include "protocols/orders.hpp"
#include "verify/run.hpp"

namespace pilfer::model::protocols {

enum class ring_fault : std::uint8_t {
  none,
  callback_unawaited,  // the taker of a completion does not wait for the callback that asks
  left_listed,         // the taker leaves the operation in the list
  kick_forgotten,      // a thread that takes the owner's kick leaves no note
  not_found_is_sent,   // what the kernel does not find counts as cancelled
  no_kick,             // the asker leaves the operation to the owner, and does not wake it
  asker_resumes,       // the asker resumes the operation, without its completion
};

template <ring_fault Fault = ring_fault::none>
class ring_scenario {
  static constexpr std::size_t most = 2;

  // A member of an operation that the checker sees.
  template <class T>
  class seen {
   public:
    explicit seen(T value) { cell_.set(value); }
    operator T() const { return cell_.get(); }  // NOLINT(google-explicit-constructor): as the member that it stands for
    T operator->() const { return cell_.get(); }
    seen& operator=(T value) {
      cell_.set(value);
      return *this;
    }

   private:
    model_sync::cell<T> cell_;
  };
  struct operation {
    explicit operation(std::size_t which) : number(which) {}
    const std::size_t number;
    seen<std::uint64_t> serial{0};
    seen<operation*> next{nullptr};
    seen<operation*> before{nullptr};
    seen<bool> listed{false};
    seen<bool> cancel_wanted{false};
    seen<int> buffer{0};
  };

 public:
  explicit ring_scenario(const verify::run& what) : run_(&what) {
    total_ = static_cast<std::size_t>(std::count(what.owner.begin(), what.owner.end(), '+'));
  }

  void thread(std::size_t number) {
    const std::string& script = number == 0 ? run_->owner : run_->thieves[number - 1];
    for (std::size_t i = 0; i < script.size(); ++i) {
      phase(i);
      switch (script[i]) {
        case '+': place(); break;
        case 'e': submit(); break;
        case 'm': sleep_until_all_ended(); break;
        case 's': request_stop(0); break;
        case 'S': request_stop(1); break;
        case 'T': kernel_complete(0); break;
        case 'b': kernel_try_again(0); break;
        case '-': take(false); break;
        case 'N': take_until_all_ended(false); break;
        case 'M': take_until_all_ended(true); break;
        default: break;
      }
    }
  }
  void finish() {
    for (std::size_t i = 0; i < total_; ++i) require(resumed_[i] == 1, "each operation is resumed once");
  }

 private:
  static constexpr std::uint32_t kick_mark = 99;
  static constexpr std::uint32_t room = 8;
  enum class in_kernel : std::uint8_t { not_yet, taken, between, done };

  // --- The kernel.

  // Under its mutex.
  void post(std::uint32_t whose) {
    const std::uint32_t tail = posted_++;
    require(tail < room, "the completion queue has room");
    entries_[tail].set(whose);
    tail_.store(tail + 1, std::memory_order_release);
    model_sync::futex_wake(tail_, 2);
  }
  void kernel_take_all() {
    const std::lock_guard lock(kernel_);
    for (std::size_t i = 0; i < placed_; ++i) {
      if (state_[i] == in_kernel::not_yet) state_[i] = in_kernel::taken;
    }
  }
  bool kernel_cancel(std::size_t which) {
    const std::lock_guard lock(kernel_);
    if (state_[which] != in_kernel::taken) return false;
    state_[which] = in_kernel::done;
    post(static_cast<std::uint32_t>(which));
    return true;
  }
  void kernel_complete(std::size_t which) {
    const std::lock_guard lock(kernel_);
    if (state_[which] != in_kernel::taken) return;
    operations_[which]->buffer = 1;
    state_[which] = in_kernel::done;
    post(static_cast<std::uint32_t>(which));
  }
  void kernel_try_again(std::size_t which) {
    {
      const std::lock_guard lock(kernel_);
      if (state_[which] != in_kernel::taken) return;
      state_[which] = in_kernel::between;
    }
    const std::lock_guard lock(kernel_);
    state_[which] = in_kernel::taken;
  }
  void kick() {
    if constexpr (Fault == ring_fault::no_kick) return;
    const std::lock_guard lock(kernel_);
    post(kick_mark);
  }
  [[nodiscard]] auto sender() {
    return [this](operation& whom) {
      const bool found = kernel_cancel(whom.number);
      return found || Fault == ring_fault::not_found_is_sent;
    };
  }

  // --- The stop_callback: its destructor waits for a call that runs.

  void request_stop(std::size_t which) {
    const std::lock_guard lock(stops_[which]);
    stopped_[which] = true;
    operation* const whom = watched_[which];
    if (whom != nullptr) ask(*whom);
  }
  void watch(operation& one) {
    const std::lock_guard lock(stops_[one.number]);
    watched_[one.number] = &one;
    if (stopped_[one.number]) ask(one);
  }
  void unwatch(std::size_t which) {
    if constexpr (Fault == ring_fault::callback_unawaited) {
      watched_[which] = nullptr;
      return;
    }
    const std::lock_guard lock(stops_[which]);
    watched_[which] = nullptr;
  }
  void ask(operation& one) {
    if (!cancels_.ask(one, sender())) {
      kick();
    } else if constexpr (Fault == ring_fault::asker_resumes) {
      watched_[one.number] = nullptr;
      resume(one);
    }
  }

  // --- As in src/io/ring.cpp.

  void place() {
    const std::size_t number = placed_;
    auto* const one = new (model_sync::allocate(sizeof(operation), alignof(operation))) operation(number);
    operations_[number] = one;
    one->serial = number;
    watch(*one);
    ++placed_;
  }
  void submit() {
    kernel_take_all();
    cancels_.submitted(placed_, sender());
  }
  void sleep_until_all_ended() {
    for (;;) {
      take(true);
      if (ended_.load(std::memory_order_relaxed) == total_) return;
      sleep();
    }
  }
  void sleep() {
    bool again = false;
    if (cancels_.any()) {
      submit();
      again = cancels_.any();
    }
    while (!lock_.try_lock()) model_sync::pause();
    const std::uint32_t tail = tail_.load(std::memory_order_acquire);
    if (!lock_.take_kick() && tail == head_.load(std::memory_order_relaxed)) {
      kernel_take_all();
      model_sync::futex_wait(tail_, tail, std::chrono::nanoseconds{again ? 1 : -1});
    }
    lock_.unlock();
    cancels_.submitted(placed_, sender());
  }
  void take_until_all_ended(bool sends_again) {
    while (ended_.load(std::memory_order_relaxed) != total_) {
      const std::uint32_t tail = tail_.load(std::memory_order_acquire);
      if (sends_again && cancels_.any()) cancels_.send_again(sender());
      if (take(false) != 0) continue;
      if (ended_.load(std::memory_order_relaxed) == total_) return;
      // A worker that looks after others sleeps for some milliseconds at most.
      if (tail_.load(std::memory_order_relaxed) == tail) {
        model_sync::futex_wait(tail_, tail, std::chrono::nanoseconds{sends_again ? 1 : -1});
      }
    }
  }
  std::size_t take(bool by_owner) {
    if (tail_.load(std::memory_order_acquire) == head_.load(std::memory_order_acquire) || !lock_.try_lock()) return 0;
    std::array<std::uint32_t, room> come{};
    std::size_t count = 0;
    std::size_t taken = 0;
    std::uint32_t head = head_.load(std::memory_order_relaxed);
    const std::uint32_t tail = tail_.load(std::memory_order_acquire);
    for (; head != tail; ++head, ++taken) {
      const std::uint32_t whose = entries_[head].get();
      if (whose == kick_mark) {
        if (!by_owner && Fault != ring_fault::kick_forgotten) lock_.note_kick();
        continue;
      }
      come[count++] = whose;
    }
    head_.store(head, std::memory_order_release);
    lock_.unlock();
    for (std::size_t i = 0; i < count; ++i) end(come[i]);
    return taken;
  }
  void end(std::size_t which) {
    operation& one = *operations_[which];
    unwatch(which);
    if constexpr (Fault != ring_fault::left_listed) static_cast<void>(cancels_.withdraw(one));
    resume(one);
  }
  void resume(operation& one) {
    ++resumed_[one.number];
    static_cast<void>(static_cast<int>(one.buffer));
    one.~operation();
    model_sync::deallocate(&one, alignof(operation));
    if (ended_.fetch_add(1, std::memory_order_relaxed) + 1 != total_) return;
    // Those that wait for this sleep no longer. In a pool that is parking's matter.
    const std::lock_guard lock(kernel_);
    post(kick_mark);
  }

  const verify::run* run_;
  std::size_t total_ = 0;
  pilfer::detail::ring_cancel<model_sync, operation, ring_variable> cancels_;
  pilfer::detail::ring_lock<model_sync, ring_variable> lock_;
  model_sync::atomic<std::uint32_t> head_{0, "head"};
  model_sync::atomic<std::uint32_t> tail_{0, "tail"};
  model_sync::atomic<std::uint32_t> ended_{0, "ended"};
  std::array<model_sync::cell<std::uint32_t>, room> entries_;
  model_sync::mutex kernel_;
  std::array<model_sync::mutex, most> stops_;
  std::array<bool, most> stopped_{};
  std::array<operation*, most> watched_{};
  std::array<operation*, most> operations_{};
  std::array<in_kernel, most> state_{};
  std::array<int, most> resumed_{};
  std::size_t placed_ = 0;
  std::uint32_t posted_ = 0;
};

}  // namespace pilfer::model::protocols
