// How many tasks are unfinished, and those who wait for none to be.
//
// Anyone adds and finishes, anyone waits, several times, with or without a deadline; when a wait has said `done` the object may be
// destroyed at once. So the one who finishes last must be through with it by then: it keeps its count until it has woken the
// sleepers, and gives it back under the lock that a waiter takes once before it leaves.
//
// State        writer             reader   meaning
//   word_      all                all      2 * unfinished + (1: somebody sleeps, or is about to)
//   sleepers_  under the lock     same     who sleeps
//   callers_   under the lock     same     what is to be called when none is unfinished
//   flagged_   under the lock     same     the lowest bit of word_
//   slept_     waiters            waiters  1: somebody has slept here, ever. If not, no finisher has taken the lock
//
// Invariants
//   I1  The lowest bit changes under the lock alone. A finisher that finds its own counts and the bit in word_, and nothing else, is the last one.
//       It takes the lock, wakes the sleepers, and takes off counts and bit together. No other thread can be the last one meanwhile.
//   I2  After its count is off, a finisher touches nothing but the lock it holds. A waiter returns `done` after it has seen 0
//       and, if anybody has ever slept here, has held the lock: everybody who was in it before has left.
//   I3  A waiter is in sleepers_ until it has been called, or has withdrawn under the lock. Its bed may also be woken for another reason:
//       then a call may come on top of it, and the bed keeps one wake-up too many, which its next sleep takes for a reason of its own.
//   I4  A caller is called once, after the count is off and the lock is free: it may destroy the object.
//
// Edges
//   done      finish: RMW of word_  -> is_done, wake_all: load of word_   what the tasks have written is visible
//
// Sources    ours; catalogue 47 (a latch set while its owner's frame goes away).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include <pilfer/detail/protocol/sleeper.hpp>

namespace pilfer::detail {

struct completion_orders {
  static constexpr ext::edge done{};
  static constexpr auto relaxed = std::memory_order_relaxed;
};

template <class Sync, class Orders = completion_orders>
class completion {
 public:
  using mutex_type = typename Sync::mutex;
  using sleeper_type = sleeper<Sync>;
  using clock = std::chrono::steady_clock;

  explicit completion(std::uint32_t unfinished = 0) noexcept : word_(2 * unfinished, "word") {}

  // Before the tasks are published.
  void add(std::uint32_t tasks = 1) noexcept { word_.fetch_add(2 * tasks, Orders::relaxed); }  // carried by the queue
  // After their last instruction. The object may be gone when this returns.
  void finish(std::uint32_t tasks = 1) noexcept {
    std::uint32_t now = word_.load(Orders::relaxed);  // rechecked by the CAS
    while (now != 2 * tasks + 1) {
      if (word_.compare_exchange(now, now - 2 * tasks, Orders::done.rel, Orders::relaxed)) return;  // failure: again
    }
    wake_all(tasks);
  }

  // None is unfinished. Not enough for a destructor: it calls leave(), too.
  [[nodiscard]] bool is_done() const noexcept { return word_.load(Orders::done.acq) == 0; }
  [[nodiscard]] std::size_t unfinished() const noexcept { return word_.load(Orders::relaxed) / 2; }  // hint
  // After is_done(): whoever was here has left.
  void leave() noexcept {
    if (slept_.load(Orders::relaxed) == 0) return;  // carried by done, from who slept over who woke it
    const std::lock_guard lock(mutex_);
  }

  // One thread's sleep. Any thread that knows of the bed may wake it, for a reason of its own, as long as this exists.
  struct waiter {
    sleeper_type bed;
    waiter* next = nullptr;
  };
  // Sleeps until none is unfinished (true; then leave() is not needed), or until the time is over, or until another thread has woken
  // the bed. A negative limit means none.
  bool sleep(std::chrono::nanoseconds limit, waiter& me) noexcept {
    const bool limited = limit.count() >= 0;
    const auto until = limited ? clock::now() + limit : clock::time_point();
    {
      const std::lock_guard lock(mutex_);
      if (!raise_flag()) return true;
      me.next = sleepers_;
      sleepers_ = &me;
    }
    for (;;) {
      const bool called = me.bed.sleep_once(limit);
      if (!called) {
        if (!limited) continue;
        limit = until - clock::now();
        if (limit.count() > 0) continue;
      }
      const std::lock_guard lock(mutex_);
      // No longer in the list: the last finisher has called. That call is over by now; if it was not the one that woke us, it is taken.
      if (!withdraw(me) && !called) me.bed.sleep();
      return is_done();
    }
  }
  // The same without other wake-ups. Returns false if the time ran out.
  bool sleep(std::chrono::nanoseconds limit = std::chrono::nanoseconds{-1}) noexcept {
    const bool limited = limit.count() >= 0;
    const auto until = limited ? clock::now() + limit : clock::time_point();
    waiter me;  // ends after this call has held the lock for the last time: who wakes is through with it by then
    while (!sleep(limit, me)) {
      if (!limited) continue;
      limit = until - clock::now();
      if (limit.count() <= 0) return false;  // not is_done(): without the lock, a finisher may still be in it (I2)
    }
    return true;
  }

  // Called by the thread that finishes the last one.
  struct caller {
    void (*call)(caller& self) noexcept;
    caller* next = nullptr;
  };
  // Returns false if none is unfinished: then it is not called, and the object may be destroyed.
  [[nodiscard]] bool call_when_done(caller& me) noexcept {
    const std::lock_guard lock(mutex_);
    if (!raise_flag()) return false;
    me.next = callers_;
    callers_ = &me;
    return true;
  }

  // For lists of tasks that live beside the count: one lock is enough.
  [[nodiscard]] mutex_type& mutex() noexcept { return mutex_; }

 private:
  // Under the lock. False: none is unfinished.
  bool raise_flag() noexcept {
    for (;;) {
      std::uint32_t now = word_.load(Orders::done.acq);
      if (now == 0) return false;
      if (flagged_) return true;
      slept_.store(1, Orders::relaxed);  // carried by the lock to who wakes us
      flagged_ = word_.compare_exchange(now, now + 1, Orders::relaxed, Orders::relaxed);  // rechecked by the CAS
    }
  }
  // The last one, with sleepers or callers.
  void wake_all(std::uint32_t tasks) noexcept {
    caller* called = nullptr;
    {
      const std::lock_guard lock(mutex_);
      waiter* each = sleepers_;
      sleepers_ = nullptr;
      called = callers_;
      callers_ = nullptr;
      // No waiter reads the word for what is called.
      if (called != nullptr) static_cast<void>(word_.load(Orders::done.acq));
      flagged_ = false;
      while (each != nullptr) {
        waiter* const next = each->next;  // a sleeper that is awake takes this lock before it goes
        each->bed.wake();
        each = next;
      }
      word_.fetch_add(0U - (2 * tasks + 1), Orders::done.rel);
    }
    while (called != nullptr) {
      caller* const next = called->next;
      called->call(*called);
      called = next;
    }
  }
  // Under the lock. False: not there any more.
  bool withdraw(waiter& me) noexcept {
    for (waiter** each = &sleepers_; *each != nullptr; each = &(*each)->next) {
      if (*each != &me) continue;
      *each = me.next;
      return true;
    }
    return false;
  }

  // 64 bytes, with a mutex of 40.
  typename Sync::template atomic<std::uint32_t> word_;
  typename Sync::template atomic<std::uint8_t> slept_{0, "slept"};
  bool flagged_ = false;
  mutex_type mutex_;
  waiter* sleepers_ = nullptr;
  caller* callers_ = nullptr;
};

}  // namespace pilfer::detail
