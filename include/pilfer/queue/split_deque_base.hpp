// What both forms of split_deque.hpp share: the public part, and the buffers. Not for use by itself.
//
// State            writer           reader         meaning
//   top_           all (CAS)        all            next index to steal; only grows
//   split_         owner            all            [top_, split_) is public
//   private_       owner            all            hint: is there private work? Renewed when pop finds nothing, at the
//                  next push, and when items come back from the public part
//   buffer_        owner            all            the newest buffer
//   known_top_     owner            owner          an old top_, for the room that is left
//
// Invariants
//   I1  Bottom - top_ <= capacity: a slot is reused only after its item was taken.
//   I2  An item below split_ belongs to whoever moves top_ past it, or to the owner if it lowers split_ to it, or below
//       it, and then finds top_ lower still.
//   I3  Every buffer that a thief can reach holds item i unchanged while top_ <= i.
//   I4  A mark is the index of the next push: whatever lies at or above it was pushed later. The claim moves top_ from
//       the value that was compared with the mark.
//
// Edges
//   expose     owner: any store of split_ -> steal: load of split_           slots below split_ are visible
//   recycle    steal: CAS of top_         -> push: load of top_              the slot has been read; reuse it
//   replace    grow: store of buffer_     -> steal: load of buffer_          the copies are visible
//   dekker     take_back: split_, fence, top_ || steal: top_, fence, split_  not both miss the other
//
// Sources    as in split_deque.hpp.
#pragma once

#include <pilfer/ext/index.hpp>
#include <pilfer/ext/queue_concept.hpp>
#include <pilfer/ext/storage.hpp>

namespace pilfer::queue {

struct split_base_orders {
  static constexpr ext::edge expose{};
  static constexpr ext::edge recycle{};
  static constexpr ext::edge replace{};
  static constexpr auto dekker = std::memory_order_seq_cst;
  static constexpr auto relaxed = std::memory_order_relaxed;
};

template <ext::queue_item T, class Sync, class Orders, unsigned IndexBits>
class split_deque_base {
 protected:
  using math = ext::index_math<IndexBits>;
  using index = typename math::type;
  using buffer = ext::slot_buffer<T, Sync>;
  template <class U>
  using atomic = typename Sync::template atomic<U>;

 public:
  [[nodiscard]] std::size_t capacity() const noexcept { return buffer_.load(Orders::replace.acq)->capacity(); }

  // By a thief: a look before a steal, without its fence. `taken` says that the steal may find something.
  [[nodiscard]] ext::steal_status glance() const noexcept {
    if (public_size() != 0) return ext::steal_status::taken;
    return private_.load(Orders::relaxed) != 0 ? ext::steal_status::private_work : ext::steal_status::empty;  // hint
  }

  // The same before steal_from.
  [[nodiscard]] ext::steal_status glance_from(std::uint64_t mark) const noexcept {
    return math::before(top_.load(Orders::relaxed), math::wrap(mark)) ? ext::steal_status::empty : glance();  // hint
  }

  // Counts the public part, and one more where there seems to be private work.
  [[nodiscard]] std::size_t size_hint() const noexcept {
    return public_size() + private_.load(Orders::relaxed);  // hint
  }

 protected:
  explicit split_deque_base(std::size_t capacity)
      : newest_(buffer::make_or_throw(ext::checked_power_of_two("split_deque", capacity, math::max_capacity))),
        buffer_(newest_, "buffer") {}
  ~split_deque_base() { buffer::free_all(newest_); }

  [[nodiscard]] std::size_t public_size() const noexcept {
    const index t = top_.load(Orders::relaxed);    // hint
    const index p = split_.load(Orders::relaxed);  // hint
    return math::before(t, p) ? static_cast<std::size_t>(math::distance(t, p)) : 0;
  }

  [[nodiscard]] index segment_start(index i) const noexcept {
    return static_cast<index>(i & ~(newest_->capacity() - 1));
  }

  // No room for an item at index b, as far as the owner knows?
  [[nodiscard]] bool is_full(index b) const noexcept {
    return static_cast<std::uint64_t>(math::distance(known_top_, b)) >= newest_->capacity();
  }

  // Makes room for an item at index b. False: no memory.
  [[nodiscard]] bool make_room(index b) noexcept {
    known_top_ = top_.load(Orders::recycle.acq);
    if (!is_full(b)) return true;
    const std::size_t larger = newest_->capacity() * 2;
    if (larger > math::max_capacity) return false;
    buffer* const fresh = buffer::make(larger, newest_);
    if (fresh == nullptr) return false;
    for (index i = known_top_; i != b; i = math::plus(i, 1)) {
      (*fresh)[i].store((*newest_)[i].load(Orders::relaxed), Orders::relaxed);  // carried by replace; own stores
    }
    newest_ = fresh;
    buffer_.store(fresh, Orders::replace.rel);
    return true;
  }

  void note_private_work(std::uint32_t some) noexcept {
    if (private_.load(Orders::relaxed) != some) private_.store(some, Orders::relaxed);  // hint
  }

  // What the owner has after it took from the public part, whose end was p.
  struct taken_back {
    index split;  // the public part ends here; what follows, up to p, is the owner's
    bool last;    // item p - 1 is the owner's
  };

  // Takes the n youngest items of the public part back, as far as thieves leave them. Above the top_ that is found here
  // nobody can claim anything: a thief that read a higher one has its fence after this one, and finds split_ lowered.
  // Item top_ itself may be claimed yet by a thief that read split_ before.
  [[nodiscard]] taken_back take_back(index p, std::uint64_t n) noexcept {
    const index q = math::minus(p, n);
    split_.store(q, Orders::expose.rel);
    Sync::fence(Orders::dekker);
    index t = top_.load(Orders::relaxed);  // ordered by dekker
    if (math::before(t, q)) return {q, true};
    const index beyond = math::plus(t, 1);
    if (math::before(beyond, p)) {  // thieves have come past q: give that part back
      split_.store(beyond, Orders::expose.rel);
      return {beyond, true};
    }
    // At most one item is left, and whoever moves top_ owns it.
    const bool won = beyond == p && top_.compare_exchange(t, p, Orders::relaxed, Orders::relaxed);  // own item: no edge
    split_.store(p, Orders::expose.rel);
    return {p, won};
  }

  // `admits`: may the item at this index be taken?
  template <class Admits = ext::anything>
  ext::steal_result<T> steal(Admits admits = {}) noexcept {
    index t = top_.load(Orders::relaxed);  // ordered by dekker
    if (!admits(t)) return ext::steal_status::empty;
    Sync::fence(Orders::dekker);
    const index p = split_.load(Orders::expose.acq);
    if (!math::before(t, p)) {
      return private_.load(Orders::relaxed) != 0 ? ext::steal_status::private_work : ext::steal_status::empty;  // hint
    }
    buffer& items = *buffer_.load(Orders::replace.acq);
    const T item = items[t].load(Orders::relaxed);  // carried by expose or replace; worthless unless the claim succeeds
    if (!top_.compare_exchange(t, math::plus(t, 1), Orders::recycle.rel, Orders::relaxed)) {  // failure: value unused
      return ext::steal_status::lost;
    }
    return ext::steal_result<T>::of(item);
  }
  // Private work counts only when nothing public lies before it: then all of it is at or above top_.
  ext::steal_result<T> steal_from(std::uint64_t mark) noexcept {
    return steal([from = math::wrap(mark)](index t) { return !math::before(t, from); });
  }

  // Touches no line that push or pop write. Private work counts: it can be had for the asking.
  [[nodiscard]] bool sample(std::uint64_t /*random*/) const noexcept { return size_hint() != 0; }

  alignas(ext::isolation_bytes) atomic<index> top_{0, "top"};
  alignas(ext::isolation_bytes) atomic<index> split_{0, "split"};
  atomic<std::uint32_t> private_{0, "private"};
  alignas(ext::isolation_bytes) index known_top_ = 0;
  buffer* newest_;
  atomic<buffer*> buffer_;
};

}  // namespace pilfer::queue
