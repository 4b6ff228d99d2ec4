// LIFO BWoS after the first pseudocode of QUEUES.md, and four faults of its published descriptions.
//
// Fault                     what is wrong                               what happens
//   no_acquire_partner      the grant is a release, but thieves load    a race on the entry; x86 hides it
//                           and CAS s_pos relaxed
//   acquire_on_load_only    acquire on steal's load, not on its CAS     the same, when the block was taken over and
//                                                                       granted again in between: an equal s_pos
//   owned_equals_exhausted  OWNED is encoded as NE                      thieves walk past the owner's block; once they
//                                                                       steal above it, its items are stranded
//   recycled_unseen         a thief that finds a later round than it    the block was recycled before a thief saw it
//                           looks for says "empty"                      exhausted: thieves say "empty" for ever
//
// `none` is right: there a thief steps over a recycled block, as bwos_lifo.hpp does. Unlike the pseudocode, all say
// `lost` when the CAS of s_pos fails, instead of trying again.
//
// Sources    QUEUES.md, "LIFO BWoS": its pseudocode has recycled_unseen; no_acquire_partner is the hole in a public C++
//            implementation (STYLE.md, section 1); owned_equals_exhausted is the encoding of 000, Table 4.1 and Figures
//            4.5 to 4.7. 001, sections 4.2 and 5.2: two acquire, two release.
#pragma once

#include <algorithm>

#include <pilfer/ext/queue_concept.hpp>
#include <pilfer/ext/storage.hpp>

namespace pilfer::model::faulty {

enum class bwos_lifo_fault : std::uint8_t {
  none,
  no_acquire_partner,
  acquire_on_load_only,
  owned_equals_exhausted,
  recycled_unseen,
};

template <ext::queue_item T, class Sync, bwos_lifo_fault Fault = bwos_lifo_fault::none>
class published_bwos_lifo {
  template <class U>
  using atomic = typename Sync::template atomic<U>;
  using cell = typename Sync::template cell<T>;
  using enum bwos_lifo_fault;

 public:
  using item_type = T;
  static constexpr ext::queue_traits traits{
      .name = "published-bwos-lifo", .order = ext::queue_order::lifo, .bounded = true, .batch = true};

  // Any number of blocks from 2 on.
  explicit published_bwos_lifo(ext::block_geometry geometry)
      : entries_(geometry.entries),
        count_(geometry.blocks),
        blocks_(count_),
        items_(count_ * entries_),
        top_(count_),
        steal_block_(count_, "sblk") {
    if (count_ < 2) ext::reject_argument("published_bwos_lifo", "blocks", count_, "at least 2");
    if (entries_ == 0) ext::reject_argument("published_bwos_lifo", "entries", entries_, "at least 1");
    blocks_[0].s_pos.store(position::of(1, owned()).bits(), std::memory_order_relaxed);
    for (std::uint64_t i = 1; i < count_; ++i) {
      blocks_[i].s_pos.store(position::of(0, entries_).bits(), std::memory_order_relaxed);
      blocks_[i].s_cnt.store(entries_, std::memory_order_relaxed);
    }
  }
  published_bwos_lifo(const published_bwos_lifo&) = delete;
  published_bwos_lifo& operator=(const published_bwos_lifo&) = delete;

  [[nodiscard]] ext::owner_handle<published_bwos_lifo> owner() noexcept {
    return ext::owner_handle<published_bwos_lifo>(*this);
  }
  [[nodiscard]] ext::thief_handle<published_bwos_lifo> thief() noexcept {
    return ext::thief_handle<published_bwos_lifo>(*this);
  }
  [[nodiscard]] std::size_t capacity() const noexcept { return count_ * entries_; }
  // Counts what is granted.
  [[nodiscard]] std::size_t size_hint() const noexcept {
    std::size_t sum = 0;
    for (std::uint64_t i = 0; i < count_; ++i) {
      const position s(blocks_[i].s_pos.load(std::memory_order_relaxed));
      if (s.idx() < entries_) sum += entries_ - s.idx();
    }
    return sum;
  }

 private:
  friend ext::owner_handle<published_bwos_lifo>;
  friend ext::thief_handle<published_bwos_lifo>;

  // The packed word {round, idx}.
  class position {
   public:
    constexpr explicit position(std::uint64_t bits) noexcept : bits_(bits) {}
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
    atomic<std::uint64_t> s_pos{0, "s_pos"};  // idx < NE: stealable from idx; NE: exhausted; OWNED: the owner's
    atomic<std::uint64_t> s_cnt{0, "s_cnt"};
  };

  [[nodiscard]] std::uint64_t owned() const noexcept {
    return Fault == owned_equals_exhausted ? entries_ : entries_ + 1;  // FAULT owned_equals_exhausted
  }
  [[nodiscard]] block& at(std::uint64_t number) noexcept { return blocks_[number % count_]; }
  [[nodiscard]] std::uint64_t round_of(std::uint64_t number) const noexcept { return number / count_; }
  [[nodiscard]] cell& item(std::uint64_t number, std::uint64_t idx) noexcept {
    return items_[number % count_ * entries_ + idx];
  }

  [[nodiscard]] bool push(T value) noexcept {
    if (back_ == entries_ && !advance()) return false;
    item(top_, back_++).set(value);
    return true;
  }

  [[nodiscard]] bool advance() noexcept {
    const std::uint64_t next = top_ + 1;
    block& fresh = at(next);
    if (position(fresh.s_pos.load(std::memory_order_relaxed)).round() != round_of(next)) {
      if (fresh.s_cnt.load(std::memory_order_acquire) != entries_) return false;
      fresh.s_cnt.store(0, std::memory_order_relaxed);
      fresh.s_pos.store(position::of(round_of(next), owned()).bits(), std::memory_order_relaxed);
    }  // otherwise it is the owner's from before
    at(top_).s_pos.store(position::of(round_of(top_), front_).bits(), std::memory_order_release);  // grant
    top_ = next;
    back_ = front_ = 0;
    return true;
  }

  [[nodiscard]] std::optional<T> pop() noexcept {
    if (back_ == front_ && !take_over()) return std::nullopt;
    return item(top_, --back_).get();
  }

  [[nodiscard]] bool take_over() noexcept {
    if (front_ > 0) return false;  // stolen up to here: everything below is gone
    const std::uint64_t below = top_ - 1;
    atomic<std::uint64_t>& s_pos = at(below).s_pos;
    position s(s_pos.load(std::memory_order_relaxed));
    if (s.round() != round_of(below) || s.idx() == entries_) return false;
    s = position(s_pos.exchange(position::of(round_of(below), owned()).bits(), std::memory_order_relaxed));
    if (s.idx() == entries_) {
      s_pos.store(s.bits(), std::memory_order_relaxed);
      return false;
    }
    top_ = below;
    front_ = s.idx();
    back_ = entries_;
    return true;
  }

  ext::steal_result<T> steal() noexcept {
    T value{};
    const ext::batch_result result = steal_batch({&value, 1});
    return result ? ext::steal_result<T>::of(value) : result.status;
  }

  ext::batch_result steal_batch(std::span<T> out) noexcept {
    constexpr auto load_order = Fault == acquire_on_load_only ? std::memory_order_acquire : std::memory_order_relaxed;
    constexpr auto claim_order = Fault == no_acquire_partner || Fault == acquire_on_load_only
                                     ? std::memory_order_relaxed
                                     : std::memory_order_acquire;
    if (out.empty()) return {};
    std::uint64_t number = steal_block_.load(std::memory_order_relaxed);
    for (;;) {
      block& victim = at(number);
      const position s(victim.s_pos.load(load_order));  // FAULT acquire_on_load_only: here ...
      if (s.round() != round_of(number)) {
        if constexpr (Fault == recycled_unseen) {
          const std::uint64_t hint = steal_block_.load(std::memory_order_relaxed);
          if (hint == number) return {};  // FAULT recycled_unseen
          number = hint;
          continue;
        }
        if (s.round() < round_of(number))
          return {};  // the owner has not been there, or this thread does not see it yet
      } else if (s.idx() < entries_) {
        const std::uint64_t n = std::min<std::uint64_t>(out.size(), entries_ - s.idx());
        std::uint64_t expected = s.bits();
        if (!victim.s_pos.compare_exchange(expected, s.advanced(n).bits(),
                                           claim_order,  // FAULT no_acquire_partner, acquire_on_load_only: ... not here
                                           std::memory_order_relaxed)) {
          return {.status = ext::steal_status::lost};
        }
        for (std::uint64_t i = 0; i < n; ++i) out[i] = item(number, s.idx() + i).get();
        victim.s_cnt.fetch_add(n, std::memory_order_release);
        return {.status = ext::steal_status::taken, .count = n};
      } else if (s.idx() != entries_) {
        return {};  // OWNED
      }
      // Exhausted or recycled: on to the next block.
      if (steal_block_.compare_exchange(number, number + 1, std::memory_order_relaxed, std::memory_order_relaxed)) {
        ++number;
      }
    }
  }

  [[nodiscard]] bool sample(std::uint64_t random) const noexcept {
    return position(blocks_[random % count_].s_pos.load(std::memory_order_relaxed)).idx() < entries_;
  }

  const std::uint64_t entries_;  // NE, per block
  const std::uint64_t count_;    // NB
  ext::fixed_array<block, Sync> blocks_;
  ext::fixed_array<cell, Sync> items_;
  std::uint64_t top_;        // number of the owner's block; never wraps
  std::uint64_t back_ = 0;   // next free entry there
  std::uint64_t front_ = 0;  // entries below it are not the owner's
  atomic<std::uint64_t> steal_block_;
};

}  // namespace pilfer::model::faulty
