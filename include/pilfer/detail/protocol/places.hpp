// The places of a pool: which of its members work, which are spare, and which sleep in a wait.
//
// A pool has a number of places. A member that works, or looks for work, is active and holds one. A member that is about to sleep
// gives its place up: a spare member takes it, or a new thread. Where no thread can be made the place stays vacant. As long as
// other members are active they run what is queued. When none is, a member that sleeps in a wait is recalled: it runs something that
// it does not wait for, and sleeps again.
//
// Events   W1 give up the place, refused, none active   W2 rest, if the members may be recalled   W3 look for work   W4 sleep
//          Q1 publish work   Q2 offer the place: refused, none active; recall one that rests
// Claim    W3 misses Q1 and Q2 misses W2: never both. So work that is published from outside is seen by a member that is about to
//          sleep, or recalls one that sleeps.
// Reason   W1 with W2, and Q2, hold the mutex. If Q2 comes first, Q1 happened before W3. Otherwise Q2 finds the member at rest.
//          A member that publishes work in its own queue is active. It runs that work itself, or it comes to W3 later.
//          A thread that ceases to be active and does not rest offers its place if there is work: others have relied on it.
// Code     W in rest.cpp, Q in intake.cpp, and of such a thread in visitors.cpp leave() and in begin_blocking().
// Checked  `pilfer verify places`; its faults look before they rest, offer before they publish, and so on.
//
// State        writer            reader   meaning
//   active_    under the mutex,  all      members that hold a place; a hint without the mutex
//              or +1 by a member that comes back
//   places_    under the mutex   all      how many may be active; a hint without the mutex
//   spares_    under the mutex   same     members that sleep in their attic: each was active before, and is counted again by its waker
//   resting_   under the mutex   same     members that sleep in a wait, the newest first
//   blocked_   as active_        all      members that sleep in a wait or block; a hint without the mutex
//   calls_     +1 by a waker,   all      members that were called or made and have not begun to look for work; a hint
//              -1 by the member
//   recalled   under the mutex   same     of a member at rest: it was counted as active and woken
//
// Invariants
//   I1  A member that is woken, out of its attic or out of a wait, has been counted as active by its waker: no second one is woken
//       for the same place.
//   I2  A member's bed is touched by others only under the mutex and while it rests. So the bed may be part of the wait's frame.
//
// Edges
//   none: the mutex orders what decides, and every atomic access is relaxed. Without it end_block may count; a late count offers a
//         place too many, which does no harm.
//
// Sources    ours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

#include <pilfer/detail/protocol/sleeper.hpp>

namespace pilfer::detail {

struct places_orders {
  static constexpr auto relaxed = std::memory_order_relaxed;
};

template <class Sync, class Orders = places_orders>
class places {
 public:
  using mutex_type = typename Sync::mutex;
  using sleeper_type = sleeper<Sync>;
  static constexpr unsigned unfit = ~0U;  // as a depth: the member cannot run anything more on its stack

  // What the pool knows of one member.
  class member {
   public:
    [[nodiscard]] bool is_blocked() const noexcept { return blocked_ != 0; }

   private:
    friend class places;
    sleeper_type attic_;
    sleeper_type* bed_ = nullptr;  // of the wait that it sleeps in; null: none
    member* older_ = nullptr;      // in one of the lists
    member* newer_ = nullptr;
    unsigned depth_ = 0;
    unsigned blocked_ = 0;  // waits and blocking regions that its thread is in; by its own thread
    bool recalled_ = false;
  };

  explicit places(std::size_t count) noexcept : places_(count, "places") {}

  [[nodiscard]] mutex_type& mutex() const noexcept { return mutex_; }

  // Hints: a caller that acts on one of them looks again under the mutex, or after a fence.
  [[nodiscard]] std::size_t count() const noexcept { return places_.load(Orders::relaxed); }      // hint
  [[nodiscard]] std::ptrdiff_t active() const noexcept { return active_.load(Orders::relaxed); }  // hint
  [[nodiscard]] bool is_surplus() const noexcept { return active() > static_cast<std::ptrdiff_t>(count()); }
  // Is there a member whose queue may hold work, and which is neither active nor spare?
  [[nodiscard]] bool anyone_blocked() const noexcept { return blocked_.load(Orders::relaxed) > 0; }  // hint
  [[nodiscard]] bool has_vacancy() const noexcept { return active() < static_cast<std::ptrdiff_t>(count()); }

  // --- Under the mutex.
  void resize(std::size_t count) noexcept { places_.store(count, Orders::relaxed); }                 // guarded
  void count_active(std::ptrdiff_t change) noexcept { active_.fetch_add(change, Orders::relaxed); }  // hint, or guarded
  [[nodiscard]] bool has_spares() const noexcept { return spares_ != nullptr; }
  [[nodiscard]] bool anyone_rests() const noexcept { return resting_ != nullptr; }
  // A member is on its way: a thread that is made, until it begins, as a spare one that is called. Not only under the mutex.
  void count_call(std::ptrdiff_t change) noexcept { calls_.fetch_add(change, Orders::relaxed); }  // hint
  // A spare member takes a place. Returns false if there is none.
  bool call_spare() noexcept {
    member* const called = spares_;
    if (called == nullptr) return false;
    spares_ = called->older_;
    count_active(1);
    count_call(1);
    called->attic_.wake();
    return true;
  }
  // A vacant place goes to a spare member, or to the thread that `start` makes (which counts itself), or, if no member is
  // active, to one that rests. Returns false if it stays vacant.
  template <class Start>
  bool offer_locked(Start&& start) noexcept {
    if (!has_vacancy() || call_spare() || start()) return true;
    return active() <= 0 && recall();
  }
  // The active member becomes spare. Its thread calls sleep_as_spare() after it has released the mutex.
  void retire(member& self) noexcept {
    count_active(-1);
    push(spares_, self);
  }
  // For shutdown: all spare members.
  void call_spares() noexcept {
    while (call_spare()) {
    }
  }

  // --- Without the mutex.
  // By the thread of a member that has retired: it sleeps until another thread has counted it as active.
  void sleep_as_spare(member& self) noexcept {
    self.attic_.sleep();
    count_call(-1);
  }

  // What became of the place of a member that is about to sleep.
  enum class vacated : std::uint8_t {
    taken,    // by another member, or other members hold as many as there are
    refused,  // no thread could be made; other members are active
    alone     // the same, and no member is active
  };
  // How the thread of a member is about to sleep.
  struct block {
    sleeper_type* bed = nullptr;  // where it may be recalled from; null: it blocks in a call that is not ours
    unsigned depth = 0;           // how much lies on its stack; the least deep member is recalled first
    // Another member is called or made even if no place is vacant: the sleep is short, and a thread that repeats it would otherwise
    // find the other places taken by threads that do the same, for ever if the machine is busy. One call at a time is enough: the member
    // looks for work when it gets a processor.
    bool calls_another = false;
  };
  // W1, W2.
  template <class Start>
  [[nodiscard]] vacated begin_block(member& self, const block& how, Start&& start) noexcept {
    const std::lock_guard lock(mutex_);
    if (self.blocked_++ == 0) {
      count_active(-1);
      blocked_.fetch_add(1, Orders::relaxed);  // hint, or guarded
    }
    const bool wants_another = how.calls_another && calls_.load(Orders::relaxed) <= 0;  // hint
    const bool taken = (!has_vacancy() && !wants_another) || call_spare() || start();
    if (how.bed != nullptr) {
      self.bed_ = how.bed;
      self.depth_ = how.depth;
      self.recalled_ = false;
      push(resting_, self);
    }
    if (taken) return vacated::taken;
    return active() <= 0 ? vacated::alone : vacated::refused;
  }
  // Returns true if the member was recalled.
  bool end_block(member& self) noexcept {
    if (self.bed_ == nullptr) {  // own variable, unless it rests
      if (--self.blocked_ == 0) {
        count_active(1);
        blocked_.fetch_add(-1, Orders::relaxed);  // hint
      }
      return false;
    }
    const std::lock_guard lock(mutex_);
    remove(self);
    self.bed_ = nullptr;
    const bool last = --self.blocked_ == 0;
    if (last != self.recalled_) count_active(last ? 1 : -1);  // a recalled member has been counted: I1
    if (last) blocked_.fetch_add(-1, Orders::relaxed);        // guarded
    return self.recalled_;
  }

 private:
  static void push(member*& list, member& fresh) noexcept {
    fresh.newer_ = nullptr;
    fresh.older_ = list;
    if (list != nullptr) list->newer_ = &fresh;
    list = &fresh;
  }
  void remove(member& one) noexcept {
    (one.newer_ != nullptr ? one.newer_->older_ : resting_) = one.older_;
    if (one.older_ != nullptr) one.older_->newer_ = one.newer_;
  }
  // Wakes the least deep member at rest that was not recalled before. Returns false if there is none.
  bool recall() noexcept {
    member* chosen = nullptr;
    for (member* each = resting_; each != nullptr; each = each->older_) {
      if (each->recalled_ || each->depth_ == unfit) continue;
      if (chosen == nullptr || each->depth_ < chosen->depth_) chosen = each;
    }
    if (chosen == nullptr) return false;
    chosen->recalled_ = true;
    count_active(1);
    chosen->bed_->wake();  // I2
    return true;
  }

  mutable mutex_type mutex_;
  typename Sync::template atomic<std::size_t> places_;
  typename Sync::template atomic<std::ptrdiff_t> active_{0, "active"};
  typename Sync::template atomic<std::ptrdiff_t> blocked_{0, "blocked"};
  typename Sync::template atomic<std::ptrdiff_t> calls_{0, "calls"};
  member* spares_ = nullptr;
  member* resting_ = nullptr;
};

}  // namespace pilfer::detail
