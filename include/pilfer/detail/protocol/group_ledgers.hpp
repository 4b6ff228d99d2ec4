// The ledgers of a group: one for the first worker that spawns into it, and one for each other worker that spawns much into it.
//
// They are made for their owners, and stay as long as the group. One that was closed is opened by its owner alone: when its own wait is over, or
// when it has spawned so many tasks under the group's lock that it pays to close it again. So waiters close no ledger that is not used.
//
// State         writer           reader     meaning
//   first_owner_  under the lock  all       the worker that has first_; null: none yet. Written once
//   pages_      under the lock   all        by the index of a worker: its ledger. Entries are written once, by that worker
//   newest_     under the lock   all        the same ledgers in a list, the newest first
//   open_       under the lock   all        how many are open; a hint without the lock
//   epoch_      under the lock   same       one that no ledger has had
//   unowned_    under the lock   same       tasks that workers without a ledger have spawned
//
// Edges are in owner_ledger.hpp.
//
// Sources    ours.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>

#include <pilfer/detail/protocol/owner_ledger.hpp>

namespace pilfer::detail {

// An Owner has a member `index`. Memory has static functions allocate(bytes, alignment), which returns null if there is none, and
// free(memory, bytes, alignment). SpawnsToOpen: how many tasks an owner spawns under the lock before it opens its ledger.
// PageEntries: with 31 a page takes 256 bytes.
template <class Sync, class Task, class Owner, class Memory, class Orders = ledger_orders,
          class Count = completion<Sync>, std::uint32_t CreditsAtOnce = 1024, std::uint32_t SpawnsToOpen = 16,
          std::size_t PageEntries = 31>
class group_ledgers {
 public:
  using ledger = owner_ledger<Sync, Task, Orders, Count, CreditsAtOnce>;
  using contents = typename ledger::contents;

  // `first`: the worker that makes the group, for which the first ledger is open. Null: it is the first one that spawns.
  group_ledgers(Count& left, const Owner* first, bool asymmetric = Sync::asymmetric_fences()) noexcept
      : first_(left, asymmetric, 0), first_owner_(first, "first_owner"), left_(left), light_(asymmetric) {
    epoch_.set(1);
    unowned_.set(0);
    if (first != nullptr) open(first_);
  }
  group_ledgers(const group_ledgers&) = delete;
  group_ledgers& operator=(const group_ledgers&) = delete;
  // When no thread has a use for the group any more, after end().
  ~group_ledgers() {
    for (other_ledger* each = newest_.load(Orders::relaxed); each != nullptr;) {  // own variable
      other_ledger* const older = each->older.get();
      each->~other_ledger();
      Memory::free(each, sizeof(other_ledger), alignof(other_ledger));
      each = older;
    }
    for (page* each = pages_.load(Orders::relaxed); each != nullptr;) {  // own variable
      page* const next = each->next.load(Orders::relaxed);               // own variable
      each->~page();
      Memory::free(each, sizeof(page), alignof(page));
      each = next;
    }
  }

  // By the worker itself.

  [[nodiscard, gnu::always_inline]] bool is_first(const Owner& self) const noexcept {
    return first_owner_.load(Orders::relaxed) == &self;  // own variable
  }
  [[nodiscard]] ledger& first() noexcept { return first_; }
  // Null: it has none.
  [[nodiscard]] ledger* of(const Owner& self) noexcept {
    if (is_first(self)) [[likely]]
      return &first_;
    return other(self);
  }
  // The same for one that is not the first owner.
  [[nodiscard]] ledger* other(const Owner& self) noexcept {
    std::size_t at = self.index;
    for (page* each = pages_.load(Orders::publish.acq); each != nullptr; each = each->next.load(Orders::publish.acq)) {
      if (at < PageEntries) {
        other_ledger* const found = each->entries[at].load(Orders::publish.acq);
        return found != nullptr && &found->owner == &self ? found : nullptr;
      }
      at -= PageEntries;
    }
    return nullptr;
  }

  // Under the group's lock.

  // A worker has spawned a task otherwise, because it has no open ledger. It gets one, or its own is opened, if it does so often.
  // `may_open`: no waiter relies on the ledgers' being closed.
  void note_spawn(const Owner& self, bool may_open) noexcept {
    if (first_owner_.load(Orders::relaxed) == nullptr) {  // under the lock
      first_owner_.store(&self, Orders::relaxed);         // under the lock
      if (may_open) open(first_);
      return;
    }
    ledger* mine = of(self);
    if (mine == nullptr) {
      unowned_.set(unowned_.get() + 1);
      if (unowned_.get() < SpawnsToOpen || !may_open) return;
      mine = add(self);
      if (mine != nullptr) open(*mine);
    } else if (!mine->is_open() && mine->count_spawn() >= SpawnsToOpen && may_open) {
      open(*mine);
    }
  }
  // The caller's own, if it has one.
  void open_own(const Owner& self) noexcept {
    if (ledger* const mine = of(self); mine != nullptr && !mine->is_open()) open(*mine);
  }
  // Closes all. Calls take(contents) for each that has tasks, and returns the credits, for the caller to take off the group's count when it has
  // given back the lock. `self`: null, or the worker that calls this.
  template <class F>
  [[nodiscard]] std::uint32_t close(const Owner* self, F&& take) noexcept {
    if (open_.load(Orders::relaxed) == 0) return 0;  // under the lock
    const ledger* const mine = self != nullptr ? of(*self) : nullptr;
    bool is_alone = true;
    each([&](ledger& one) {
      if (!one.is_open()) return;
      one.shut();
      if (&one != mine) is_alone = false;
    });
    if (!is_alone) fence();
    open_.store(0, Orders::relaxed);  // under the lock
    return take_open(take);
  }
  // The same at the end of the group, when no owner uses its ledger any more. The credits are dropped.
  template <class F>
  void end(F&& take) noexcept {
    static_cast<void>(take_open(take));
  }

  // By any thread. Hints.

  [[nodiscard]] std::size_t credits() const noexcept {
    std::size_t sum = 0;
    each([&](const ledger& one) { sum += one.credits(); });
    return sum;
  }
  // Is one open that is not the caller's?
  [[nodiscard]] bool has_open_beside(const Owner& self) noexcept {
    const std::uint32_t open = open_.load(Orders::relaxed);  // hint
    if (open != 1) return open != 0;
    const ledger* const mine = of(self);
    return mine == nullptr || !mine->looks_open();
  }
  template <class F>
  void each(F&& f) const noexcept {
    f(first_);
    for (const other_ledger* one = newest_.load(Orders::publish.acq); one != nullptr; one = one->older.get()) f(*one);
  }

 private:
  template <class T>
  using atomic = typename Sync::template atomic<T>;

  struct alignas(64) other_ledger : ledger {
    other_ledger(Count& left, bool asymmetric, std::uint32_t epoch, const Owner& self, other_ledger* next) noexcept
        : ledger(left, asymmetric, epoch), owner(self) {
      older.set(next);
    }
    const Owner& owner;
    typename Sync::template cell<other_ledger*> older;
  };
  struct page {
    std::array<atomic<other_ledger*>, PageEntries> entries;
    atomic<page*> next{nullptr, "next_page"};
  };

  template <class F>
  void each(F&& f) noexcept {
    f(first_);
    for (other_ledger* one = newest_.load(Orders::publish.acq); one != nullptr; one = one->older.get()) f(*one);
  }
  void open(ledger& one) noexcept {
    one.open();
    open_.store(open_.load(Orders::relaxed) + 1, Orders::relaxed);  // under the lock
  }
  template <class F>
  [[nodiscard]] std::uint32_t take_open(F& take) noexcept {
    std::uint32_t credits = 0;
    std::uint32_t epoch = epoch_.get();
    each([&](ledger& one) {
      if (!one.is_open()) return;
      const contents had = one.take(epoch);
      credits += had.credits;
      if (had.newest != nullptr) take(had);
    });
    epoch_.set(epoch);
    return credits;
  }
  void fence() noexcept {
    if (!light_) {
      Sync::fence(Orders::dekker);
      return;
    }
    while (!Sync::heavy_fence()) Sync::pause();  // refused for want of memory: again
  }
  // Null: there is no memory for it.
  [[nodiscard]] ledger* add(const Owner& self) noexcept {
    atomic<page*>* link = &pages_;
    std::size_t at = self.index;
    for (;; at -= PageEntries) {
      page* here = link->load(Orders::relaxed);  // under the lock
      if (here == nullptr) {
        void* const room = Memory::allocate(sizeof(page), alignof(page));
        if (room == nullptr) return nullptr;
        here = ::new (room) page;
        link->store(here, Orders::publish.rel);
      }
      if (at < PageEntries) {
        void* const room = Memory::allocate(sizeof(other_ledger), alignof(other_ledger));
        if (room == nullptr) return nullptr;
        auto* const fresh = ::new (room)
            other_ledger(left_, light_, epoch_.get(), self, newest_.load(Orders::relaxed));  // under the lock
        epoch_.set(epoch_.get() + 1);
        newest_.store(fresh, Orders::publish.rel);
        here->entries[at].store(fresh, Orders::publish.rel);
        return fresh;
      }
      link = &here->next;
    }
  }

  alignas(64) ledger first_;  // its owner writes there with each task
  atomic<const Owner*> first_owner_;
  atomic<page*> pages_{nullptr, "pages"};
  Count& left_;
  const bool light_;
  atomic<std::uint32_t> open_{0, "open"};
  atomic<other_ledger*> newest_{nullptr, "newest"};
  typename Sync::template cell<std::uint32_t> epoch_;
  typename Sync::template cell<std::uint32_t> unowned_;
};

}  // namespace pilfer::detail
