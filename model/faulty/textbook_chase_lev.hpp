// The growing deque of Chase and Lev as the textbooks have it, and eleven ways to break it.
//
// `none` is Lê et al. with one repair: after growth, push writes to the new buffer. Each other value changes one line.
//
// Fault                       what is wrong                              what happens
//   no_release_in_push        push: no release fence before bottom       a thief reads a slot not yet written      (M1)
//   no_fence_in_pop           pop: no seq_cst fence, bottom to top       the last but one item is taken twice      (M2)
//   no_fence_in_steal         steal: no seq_cst fence, top to bottom     the same                                  (M3)
//   relaxed_bottom_in_steal   steal: bottom read without acquire         as no_release_in_push                     (M4)
//   no_cas_on_last            pop: top stored, not compared              the last item is taken twice              (M5)
//   slot_read_after_cas       steal: claims first, reads then            push has overwritten the slot             (M8)
//   stale_buffer_after_growth push: writes to the buffer it outgrew      the item is lost; one thread suffices
//   relaxed_buffer_publication  grow: buffer stored without release      a thief reads a slot not yet copied
//   relaxed_top_in_push       push: top read without acquire             nothing under RC11: needs load buffering  (M6)
//   relaxed_top_in_steal      steal: top read without acquire            nothing: the fence that follows acquires  (M7)
//   mark_of_the_last_push     mark: the place of the last push           a thief gets an item older than the mark
//
// Few IndexBits break even `none`: a thief that sleeps between its read of top and its claim finds the same top again
// after 2^IndexBits items (ABA).
//
// Sources    Lê, Pop, Cohen and Zappa Nardelli 2013, whose listing has stale_buffer_after_growth; CHECKER.md, "Seeded
//            faults" (the M numbers) and "Historic classes".
#pragma once

#include <pilfer/ext/index.hpp>
#include <pilfer/ext/queue_concept.hpp>
#include <pilfer/ext/storage.hpp>

namespace pilfer::model::faulty {

enum class chase_lev_fault : std::uint8_t {
  none,
  no_release_in_push,
  no_fence_in_pop,
  no_fence_in_steal,
  relaxed_bottom_in_steal,
  no_cas_on_last,
  slot_read_after_cas,
  stale_buffer_after_growth,
  relaxed_buffer_publication,
  relaxed_top_in_push,
  relaxed_top_in_steal,
  mark_of_the_last_push,
};

template <ext::queue_item T, class Sync, chase_lev_fault Fault = chase_lev_fault::none, unsigned IndexBits = 64>
class textbook_chase_lev {
  using math = ext::index_math<IndexBits>;
  using index = typename math::type;
  using buffer = ext::slot_buffer<T, Sync>;
  template <class U>
  using atomic = typename Sync::template atomic<U>;
  using enum chase_lev_fault;

 public:
  using item_type = T;
  static constexpr ext::queue_traits traits{
      .name = "textbook-chase-lev", .order = ext::queue_order::lifo, .bounded = false, .marks = true};

  explicit textbook_chase_lev(std::size_t capacity = 1)
      : buffer_(buffer::make_or_throw(ext::checked_power_of_two("textbook_chase_lev", capacity, math::max_capacity)),
                "buffer") {}
  ~textbook_chase_lev() { buffer::free_all(buffer_.load(std::memory_order_relaxed)); }
  textbook_chase_lev(const textbook_chase_lev&) = delete;
  textbook_chase_lev& operator=(const textbook_chase_lev&) = delete;

  [[nodiscard]] ext::owner_handle<textbook_chase_lev> owner() noexcept {
    return ext::owner_handle<textbook_chase_lev>(*this);
  }
  [[nodiscard]] ext::thief_handle<textbook_chase_lev> thief() noexcept {
    return ext::thief_handle<textbook_chase_lev>(*this);
  }
  [[nodiscard]] std::size_t capacity() const noexcept { return buffer_.load(std::memory_order_acquire)->capacity(); }
  [[nodiscard]] std::size_t size_hint() const noexcept {
    const index t = top_.load(std::memory_order_relaxed);
    const index b = bottom_.load(std::memory_order_relaxed);
    return math::before(t, b) ? static_cast<std::size_t>(math::distance(t, b)) : 0;
  }

 private:
  friend ext::owner_handle<textbook_chase_lev>;
  friend ext::thief_handle<textbook_chase_lev>;

  [[nodiscard]] bool push(T item) noexcept {
    constexpr auto top_order = Fault == relaxed_top_in_push ? std::memory_order_relaxed : std::memory_order_acquire;
    const index b = bottom_.load(std::memory_order_relaxed);
    const index t = top_.load(top_order);  // FAULT relaxed_top_in_push
    buffer* items = buffer_.load(std::memory_order_relaxed);
    if (math::distance(t, b) >= static_cast<std::int64_t>(items->capacity())) {
      buffer* const larger = grow(items, t, b);
      if (larger == nullptr) return false;
      if constexpr (Fault != stale_buffer_after_growth) items = larger;  // FAULT stale_buffer_after_growth
    }
    (*items)[b].store(item, std::memory_order_relaxed);
    if constexpr (Fault != no_release_in_push) Sync::fence(std::memory_order_release);  // FAULT no_release_in_push
    bottom_.store(math::plus(b, 1), std::memory_order_relaxed);
    return true;
  }

  // Null: no memory, or more than the index can tell apart.
  [[nodiscard]] buffer* grow(buffer* old, index t, index b) noexcept {
    constexpr auto buffer_order =
        Fault == relaxed_buffer_publication ? std::memory_order_relaxed : std::memory_order_release;
    const std::size_t capacity = old->capacity() * 2;
    buffer* const larger = capacity > math::max_capacity ? nullptr : buffer::make(capacity, old);
    if (larger == nullptr) return nullptr;
    for (index i = t; i != b; i = math::plus(i, 1)) {
      (*larger)[i].store((*old)[i].load(std::memory_order_relaxed), std::memory_order_relaxed);
    }
    buffer_.store(larger, buffer_order);  // FAULT relaxed_buffer_publication
    return larger;
  }

  [[nodiscard]] std::optional<T> pop() noexcept {
    const index b = math::minus(bottom_.load(std::memory_order_relaxed), 1);
    buffer& items = *buffer_.load(std::memory_order_relaxed);
    bottom_.store(b, std::memory_order_relaxed);
    if constexpr (Fault != no_fence_in_pop) Sync::fence(std::memory_order_seq_cst);  // FAULT no_fence_in_pop
    index t = top_.load(std::memory_order_relaxed);
    if (math::before(t, b)) return items[b].load(std::memory_order_relaxed);
    std::optional<T> last;
    if (t == b) {
      const T item = items[b].load(std::memory_order_relaxed);
      if constexpr (Fault == no_cas_on_last) {
        top_.store(math::plus(t, 1), std::memory_order_relaxed);  // FAULT no_cas_on_last
        last = item;
      } else if (top_.compare_exchange(t, math::plus(t, 1), std::memory_order_seq_cst, std::memory_order_relaxed)) {
        last = item;
      }
    }
    bottom_.store(math::plus(b, 1), std::memory_order_relaxed);
    return last;
  }

  [[nodiscard]] std::uint64_t mark() const noexcept {
    const index b = bottom_.load(std::memory_order_relaxed);
    return Fault == mark_of_the_last_push ? math::minus(b, 1) : b;  // FAULT mark_of_the_last_push
  }
  ext::steal_result<T> steal_from(std::uint64_t mark) noexcept {
    return steal([from = math::wrap(mark)](index t) { return !math::before(t, from); });
  }

  template <class Admits = ext::anything>
  ext::steal_result<T> steal(Admits admits = {}) noexcept {
    constexpr auto top_order = Fault == relaxed_top_in_steal ? std::memory_order_relaxed : std::memory_order_acquire;
    constexpr auto bottom_order =
        Fault == relaxed_bottom_in_steal ? std::memory_order_relaxed : std::memory_order_acquire;
    index t = top_.load(top_order);  // FAULT relaxed_top_in_steal
    if (!admits(t)) return ext::steal_status::empty;
    if constexpr (Fault != no_fence_in_steal) Sync::fence(std::memory_order_seq_cst);  // FAULT no_fence_in_steal
    const index b = bottom_.load(bottom_order);                                        // FAULT relaxed_bottom_in_steal
    if (!math::before(t, b)) return ext::steal_status::empty;
    buffer& items = *buffer_.load(std::memory_order_acquire);
    const index claimed = t;
    T item{};
    if constexpr (Fault != slot_read_after_cas) item = items[claimed].load(std::memory_order_relaxed);
    if (!top_.compare_exchange(t, math::plus(t, 1), std::memory_order_seq_cst, std::memory_order_relaxed)) {
      return ext::steal_status::lost;
    }
    if constexpr (Fault == slot_read_after_cas) {
      item = items[claimed].load(std::memory_order_relaxed);  // FAULT slot_read_after_cas
    }
    return ext::steal_result<T>::of(item);
  }

  [[nodiscard]] bool sample(std::uint64_t /*random*/) const noexcept { return size_hint() != 0; }

  atomic<index> bottom_{0, "bottom"};
  atomic<index> top_{0, "top"};
  atomic<buffer*> buffer_;
};

}  // namespace pilfer::model::faulty
