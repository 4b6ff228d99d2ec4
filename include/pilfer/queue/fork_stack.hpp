// The deque under fork_join: a private stack in a line, whose split point a thief can move when the owner does not. Here is what its owner does
// at each fork and join, and all that programs need to see of it; the rest is in fork_deque.hpp.
//
// The owner works as on a plain stack: push stores the item, then the new bottom, then compares with a bound; pop stores
// the new bottom, then compares. A thief that wants work takes the bounds away, so that the owner's next push or pop looks
// up and exposes half of what it has. When no push or pop comes for long (a long leaf), the thief exposes it itself:
// it takes the bounds away, runs one membarrier, and then knows that the owner cannot pop below the bottom it reads.
//
// Order      owner LIFO, thieves oldest first.
// Bounds     fixed; a push that finds no room says no, and fork_join then runs its task in place. Slots lie in one line and
//            an item's index is its depth in the stack, so a position can be kept in a register (context). Memory is
//            touched only as deep as the stack was.
// Progress   push and pop wait-free but for the slow path, where the owner may wait for a thief that is exposing (one
//            membarrier); steal lock-free.
//
// State        writer              reader         meaning
//   cur_       owner               all            the slot of the next push
//   bounds_    owner, thieves      owner          the first private slot, and the last slot in use; gone: look up
//   asked_     thieves, owner      owner          a thief wants work exposed
//   age_       all (CAS)           all            {tag, top}: top is the next index to steal; the tag grows when top falls
//   split_     owner, seizer       all            items below it are public
//   lock_      owner, seizer       owner, seizer  held while split_ moves; never by a thief that only steals
//   ready_     owner               owner          slots that have been constructed
//
// Invariants
//   I1  A slot below split_ belongs to whoever moves top past it, or to the owner if it lowers split_ to it while top is below.
//   I2  Only the holder of lock_ moves split_. The owner takes an item at or above split_ without it, if it finds
//       its bounds in place after having stored the lowered bottom.
//   I3  When the bounds are true, low is the slot of split_: a pop within the bounds is private.
//   I4  The slot at cur_ is constructed: push stores first and looks afterwards.
//   I5  recall: pop: cur_, light fence, bounds_ || seize: bounds_, membarrier, cur_: not both miss the other.
//
// Edges
//   publish    push: store of cur_      -> seize: load of cur_           slots below cur_ are visible
//   expose     any store of split_      -> steal: load of split_         slots below split_ are visible
//   recycle    steal: CAS of age_       -> owner: load of age_           the slot has been read, the thief has looked: reuse it
//   guard      release of lock_         -> taking of lock_               what the other did to split_ and age_
//   dekker     take_public: split_, fence, age_ || steal: age_, fence, split_    not both miss the other
//   settle     owner: bounds_, fence, asked_ || request: asked_, fence, bounds_           a request is never overwritten
//
// Where the kernel refuses membarrier the bounds are never set: every push and pop takes the slow path, whose lock orders it.
//
// Sources    split point and exposure: Custódio, Paulino and Rito (LCWS, SPAA 2023); the tag: Arora, Blumofe and Plaxton 1998; the request
//            that is folded into the bound, and exposure by the thief: ours.
// Continued  fork_deque.hpp
// Continued  brief_lock.hpp
#pragma once

#include <cstddef>
#include <cstdint>

#include <pilfer/ext/item.hpp>
#include <pilfer/ext/request_bounds.hpp>

namespace pilfer::queue {

struct fork_orders {
  static constexpr ext::edge publish{};
  static constexpr ext::edge expose{};
  static constexpr ext::edge recycle{};
  static constexpr ext::edge guard{};
  static constexpr auto dekker = std::memory_order_seq_cst;
  static constexpr auto settle = std::memory_order_seq_cst;
  static constexpr auto relaxed = std::memory_order_relaxed;
};

// RegionBytes: the size and the alignment of the whole deque, slots included; a power of two, so that a slot's address tells where its deque is.
template <ext::queue_item T, class Sync = ext::default_sync, class Orders = fork_orders,
          std::size_t RegionBytes = std::size_t{1} << 20>
class fork_stack {
 public:
  using item_type = T;
  using slot = ext::slot<T, Sync>;

  fork_stack(const fork_stack&) = delete;
  fork_stack& operator=(const fork_stack&) = delete;

  // The stack that a slot belongs to.
  [[nodiscard, gnu::always_inline]] static fork_stack& of(slot* position) noexcept {
    return *reinterpret_cast<fork_stack*>(reinterpret_cast<std::uintptr_t>(position) & ~(RegionBytes - 1));
  }

  // What a user who has a position finds besides.
  [[nodiscard]] void* companion() const noexcept { return companion_; }
  void set_companion(void* companion) noexcept { companion_ = companion; }

  // A position is where a push goes; the pop of that push goes there too, because what was pushed in between has been popped.
  [[nodiscard, gnu::always_inline]] slot* cursor() const noexcept {
    return cur_.load(Orders::relaxed);  // own variable
  }
  // False: look_up_after_push(at) must follow, before anything else.
  [[nodiscard, gnu::always_inline]] bool push_at(slot* at, T item) noexcept {
    at->store(item, Orders::relaxed);  // carried by publish or expose
    cur_.store(at + 1, Orders::publish.rel);
    Sync::light_fence();  // settle
    return bounds_.has_room(at);
  }
  // False: look_up_before_pop(at) decides.
  [[nodiscard, gnu::always_inline]] bool pop_at(slot* at) noexcept {
    cur_.store(at, Orders::relaxed);  // own variable: what lies below was published before
    Sync::light_fence();              // recall
    return bounds_.holds(at);
  }
  // The owner, between two pushes: has no thief asked for anything? A hint, at the price of a comparison.
  [[nodiscard, gnu::always_inline]] bool is_left_alone(const slot* at) const noexcept { return bounds_.has_room(at); }

 protected:
  fork_stack() = default;
  ~fork_stack() = default;

  alignas(ext::isolation_bytes) typename Sync::template atomic<slot*> cur_{nullptr, "cur"};
  void* companion_ = nullptr;
  ext::request_bounds<Sync> bounds_;
};

}  // namespace pilfer::queue
