// How operations that a ring has, or is about to have, are told to stop by another thread than the ring's owner.
//
// The owner of a ring places entries, and submits them later; the kernel takes them in that order. Any thread may send a cancellation, but the kernel knows only
// what it has taken. So the thread that asks sends the cancellation itself if the entry was taken, and otherwise leaves it to the owner, in a list. What the kernel
// does not find, although it has it (it is between two tries), stays in the list and is sent again. An entry is resumed by the thread that takes its
// completion, and by no other: then the kernel does not use its buffer any more.
//
// State             writer              reader   meaning
//   taken_          owner               all      how many entries the kernel has taken; an entry's `serial` is its number among all
//   count_          under the mutex     all      how many entries are in the list
//   first_          under the mutex     same     the list: to be cancelled, and not known to be sent
//   listed          under the mutex     same     of an entry: it is in the list
//   cancel_wanted   under the mutex     same     of an entry: it was asked to stop. Also read where no callback runs any more
//   lock_           all                 all      1: a thread takes completions, or the owner sleeps in the ring
//   kicked_         under lock_         same     a completion that was to wake the owner was taken by another thread
//
// Invariants
//   I1  An entry is in the list only between ask and withdraw. The thread that has its completion withdraws it after the callback that asks has returned, and then
//       resumes it: no other thread touches it any more, and it is resumed once, because it has one completion.
//   I2  If the kernel takes an entry that was asked to stop, its cancellation is sent afterwards: by the asker, which finds it taken, or by the owner, which
//       finds it in the list. Not both miss the other.
//   I3  The owner does not sleep in the ring after an asker has left it an entry: the asker kicks it. A kick that another thread has taken is noted.
//
// Edges
//   taken     submitted: exchange of taken_ -> ask, send_again: load of taken_   what was taken can be sent by any thread; an end of I2
//   asked     ask: RMW of count_            -> submitted: load of count_         the entry is in the list; the other end of I2
//   lock      unlock: store of lock_        -> try_lock: exchange of lock_       the head of the completion queue, kicked_
//
// Sources    ours; I2 is Dekker's.
#pragma once

#include <cstdint>
#include <mutex>

#include <pilfer/ext/sync.hpp>

namespace pilfer::detail {

struct ring_orders {
  // Both ends of each are seq_cst: a store of the one, then a load of the other.
  static constexpr ext::edge taken{.rel = std::memory_order_seq_cst, .acq = std::memory_order_seq_cst};
  static constexpr ext::edge asked{.rel = std::memory_order_seq_cst, .acq = std::memory_order_seq_cst};
  static constexpr ext::edge lock{};
  static constexpr auto relaxed = std::memory_order_relaxed;
};

// Entry has the members serial, next, before, listed and cancel_wanted; the last two are false when it is placed. Send is called with an Entry& under the mutex,
// and returns false if the kernel does not find the entry.
template <class Sync, class Entry, class Orders = ring_orders>
class ring_cancel {
 public:
  // By the owner, when the kernel has taken so many entries. Sends what was left to it.
  template <class Send>
  void submitted(std::uint64_t taken, Send&& send) noexcept {
    taken_.exchange(taken, Orders::taken.rel);
    if (count_.load(Orders::asked.acq) != 0) send_again(send);
  }

  // By any thread, while the entry cannot be resumed: in a callback that withdraw's caller waits for. Returns false if the cancellation has not been sent;
  // then the owner must be kicked.
  template <class Send>
  [[nodiscard]] bool ask(Entry& entry, Send&& send) noexcept {
    const std::lock_guard lock(mutex_);
    entry.cancel_wanted = true;
    append(entry);
    count_.fetch_add(1, Orders::asked.rel);
    if (entry.serial >= taken_.load(Orders::taken.acq) || !send(entry)) return false;
    remove(entry);
    return true;
  }

  // Is anything in the list? The owner asks before it sleeps: an asker that it misses kicks it.
  [[nodiscard]] bool any() const noexcept { return count_.load(Orders::relaxed) != 0; }  // hint, rechecked by submitted
  // By any thread: sends what is in the list and was taken.
  template <class Send>
  void send_again(Send&& send) noexcept {
    const std::lock_guard lock(mutex_);
    const std::uint64_t taken = taken_.load(Orders::taken.acq);
    for (Entry* each = first_; each != nullptr;) {
      Entry* const next = each->next;
      if (each->serial < taken && send(*each)) remove(*each);
      each = next;
    }
  }

  // By the thread that has the entry's completion, after the callback has returned or can no longer be called. Afterwards nobody else touches the entry.
  // Returns false if it was not asked to stop.
  [[nodiscard]] bool withdraw(Entry& entry) noexcept {
    if (!entry.cancel_wanted) return false;
    const std::lock_guard lock(mutex_);
    if (entry.listed) remove(entry);
    return true;
  }

 private:
  // Under the mutex.
  void append(Entry& entry) noexcept {
    entry.next = first_;
    entry.before = nullptr;
    if (first_ != nullptr) first_->before = &entry;
    first_ = &entry;
    entry.listed = true;
  }
  void remove(Entry& entry) noexcept {
    Entry* const next = entry.next;
    Entry* const before = entry.before;
    if (next != nullptr) next->before = before;
    if (before != nullptr) {
      before->next = next;
    } else {
      first_ = next;
    }
    entry.listed = false;
    count_.fetch_add(0U - 1, Orders::relaxed);  // a reader that misses it takes the mutex for nothing
  }

  typename Sync::template atomic<std::uint64_t> taken_{0, "taken"};
  typename Sync::template atomic<std::uint32_t> count_{0, "count"};
  typename Sync::mutex mutex_;
  Entry* first_ = nullptr;
};

// Which thread takes completions. The owner keeps the lock while it sleeps in the ring: no other thread can take the completion that is to wake it.
template <class Sync, class Orders = ring_orders>
class ring_lock {
 public:
  ring_lock() noexcept { kicked_.set(false); }
  [[nodiscard]] bool try_lock() noexcept { return lock_.exchange(1, Orders::lock.acq) == 0; }
  void unlock() noexcept { lock_.store(0, Orders::lock.rel); }

  // Under the lock. Another thread than the owner has taken a kick.
  void note_kick() noexcept { kicked_.set(true); }
  // Under the lock, by the owner: was there one since it last asked?
  [[nodiscard]] bool take_kick() noexcept {
    const bool kicked = kicked_.get();
    kicked_.set(false);
    return kicked;
  }

 private:
  typename Sync::template atomic<std::uint32_t> lock_{0, "lock"};
  typename Sync::template cell<bool> kicked_;
};

}  // namespace pilfer::detail
