// FIFO BWoS as published: blocks in a fixed circle, round numbers, and push waits for s_cnt of the next block.
//
// What is wrong: a thief that has claimed (CAS of s_pos) and not yet reported (fetch_add of s_cnt) closes its block for
// push. The owner empties the rest of the queue, and pop says "empty"; the circle has come round to that block, and
// push says "full". Nothing is lost or read twice; the failing property is "after pop said empty, push succeeds".
//
// Does batched stealing cure it? The thesis thinks so, three times, without an argument: chapter 5, before section 5.1:
// "This issue can be resolved by allowing batched operation on steals"; section 6.0.1: "A potential solution to this
// issue involves introducing batched queue operations, which would prevent the specific block metadata state that
// causes the deadlock"; section 6.0.2: "by incorporating batched queue operations. This would allow the FIFO variant to
// avoid the pathological deadlock condition". The state it has in mind is that of its Figure 3.5: two of four entries
// of a block claimed, s_pos = 2, s_cnt = 0. It does not say what a batch is; thief_claim has both readings. Neither
// helps: the window between the claim and the report is there, whatever was claimed.
//
// Its other idea (sections 3.2 and 6.0.2) is to leave out the comparison of s_cnt: fifo_recycling::unchecked. The
// rounds alone do not say that thieves have finished: push overwrites an entry that a thief is about to read.
//
// Deviations from the print: a thief whose CAS fails says `lost` instead of trying again (Fig. 3, line 34); f_pos,
// which only the owner uses, is a plain variable.
//
// Edges      three acquire, three release, as in Table 2 of 001
//   b_pos    push: store                  -> steal: load    the entries below idx are visible
//   s_pos    advance of push: store       -> steal: load    b_pos is of the same round, not of the one before
//   s_cnt    steal: fetch_add             -> advance of push: load    the entries were read; overwrite them
//
// Sources    Wang et al., BWoS, OSDI 2023 (001): Figures 3 and 6 to 8, sections 3.4 (random start), 4.1 and 4.2;
//            Bamberg thesis (000): Table 4.1 (initial values), Figures 4.2 to 4.7, section 3.2 (the pathology);
//            QUEUES.md.
#pragma once

#include <limits>

#include <pilfer/ext/queue_concept.hpp>
#include <pilfer/ext/storage.hpp>

namespace pilfer::model::faulty {

// What a thief claims at once. But for `one`, a thief takes a whole batch or nothing, so its span must hold `entries`
// items; steal() has room for one item only, and says "empty" where the batch is larger.
enum class thief_claim : std::uint8_t {
  one,            // as printed
  all_available,  // all that is filled and not yet claimed of one block (001, section 6.3.2)
  whole_block,    // all entries of a block, once all of them are filled
};

enum class fifo_recycling : std::uint8_t {
  as_printed,  // push enters a block when f_pos and s_cnt say that it was read
  unchecked,   // only f_pos; s_cnt is not looked at (000, section 3.2)
};

template <ext::queue_item T, class Sync, thief_claim Claim = thief_claim::one,
          fifo_recycling Recycling = fifo_recycling::as_printed>
class published_bwos_fifo {
  template <class U>
  using atomic = typename Sync::template atomic<U>;
  using cell = typename Sync::template cell<T>;

 public:
  using item_type = T;
  static constexpr ext::queue_traits traits{.name = "published-bwos-fifo",
                                            .order = ext::queue_order::fifo,
                                            .bounded = true,
                                            .batch = true,
                                            .random_start = true};

  // Any number of blocks from 2 on; the print wants a power of two.
  explicit published_bwos_fifo(ext::block_geometry geometry)
      : entries_(geometry.entries), count_(geometry.blocks), blocks_(count_), items_(count_ * entries_) {
    if (count_ < 2) ext::reject_argument("published_bwos_fifo", "blocks", count_, "at least 2");
    if (entries_ == 0) ext::reject_argument("published_bwos_fifo", "entries", entries_, "at least 1");
    for (std::uint64_t i = 0; i < count_; ++i) {
      const position end = position::of(i == 0 ? 1 : 0, entries_);
      blocks_[i].f_pos = i == 0 ? position::of(1, 0) : end;
      blocks_[i].b_pos.store((i == 0 ? position::of(1, 0) : end).bits(), std::memory_order_relaxed);
      blocks_[i].s_pos.store(end.bits(), std::memory_order_relaxed);
      blocks_[i].s_cnt.store(end.bits(), std::memory_order_relaxed);
    }
  }
  published_bwos_fifo(const published_bwos_fifo&) = delete;
  published_bwos_fifo& operator=(const published_bwos_fifo&) = delete;

  [[nodiscard]] ext::owner_handle<published_bwos_fifo> owner() noexcept {
    return ext::owner_handle<published_bwos_fifo>(*this);
  }
  [[nodiscard]] ext::thief_handle<published_bwos_fifo> thief() noexcept {
    return ext::thief_handle<published_bwos_fifo>(*this);
  }
  [[nodiscard]] std::size_t capacity() const noexcept { return count_ * entries_; }
  // Counts what thieves can reach.
  [[nodiscard]] std::size_t size_hint() const noexcept {
    std::size_t sum = 0;
    for (std::uint64_t i = 0; i < count_; ++i) {
      const position from(blocks_[i].s_pos.load(std::memory_order_relaxed));
      const position to(blocks_[i].b_pos.load(std::memory_order_relaxed));
      if (from.round() == to.round() && from.idx() < to.idx()) sum += to.idx() - from.idx();
    }
    return sum;
  }

 private:
  friend ext::owner_handle<published_bwos_fifo>;
  friend ext::thief_handle<published_bwos_fifo>;

  // The packed word {round, idx}.
  class position {
   public:
    constexpr explicit position(std::uint64_t bits = 0) noexcept : bits_(bits) {}
    [[nodiscard]] static constexpr position of(std::uint64_t round, std::uint64_t idx) noexcept {
      return position(round << 32 | idx);
    }
    [[nodiscard]] constexpr std::uint64_t bits() const noexcept { return bits_; }
    [[nodiscard]] constexpr std::uint64_t round() const noexcept { return bits_ >> 32; }
    [[nodiscard]] constexpr std::uint64_t idx() const noexcept { return static_cast<std::uint32_t>(bits_); }
    [[nodiscard]] constexpr position advanced(std::uint64_t n) const noexcept { return position(bits_ + n); }

   private:
    std::uint64_t bits_;
  };

  struct block {
    atomic<std::uint64_t> b_pos{0, "b_pos"};
    atomic<std::uint64_t> s_pos{0, "s_pos"};
    atomic<std::uint64_t> s_cnt{0, "s_cnt"};
    position f_pos;
  };

  [[nodiscard]] std::uint64_t after(std::uint64_t number) const noexcept {
    return number + 1 == count_ ? 0 : number + 1;
  }
  // The round of the block after one of round `round` (001, section 3.3).
  [[nodiscard]] static std::uint64_t round_of(std::uint64_t next, std::uint64_t round) noexcept {
    return next == 0 ? round + 1 : round;
  }
  [[nodiscard]] cell& item(std::uint64_t number, std::uint64_t idx) noexcept { return items_[number * entries_ + idx]; }

  [[nodiscard]] bool push(T value) noexcept {
    for (;;) {
      block& back = blocks_[put_];
      const position b(back.b_pos.load(std::memory_order_relaxed));
      if (b.idx() < entries_) {
        item(put_, b.idx()).set(value);
        back.b_pos.store(b.advanced(1).bits(), std::memory_order_release);
        return true;
      }
      if (!advance_put(b.round())) return false;
    }
  }

  [[nodiscard]] bool advance_put(std::uint64_t current_round) noexcept {
    const std::uint64_t next = after(put_);
    const std::uint64_t round = round_of(next, current_round);
    const position read = position::of(round - 1, entries_);
    block& fresh = blocks_[next];
    if (fresh.f_pos.bits() != read.bits()) return false;
    if constexpr (Recycling == fifo_recycling::as_printed) {
      if (fresh.s_cnt.load(std::memory_order_acquire) != read.bits()) return false;  // FAULT as_printed: empty and full
    }  // FAULT unchecked
    const position start = position::of(round, 0);
    fresh.b_pos.store(start.bits(), std::memory_order_relaxed);
    fresh.s_cnt.store(start.bits(), std::memory_order_relaxed);
    fresh.s_pos.store(start.bits(), std::memory_order_release);  // grant
    put_ = next;
    return true;
  }

  [[nodiscard]] std::optional<T> pop() noexcept {
    for (;;) {
      block& front = blocks_[get_];
      const position f = front.f_pos;
      if (f.idx() < entries_) {
        if (f.bits() == front.b_pos.load(std::memory_order_relaxed)) return std::nullopt;
        front.f_pos = f.advanced(1);
        return item(get_, f.idx()).get();
      }
      if (!advance_get(f.round())) return std::nullopt;
    }
  }

  [[nodiscard]] bool advance_get(std::uint64_t current_round) noexcept {
    const std::uint64_t next = after(get_);
    const std::uint64_t round = round_of(next, current_round);
    block& fresh = blocks_[next];
    if (position(fresh.b_pos.load(std::memory_order_relaxed)).round() != round) return false;
    const position end = position::of(round, entries_);
    const position taken_over(fresh.s_pos.exchange(end.bits(), std::memory_order_relaxed));
    fresh.s_cnt.fetch_add(entries_ - taken_over.idx(), std::memory_order_relaxed);
    fresh.f_pos = taken_over;
    get_ = next;
    return true;
  }

  // From the block that thieves are in; on to the next one when it is done.
  ext::steal_result<T> steal() noexcept {
    T value{};
    const ext::batch_result result = steal_batch({&value, 1});
    return result ? ext::steal_result<T>::of(value) : result.status;
  }
  ext::batch_result steal_batch(std::span<T> out) noexcept {
    if (out.empty()) return {};
    std::uint64_t number = steal_.load(std::memory_order_relaxed);
    for (;;) {
      std::uint64_t done_round = 0;
      const ext::batch_result result = steal_in(number, out, done_round);
      if (done_round == no_round) return result;
      const std::uint64_t next = after(number);
      const position s(blocks_[next].s_pos.load(std::memory_order_relaxed));
      if (s.round() != round_of(next, done_round)) return {};
      if (steal_.compare_exchange(number, next, std::memory_order_relaxed, std::memory_order_relaxed)) number = next;
    }
  }
  // From one block and no other: randomized stealing.
  ext::steal_result<T> steal_at(std::uint64_t random) noexcept {
    T value{};
    std::uint64_t done_round = 0;
    const ext::batch_result result = steal_in(random % count_, {&value, 1}, done_round);
    return result ? ext::steal_result<T>::of(value) : result.status;
  }

  static constexpr std::uint64_t no_round = std::numeric_limits<std::uint64_t>::max();

  // done_round becomes the block's round if it has nothing more for thieves, else no_round.
  ext::batch_result steal_in(std::uint64_t number, std::span<T> out, std::uint64_t& done_round) noexcept {
    block& victim = blocks_[number];
    const position s(victim.s_pos.load(std::memory_order_acquire));
    done_round = s.idx() < entries_ ? no_round : s.round();
    if (done_round != no_round) return {};
    const position b(victim.b_pos.load(std::memory_order_acquire));
    const std::uint64_t n = claimable(s.idx(), b.idx());
    if (n == 0 || n > out.size()) return {};
    std::uint64_t expected = s.bits();
    if (!victim.s_pos.compare_exchange(expected, s.advanced(n).bits(), std::memory_order_relaxed,
                                       std::memory_order_relaxed)) {
      return {.status = ext::steal_status::lost};
    }
    for (std::uint64_t i = 0; i < n; ++i) out[i] = item(number, s.idx() + i).get();
    victim.s_cnt.fetch_add(n, std::memory_order_release);
    return {.status = ext::steal_status::taken, .count = n};
  }

  [[nodiscard]] std::uint64_t claimable(std::uint64_t from, std::uint64_t to) const noexcept {
    if (to <= from) return 0;
    if constexpr (Claim == thief_claim::one) {
      return 1;
    } else if constexpr (Claim == thief_claim::all_available) {
      return to - from;
    } else {
      return from == 0 && to == entries_ ? entries_ : 0;
    }
  }

  [[nodiscard]] bool sample(std::uint64_t random) const noexcept {
    return position(blocks_[random % count_].s_pos.load(std::memory_order_relaxed)).idx() < entries_;
  }

  const std::uint64_t entries_;  // per block
  const std::uint64_t count_;    // of blocks
  ext::fixed_array<block, Sync> blocks_;
  ext::fixed_array<cell, Sync> items_;
  std::uint64_t put_ = 0;
  std::uint64_t get_ = 0;
  atomic<std::uint64_t> steal_{0, "blk_to_steal"};
};

}  // namespace pilfer::model::faulty
