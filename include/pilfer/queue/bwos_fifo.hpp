// Block-based work stealing, FIFO for the owner.
//
// The storage is cut into blocks. The owner fills one block, the producer's, and empties another, its home; thieves
// take from any block but home, the producer's included. The published algorithm hands out blocks in a fixed circle,
// so one thief that stalls in the next block makes the queue full although it is empty. Here the owner takes any free
// block and keeps the order of blocks in a private list: a stalled thief costs one block, not the queue.
//
// Order      owner FIFO; thieves oldest first within a block.
// Bounds     fixed: blocks x entries; a block comes back when its items are gone and their readers have finished.
//            After pop has said "empty", push succeeds: the queue is never empty and full at once.
// Progress   push and pop wait-free (a change of block looks at each block once); steal lock-free.
//
// State              writer           reader   meaning
//   front_           owner            owner    where pop reads next, in home
//   front_end_       owner            owner    pop may read up to here without a look at the producer
//   home_, home_from_ owner           owner    block that pop empties; its entries from home_from_ on were the owner's
//   producer_        owner            owner    block that push fills; the last of the list that begins at home
//   own_[i]          owner            owner    tag, next in the list, in use?, how many entries thieves got at its
//                    last use
//   b_pos            owner            all      {tag, idx} of a block: entries below idx are filled
//   s_pos            owner, thieves   all      {tag, idx} of a block: thieves take from idx on; idx == entries:
//                    nothing for them
//   s_cnt            thieves, owner   owner    how many entries of the block thieves have finished reading
//   start_           thieves          thieves  hint: the block to look at first
//
// Invariants
//   I1  Every block of the list but the last is filled up to `entries`, home possibly by counting skipped entries as
//       filled.
//   I2  Home's s_pos is at `entries`, and home_from_ < entries: rewinding home always makes room when it is the only
//       block.
//   I3  A block is reused only when s_cnt equals the number of entries that thieves took of it.
//   I4  A thief takes entry i only if b_pos and s_pos carry the same tag and i is below b_pos: the entry is of this
//       use.
//
// Edges
//   publish    push: store of b_pos       -> steal: load of b_pos     the entries below idx are visible
//   recycle    steal: fetch_add of s_cnt  -> push: load of s_cnt      the entries were read; overwrite them
//
// Sources    Wang et al., BWoS, OSDI 2023 (001); the pathology: Bamberg thesis (000), section 3.2; comparing the two
//            tags replaces the third acquire/release pair of 001 (QUEUES.md).
#pragma once

#include <algorithm>

#include <pilfer/ext/queue_concept.hpp>
#include <pilfer/ext/storage.hpp>

namespace pilfer::queue {

struct bwos_fifo_orders {
  static constexpr ext::edge publish{};
  static constexpr ext::edge recycle{};
  static constexpr auto relaxed = std::memory_order_relaxed;
};

// TagBits: 32; fewer make tags wrap within a test.
template <ext::queue_item T, class Sync = ext::default_sync, class Orders = bwos_fifo_orders, unsigned TagBits = 32>
class bwos_fifo : public ext::two_roles<bwos_fifo<T, Sync, Orders, TagBits>> {
  static_assert(TagBits >= 1 && TagBits <= 32);
  template <class U>
  using atomic = typename Sync::template atomic<U>;
  using cell = typename Sync::template cell<T>;

 public:
  using item_type = T;
  static constexpr ext::queue_traits traits{
      .name = "bwos-fifo", .order = ext::queue_order::fifo, .bounded = true, .batch = true, .random_start = true};
  static constexpr std::size_t max_entries = std::size_t{1} << 31;

  explicit bwos_fifo(ext::block_geometry geometry)
      : entries_per_block_(ext::checked_geometry("bwos_fifo", geometry, max_entries).entries),
        block_mask_(geometry.blocks - 1),
        blocks_(geometry.blocks),
        own_(geometry.blocks),
        entries_(geometry.blocks * geometry.entries) {
    for (std::uint64_t b = 0; b < geometry.blocks; ++b) {
      blocks_[b].s_pos.store(position::of(0, entries_per_block_).bits(),
                             Orders::relaxed);  // before anyone else sees the queue
    }
    // Home begins as a block that the owner has emptied, so that the first items already go to a block that thieves
    // can reach.
    own_[0].in_use = true;
    blocks_[0].b_pos.store(position::of(0, entries_per_block_).bits(), Orders::relaxed);  // as above
    produce_in(0);
    front_ = front_end_ = first_entry(0) + entries_per_block_;
  }

  [[nodiscard]] std::size_t capacity() const noexcept { return (block_mask_ + 1) * entries_per_block_; }

  // Counts what thieves can reach; not what is left of the owner's home block.
  [[nodiscard]] std::size_t size_hint() const noexcept {
    std::size_t sum = 0;
    for (std::uint64_t b = 0; b <= block_mask_; ++b) sum += reachable_in(b);
    return sum;
  }
  // As size_hint() != 0, but looks no further than the first item.
  [[nodiscard]] bool has_items() const noexcept {
    const std::uint64_t start = start_.load(Orders::relaxed);  // hint
    for (std::uint64_t i = 0; i <= block_mask_; ++i) {
      if (reachable_in((start + i) & block_mask_) != 0) return true;
    }
    return false;
  }

 private:
  friend ext::owner_handle<bwos_fifo>;
  friend ext::thief_handle<bwos_fifo>;

  // The packed word {tag, idx}.
  class position {
   public:
    constexpr explicit position(std::uint64_t bits) noexcept : bits_(bits) {}
    [[nodiscard]] static constexpr position of(std::uint32_t tag, std::uint64_t idx) noexcept {
      return position(std::uint64_t{tag} << 32 | idx);
    }
    [[nodiscard]] constexpr std::uint64_t bits() const noexcept { return bits_; }
    [[nodiscard]] constexpr std::uint32_t tag() const noexcept { return static_cast<std::uint32_t>(bits_ >> 32); }
    [[nodiscard]] constexpr std::uint64_t idx() const noexcept { return static_cast<std::uint32_t>(bits_); }
    [[nodiscard]] constexpr position advanced(std::uint64_t n) const noexcept { return position(bits_ + n); }

   private:
    std::uint64_t bits_;
  };

  struct block {
    alignas(ext::isolation_bytes) atomic<std::uint64_t> b_pos{0, "b_pos"};  // written by every push: a line of its own
    alignas(ext::isolation_bytes) atomic<std::uint64_t> s_pos{0, "s_pos"};
    atomic<std::uint64_t> s_cnt{0, "s_cnt"};
  };

  struct private_block {
    std::uint64_t stolen = 0;  // entries that thieves took at the last use; the block is free when all were read
    std::uint32_t tag = 0;
    std::uint32_t next = 0;
    bool in_use = false;
  };

  [[nodiscard]] cell* first_entry(std::uint64_t number) noexcept {
    return entries_.data() + number * entries_per_block_;
  }

  // Items of a block that thieves can reach. Where there are none for them, the line that pushes write is left alone.
  [[nodiscard]] std::size_t reachable_in(std::uint64_t number) const noexcept {
    const position from(blocks_[number].s_pos.load(Orders::relaxed));  // hint
    if (from.idx() == entries_per_block_) return 0;
    const position to(blocks_[number].b_pos.load(Orders::relaxed));  // hint
    return from.tag() == to.tag() && from.idx() < to.idx() ? to.idx() - from.idx() : 0;
  }

  // The owner's side. What is cold returns a bool and leaves the item to the inlined part, as bwos_lifo.hpp explains.

  [[nodiscard]] bool push(T item) noexcept {
    const position at(b_pos_->load(Orders::relaxed));  // own variable
    if (at.idx() < entries_per_block_) [[likely]] {
      producer_entries_[at.idx()].set(item);
      b_pos_->store(at.advanced(1).bits(), Orders::publish.rel);
      return true;
    }
    return push_slow(item);
  }

  [[nodiscard]] std::optional<T> pop() noexcept {
    cell* at = front_;
    if (at == front_end_) [[unlikely]] {
      if (!prepare_pop()) return std::nullopt;
      at = front_;
    }
    front_ = at + 1;
    return at->get();
  }

  // The producer's block is full: find another, or make one.
  [[gnu::noinline, gnu::cold]] bool push_slow(T item) noexcept {
    if (!take_free() && !(unlink_exhausted() && take_free()) && !(home_is_used_up() && leave_home() && take_free())) {
      if (home_ != producer_ || !home_is_used_up()) return false;  // full: the owner can still pop
      rewind_home();
    }
    return push(item);
  }

  // The next free block after the producer's becomes the producer's.
  [[nodiscard]] bool take_free() noexcept {
    for (std::uint64_t i = 1; i <= block_mask_; ++i) {
      const auto number = static_cast<std::uint32_t>((producer_ + i) & block_mask_);
      private_block& mine = own_[number];
      block& candidate = blocks_[number];
      if (mine.in_use || candidate.s_cnt.load(Orders::recycle.acq) != mine.stolen) continue;
      constexpr auto tag_mask = static_cast<std::uint32_t>((std::uint64_t{1} << TagBits) - 1);
      mine.tag = (mine.tag + 1) & tag_mask;
      mine.in_use = true;
      candidate.s_cnt.store(0, Orders::relaxed);                                 // carried by publish
      candidate.b_pos.store(position::of(mine.tag, 0).bits(), Orders::relaxed);  // nothing filled: nothing to carry
      candidate.s_pos.store(position::of(mine.tag, 0).bits(),
                            Orders::relaxed);  // useless without the b_pos that publish carries
      own_[producer_].next = number;
      produce_in(number);
      return true;
    }
    return false;
  }

  void produce_in(std::uint32_t number) noexcept {
    producer_ = number;
    b_pos_ = &blocks_[number].b_pos;
    producer_entries_ = first_entry(number);
  }

  // Takes blocks out of the list that thieves have emptied. False: there was none.
  [[nodiscard]] bool unlink_exhausted() noexcept {
    bool any = false;
    for (std::uint32_t previous = home_; previous != producer_;) {
      const std::uint32_t number = own_[previous].next;
      if (position(blocks_[number].s_pos.load(Orders::relaxed)).idx() ==
          entries_per_block_) {  // stays so until the owner changes it
        unlink(previous, number);
        any = true;
      } else {
        previous = number;
      }
    }
    return any;
  }

  void unlink(std::uint32_t previous, std::uint32_t number) noexcept {
    own_[number].in_use = false;
    own_[number].stolen = entries_per_block_;
    if (number == producer_) {
      produce_in(previous);  // which is full
    } else {
      own_[previous].next = own_[number].next;
    }
  }

  [[nodiscard]] bool home_is_used_up() noexcept { return front_ == first_entry(home_) + entries_per_block_; }

  // Requires that the owner has read all of home. The next block that thieves have not emptied becomes home. False:
  // none.
  [[nodiscard]] bool leave_home() noexcept {
    while (home_ != producer_) {
      const std::uint32_t number = own_[home_].next;
      atomic<std::uint64_t>& s_pos = blocks_[number].s_pos;
      position seen(s_pos.load(Orders::relaxed));  // rechecked by the exchange
      if (seen.idx() < entries_per_block_) {
        const position taken_over = position::of(own_[number].tag, entries_per_block_);
        seen = position(s_pos.exchange(taken_over.bits(), Orders::relaxed));  // own entries: no edge
      }
      if (seen.idx() == entries_per_block_) {
        unlink(home_, number);
        continue;
      }
      own_[home_].in_use = false;
      own_[home_].stolen = home_from_;
      home_ = number;
      home_from_ = seen.idx();
      front_ = front_end_ = first_entry(number) + home_from_;
      return true;
    }
    return false;
  }

  // Home is the only block, and the owner has read its entries from home_from_ on: fill those again.
  void rewind_home() noexcept {
    b_pos_->store(position::of(own_[home_].tag, home_from_).bits(), Orders::relaxed);  // home is closed to thieves
    front_ = front_end_ = first_entry(home_) + home_from_;
  }

  // Finds the next entry for pop to take. False: empty.
  [[gnu::noinline, gnu::cold]] bool prepare_pop() noexcept {
    for (;;) {
      const std::uint64_t filled =
          home_ == producer_ ? position(b_pos_->load(Orders::relaxed)).idx() : entries_per_block_;  // own variable
      front_end_ = first_entry(home_) + filled;
      if (front_ != front_end_) return true;
      if (!leave_home()) {
        skip_rest_of_home();
        return false;
      }
    }
  }

  // Empty. The next push shall go to a block that thieves can reach: count the rest of home as filled and read.
  void skip_rest_of_home() noexcept {
    b_pos_->store(position::of(own_[home_].tag, entries_per_block_).bits(), Orders::relaxed);  // as in rewind_home
    front_ = front_end_ = first_entry(home_) + entries_per_block_;
  }

  // The thieves' side.

  ext::steal_result<T> steal() noexcept { return steal_at(start_.load(Orders::relaxed)); }  // hint

  ext::steal_result<T> steal_at(std::uint64_t random) noexcept {
    T item{};
    const ext::batch_result result = steal_from(random, {&item, 1});
    return result ? ext::steal_result<T>::of(item) : result.status;
  }

  ext::batch_result steal_batch(std::span<T> out) noexcept {
    return steal_from(start_.load(Orders::relaxed), out);  // hint
  }

  ext::batch_result steal_from(std::uint64_t start, std::span<T> out) noexcept {
    if (out.empty()) return {};
    for (std::uint64_t i = 0; i <= block_mask_; ++i) {
      const std::uint64_t number = (start + i) & block_mask_;
      block& victim = blocks_[number];
      const position from(victim.s_pos.load(Orders::relaxed));  // rechecked by the CAS
      if (from.idx() == entries_per_block_) continue;
      const position to(victim.b_pos.load(Orders::publish.acq));
      if (to.tag() != from.tag() || to.idx() <= from.idx()) continue;
      const std::uint64_t count = std::min<std::uint64_t>(out.size(), to.idx() - from.idx());
      std::uint64_t expected = from.bits();
      // The claim orders nothing: the entries are carried by publish, their reuse by recycle.
      if (!victim.s_pos.compare_exchange(expected, from.advanced(count).bits(), Orders::relaxed, Orders::relaxed)) {
        return {.status = ext::steal_status::lost};
      }
      const cell* const entry = first_entry(number) + from.idx();
      for (std::uint64_t k = 0; k < count; ++k) out[k] = entry[k].get();
      victim.s_cnt.fetch_add(count, Orders::recycle.rel);
      if (i != 0) start_.store(number, Orders::relaxed);  // hint
      return {.status = ext::steal_status::taken, .count = count};
    }
    return {};
  }

  // Looks at one block: do thieves still have something to look for there?
  [[nodiscard]] bool sample(std::uint64_t random) const noexcept {
    return position(blocks_[random & block_mask_].s_pos.load(Orders::relaxed)).idx() < entries_per_block_;  // hint
  }

  const std::uint64_t entries_per_block_;
  const std::uint64_t block_mask_;
  ext::fixed_array<block, Sync> blocks_;
  ext::fixed_array<private_block, Sync> own_;
  ext::fixed_array<cell, Sync> entries_;

  alignas(ext::isolation_bytes) cell* front_ = nullptr;
  cell* front_end_ = nullptr;
  atomic<std::uint64_t>* b_pos_ = nullptr;
  cell* producer_entries_ = nullptr;
  std::uint32_t producer_ = 0;
  std::uint32_t home_ = 0;
  std::uint64_t home_from_ = 0;
  alignas(ext::isolation_bytes) atomic<std::uint64_t> start_{0, "start"};
};

}  // namespace pilfer::queue
