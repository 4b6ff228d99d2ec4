// What follows a task: a task that is launched when it has ended, or a coroutine that awaits it and may be stopped meanwhile.
//
// Scripts    owner: + follow the first task with a second one, p the same, and wait for the second, which may be run here, e await the first in a
//            coroutine, m stop the coroutine. Thieves: s end the first task, M take the second task out of the queue and run it unless it was
//            claimed, b stop the coroutine.
// Properties what follows happens once, after the first task's end: whoever runs it sees the first one's result and that the second was counted;
//            a coroutine is resumed once, whether it was served or stopped; no thread touches the first task after its last use.
// The mailbox stands for a queue, with its edge from push to steal. What is left in it at the end is taken out then.
#pragma once

#include <mutex>
#include <utility>

#include <pilfer/detail/protocol/follower_slot.hpp>

#include "model/model_sync.hpp"
#include "protocols/orders.hpp"
#include "verify/run.hpp"

namespace pilfer::model::protocols {

enum class follow_fault : std::uint8_t {
  none,
  two_holds,       // the follower is put into the slot under another hold of the guard
  not_deferred,    // the second task can be claimed from the beginning
  unguarded_stop,  // the coroutine is stopped without the guard
  left_in_slot,    // a stopped coroutine stays in the slot
  touched_after,   // the thread that has ended the first task looks at its slot once more
};

template <follow_fault Fault = follow_fault::none>
class follow_scenario {
 public:
  explicit follow_scenario(const verify::run& what) : run_(&what) {
    first_ = new (model_sync::allocate(sizeof(first_task), alignof(first_task))) first_task;
    fate_.set(fate::undecided);
    follows_by_task_ = what.owner.find_first_of("+p") != std::string::npos;
    if constexpr (Fault != follow_fault::not_deferred) second_.mark.defer();
  }

  void thread(std::size_t number) {
    const std::string& script = number == 0 ? run_->owner : run_->thieves[number - 1];
    for (std::size_t i = 0; i < script.size(); ++i) {
      phase(i);
      switch (script[i]) {
        case '+': follow_by_task(); break;
        case 'p':
          follow_by_task();
          get();
          break;
        case 'e': await(); break;
        case 's': end_first(); break;
        case 'M': take_entry(); break;
        default: stop(); break;
      }
    }
  }
  void finish() {
    take_entry();
    if (follows_by_task_) {
      require(runs_ == 1, "the second task ran once");
    } else {
      require(went_on_ == 1, "the coroutine was resumed once");
    }
  }

 private:
  struct follower {
    void (*serve)(follow_scenario& all, std::unique_lock<model_sync::mutex>& guard);
  };
  struct first_task {
    model_sync::mutex guard;
    pilfer::detail::follower_slot<model_sync, follower, follower_variable> slot;
    pilfer::detail::claim_mark<model_sync, claim_variable> mark{2};  // its run and its future
    model_sync::cell<int> result;
  };
  struct second_task {
    pilfer::detail::claim_mark<model_sync, claim_variable> mark{1};
    model_sync::cell<int> counted;
    model_sync::atomic<std::uint32_t> done{0, "done"};  // stands for the future's completion
  };
  enum class fate : std::uint8_t { undecided, waits, woken, stopped };

  void end_first() {
    first_task& me = *first_;
    me.result.set(1);
    if (me.slot.tell()) {
      std::unique_lock guard(me.guard);
      if (follower* const next = me.slot.take()) next->serve(*this, guard);
    }
    let_go(me);
    if constexpr (Fault == follow_fault::touched_after) static_cast<void>(me.slot.tell());
  }
  static void let_go(first_task& of) {
    if (!of.mark.let_go()) return;
    of.~first_task();
    model_sync::deallocate(&of, alignof(first_task));
  }

  // True: it is in the slot.
  bool line_up(follower& next) {
    first_task& first = *first_;
    std::unique_lock guard(first.guard);
    if (!first.slot.watch()) return false;
    if constexpr (Fault == follow_fault::two_holds) {
      guard.unlock();
      guard.lock();
    }
    first.slot.put(next);
    return true;
  }

  // As following_task.
  void follow_by_task() {
    if (!line_up(by_task_)) launch();
  }
  void launch() {
    second_.counted.set(1);
    second_.mark.begin();
    mail_.store(&second_, std::memory_order_release);
  }
  void get() {
    while (second_.done.load(std::memory_order_acquire) == 0) {
      if (second_.mark.claim()) {
        run_second();
      } else {
        model_sync::pause();
      }
    }
  }
  void take_entry() {
    if (mail_.load(std::memory_order_relaxed) == nullptr) return;
    second_task* const found = mail_.exchange(nullptr, std::memory_order_acquire);
    if (found != nullptr && found->mark.claim()) run_second();
  }
  void run_second() {
    require(second_.counted.get() == 1, "the second task was counted");
    require(first_->result.get() == 1, "the result is there");
    ++runs_;
    let_go(*first_);  // the second task had the first one's future
    second_.done.store(1, std::memory_order_release);
  }

  // As waiter::begin, of a future_waiter.
  void await() {
    first_task& first = *first_;
    {
      const std::lock_guard guard(first.guard);
      if (fate_.get() == fate::undecided && first.slot.watch()) {
        fate_.set(fate::waits);
        first.slot.put(by_coroutine_);
        return;
      }
      if (fate_.get() == fate::undecided) fate_.set(fate::woken);
    }
    go_on();
  }
  void serve_coroutine(std::unique_lock<model_sync::mutex>& guard) {
    fate_.set(fate::woken);
    guard.unlock();
    go_on();
  }
  // As a stop_callback, whose destructor waits for its call.
  void stop() {
    {
      const std::lock_guard callback(callback_);
      if (has_callback_ && !stop_waiting(*first_)) return;
      if (!std::exchange(has_callback_, false)) return;
    }
    go_on();
  }
  // As waiter::stop.
  bool stop_waiting(first_task& first) {
    std::unique_lock guard(first.guard, std::defer_lock);
    if constexpr (Fault != follow_fault::unguarded_stop) guard.lock();
    const bool waits = fate_.get() == fate::waits;
    if (fate_.get() == fate::woken || fate_.get() == fate::stopped) return false;
    if (waits && Fault != follow_fault::left_in_slot) first.slot.step_out();
    fate_.set(fate::stopped);
    return waits;
  }
  void go_on() {
    {
      const std::lock_guard callback(callback_);
      has_callback_ = false;
    }
    if (fate_.get() == fate::woken) require(first_->result.get() == 1, "the result is there");
    ++went_on_;
    require(went_on_ == 1, "the coroutine was resumed once");
    let_go(*first_);
  }

  const verify::run* run_;
  bool follows_by_task_ = false;
  first_task* first_;
  second_task second_;
  struct named_mail : model_sync::atomic<second_task*> {
    named_mail() noexcept : model_sync::atomic<second_task*>(nullptr, "mail") {}
  } mail_;
  follower by_task_{[](follow_scenario& all, std::unique_lock<model_sync::mutex>& guard) {
    guard.unlock();
    all.launch();
  }};
  follower by_coroutine_{
      [](follow_scenario& all, std::unique_lock<model_sync::mutex>& guard) { all.serve_coroutine(guard); }};
  model_sync::mutex callback_;
  bool has_callback_ = true;
  model_sync::cell<fate> fate_;  // under the guard of the first task
  int runs_ = 0;
  int went_on_ = 0;
};

}  // namespace pilfer::model::protocols
