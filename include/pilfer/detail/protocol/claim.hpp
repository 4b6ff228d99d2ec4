// Who runs a task, and who is the last to have a use for it.
//
// A task is known in up to three places: the queue it lies in, the group whose waiters may run it out of turn, and the future that
// its result is for. Whoever wants to run it claims it; a claimed task that comes out of a queue later is a tombstone. The last one to
// let go destroys it.
//
// State        writer   reader   meaning
//   claimed_   all      all      1: a thread has run it, runs it, or will; or it follows another task that has not ended
//   uses_      all      all      who still refers to it: its entry in a queue, its run, its future
//
// Invariants
//   I1  Exactly one claim succeeds; that of a task that follows another one, after begin().
//   I2  Nobody touches a task after it has let go.
//
// Edges
//   begin     begin: store of claimed_ -> claim: exchange of claimed_   a waiter that claims the task through its future finds it counted
//   last      let_go: RMW of uses_  -> let_go: RMW of uses_   what the others did with it is over
//
// Sources    ours.
#pragma once

#include <cstdint>

#include <pilfer/ext/sync.hpp>

namespace pilfer::detail {

struct claim_orders {
  static constexpr ext::edge begin{};
  static constexpr ext::edge last{};
  static constexpr auto relaxed = std::memory_order_relaxed;
};

template <class Sync, class Orders = claim_orders>
class claim_mark {
 public:
  explicit claim_mark(std::uint32_t uses) noexcept : uses_(uses, "uses") {}

  // True: it is the caller's to run. What is in it, the caller sees through the place it has it from.
  [[nodiscard]] bool claim() noexcept {
    return claimed_.load(Orders::relaxed) == 0 &&
           claimed_.exchange(1, Orders::begin.acq) == 0;  // rechecked by the exchange
  }
  // Before any other thread can see it: no claim succeeds until begin().
  void defer() noexcept { claimed_.store(1, Orders::relaxed); }  // carried by where others have it from
  void begin() noexcept { claimed_.store(0, Orders::begin.rel); }
  [[nodiscard]] bool is_claimed() const noexcept { return claimed_.load(Orders::relaxed) != 0; }  // hint
  // One more will refer to it. By a caller that refers to it, or that keeps one that does from letting go.
  void keep() noexcept { uses_.fetch_add(1, Orders::relaxed); }  // carried by where the new one has it from
  // The same before any other thread can see it.
  void keep_unseen() noexcept {
    uses_.store(uses_.load(Orders::relaxed) + 1,
                Orders::relaxed);  // own variable; carried by where others have it from
  }
  // True: the caller was the last, and destroys it.
  [[nodiscard]] bool let_go(std::uint32_t uses = 1) noexcept {
    if (uses_.load(Orders::last.acq) == uses) return true;  // the caller alone refers to it: no other use can come
    return uses_.fetch_add(0U - uses, ext::both(Orders::last.acq, Orders::last.rel)) == uses;
  }

 private:
  typename Sync::template atomic<std::uint32_t> claimed_{0, "claimed"};
  typename Sync::template atomic<std::uint32_t> uses_;
};

}  // namespace pilfer::detail
