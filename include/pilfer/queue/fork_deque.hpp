// The thieves' side of the deque under fork_join, and what its owner does where the fast path of a fork or a join ends. fork_stack.hpp has the
// fast path, the state, the invariants and the edges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>

#include <pilfer/ext/queue_concept.hpp>
#include <pilfer/queue/brief_lock.hpp>
#include <pilfer/queue/fork_stack.hpp>

namespace pilfer::queue {

// {tag, top} in one word. With 40 bits a thief would have to sleep through 2^40 joins of stolen work to mistake one tag
// for another; fewer are for tests.
template <unsigned TagBits = 40>
class fork_age {
 public:
  static constexpr unsigned top_bits = 24;
  static_assert(TagBits <= 64 - top_bits);
  constexpr explicit fork_age(std::uint64_t word) noexcept : word_(word) {}
  [[nodiscard]] constexpr std::size_t top() const noexcept { return word_ & ((std::uint64_t{1} << top_bits) - 1); }
  [[nodiscard]] constexpr std::uint64_t word() const noexcept { return word_; }
  [[nodiscard]] constexpr fork_age stolen() const noexcept { return fork_age(word_ + 1); }
  [[nodiscard]] constexpr fork_age lowered_to(std::size_t top) const noexcept {
    return fork_age(((((word_ >> top_bits) + 1) & tag_mask) << top_bits) | top);
  }

 private:
  static constexpr std::uint64_t tag_mask = (std::uint64_t{1} << TagBits) - 1;
  std::uint64_t word_;
};

template <ext::queue_item T, class Sync = ext::default_sync, class Orders = fork_orders,
          std::size_t RegionBytes = std::size_t{1} << 20, unsigned TagBits = 40>
class alignas(RegionBytes) fork_deque : public fork_stack<T, Sync, Orders, RegionBytes> {
  using base = fork_stack<T, Sync, Orders, RegionBytes>;
  using base::bounds_;
  using base::cur_;

  template <class U>
  using atomic = typename Sync::template atomic<U>;
  using age = fork_age<TagBits>;

 public:
  using base::cursor;
  using base::is_left_alone;
  using base::pop_at;
  using base::push_at;
  using typename base::item_type;
  using typename base::slot;
  static constexpr ext::queue_traits traits{
      .name = "fork", .order = ext::queue_order::lifo, .bounded = true, .split = true, .requests = true, .marks = true};

  // Requires at least one slot; more than fit into the region are cut. `asymmetric` false: the bounds are never set, so every
  // push and pop takes the slow path; it needs no membarrier.
  explicit fork_deque(std::size_t capacity = max_capacity, bool asymmetric = true)
      : capacity_(capacity < 1              ? 1
                  : capacity < max_capacity ? capacity
                                            : max_capacity),
        light_(asymmetric && Sync::asymmetric_fences()) {
    cur_.store(first(), Orders::relaxed);  // before anyone else sees the deque
    static_cast<void>(construct_more());
    restore_bounds(0);
  }

  [[nodiscard]] ext::owner_handle<fork_deque> owner() noexcept { return ext::owner_handle<fork_deque>(*this); }
  [[nodiscard]] ext::thief_handle<fork_deque> thief() noexcept { return ext::thief_handle<fork_deque>(*this); }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] bool uses_membarrier() const noexcept { return light_; }

  struct push_outcome {
    slot* next;           // where the next push goes: `at` itself if there was no room
    std::size_t exposed;  // by this call
  };
  [[gnu::noinline, gnu::cold]] push_outcome look_up_after_push(slot* at) noexcept {
    slot* next = at + 1;
    const std::lock_guard holding(lock_);
    if (index_of(next) > ready_ - 1 && !construct_more()) {
      next = at;
      cur_.store(at, Orders::relaxed);  // own variable
    }
    return {next, settle(index_of(next))};
  }

  // Takes a push back at once, as if it had not been. Requires that the bounds were never set.
  void retract(slot* at) noexcept { cur_.store(at, Orders::relaxed); }  // own variable

  enum class pop_outcome : std::uint8_t { mine, taken_back, stolen };
  struct pop_answer {
    pop_outcome outcome;
    std::size_t exposed;  // by this call, of what lies below
  };
  [[gnu::noinline, gnu::cold]] pop_answer look_up_before_pop(slot* at) noexcept {
    const std::size_t i = index_of(at);
    const std::lock_guard holding(lock_);
    pop_outcome outcome = pop_outcome::mine;
    if (i < split_.load(Orders::relaxed)) {  // guard
      outcome = take_public(i) ? pop_outcome::taken_back : pop_outcome::stolen;
    }
    return {outcome, settle(i)};
  }

  // By a thief whose request stays unanswered: exposes half of the private items itself. Returns how many; none if another
  // thief is at it, if there is nothing, or if the oldest lies before `mark`.
  [[gnu::noinline, gnu::cold]] std::size_t seize(std::uint64_t mark = 0) noexcept {
    if (!lock_.try_lock()) return 0;
    bounds_.remove();
    std::size_t exposed = 0;
    if (!light_ || Sync::heavy_fence()) {
      std::size_t bottom = index_of(cur_.load(Orders::publish.acq));
      if (bottom > capacity_) bottom = capacity_;              // a push that is about to be refused: no item
      const std::size_t split = split_.load(Orders::relaxed);  // guard
      if (split < bottom && split >= mark) {
        exposed = (bottom - split + 1) / 2;
        split_.store(split + exposed, Orders::expose.rel);
        // asked_ stays: it may be a sleeper's, whom only the owner calls.
      }
    }
    lock_.unlock();
    return exposed;
  }

  // By anyone: is there an item, exposed or not? Either answer may be old by the time it is used; after a request and a heavy
  // fence, false means: not at the time of that fence.
  [[nodiscard]] bool has_items() const noexcept { return size_hint() != 0; }
  [[nodiscard]] std::size_t size_hint() const noexcept {
    const std::size_t bottom = index_of(cur_.load(Orders::relaxed));  // hint
    const std::size_t top = age(age_.load(Orders::relaxed)).top();    // hint
    return bottom > top ? bottom - top : 0;
  }
  // A thief asks; the owner exposes at its next push or pop.
  void request() noexcept {
    if (asked_.load(Orders::relaxed) == 0) asked_.store(1, Orders::relaxed);  // hint, ordered by settle
    Sync::fence(Orders::settle);
    bounds_.request();
  }
  // By a thief: as steal_from, and calls look(index) before it claims the item. What that finds, of the owner's, holds if the
  // claim succeeds: the item lay there all the while, and the owner goes past it only after it has seen the claim (recycle).
  template <class Look>
  ext::steal_result<T> steal_with_index(std::uint64_t mark, Look&& look) noexcept {
    std::uint64_t seen = age_.load(Orders::relaxed);  // ordered by dekker
    Sync::fence(Orders::dekker);
    const std::size_t split = split_.load(Orders::expose.acq);
    const std::size_t top = age(seen).top();
    if (top >= split) {
      const bool more = index_of(cur_.load(Orders::relaxed)) > split && split >= mark;  // hint
      return more ? ext::steal_status::private_work : ext::steal_status::empty;
    }
    if (top < mark) return ext::steal_status::empty;
    const T item = first()[top].load(Orders::relaxed);  // carried by expose; worthless unless the claim succeeds
    look(std::uint64_t{top});
    if (!age_.compare_exchange(seen, age(seen).stolen().word(), Orders::recycle.rel, Orders::relaxed)) {  // unused
      return ext::steal_status::lost;
    }
    return ext::steal_result<T>::of(item);
  }
  // Where the next steal would begin.
  [[nodiscard]] std::uint64_t top_hint() const noexcept { return age(age_.load(Orders::relaxed)).top(); }  // hint
  // Whether somebody's request waits for an answer.
  [[nodiscard]] bool is_asked() const noexcept { return asked_.load(Orders::relaxed) != 0; }  // hint

 private:
  friend ext::owner_handle<fork_deque>;
  friend ext::thief_handle<fork_deque>;

  [[nodiscard]] bool push(T item) noexcept {
    slot* const at = cursor();
    if (push_at(at, item)) [[likely]]
      return true;
    return look_up_after_push(at).next != at;
  }

  [[nodiscard]] std::optional<T> pop() noexcept {
    slot* const at = cursor();
    if (at == first()) return std::nullopt;
    if (index_of(at) <= split_.load(Orders::relaxed)) return std::nullopt;  // hint: pop_public decides
    if (!pop_at(at - 1) && look_up_before_pop(at - 1).outcome == pop_outcome::stolen) return std::nullopt;
    return (at - 1)->load(Orders::relaxed);  // own store
  }
  [[nodiscard]] std::optional<T> pop_public() noexcept {
    slot* const at = cursor();
    if (index_of(at) <= age(age_.load(Orders::relaxed)).top()) return std::nullopt;  // an old top is never too high
    if (!pop_at(at - 1) && look_up_before_pop(at - 1).outcome == pop_outcome::stolen) return std::nullopt;
    return (at - 1)->load(Orders::relaxed);  // own store
  }
  std::size_t expose(std::size_t n) noexcept {
    const std::lock_guard holding(lock_);
    const std::size_t exposed = expose_locked(n, index_of(cursor()));
    restore_bounds(split_.load(Orders::relaxed));  // guard
    return exposed;
  }
  [[nodiscard]] std::size_t private_size() const noexcept {
    const std::size_t bottom = index_of(cursor());
    const std::size_t split = split_.load(Orders::relaxed);  // hint
    return bottom > split ? bottom - split : 0;
  }
  [[nodiscard]] std::uint64_t mark() const noexcept { return index_of(cursor()); }

  std::size_t expose_locked(std::size_t n, std::size_t bottom) noexcept {
    const std::size_t split = split_.load(Orders::relaxed);  // guard
    if (split >= bottom) return 0;
    if (n > bottom - split) n = bottom - split;
    if (n != 0) split_.store(split + n, Orders::expose.rel);
    return n;
  }

  // Ends every slow operation: answers a request if there is something to give, and puts the bounds right.
  std::size_t settle(std::size_t bottom) noexcept {
    std::size_t exposed = 0;
    if (!light_) Sync::fence(Orders::settle);  // between cur_ and asked_; otherwise the light fence of push and pop
    if (asked_.load(Orders::relaxed) != 0) {   // ordered by settle
      const std::size_t split = split_.load(Orders::relaxed);  // guard
      const std::size_t items = bottom > split ? bottom - split : 0;
      if (items == 0) {  // nothing to give: the request stays up
        bounds_.remove();
        return 0;
      }
      asked_.store(0, Orders::relaxed);  // hint: before exposing, so that who misses the work may ask again
      exposed = expose_locked((items + 1) / 2, bottom);
    }
    restore_bounds(split_.load(Orders::relaxed));  // guard
    if (light_) {
      Sync::fence(Orders::settle);
      if (asked_.load(Orders::relaxed) != 0) bounds_.remove();  // ordered by settle
    }
    return exposed;
  }

  void restore_bounds(std::size_t split) noexcept {
    if (light_) bounds_.set(&first()[split], &first()[ready_ - 1]);
  }

  // The second half of a pop of the public item i, which is the newest of all. Afterwards split_ is i.
  [[nodiscard]] bool take_public(std::size_t i) noexcept {
    split_.store(i, Orders::expose.rel);
    Sync::fence(Orders::dekker);
    std::uint64_t seen = age_.load(Orders::recycle.acq);  // ordered by dekker
    if (age(seen).top() < i) return true;
    const age fresh = age(seen).lowered_to(i);
    if (age(seen).top() == i &&
        age_.compare_exchange(seen, fresh.word(), Orders::recycle.acq, Orders::recycle.acq)) {  // own item: no edge
      return true;
    }
    age_.store(age(seen).lowered_to(i).word(), Orders::relaxed);  // nothing is public: nobody can claim
    return false;
  }

  ext::steal_result<T> steal() noexcept { return steal_from(0); }
  ext::steal_result<T> steal_from(std::uint64_t mark) noexcept {
    return steal_with_index(mark, [](std::uint64_t) noexcept {});
  }
  // Public items only: touches no line that the owner writes.
  [[nodiscard]] bool sample(std::uint64_t /*random*/) const noexcept {
    return age(age_.load(Orders::relaxed)).top() < split_.load(Orders::relaxed);  // hint
  }

  // Further slots, as many as there are already. False: the region is used up.
  [[nodiscard]] bool construct_more() noexcept {
    const std::size_t wanted = ready_ == 0 ? first_slots : ready_ * 2;
    const std::size_t end = wanted < capacity_ + 1 ? wanted : capacity_ + 1;
    if (end == ready_) return false;
    for (; ready_ < end; ++ready_) ::new (static_cast<void*>(&first()[ready_])) slot;
    return true;
  }

  [[nodiscard]] slot* first() const noexcept {
    return reinterpret_cast<slot*>(const_cast<std::byte*>(static_cast<const std::byte*>(storage_)));
  }
  [[nodiscard]] std::size_t index_of(const slot* at) const noexcept { return static_cast<std::size_t>(at - first()); }

  static constexpr std::size_t head_bytes = 5 * ext::isolation_bytes;
  static constexpr std::size_t first_slots = 2;

 public:
  static constexpr std::size_t max_capacity = (RegionBytes - head_bytes) / sizeof(slot) - 1;

 private:
  alignas(ext::isolation_bytes) std::size_t ready_ = 0;
  const std::size_t capacity_;
  const bool light_;
  alignas(ext::isolation_bytes) atomic<std::uint64_t> age_{0, "age"};
  alignas(ext::isolation_bytes) atomic<std::size_t> split_{0, "split"};
  atomic<std::uint32_t> asked_{0, "asked"};
  brief_lock<Sync, Orders> lock_;
  alignas(alignof(slot)) std::byte storage_[RegionBytes - head_bytes];
};

}  // namespace pilfer::queue
