// A Chase-Lev deque whose owner needs no fence: the thief pays for both sides with membarrier(2).
//
// Worth it when steals are rare: a fence costs the owner about a nanosecond per pop, the barrier costs the thief some
// 10 microseconds on a virtual machine and interrupts the owner for most of that. A look without a barrier comes
// first, so an empty victim costs no system call. One item per barrier: claiming several with one CAS would be unsafe,
// because the owner pops without a CAS after the check.
//
// Order, bounds, state, invariants and edges are those of chase_lev_deque.hpp; this header replaces the edge `dekker`.
//
// State        writer           reader   meaning
//   mode_      thief, owner     all      light -> wanted (by a thief: barrier refused) -> fenced (by the owner)
//   bias_      owner            owner    0, or in mode `fenced` what bottom_ is shifted by
//
// Invariants
//   I5  While mode_ is not `fenced`, a thief claims only after a successful barrier between its loads of top_ and
//       bottom_.
//   I6  Once mode_ is `fenced`, bottom_ is shifted down by more than any capacity. The one comparison that pop makes
//       then fails, so that every pop takes the slow path, which fences. The fast path needs no test of the mode.
//   I7  A thief reads mode_ before bottom_: after `fenced` it finds bottom_ shifted; if it read an earlier mode and
//       finds bottom_ shifted all the same, the deque looks empty to it.
//
// Edges
//   dekker     pop: bottom_, compiler barrier, top_ || steal: top_, membarrier, bottom_
//              Between the call's entry and return every running thread of the process executes a full fence at some
//              point of its program order (a context switch is one). If the owner's comes before its store of bottom_,
//              its load of top_ finds at least what the thief read; if after, the thief finds that store.
//   resign     owner: store of mode_ -> steal: load of mode_    all pops without a fence are over, bottom_ is shifted
//
// Where the kernel refuses membarrier from the start, the deque begins `fenced`. Where it refuses later (a sandbox
// entered at run time), thieves take nothing until the owner, when it next comes to its last item or to a full buffer,
// resigns itself to fences.
//
// Sources    ours; Chase and Lev 2005; the assumption and the orders are those checked in QUEUES.md.
#pragma once

#include <pilfer/queue/chase_lev_deque.hpp>

namespace pilfer::queue {

struct asymmetric_orders : chase_lev_orders {
  static constexpr ext::edge resign{};
};

enum class fencing : std::uint8_t {
  automatic,  // membarrier where the kernel allows it, else fences
  always,     // fences, whatever the kernel allows
};

template <class Sync, class Orders>
class asymmetric_dekker {
  enum mode : std::uint32_t { light, wanted, fenced };

 public:
  static constexpr const char* queue_name = "asymmetric";
  static constexpr const char* bounded_queue_name = "asymmetric-bounded";
  static constexpr const char* class_name = "asymmetric_deque";
  static constexpr bool asymmetric = true;

  explicit asymmetric_dekker(fencing choice = fencing::automatic) noexcept
      : mode_(choice == fencing::automatic && Sync::asymmetric_fences() ? light : fenced, "mode") {}

  [[nodiscard]] bool uses_membarrier() const noexcept { return mode_.load(Orders::relaxed) == light; }  // hint

  static void owner_side() noexcept { Sync::light_fence(); }
  // Only the owner leaves this mode.
  [[nodiscard]] bool fences_wanted() const noexcept { return mode_.load(Orders::relaxed) == wanted; }  // hint
  void resign() noexcept { mode_.store(fenced, Orders::resign.rel); }

  [[nodiscard]] bool owner_fences() const noexcept { return mode_.load(Orders::resign.acq) == fenced; }
  // False: no claim is safe now.
  [[nodiscard]] bool thief_side() noexcept {
    if (owner_fences()) {
      Sync::fence(Orders::dekker);
      return true;
    }
    if (Sync::heavy_fence()) return true;
    std::uint32_t expected = light;
    mode_.compare_exchange(expected, wanted, Orders::relaxed, Orders::relaxed);  // a request, answered by resign
    return false;
  }

 private:
  typename Sync::template atomic<std::uint32_t> mode_;
};

// IndexBits: fewer than 64 make indices wrap within a test.
template <ext::queue_item T, class Sync = ext::default_sync, class Orders = asymmetric_orders, unsigned IndexBits = 64>
using asymmetric_deque = basic_chase_lev<T, Sync, Orders, growth::growing, IndexBits, asymmetric_dekker<Sync, Orders>>;

}  // namespace pilfer::queue
