// Block-based work stealing, LIFO for the owner, with early grant.
//
// The storage is cut into blocks. The owner works in the top block alone, with plain loads and stores; thieves work in
// the blocks below it, which the owner has granted. Synchronization happens where the owner changes blocks. A thief
// that finds only the owner's own block asks for a part of it, by setting to zero the one word that push and pop
// compare with anyway; the owner notices at its next push or pop and publishes the older half of what it holds there.
//
// Order      owner LIFO, thieves oldest first.
// Bounds     fixed: blocks x entries. A block comes back when all its items are gone, so push may say no while a
//            part-stolen block lies at the top.
// Progress   push and pop wait-free; steal lock-free: a CAS is lost only to a thread that made progress.
//
// State            writer           reader   meaning
//   cur_           owner            owner    where the next push goes, in the top block
//   first_         owner            owner    the oldest item that the owner holds privately there
//   f_             owner            owner    index of first_: entries below it are not the owner's any more
//   top_           owner            owner    number of the top block; block k lives at k modulo blocks
//   shared_        owner            owner    part of the top block was published, f_ is the end of that part
//   own_           owner            owner    the owner's last lower bound in bounds_, or null
//   bounds_        owner, thieves   owner    first_ and the end of the top block; gone: a thief is hungry
//   s_pos          owner, thieves   all      {tag, end, idx} of a block: thieves may take [idx, end).
//                                            idx == end == entries: exhausted. idx == end < entries: closed, the
//                                            owner's.
//   s_cnt          thieves, owner   owner    how many entries of the block thieves have finished reading
//   steal_block_   thieves          thieves  number of the block that thieves try; only grows
//   top_seen_      owner            all      hint: the owner's top_
//
// Invariants
//   I1  The top block is never exhausted: at most entries - 1 of it are published before it is granted.
//   I2  An entry belongs to the owner if it is at or above f_ in the top block, to the winner of the CAS if below idx,
//       else to whoever takes it: a thief by moving idx, the owner by exchanging s_pos (takeover).
//   I3  A block is reused only when s_cnt == entries. The round of a block, its number / blocks, is its tag: a CAS of
//       an earlier round fails.
//   I4  A block that was recycled before any thief saw it exhausted is behind steal_block_'s users: they step over it.
//       (Published descriptions report "empty" there, for ever.)
//   I5  "Empty" is decided by private variables and s_pos, never by bounds_.
//   I6  An entry's place is its block's number x entries + its index. A mark is the place of the next push: nothing at or
//       above it is granted then, because a block that the owner has come down from is closed. Who claims such a place
//       later claims what was pushed and granted later. The claim is a CAS of the word that was compared with the mark,
//       and the tag in it says which block it is.
//
// Edges
//   grant      owner: store or fetch_add of s_pos -> steal: CAS of s_pos     the entries below end are visible. The
//              acquire must be on the CAS: a block can be taken over and granted again within a round between a load
//              and the CAS.
//   recycle    steal: fetch_add of s_cnt          -> push: load of s_cnt     the entries were read; overwrite them
//   notice     order of s_pos before bounds_ at the thief, so that a request follows the answer to the previous one;
//              without it a request could be lost, which only delays: the next failed steal asks again
//
// Sources    Wang et al., BWoS, OSDI 2023 (001); the Bamberg thesis (000), whose encoding of "taken over" as
//            "exhausted" strands blocks; the folded request is ours (QUEUES.md).
#pragma once

#include <algorithm>

#include <pilfer/ext/queue_concept.hpp>
#include <pilfer/ext/request_bounds.hpp>
#include <pilfer/ext/storage.hpp>

namespace pilfer::queue {

struct bwos_lifo_orders {
  static constexpr ext::edge grant{};
  static constexpr ext::edge recycle{};
  static constexpr auto notice = std::memory_order_acquire;
  static constexpr auto relaxed = std::memory_order_relaxed;
};

// TagBits: 32; fewer make rounds wrap within a test.
template <ext::queue_item T, class Sync = ext::default_sync, class Orders = bwos_lifo_orders, unsigned TagBits = 32>
class bwos_lifo : public ext::two_roles<bwos_lifo<T, Sync, Orders, TagBits>> {
  static_assert(TagBits >= 2 && TagBits <= 32);
  template <class U>
  using atomic = typename Sync::template atomic<U>;
  using cell = typename Sync::template cell<T>;

 public:
  using item_type = T;
  static constexpr ext::queue_traits traits{
      .name = "bwos-lifo", .order = ext::queue_order::lifo, .bounded = true, .batch = true, .marks = true};
  static constexpr std::size_t max_entries = 65535;

  explicit bwos_lifo(ext::block_geometry geometry)
      : entries_per_block_(ext::checked_geometry("bwos_lifo", geometry, max_entries).entries),
        block_mask_(geometry.blocks - 1),
        block_shift_(static_cast<unsigned>(std::countr_zero(geometry.blocks))),
        blocks_(geometry.blocks),
        entries_(geometry.blocks * geometry.entries),
        top_(geometry.blocks),
        steal_block_(geometry.blocks, "steal_block"),
        top_seen_(geometry.blocks, "top_seen") {
    own_ = cur_ = first_ = first_entry(top_);
    bounds_.set(first_, first_ + entries_per_block_);
    block_at(top_).s_pos.store(position::closed(tag_of(top_)).bits(),
                               Orders::relaxed);  // before anyone else sees the queue
    for (std::uint64_t b = 1; b < geometry.blocks; ++b) {
      blocks_[b].s_pos.store(position::exhausted(0, entries_per_block_).bits(), Orders::relaxed);  // as above
      blocks_[b].s_cnt.store(entries_per_block_, Orders::relaxed);                                 // as above
    }
  }

  [[nodiscard]] std::size_t capacity() const noexcept { return (block_mask_ + 1) * entries_per_block_; }

  // Counts what is granted; not what the owner holds privately in its top block.
  [[nodiscard]] std::size_t size_hint() const noexcept {
    const std::uint64_t first = steal_block_.load(Orders::relaxed);                                     // hint
    const std::uint64_t last = top_seen_.load(Orders::relaxed);                                         // hint
    const std::uint64_t stealable = position(block_at(first).s_pos.load(Orders::relaxed)).stealable();  // hint
    if (last <= first) return stealable;
    return stealable + (last - first - 1) * entries_per_block_ +
           position(block_at(last).s_pos.load(Orders::relaxed)).stealable();  // hint
  }

 private:
  friend ext::owner_handle<bwos_lifo>;
  friend ext::thief_handle<bwos_lifo>;

  // The packed word {tag, end, idx}.
  class position {
   public:
    constexpr explicit position(std::uint64_t bits) noexcept : bits_(bits) {}
    [[nodiscard]] static constexpr position of(std::uint32_t tag, std::uint64_t end, std::uint64_t idx) noexcept {
      return position(std::uint64_t{tag} << 32 | end << 16 | idx);
    }
    [[nodiscard]] static constexpr position closed(std::uint32_t tag) noexcept { return of(tag, 0, 0); }
    [[nodiscard]] static constexpr position exhausted(std::uint32_t tag, std::uint64_t entries) noexcept {
      return of(tag, entries, entries);
    }

    [[nodiscard]] constexpr std::uint64_t bits() const noexcept { return bits_; }
    [[nodiscard]] constexpr std::uint32_t tag() const noexcept { return static_cast<std::uint32_t>(bits_ >> 32); }
    [[nodiscard]] constexpr std::uint64_t end() const noexcept { return bits_ >> 16 & 0xffff; }
    [[nodiscard]] constexpr std::uint64_t idx() const noexcept { return bits_ & 0xffff; }
    [[nodiscard]] constexpr std::uint64_t stealable() const noexcept { return end() - idx(); }
    [[nodiscard]] constexpr position taken(std::uint64_t n) const noexcept { return position(bits_ + n); }
    [[nodiscard]] static constexpr std::uint64_t extension(std::uint64_t n) noexcept { return n << 16; }

   private:
    std::uint64_t bits_;
  };

  struct alignas(ext::isolation_bytes) block {
    atomic<std::uint64_t> s_pos{0, "s_pos"};
    atomic<std::uint64_t> s_cnt{0, "s_cnt"};
  };

  [[nodiscard]] block& block_at(std::uint64_t number) noexcept { return blocks_[number & block_mask_]; }
  [[nodiscard]] const block& block_at(std::uint64_t number) const noexcept { return blocks_[number & block_mask_]; }
  [[nodiscard]] cell* first_entry(std::uint64_t number) noexcept {
    return entries_.data() + (number & block_mask_) * entries_per_block_;
  }
  static constexpr auto tag_mask = static_cast<std::uint32_t>((std::uint64_t{1} << TagBits) - 1);
  [[nodiscard]] std::uint32_t tag_of(std::uint64_t number) const noexcept {
    return static_cast<std::uint32_t>(number >> block_shift_) & tag_mask;
  }
  [[nodiscard]] static constexpr bool older(std::uint32_t a, std::uint32_t b) noexcept {
    return a != b && ((b - a) & tag_mask) <= tag_mask / 2;
  }

  // The owner's side. What is cold returns a bool and leaves the item to the inlined part: an optional that comes out
  // of a call makes g++ assemble the result in memory on the fast path too, and wait for it (measured: 5 ns per pop).

  [[nodiscard]] bool push(T item) noexcept {
    cell* const at = cur_;
    if (bounds_.has_room(at)) [[likely]] {
      at->set(item);  // carried by grant
      cur_ = at + 1;
      return true;
    }
    return push_slow(item);
  }

  [[nodiscard]] std::optional<T> pop() noexcept {
    cell* at = cur_;
    if (!bounds_.has_item(at)) [[unlikely]] {
      if (!prepare_pop()) return std::nullopt;
      at = cur_;
    }
    cur_ = --at;
    return at->get();
  }

  [[nodiscard]] std::uint64_t held() const noexcept { return static_cast<std::uint64_t>(cur_ - first_); }

  [[gnu::noinline, gnu::cold]] bool push_slow(T item) noexcept {
    const bool asked = bounds_.are_gone();
    if (f_ + held() == entries_per_block_ && !advance()) return false;
    (cur_++)->set(item);
    settle(asked);
    return true;
  }

  // Leaves at least one item for pop to take. False: empty.
  [[gnu::noinline, gnu::cold]] bool prepare_pop() noexcept {
    const bool asked = bounds_.are_gone();
    if (cur_ == first_ && !reclaim()) return false;
    --cur_;  // that item is as good as taken: do not give it away
    settle(asked);
    ++cur_;
    return true;
  }

  // The top block is full: grant it, and go on in the next one. False: that one is still in use.
  [[nodiscard]] bool advance() noexcept {
    const std::uint64_t next = top_ + 1;
    block& fresh = block_at(next);
    if (position(fresh.s_pos.load(Orders::relaxed)).tag() != tag_of(next)) {  // only the owner changes tags
      if (fresh.s_cnt.load(Orders::recycle.acq) != entries_per_block_) return false;
      fresh.s_cnt.store(0, Orders::relaxed);                                      // carried by the grant of this block
      fresh.s_pos.store(position::closed(tag_of(next)).bits(), Orders::relaxed);  // closed: nothing to carry
    }  // otherwise it is the owner's from before
    publish(entries_per_block_);
    enter(next, 0, 0);
    return true;
  }

  // The owner holds nothing: take back what it published of the top block, or take over the block below. False: empty.
  [[nodiscard]] bool reclaim() noexcept {
    if (shared_) {
      const std::uint64_t idx = close(top_);
      shared_ = false;
      if (idx == f_) return false;
      enter(top_, idx, f_ - idx);
      return true;
    }
    if (f_ > 0) return false;  // stolen up to here, so everything below is gone
    const std::uint64_t below = top_ - 1;
    block& candidate = block_at(below);
    position seen(candidate.s_pos.load(Orders::relaxed));  // rechecked by the exchange
    if (seen.tag() != tag_of(below) || seen.idx() == entries_per_block_) return false;
    seen = position(
        candidate.s_pos.exchange(position::closed(tag_of(below)).bits(), Orders::relaxed));  // own entries: no edge
    if (seen.idx() == entries_per_block_) {
      const position gone = position::exhausted(tag_of(below), entries_per_block_);
      candidate.s_pos.store(gone.bits(), Orders::relaxed);  // a closed block is the owner's to write
      return false;
    }
    enter(below, seen.idx(), entries_per_block_ - seen.idx());
    return true;
  }

  // Ends stealing from the published part of the top block; returns where thieves stopped.
  [[nodiscard]] std::uint64_t close(std::uint64_t number) noexcept {
    block& current = block_at(number);
    position seen(current.s_pos.load(Orders::relaxed));  // rechecked by the exchange
    if (seen.idx() != f_) {
      seen = position(
          current.s_pos.exchange(position::closed(tag_of(number)).bits(), Orders::relaxed));  // own entries: no edge
    }
    return seen.idx();
  }

  void enter(std::uint64_t number, std::uint64_t front, std::uint64_t count) noexcept {
    if (number != top_) {
      top_ = number;
      shared_ = false;
      top_seen_.store(number, Orders::relaxed);  // hint
    }
    f_ = front;
    first_ = first_entry(number) + front;
    cur_ = first_ + count;
  }

  // Makes the entries [f_, until) of the top block stealable.
  void publish(std::uint64_t until) noexcept {
    const std::uint64_t more = until - f_;
    block& current = block_at(top_);
    if (shared_) {
      current.s_pos.fetch_add(position::extension(more), Orders::grant.rel);
    } else {
      current.s_pos.store(position::of(tag_of(top_), until, f_).bits(), Orders::grant.rel);
      shared_ = true;
    }
    f_ = until;
    first_ += more;
  }

  // Every slow operation ends here: puts bounds_ right, and answers a request if there is one and something to give.
  void settle(bool asked) noexcept {
    const std::uint64_t half = std::min(f_ + (held() + 1) / 2, entries_per_block_ - 1);  // I1
    const cell* const end = first_entry(top_) + entries_per_block_;
    if (!asked) {
      if (own_ == first_) return;
      own_ = first_;
      asked = bounds_.exchange(first_, end);  // a request that came meanwhile
      if (!asked) return;
    }
    if (half <= f_) {  // nothing to give: the request stays up
      own_ = nullptr;
      bounds_.remove();
      return;
    }
    own_ = first_ + (half - f_);
    bounds_.set(own_, end);  // before publishing, ordered by grant: a thief that sees the answer may ask anew
    publish(half);
  }

  // The thieves' side.

  ext::steal_result<T> steal() noexcept { return steal_from(0); }

  // `admits`: may the entry at this place be taken?
  template <class Admits = ext::anything>
  ext::batch_result steal_batch(std::span<T> out, Admits admits = {}) noexcept {
    if (out.empty()) return {};
    std::uint64_t number = steal_block_.load(Orders::relaxed);  // hint, rechecked by the tag
    for (;;) {
      block& victim = block_at(number);
      const position seen(victim.s_pos.load(Orders::relaxed));  // rechecked by the CAS
      if (older(seen.tag(), tag_of(number)))
        return {};  // an old view: the owner has got there, this thread does not see it yet
      if (seen.tag() != tag_of(number) || seen.idx() == entries_per_block_) {  // recycled or exhausted: go on
        if (steal_block_.compare_exchange(number, number + 1, Orders::relaxed, Orders::relaxed))
          ++number;  // hint, as above
      } else if (seen.stealable() == 0) {
        // A closed block does not say where the owner's entries begin; what the owner then grants, does.
        if (admits((number + 1) * entries_per_block_ - 1)) ask();
        return {};
      } else if (!admits(number * entries_per_block_ + seen.idx())) {
        return {};
      } else {
        const std::uint64_t count = std::min<std::uint64_t>(out.size(), seen.stealable());
        std::uint64_t expected = seen.bits();
        // On failure relaxed: the value found is not used.
        if (!victim.s_pos.compare_exchange(expected, seen.taken(count).bits(), Orders::grant.acq, Orders::relaxed)) {
          return {.status = ext::steal_status::lost};
        }
        const cell* const from = first_entry(number) + seen.idx();
        for (std::uint64_t i = 0; i < count; ++i) out[i] = from[i].get();
        victim.s_cnt.fetch_add(count, Orders::recycle.rel);
        return {.status = ext::steal_status::taken, .count = count};
      }
    }
  }

  ext::steal_result<T> steal_from(std::uint64_t mark) noexcept {
    T item{};
    const ext::batch_result result = steal_batch({&item, 1}, [mark](std::uint64_t place) { return place >= mark; });
    return result ? ext::steal_result<T>::of(item) : result.status;
  }

  [[nodiscard]] std::uint64_t mark() const noexcept { return top_ * entries_per_block_ + f_ + held(); }

  // Only the owner's block is left: ask for a part of it.
  void ask() noexcept {
    Sync::fence(Orders::notice);
    bounds_.request();
  }

  // Looks at one block: is it stealable, or is it the owner's own, part of which can be had for the asking?
  [[nodiscard]] bool sample(std::uint64_t random) const noexcept {
    const std::uint64_t last = top_seen_.load(Orders::relaxed);         // hint
    const position seen(block_at(random).s_pos.load(Orders::relaxed));  // hint
    if (seen.stealable() != 0) return true;
    return ((random ^ last) & block_mask_) == 0;
  }

  const std::uint64_t entries_per_block_;
  const std::uint64_t block_mask_;
  const unsigned block_shift_;
  ext::fixed_array<block, Sync> blocks_;
  ext::fixed_array<cell, Sync> entries_;

  alignas(ext::isolation_bytes) cell* cur_ = nullptr;
  cell* first_ = nullptr;
  std::uint64_t f_ = 0;
  std::uint64_t top_;
  const cell* own_ = nullptr;
  bool shared_ = false;
  ext::request_bounds<Sync> bounds_;
  alignas(ext::isolation_bytes) atomic<std::uint64_t> steal_block_;
  alignas(ext::isolation_bytes) atomic<std::uint64_t> top_seen_;
};

}  // namespace pilfer::queue
