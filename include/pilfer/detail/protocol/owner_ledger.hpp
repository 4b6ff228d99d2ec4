// What the owner of a group keeps of the group's tasks without a lock: a list of those it has spawned, and how many of the group's count
// are the count of no task.
//
// The owner is one worker. It enters the ledger with a store, a compiler barrier and a load. Any other thread closes the ledger first, which costs
// that thread a membarrier. As long as the ledger is closed the owner counts and lists its tasks as all other threads do, under the group's lock.
// A task that a thief takes out of a queue stays in the list; the owner, or a closer, drops it when it comes across it.
//
// State        writer                      reader    meaning
//   inside_    owner                       closers   1: the owner is in the ledger, or is about to look whether it may be
//   closed_    closers                     owner     1: the owner may not enter
//   newest_    owner inside, else closers  same      the list of tasks, each with the list as one of its uses
//   oldest_    owner inside, else closers  same      its other end
//   epoch_     closers                     owner     how often it was closed: a task that was listed before is in the group's list now
//   credits_   owner inside, else closers  all       what the group counts and no task stands for; others read a hint
//
// Invariants
//   I1  The owner is inside only after it has found closed_ to be 0, and it has stored inside_ before that.
//   I2  A closer holds the group's lock in close() and open(). Between the two the owner does not enter.
//   I3  The group's count is at least the number of unfinished tasks and credits_ together: so it is 0 only when no task is unfinished.
//   I4  The thread that unlinks a task drops the list's use of it. The owner need not if nothing else refers to the task.
//
// Edges
//   leave    leave: store of inside_ -> close: load of inside_     what the owner has written is visible to the closer
//   reopen   open: store of closed_  -> enter: load of closed_     what closers have written is visible to the owner
//   dekker   enter: inside_, light fence, closed_ || close: closed_, heavy fence, inside_    not both miss the other
//
// Where the kernel refuses membarrier both sides execute a full fence.
//
// Sources    a lock with a bias to one thread: Dice, Moir and Scherer 2003; credits for a distributed count: Mattern 1989; together, and
//            for lists: ours.
#pragma once

#include <cstdint>

#include <pilfer/detail/protocol/completion.hpp>
#include <pilfer/ext/sync.hpp>

namespace pilfer::detail {

struct ledger_orders {
  static constexpr ext::edge leave{};
  static constexpr ext::edge reopen{};
  static constexpr auto dekker = std::memory_order_seq_cst;  // the fences, where membarrier is refused
  static constexpr auto relaxed = std::memory_order_relaxed;
};

// A Task has links newer and older, which are cells, and
//   bool is_claimed() const, bool try_mark()      as claim_mark's
//   void begin_listed(epoch)                      before it can be seen: the list is one more of its uses
//   std::uint32_t listed_in() const               that epoch
//   void end_listed()                             the list does not refer to it any more; this may destroy the task
// CreditsAtOnce: how many the owner takes, and gives back, by one change of the group's count. It never has more.
template <class Sync, class Task, class Orders = ledger_orders, class Count = completion<Sync>,
          std::uint32_t CreditsAtOnce = 1024>
class owner_ledger {
 public:
  struct contents {
    Task* newest = nullptr;  // null: the list is empty
    Task* oldest = nullptr;
    std::uint32_t credits = 0;  // for the caller to take off the group's count, when it has given back the lock
  };

  explicit owner_ledger(Count& left, bool asymmetric = Sync::asymmetric_fences()) noexcept
      : left_(left), light_(asymmetric) {
    newest_.set(nullptr);
    oldest_.set(nullptr);
    epoch_.set(0);
  }

  // The owner's. Each of them returns false, and has done nothing, if the ledger is closed.

  // Counts a task, which no other thread can see yet, and lists it.
  [[nodiscard]] bool spawn(Task& fresh) noexcept {
    if (!enter()) [[unlikely]]
      return false;
    const std::uint32_t credits = credits_.load(Orders::relaxed);  // own variable
    if (credits != 0) [[likely]] {
      credits_.store(credits - 1, Orders::relaxed);  // carried by leave
    } else {
      left_.add(CreditsAtOnce);
      credits_.store(CreditsAtOnce - 1, Orders::relaxed);  // carried by leave
    }
    if (Task* const oldest = oldest_.get(); oldest != nullptr && oldest->is_claimed()) [[unlikely]]
      drop_oldest();
    fresh.begin_listed(epoch_.get());
    Task* const newest = newest_.get();
    fresh.older.set(newest);
    fresh.newer.set(nullptr);
    (newest != nullptr ? newest->newer : oldest_).set(&fresh);
    newest_.set(&fresh);
    leave();
    return true;
  }
  // Unlinks a task that was listed here and that the caller has claimed. The caller drops the list's use. Returns false, too, if it is here no more.
  [[nodiscard]] bool unlink(Task& claimed) noexcept {
    if (!enter()) [[unlikely]]
      return false;
    const bool is_here = claimed.listed_in() == epoch_.get();
    if (is_here) [[likely]]
      remove(claimed);
    leave();
    return is_here;
  }
  // A task of the group has ended. The group may be gone when this returns true.
  [[nodiscard]] bool finish() noexcept {
    if (!enter()) [[unlikely]]
      return false;
    const std::uint32_t credits = credits_.load(Orders::relaxed);  // own variable
    if (credits < CreditsAtOnce) [[likely]] {
      credits_.store(credits + 1, Orders::relaxed);  // carried by leave
      leave();
      return true;
    }
    credits_.store(credits - CreditsAtOnce, Orders::relaxed);  // carried by leave
    leave();
    left_.finish(CreditsAtOnce);  // the caller's task is still counted
    return finish();
  }
  // Gives the credits back to the group's count.
  bool settle() noexcept {
    if (!enter()) return false;
    const std::uint32_t credits = credits_.load(Orders::relaxed);  // own variable
    credits_.store(0, Orders::relaxed);                            // carried by leave
    leave();
    if (credits != 0) left_.finish(credits);
    return true;
  }
  // Returns the newest task that no thread has claimed, claimed for the caller and unlinked. Null if there is none, or if the ledger is closed.
  [[nodiscard]] Task* take_newest() noexcept {
    if (!enter()) return nullptr;
    Task* found = newest_.get();
    while (found != nullptr && !found->try_mark()) {
      Task* const older = found->older.get();
      drop(*found);
      found = older;
    }
    if (found != nullptr) drop(*found);
    leave();
    return found;
  }
  // Drops all tasks that have been claimed.
  void drop_claimed() noexcept {
    if (!enter()) return;
    for (Task* each = newest_.get(); each != nullptr;) {
      Task* const older = each->older.get();
      if (each->is_claimed()) drop(*each);
      each = older;
    }
    leave();
  }

  // Closers'. All under the group's lock.

  // Keeps the owner out from now on, and returns what was in the ledger. `is_owner`: the caller is the owner, or the group has no owner.
  [[nodiscard]] contents close(bool is_owner) noexcept {
    closed_.store(1, Orders::relaxed);  // end of dekker
    if (!is_owner) {
      if (light_) {
        while (!Sync::heavy_fence()) Sync::pause();  // refused for want of memory: again
      } else {
        Sync::fence(Orders::dekker);
      }
      while (inside_.load(Orders::leave.acq) != 0) Sync::pause();
    }
    const contents all{.newest = newest_.get(),
                       .oldest = oldest_.get(),
                       .credits = credits_.load(Orders::relaxed)};  // carried by leave
    newest_.set(nullptr);
    oldest_.set(nullptr);
    epoch_.set(epoch_.get() + 1);
    credits_.store(0, Orders::relaxed);  // carried by reopen
    return all;
  }
  void open() noexcept { closed_.store(0, Orders::reopen.rel); }

  // By any thread. A hint.
  [[nodiscard]] std::uint32_t credits() const noexcept { return credits_.load(Orders::relaxed); }  // hint

 private:
  [[nodiscard, gnu::always_inline]] bool enter() noexcept {
    inside_.store(1, Orders::relaxed);  // end of dekker
    if (light_) [[likely]] {
      Sync::light_fence();
    } else {
      Sync::fence(Orders::dekker);
    }
    if (closed_.load(Orders::reopen.acq) == 0) [[likely]]
      return true;
    leave();
    return false;
  }
  [[gnu::always_inline]] void leave() noexcept { inside_.store(0, Orders::leave.rel); }

  void remove(Task& each) noexcept {
    Task* const newer = each.newer.get();
    Task* const older = each.older.get();
    (newer != nullptr ? newer->older : newest_).set(older);
    (older != nullptr ? older->newer : oldest_).set(newer);
  }
  void drop(Task& each) noexcept {
    remove(each);
    each.end_listed();
  }
  // Thieves take the oldest first: so it is there that tasks wait to be dropped.
  [[gnu::noinline]] void drop_oldest() noexcept {
    for (Task* oldest = oldest_.get(); oldest != nullptr && oldest->is_claimed(); oldest = oldest_.get()) drop(*oldest);
  }

  template <class T>
  using atomic = typename Sync::template atomic<T>;

  Count& left_;
  const bool light_;
  atomic<std::uint32_t> inside_{0, "inside"};
  atomic<std::uint32_t> credits_{0, "credits"};
  typename Sync::template cell<Task*> newest_;
  typename Sync::template cell<Task*> oldest_;
  typename Sync::template cell<std::uint32_t> epoch_;
  atomic<std::uint32_t> closed_{0, "closed"};
};

}  // namespace pilfer::detail
