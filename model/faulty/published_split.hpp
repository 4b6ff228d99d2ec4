// The split deque of LCWS as printed, with its own orders and fences, and corrected.
//
// `as_printed` is Listing 2 with the least that makes it a program: what is plain there (public_bot, bot, the slots) is
// a relaxed atomic, the last line of pop_top is not inverted, and push looks whether there is room. Its faults are
//
//   relaxed_exposure   update_public_bottom is no release, and pop_top reads public_bot without acquire: a thief reads
//                      a slot that is not yet written
//   no_fence_in_steal  pop_top has no fence between age and public_bot: an item is taken twice
//   relaxed_age_reset  pop_public_bottom orders age and public_bot by a fence after both, not by a release of age: a
//                      thief sees the new age with the old public_bot, and takes a stale item
//
// Each also comes alone, in an otherwise corrected deque. `corrected` is QUEUES.md's.
//
// Sources    Rito and Paulino, LCWS, SPAA 2023 (004), Listing 2 and section 3.2; QUEUES.md, "Split deque (004)".
#pragma once

#include <algorithm>

#include <pilfer/ext/queue_concept.hpp>
#include <pilfer/ext/storage.hpp>

namespace pilfer::model::faulty {

enum class split_fault : std::uint8_t { corrected, as_printed, relaxed_exposure, no_fence_in_steal, relaxed_age_reset };

template <ext::queue_item T, class Sync, split_fault Fault = split_fault::corrected>
class published_split {
  template <class U>
  using atomic = typename Sync::template atomic<U>;
  using enum split_fault;
  // Does the deque have this fault?
  static constexpr bool has(split_fault one) noexcept { return Fault == as_printed || Fault == one; }

 public:
  using item_type = T;
  static constexpr ext::queue_traits traits{
      .name = "published-split", .order = ext::queue_order::lifo, .bounded = true, .split = true};

  explicit published_split(std::size_t capacity)
      : capacity_(ext::checked_capacity("published_split", capacity, age::max_top)), slots_(capacity) {}
  published_split(const published_split&) = delete;
  published_split& operator=(const published_split&) = delete;

  [[nodiscard]] ext::owner_handle<published_split> owner() noexcept {
    return ext::owner_handle<published_split>(*this);
  }
  [[nodiscard]] ext::thief_handle<published_split> thief() noexcept {
    return ext::thief_handle<published_split>(*this);
  }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  // Counts the public part.
  [[nodiscard]] std::size_t size_hint() const noexcept {
    const std::uint64_t top = age(age_.load(std::memory_order_relaxed)).top();
    const std::uint64_t end = public_bot_.load(std::memory_order_relaxed);
    return end > top ? end - top : 0;
  }

 private:
  friend ext::owner_handle<published_split>;
  friend ext::thief_handle<published_split>;

  // The packed word {tag, top}.
  class age {
   public:
    static constexpr std::uint64_t max_top = 0xffff'ffff;

    constexpr explicit age(std::uint64_t bits) noexcept : bits_(bits) {}
    [[nodiscard]] constexpr std::uint64_t bits() const noexcept { return bits_; }
    [[nodiscard]] constexpr std::uint64_t top() const noexcept { return bits_ & max_top; }
    [[nodiscard]] constexpr age advanced() const noexcept { return age(bits_ + 1); }
    [[nodiscard]] constexpr age reset() const noexcept { return age(((bits_ >> 32) + 1) << 32); }

   private:
    std::uint64_t bits_;
  };

  // As printed, thieves read bot.
  class shared_index {
   public:
    [[nodiscard]] std::uint64_t get() const noexcept { return value_.load(std::memory_order_relaxed); }
    void set(std::uint64_t value) noexcept { value_.store(value, std::memory_order_relaxed); }

   private:
    atomic<std::uint64_t> value_{0, "bot"};
  };
  class private_index {
   public:
    [[nodiscard]] std::uint64_t get() const noexcept { return value_; }
    void set(std::uint64_t value) noexcept { value_ = value; }

   private:
    std::uint64_t value_ = 0;
  };

  // push_bottom
  [[nodiscard]] bool push(T item) noexcept {
    const std::uint64_t b = bot_.get();
    if (b == capacity_) return false;
    slots_[b].store(item, std::memory_order_relaxed);
    bot_.set(b + 1);
    return true;
  }

  // pop_bottom
  [[nodiscard]] std::optional<T> pop() noexcept {
    const std::uint64_t b = bot_.get();
    if (b == public_bot_.load(std::memory_order_relaxed)) return std::nullopt;
    bot_.set(b - 1);
    return slots_[b - 1].load(std::memory_order_relaxed);
  }

  // pop_public_bottom
  [[nodiscard]] std::optional<T> pop_public() noexcept {
    constexpr auto public_order = Fault == as_printed ? std::memory_order_relaxed : std::memory_order_release;
    constexpr auto age_order = has(relaxed_age_reset) ? std::memory_order_relaxed : std::memory_order_release;
    std::uint64_t p = public_bot_.load(std::memory_order_relaxed);
    if (p == 0) {
      if constexpr (Fault != as_printed) bot_.set(0);
      return std::nullopt;
    }
    --p;
    public_bot_.store(p, public_order);  // FAULT as_printed
    Sync::fence(std::memory_order_seq_cst);
    const T item = slots_[p].load(std::memory_order_relaxed);
    const age seen(age_.load(std::memory_order_relaxed));
    if (p > seen.top()) {
      bot_.set(p);
      return item;
    }
    bot_.set(0);
    public_bot_.store(0, std::memory_order_relaxed);
    std::uint64_t expected = seen.bits();
    const std::uint64_t next = seen.reset().bits();
    const bool won = p == seen.top() && age_.compare_exchange(expected, next, age_order,
                                                              std::memory_order_relaxed);  // FAULT relaxed_age_reset
    if (!won) age_.store(next, age_order);                                                 // FAULT relaxed_age_reset
    if constexpr (has(relaxed_age_reset)) Sync::fence(std::memory_order_seq_cst);          // too late: after the age
    return won ? std::optional<T>(item) : std::nullopt;
  }

  // pop_top
  ext::steal_result<T> steal() noexcept {
    constexpr auto public_order = has(relaxed_exposure) ? std::memory_order_relaxed : std::memory_order_acquire;
    constexpr auto claim_order = Fault == as_printed ? std::memory_order_relaxed : std::memory_order_release;
    const age seen(age_.load(std::memory_order_relaxed));
    if constexpr (!has(no_fence_in_steal)) Sync::fence(std::memory_order_seq_cst);  // FAULT no_fence_in_steal
    const std::uint64_t p = public_bot_.load(public_order);                         // FAULT relaxed_exposure
    if (p > seen.top()) {
      const T item = slots_[seen.top()].load(std::memory_order_relaxed);
      std::uint64_t expected = seen.bits();
      if (!age_.compare_exchange(expected, seen.advanced().bits(), claim_order, std::memory_order_relaxed)) {
        return ext::steal_status::lost;
      }
      return ext::steal_result<T>::of(item);
    }
    if constexpr (Fault == as_printed) {
      const std::uint64_t again = public_bot_.load(std::memory_order_relaxed);
      return again < bot_.get() ? ext::steal_status::private_work : ext::steal_status::empty;  // printed inverted
    }
    return ext::steal_status::empty;  // never reads bot
  }

  // update_public_bottom, n times at once
  std::size_t expose(std::size_t n) noexcept {
    constexpr auto public_order = has(relaxed_exposure) ? std::memory_order_relaxed : std::memory_order_release;
    const std::uint64_t p = public_bot_.load(std::memory_order_relaxed);
    const std::size_t count = std::min<std::size_t>(n, bot_.get() - p);
    if (count != 0) public_bot_.store(p + count, public_order);  // FAULT relaxed_exposure
    return count;
  }
  [[nodiscard]] std::size_t private_size() const noexcept {
    return bot_.get() - public_bot_.load(std::memory_order_relaxed);
  }

  [[nodiscard]] bool sample(std::uint64_t /*random*/) const noexcept { return size_hint() != 0; }

  const std::uint64_t capacity_;
  ext::fixed_array<ext::slot<T, Sync>, Sync> slots_;
  std::conditional_t<Fault == as_printed, shared_index, private_index> bot_;
  atomic<std::uint64_t> public_bot_{0, "public_bot"};
  atomic<std::uint64_t> age_{0, "age"};
};

}  // namespace pilfer::model::faulty
