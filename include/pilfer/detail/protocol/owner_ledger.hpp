// What a worker keeps of a group's tasks without a lock: a list of those it has spawned, and how many of the group's count are the count of no
// task. A group has one such ledger for each worker that spawns much into it: group_ledgers.hpp.
//
// The owner is that worker. It enters the ledger with a store, a compiler barrier and a load. Any other thread closes the ledger first, which
// costs that thread a membarrier; one is enough for all ledgers of a group. As long as the ledger is closed the owner counts and lists its tasks
// as all other threads do, under the group's lock. A task that a thief takes out of a queue stays in the list; the owner, or a closer, drops it
// when it comes across it.
//
// State        writer                      reader    meaning
//   inside_    owner                       closers   1: the owner is in the ledger, or is about to look whether it may be
//   closed_    under the group's lock      owner     1: the owner may not enter. Only the owner stores 0, under the lock that closers had
//   is_open_   under the group's lock      same      the opposite, until what was in it has been taken
//   newest_    owner inside, else closers  same      the list of tasks, each with the list as one of its uses
//   oldest_    owner inside, else closers  same      its other end
//   epoch_     closers                     owner     changes when tasks have left the list for the group's. No other ledger of the group ever has it
//   credits_   owner inside, else closers  all       what the group counts and no task stands for; others read a hint
//   note_      owner                       all       a hint of the owner's
//   spawns_    under the group's lock      same      tasks that the owner has spawned since it was closed
//
// Invariants
//   I1  The owner is inside only after it has found closed_ to be 0, and it has stored inside_ before that.
//   I2  A closer holds the group's lock from shut() to take(). From then on until open(), under that lock too, the owner does not enter.
//   I3  The group's count is at least the number of unfinished tasks and the credits_ of its ledgers together: so it is 0 only when no task is
//       unfinished.
//   I4  The thread that unlinks a task drops the list's use of it. The owner need not if nothing else refers to the task.
//
// Edges
//   leave    leave: store of inside_ -> take: load of inside_      what the owner has written is visible to the closer
//   publish  add: store of a page, an entry, the list -> other(), each(): load of it   in group_ledgers.hpp: what it points to is visible
//   dekker   enter: inside_, light fence, closed_ || shut: closed_, heavy fence, take: inside_    not both miss the other
//
// Where the kernel refuses membarrier both sides execute a full fence.
//
// Continued  group_ledgers.hpp
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
  static constexpr ext::edge publish{};
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

  // Closed.
  owner_ledger(Count& left, bool asymmetric, std::uint32_t epoch) noexcept : left_(left), light_(asymmetric) {
    is_open_.set(false);
    spawns_.set(0);
    newest_.set(nullptr);
    oldest_.set(nullptr);
    epoch_.set(epoch);
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

  // Under the group's lock.

  [[nodiscard]] bool is_open() const noexcept { return is_open_.get(); }
  // An open one: keeps the owner out from now on. Then a heavy fence, unless the caller is the owner, and then take().
  void shut() noexcept { closed_.store(1, Orders::relaxed); }  // end of dekker
  // Returns what was in it. `epoch`: one that no ledger of the group has had. Becomes this one's, and is counted up, if there were tasks.
  [[nodiscard]] contents take(std::uint32_t& epoch) noexcept {
    while (inside_.load(Orders::leave.acq) != 0) Sync::pause();
    const contents all{.newest = newest_.get(),
                       .oldest = oldest_.get(),
                       .credits = credits_.load(Orders::relaxed)};  // carried by leave
    if (all.newest != nullptr) epoch_.set(epoch++);
    newest_.set(nullptr);
    oldest_.set(nullptr);
    credits_.store(0, Orders::relaxed);  // carried by the lock
    is_open_.set(false);
    spawns_.set(0);
    return all;
  }
  // By the owner.
  void open() noexcept {
    is_open_.set(true);
    closed_.store(0, Orders::relaxed);  // own variable
  }
  // Of a closed one: its owner has spawned one more task otherwise. Returns how many they are.
  std::uint32_t count_spawn() noexcept {
    spawns_.set(spawns_.get() + 1);
    return spawns_.get();
  }

  // By any thread. Hints.
  [[nodiscard]] std::uint32_t credits() const noexcept { return credits_.load(Orders::relaxed); }  // hint
  [[nodiscard]] bool looks_open() const noexcept { return closed_.load(Orders::relaxed) == 0; }    // hint
  [[nodiscard]] std::uint64_t note() const noexcept { return note_.load(Orders::relaxed); }        // hint
  void set_note(std::uint64_t now) noexcept { note_.store(now, Orders::relaxed); }                 // hint

 private:
  [[nodiscard, gnu::always_inline]] bool enter() noexcept {
    inside_.store(1, Orders::relaxed);  // end of dekker
    if (light_) [[likely]] {
      Sync::light_fence();
    } else {
      Sync::fence(Orders::dekker);
    }
    if (closed_.load(Orders::relaxed) == 0) [[likely]]  // end of dekker; 0 is its own
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
  atomic<std::uint32_t> closed_{1, "closed"};
  atomic<std::uint64_t> note_{0, "note"};
  typename Sync::template cell<bool> is_open_;
  typename Sync::template cell<std::uint32_t> spawns_;
};

}  // namespace pilfer::detail
