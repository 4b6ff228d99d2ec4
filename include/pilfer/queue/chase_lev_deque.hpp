// The circular deque of Chase and Lev, in a growing and a bounded form.
//
// Order      owner LIFO, thieves oldest first.
// Bounds     growing: push says no only when there is no memory. Bounded: fixed capacity, all of it usable at any time.
// Progress   push and pop wait-free (a growing push copies now and then), steal lock-free.
// Memory     a growing deque keeps the buffers it has outgrown until it is destroyed; together they are smaller than
//            the newest.
//
// State        writer           reader   meaning
//   top_       all (CAS)        all      next index to steal; only grows
//   bottom_    owner            all      next index to push
//   buffer_    owner            all      the newest buffer; older ones stay readable
//   bound_     owner            owner    a push below it has room: an old top_ plus the capacity
//   slots_, mask_  owner        owner    of the newest buffer
//
// Invariants
//   I1  bottom_ - top_ <= capacity: a slot is reused only after its item was taken.
//   I2  Whoever moves top_ from i to i+1, or lowers bottom_ to i while top_ < i, owns item i.
//   I3  Every buffer that a thief can reach holds item i unchanged while top_ <= i.
//   I4  A mark is a value of bottom_, without bias: whatever lies at or above it was pushed later. The claim moves top_
//       from the value that was compared with the mark.
//
// Edges
//   publish    owner: any store of bottom_ -> steal: load of bottom_       slots below bottom_ are visible
//   recycle    steal: CAS of top_          -> push: load of top_           the slot has been read; reuse it
//   replace    grow: store of buffer_      -> steal: load of buffer_       the copies are visible
//   dekker     pop: bottom_, fence, top_   || steal: top_, fence, bottom_  not both miss the other
//
// Sources    Chase and Lev 2005; Lê, Pop, Cohen and Zappa Nardelli 2013 (orders; their listing keeps using the old
//            buffer after growth, ours does not); 000 and 002 (C++ designs).
#pragma once

#include <pilfer/ext/index.hpp>
#include <pilfer/ext/last_look.hpp>
#include <pilfer/ext/queue_concept.hpp>
#include <pilfer/ext/storage.hpp>

namespace pilfer::queue {

struct chase_lev_orders {
  static constexpr ext::edge publish{};
  static constexpr ext::edge recycle{};
  static constexpr ext::edge replace{};
  static constexpr auto dekker = std::memory_order_seq_cst;
  static constexpr auto relaxed = std::memory_order_relaxed;
};

enum class growth : std::uint8_t { bounded, growing };

// Both sides of the Dekker handshake as the textbook has it: each pays for a fence.
template <class Sync, class Orders>
struct symmetric_dekker {
  static constexpr const char* queue_name = "chase-lev";
  static constexpr const char* bounded_queue_name = "chase-lev-bounded";
  static constexpr const char* class_name = "chase_lev_deque";
  static constexpr bool asymmetric = false;
  static void owner_side() noexcept { Sync::fence(Orders::dekker); }
  [[nodiscard]] static bool thief_side() noexcept {
    Sync::fence(Orders::dekker);
    return true;
  }
};

// Dekker: who pays for the handshake. asymmetric_deque.hpp has the other one, and explains the bias.
template <ext::queue_item T, class Sync, class Orders, growth Growth, unsigned IndexBits, class Dekker>
class basic_chase_lev : public ext::two_roles<basic_chase_lev<T, Sync, Orders, Growth, IndexBits, Dekker>> {
  using math = ext::index_math<IndexBits>;
  using index = typename math::type;
  using buffer = ext::slot_buffer<T, Sync>;
  template <class U>
  using atomic = typename Sync::template atomic<U>;
  static constexpr std::uint64_t max_capacity = Dekker::asymmetric ? math::max_capacity / 2 : math::max_capacity;

 public:
  using item_type = T;
  static constexpr ext::queue_traits traits{
      .name = Growth == growth::growing ? Dekker::queue_name : Dekker::bounded_queue_name,
      .order = ext::queue_order::lifo,
      .bounded = Growth == growth::bounded,
      .marks = true};

  // Requires a capacity that is a power of two; a growing deque begins with it. Further arguments choose the fences.
  template <class... DekkerArguments>
  explicit basic_chase_lev(std::size_t capacity = 64, DekkerArguments... arguments)
      : mask_(ext::checked_power_of_two(Dekker::class_name, capacity, max_capacity) - 1),
        newest_(buffer::make_or_throw(capacity)),
        slots_(newest_->slots()),
        dekker_(arguments...),
        buffer_(newest_, "buffer") {
    if constexpr (Dekker::asymmetric) {
      if (!dekker_.uses_membarrier()) bias_ = fencing_bias;
    }
    bottom_.store(bias_, Orders::relaxed);  // before anyone else sees the deque
    measure_room(0);
  }
  ~basic_chase_lev() { buffer::free_all(newest_); }

  [[nodiscard]] std::size_t capacity() const noexcept { return buffer_.load(Orders::replace.acq)->capacity(); }
  [[nodiscard]] std::size_t size_hint() const noexcept {
    const index t = top_.load(Orders::relaxed);  // hint
    const index bias = bias_for_thieves();
    const index b = math::minus(bottom_.load(Orders::relaxed), bias);  // hint
    return math::before(t, b) ? static_cast<std::size_t>(math::distance(t, b)) : 0;
  }
  // Do thieves call membarrier(2), so that the owner needs no fence?
  [[nodiscard]] bool uses_membarrier() const noexcept
    requires(Dekker::asymmetric)
  {
    return dekker_.uses_membarrier();
  }

 private:
  friend ext::owner_handle<basic_chase_lev>;
  friend ext::thief_handle<basic_chase_lev>;

  [[nodiscard]] bool push(T item) noexcept {
    const index b = bottom_.load(Orders::relaxed);  // own variable
    if (!math::before(b, bound_)) [[unlikely]]
      return push_full(item);
    slots_[b & mask_].store(item, Orders::relaxed);  // carried by publish
    bottom_.store(math::plus(b, 1), Orders::publish.rel);
    return true;
  }

  // No room as far as the owner knew: look at top_ again, then grow.
  [[gnu::noinline, gnu::cold]] bool push_full(T item) noexcept {
    consider_fences();
    const index t = top_.load(Orders::recycle.acq);
    measure_room(t);
    if (!math::before(bottom_.load(Orders::relaxed), bound_) && !grow(t)) return false;  // own variable
    return push(item);
  }

  void measure_room(index t) noexcept { bound_ = math::plus(t, bias_ + mask_ + 1); }

  [[nodiscard]] bool grow(index t) noexcept {
    if constexpr (Growth == growth::bounded) {
      return false;
    } else {
      const std::size_t larger = newest_->capacity() * 2;
      if (larger > max_capacity) return false;
      buffer* const fresh = buffer::make(larger, newest_);
      if (fresh == nullptr) return false;
      const index b = math::minus(bottom_.load(Orders::relaxed), bias_);  // own variable
      for (index i = t; i != b; i = math::plus(i, 1)) {
        (*fresh)[i].store((*newest_)[i].load(Orders::relaxed), Orders::relaxed);  // carried by replace; own stores
      }
      newest_ = fresh;
      slots_ = fresh->slots();
      mask_ = larger - 1;
      buffer_.store(fresh, Orders::replace.rel);
      measure_room(t);
      return true;
    }
  }

  [[nodiscard]] std::optional<T> pop() noexcept {
    const index b = math::minus(bottom_.load(Orders::relaxed), 1);  // own variable
    bottom_.store(b, Orders::publish.rel);
    dekker_.owner_side();
    const index t = top_.load(Orders::relaxed);  // ordered by dekker
    if (!math::before(t, b) && !wins_last(b, t)) [[unlikely]]
      return std::nullopt;
    return slots_[b & mask_].load(Orders::relaxed);  // own store; a bias is a multiple of the capacity
  }

  // At most one item is left, and whoever moves top_ owns it; or bottom_ is biased, and this pop has yet to fence.
  [[gnu::noinline, gnu::cold]] bool wins_last(index b, index t) noexcept {
    const index mine = math::minus(b, bias_);
    if constexpr (Dekker::asymmetric) {
      if (bias_ != 0) {
        Sync::fence(Orders::dekker);
        t = top_.load(Orders::relaxed);  // ordered by dekker
        if (math::before(t, mine)) return true;
      }
    }
    const bool won =
        t == mine && top_.compare_exchange(t, math::plus(t, 1), Orders::relaxed, Orders::relaxed);  // own item: no edge
    bottom_.store(math::plus(b, 1), Orders::publish.rel);
    consider_fences();
    return won;
  }

  // `admits`: may the item at this index be taken?
  template <class Admits = ext::anything>
  ext::steal_result<T> steal(Admits admits = {}) noexcept {
    index t = top_.load(Orders::relaxed);  // ordered by dekker
    if (!admits(t)) return ext::steal_status::empty;
    const index bias_before = bias_for_thieves();
    const index glance = math::minus(bottom_.load(Orders::relaxed), bias_before);  // hint: spares the fence
    if (!math::before(t, glance)) {
      look_.note(false);
      return ext::steal_status::empty;
    }
    if (!dekker_.thief_side()) return ext::steal_status::lost;
    const index bias = bias_for_thieves();
    const index b = math::minus(bottom_.load(Orders::publish.acq), bias);
    look_.note(math::distance(t, b) > 1);
    if (!math::before(t, b)) return ext::steal_status::empty;
    buffer& items = *buffer_.load(Orders::replace.acq);
    const T item =
        items[t].load(Orders::relaxed);  // carried by publish or replace; worthless unless the claim succeeds
    if (!top_.compare_exchange(t, math::plus(t, 1), Orders::recycle.rel, Orders::relaxed)) {  // failure: value unused
      return ext::steal_status::lost;
    }
    return ext::steal_result<T>::of(item);
  }
  ext::steal_result<T> steal_from(std::uint64_t mark) noexcept {
    return steal([from = math::wrap(mark)](index t) { return !math::before(t, from); });
  }
  [[nodiscard]] std::uint64_t mark() const noexcept {
    return math::minus(bottom_.load(Orders::relaxed), bias_);  // own variable
  }

  [[nodiscard]] bool sample(std::uint64_t random) const noexcept { return look_.sample(random); }

  // What a thief subtracts from bottom_, which it loads afterwards: the mode says what a later load finds.
  [[nodiscard]] index bias_for_thieves() const noexcept {
    if constexpr (Dekker::asymmetric) {
      if (dekker_.owner_fences()) return fencing_bias;
    }
    return 0;
  }

  // The owner's answer to a thief whose barrier was refused: bias bottom_, then say that all pops without a fence are
  // over.
  void consider_fences() noexcept {
    if constexpr (Dekker::asymmetric) {
      if (bias_ != 0 || !dekker_.fences_wanted()) return;
      bias_ = fencing_bias;
      bottom_.store(math::plus(bottom_.load(Orders::relaxed), fencing_bias), Orders::publish.rel);  // own variable
      bound_ = math::plus(bound_, fencing_bias);
      dekker_.resign();
    }
  }

  static constexpr index fencing_bias = math::wrap(std::uint64_t{0} - math::max_capacity);

  alignas(ext::isolation_bytes) atomic<index> bottom_{0, "bottom"};
  index bound_ = 0;
  std::size_t mask_;
  buffer* newest_;
  ext::slot<T, Sync>* slots_;
  index bias_ = 0;
  [[no_unique_address]] Dekker dekker_;
  alignas(ext::isolation_bytes) atomic<index> top_{0, "top"};
  ext::last_look<Sync> look_;
  alignas(ext::isolation_bytes) atomic<buffer*> buffer_;
};

// IndexBits: fewer than 64 make indices wrap within a test.
template <ext::queue_item T, class Sync = ext::default_sync, class Orders = chase_lev_orders,
          growth Growth = growth::growing, unsigned IndexBits = 64>
using chase_lev_deque = basic_chase_lev<T, Sync, Orders, Growth, IndexBits, symmetric_dekker<Sync, Orders>>;

template <ext::queue_item T, class Sync = ext::default_sync, class Orders = chase_lev_orders, unsigned IndexBits = 64>
using bounded_chase_lev_deque = chase_lev_deque<T, Sync, Orders, growth::bounded, IndexBits>;

}  // namespace pilfer::queue
