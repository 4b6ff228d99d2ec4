// The deque of Arora, Blumofe and Plaxton, with a tagged top.
//
// Order      owner LIFO, thieves oldest first.
// Bounds     fixed capacity. Space that thieves free at the top comes back only when the deque becomes empty; until
//            then push may say no although there are fewer than capacity() items.
// Progress   push and pop wait-free, steal lock-free.
//
// State        writer          reader   meaning
//   bottom_    owner           all      next index to push
//   age_       all             all      {tag, top}: next index to steal, and how often top was set back to 0
//   slots_     owner           all      items in [top, bottom)
//
// Invariants
//   I1  Whoever moves top from i to i+1, or lowers bottom_ to i while top < i, owns item i.
//   I2  The tag grows whenever top is set back, so that no CAS of a thief survives a reset.
//   I3  A mark is {tag, bottom}. An item is younger if top has reached that bottom, or if the tag is another one: then
//       the deque has been empty since. The claim compares the very word that was compared with the mark.
//
// Edges
//   publish    owner: store of bottom_ -> steal: load of bottom_         slots below bottom_ are visible
//   dekker     pop: bottom_, fence, age_ || steal: age_, fence, bottom_  not both miss the other
//   claim      every change of age_ is a release, paired with the fence that follows the next load of age_: the slot
//              was read before its index passed on. RC11 would accept a relaxed one, IMM and the C++ standard do not.
//
// Sources    000 (C++ design), 002 (bounded deque, there with an int as stamp, which wraps); orders as in QUEUES.md.
#pragma once

#include <pilfer/ext/last_look.hpp>
#include <pilfer/ext/queue_concept.hpp>
#include <pilfer/ext/storage.hpp>

namespace pilfer::queue {

struct abp_orders {
  static constexpr ext::edge publish{};
  static constexpr auto dekker = std::memory_order_seq_cst;
  static constexpr auto claim = std::memory_order_release;
  static constexpr auto relaxed = std::memory_order_relaxed;
};

// TagBits: 40 leaves 24 bits for the index; fewer make the tag wrap within a test.
template <ext::queue_item T, class Sync = ext::default_sync, class Orders = abp_orders, unsigned TagBits = 40>
class abp_deque : public ext::two_roles<abp_deque<T, Sync, Orders, TagBits>> {
  static_assert(TagBits >= 1 && TagBits <= 40);
  template <class U>
  using atomic = typename Sync::template atomic<U>;

 public:
  using item_type = T;
  static constexpr ext::queue_traits traits{
      .name = "abp", .order = ext::queue_order::lifo, .bounded = true, .marks = true};

  explicit abp_deque(std::size_t capacity)
      : capacity_(ext::checked_capacity("abp_deque", capacity, age::max_top)), slots_(capacity) {}

  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] std::size_t size_hint() const noexcept {
    const std::uint64_t top = age(age_.load(Orders::relaxed)).top();  // hint
    const std::uint64_t bottom = bottom_.load(Orders::relaxed);       // hint
    return bottom > top ? bottom - top : 0;
  }

 private:
  friend ext::owner_handle<abp_deque>;
  friend ext::thief_handle<abp_deque>;

  // The packed word {tag, top}.
  class age {
   public:
    static constexpr unsigned top_bits = 24;
    static constexpr std::uint64_t max_top = (std::uint64_t{1} << top_bits) - 1;

    constexpr explicit age(std::uint64_t bits) noexcept : bits_(bits) {}
    [[nodiscard]] constexpr std::uint64_t bits() const noexcept { return bits_; }
    [[nodiscard]] constexpr std::uint64_t top() const noexcept { return bits_ & max_top; }
    [[nodiscard]] constexpr age advanced() const noexcept { return age(bits_ + 1); }
    [[nodiscard]] constexpr age with_top(std::uint64_t top) const noexcept { return age((bits_ & ~max_top) | top); }
    [[nodiscard]] constexpr bool same_tag(age other) const noexcept { return ((bits_ ^ other.bits_) >> top_bits) == 0; }
    [[nodiscard]] constexpr age reset() const noexcept {
      constexpr std::uint64_t tag_mask = (std::uint64_t{1} << TagBits) - 1;
      return age((((bits_ >> top_bits) + 1) & tag_mask) << top_bits);
    }

   private:
    std::uint64_t bits_;
  };

  [[nodiscard]] bool push(T item) noexcept {
    const std::uint64_t b = bottom_.load(Orders::relaxed);  // own variable
    if (b == capacity_) [[unlikely]]
      return false;
    slots_[b].store(item, Orders::relaxed);  // carried by publish
    bottom_.store(b + 1, Orders::publish.rel);
    return true;
  }

  [[nodiscard]] std::optional<T> pop() noexcept {
    std::uint64_t b = bottom_.load(Orders::relaxed);  // own variable
    if (b == 0) [[unlikely]]
      return std::nullopt;
    --b;
    bottom_.store(b, Orders::publish.rel);
    Sync::fence(Orders::dekker);
    const T item = slots_[b].load(Orders::relaxed);  // own store
    const age seen(age_.load(Orders::relaxed));      // ordered by dekker
    if (b <= seen.top() && !wins_last(b, seen)) [[unlikely]]
      return std::nullopt;
    return item;
  }

  // At most one item was left: race the thieves for it, and set top back.
  [[gnu::noinline, gnu::cold]] bool wins_last(std::uint64_t b, age seen) noexcept {
    bottom_.store(0, Orders::relaxed);  // says "empty"; a thief that reads it takes nothing
    const age next = seen.reset();
    if (b == seen.top()) {
      std::uint64_t expected = seen.bits();
      // On failure relaxed: the value found is not used.
      if (age_.compare_exchange(expected, next.bits(), Orders::claim, Orders::relaxed)) return true;
    }
    age_.store(next.bits(), Orders::claim);
    return false;
  }

  // `admits`: may the item that this age points to be taken?
  template <class Admits = ext::anything>
  ext::steal_result<T> steal(Admits admits = {}) noexcept {
    const age seen(age_.load(Orders::relaxed));  // ordered by dekker
    if (!admits(seen)) return ext::steal_status::empty;
    Sync::fence(Orders::dekker);
    const std::uint64_t b = bottom_.load(Orders::publish.acq);
    look_.note(b > seen.top() + 1);
    if (b <= seen.top()) return ext::steal_status::empty;
    const T item = slots_[seen.top()].load(Orders::relaxed);  // carried by publish; worthless unless the claim succeeds
    std::uint64_t expected = seen.bits();
    // On failure relaxed: the value found is not used.
    if (!age_.compare_exchange(expected, seen.advanced().bits(), Orders::claim, Orders::relaxed)) {
      return ext::steal_status::lost;
    }
    return ext::steal_result<T>::of(item);
  }
  ext::steal_result<T> steal_from(std::uint64_t mark) noexcept {
    return steal([from = age(mark)](age seen) { return !seen.same_tag(from) || seen.top() >= from.top(); });
  }
  [[nodiscard]] std::uint64_t mark() const noexcept {
    const age now(age_.load(Orders::relaxed));                  // for its tag, which only the owner changes
    return now.with_top(bottom_.load(Orders::relaxed)).bits();  // own variable
  }

  [[nodiscard]] bool sample(std::uint64_t random) const noexcept { return look_.sample(random); }

  alignas(ext::isolation_bytes) atomic<std::uint64_t> bottom_{0, "bottom"};
  const std::uint64_t capacity_;
  ext::fixed_array<ext::slot<T, Sync>, Sync> slots_;
  alignas(ext::isolation_bytes) atomic<std::uint64_t> age_{0, "age"};
  ext::last_look<Sync> look_;
};

}  // namespace pilfer::queue
