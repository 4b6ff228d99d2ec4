// How coroutines that run in parallel find each other again: which of several ends last, and who of a child's end and its parent's join
// comes later. The later one goes on with the parent.
//
// State        writer           reader   meaning
//   left_      all children     same     how many have not ended
//   word_      child, parent    same     running -> done, or through waits(who) on the way
//
// Invariants
//   I1  A child's change of left_ or to `done` is its last access to anything that the parent owns, unless it is the one that goes on.
//   I2  The parent goes on once: by itself if it finds `done`, otherwise by the child that finds waits(parent).
//
// Edges
//   last      arrive: RMW of left_          -> arrive: RMW of left_                       all results are visible to the last
//   result    finish: exchange of word_     -> is_done: load, wait_with: CAS of word_     what the child has written is visible
//   rest      wait_with: CAS of word_       -> finish: exchange of word_                  the parent is suspended, and can be resumed
//
// Sources    ours; the counter is every reference count's.
#pragma once

#include <cstdint>

#include <pilfer/ext/sync.hpp>

namespace pilfer::detail {

struct coro_join_orders {
  static constexpr ext::edge last{};
  static constexpr ext::edge result{};
  static constexpr ext::edge rest{};
  static constexpr auto relaxed = std::memory_order_relaxed;
};

template <class Sync, class Orders = coro_join_orders>
class coro_countdown {
 public:
  // Before any of them begins.
  void begin(std::uint32_t children) noexcept { left_.store(children, Orders::relaxed); }  // carried by the queue
  // True: the caller is the last one, and sees what all have written.
  [[nodiscard]] bool arrive() noexcept {
    return left_.fetch_add(0U - 1, ext::both(Orders::last.acq, Orders::last.rel)) == 1;
  }

 private:
  typename Sync::template atomic<std::uint32_t> left_{0, "left"};
};

template <class Sync, class Orders = coro_join_orders>
class coro_join {
 public:
  using word = std::uintptr_t;  // of who waits: neither 0 nor 1

  // The child has ended. The result is who waits for it: 0: nobody yet.
  [[nodiscard]] word finish() noexcept { return word_.exchange(done, ext::both(Orders::rest.acq, Orders::result.rel)); }
  [[nodiscard]] bool is_done() const noexcept { return word_.load(Orders::result.acq) == done; }
  // False: it has ended, and nobody will be called.
  [[nodiscard]] bool wait_with(word who) noexcept {
    word expected = running;
    return word_.compare_exchange(expected, who, Orders::rest.rel, Orders::result.acq);
  }

 private:
  static constexpr word running = 0;
  static constexpr word done = 1;
  typename Sync::template atomic<word> word_{running, "join"};
};

}  // namespace pilfer::detail
