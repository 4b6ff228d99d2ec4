// A deque in two parts: the owner works in the private one without synchronization, thieves take from the public one.
//
// Work becomes public by exposure, which moves the split point; when and how much is the caller's business. Two forms:
//
//   polled       A thief asks with request(), which takes away the bounds that push and pop compare with anyway;
//                the owner notices at its next push or pop and exposes as much as its rule says. expose() may also be
//                called directly.
//   signal_safe  expose() may be called from a signal handler that interrupts the owner at any instruction of any
//                operation, expose() itself included. Asking (sending the signal) is the caller's business.
//
// With the rule `lace`, an owner whose private part is empty takes half of the public one back at once: it lowers split_
// to the middle, fences, and looks at top_. Found below, everything from the middle on is the owner's. Found past it, the
// owner gives back what lies up to and including item top_, which a thief may be claiming, and keeps the rest; the last
// item of all goes to whoever moves top_. Taking one item back is the same with the smallest half.
//
// Order      owner LIFO, thieves oldest first.
// Bounds     grows; push says no only when there is no memory. Circular: indices only grow, so nothing is ever moved
//            down.
// Progress   push, pop, expose and pop_public wait-free (a push copies now and then), steal lock-free.
// Memory     outgrown buffers stay until the deque is destroyed; together they are smaller than the newest.
//
// State            writer           reader         meaning
//  both: top_, split_, private_, buffer_ and known_top_, as in split_deque_base.hpp
//  polled:
//   base_          owner            owner          mirrors split_; the private part begins here
//   from_, first_  owner            owner          the first private item of the segment that the owner is in, and its
//                  slot
//   cur_           owner            owner          the slot of the next push, in the same segment
//   bounds_        owner, thieves   owner          first_ and the end of the room; gone: take the slow path
//   asked_         thieves, owner   owner          a thief wants work exposed
//  signal_safe:
//   cur_           owner            owner, handler address of the slot of the next push; the private part ends there
//   floor_         owner, handler   owner          a pop at or above this address needs no look at anything else
//   bound_         owner            owner          a push below this address needs no look at anything else
//   line_, start_  owner            owner, handler address and index of the first slot of the owner's segment
//   busy_          owner, handler   owner, handler the owner is in a slow path: a handler leaves everything alone
//
// A segment is one turn of the circle: the indices between two multiples of the capacity. Within it slots lie in a
// line, so that push and pop need no mask; where the owner leaves its segment it takes the slow path.
//
// Invariants, and I1 to I4 of the base
//   I5  signal_safe: a handler that runs while the owner is outside its slow paths finds everything consistent, except
//       that pop may have lowered cur_ by one already. It lowers cur_ before it compares with floor_: an item at or
//       above floor_ then is the owner's, because a handler exposes only what is below cur_.
//
// Edges, and those of the base
//   handler    signal fences: the owner's stores in program order, as its own handler sees them
//
// Sources    Rito and Paulino, LCWS, SPAA 2023 (004), whose Listing 2 races; corrected in QUEUES.md, and here circular.
//            Van Dijk and van de Pol, Lace, 2014: exposing half, and taking half back.
#pragma once

#include <algorithm>

#include <pilfer/ext/request_bounds.hpp>
#include <pilfer/queue/split_deque_base.hpp>

namespace pilfer::queue {

struct split_orders : split_base_orders {
  static constexpr auto handler = std::memory_order_seq_cst;
};

enum class split_form : std::uint8_t { polled, signal_safe };

// How much an owner exposes when it is asked (004, section 4.1), and how much it takes back when it has nothing else.
enum class exposure_rule : std::uint8_t {
  one,           // one item
  conservative,  // one item, if at least one more stays private
  half,          // half of the private items, rounded up
  lace,          // the same; and when the private part is empty, half of the public one comes back, rounded up
};

[[nodiscard]] constexpr std::size_t amount_to_expose(exposure_rule rule, std::size_t private_items) noexcept {
  switch (rule) {
    case exposure_rule::one: return private_items >= 1 ? 1 : 0;
    case exposure_rule::conservative: return private_items >= 2 ? 1 : 0;
    case exposure_rule::half:
    case exposure_rule::lace: return (private_items + 1) / 2;
  }
  return 0;
}

[[nodiscard]] constexpr std::uint64_t amount_to_take_back(exposure_rule rule, std::uint64_t public_items) noexcept {
  return rule == exposure_rule::lace ? (public_items + 1) / 2 : 1;
}

template <ext::queue_item T, class Sync, class Orders, unsigned IndexBits>
class polled_split_deque : public split_deque_base<T, Sync, Orders, IndexBits>,
                           public ext::two_roles<polled_split_deque<T, Sync, Orders, IndexBits>> {
  using base = split_deque_base<T, Sync, Orders, IndexBits>;
  using typename base::index;
  using typename base::math;
  template <class U>
  using atomic = typename Sync::template atomic<U>;

 public:
  using item_type = T;
  static constexpr ext::queue_traits traits{.name = "split",
                                            .order = ext::queue_order::lifo,
                                            .bounded = false,
                                            .split = true,
                                            .requests = true,
                                            .marks = true};

  explicit polled_split_deque(std::size_t capacity = 64, exposure_rule rule = exposure_rule::one)
      : base(capacity), rule_(rule) {
    enter_segment_of(0, 0);
  }

 private:
  friend ext::owner_handle<polled_split_deque>;
  friend ext::thief_handle<polled_split_deque>;

  [[nodiscard]] bool push(T item) noexcept {
    ext::slot<T, Sync>* const at = cur_;
    if (bounds_.has_room(at)) [[likely]] {
      at->store(item, Orders::relaxed);  // carried by expose
      cur_ = at + 1;
      return true;
    }
    return push_slow(item);
  }

  [[nodiscard]] std::optional<T> pop() noexcept {
    ext::slot<T, Sync>* at = cur_;
    if (!bounds_.has_item(at)) [[unlikely]] {
      if (!prepare_pop()) return std::nullopt;
      at = cur_;
    }
    cur_ = --at;
    return at->load(Orders::relaxed);  // own store
  }

  [[gnu::noinline, gnu::cold]] bool push_slow(T item) noexcept {
    const index b = bottom();
    if (this->is_full(b) && !this->make_room(b)) return false;
    enter_segment_of(b, b);
    (cur_++)->store(item, Orders::relaxed);  // carried by expose
    this->note_private_work(1);
    settle();
    return true;
  }

  // Leaves at least one item for pop to take. False: the private part is empty.
  [[gnu::noinline, gnu::cold]] bool prepare_pop() noexcept {
    if (private_size() == 0) {
      this->note_private_work(0);
      bounds_.remove();  // the next push comes by, and says that there is private work
      return false;
    }
    if (cur_ == first_) enter_segment_of(math::minus(from_, 1), from_);
    --cur_;  // that item is as good as taken: do not give it away
    settle();
    ++cur_;
    return true;
  }

  // The owner works in the segment of index `at` from now on; `b` is where it pushes next.
  void enter_segment_of(index at, index b) noexcept {
    const index start = this->segment_start(at);
    from_ = math::before(start, base_) ? base_ : start;
    first_ = this->newest_->slots() + math::distance(start, from_);
    cur_ = first_ + math::distance(from_, b);
  }

  // Every slow operation ends here: answers a request if there is something to give, and puts bounds_ right.
  void settle() noexcept {
    if (asked_.load(Orders::relaxed) != 0) {  // hint
      const std::size_t n = amount_to_expose(rule_, private_size());
      if (n == 0) {  // nothing to give: the request stays up
        bounds_.remove();
        return;
      }
      asked_.store(0, Orders::relaxed);  // hint: before exposing, so that who misses the work may ask again
      move_split(n);
    }
    restore_bounds();
  }

  void restore_bounds() noexcept {
    const std::size_t capacity = this->newest_->capacity();
    const auto room = static_cast<std::int64_t>(capacity) - math::distance(this->known_top_, from_);
    ext::slot<T, Sync>* const end = this->newest_->slots() + capacity;
    bounds_.set(first_, room < end - first_ ? first_ + room : end);
  }

  void move_split(std::size_t n) noexcept {
    base_ = math::plus(base_, n);
    if (math::before(from_, base_)) {
      first_ += math::distance(from_, base_);
      from_ = base_;
    }
    this->split_.store(base_, Orders::expose.rel);
  }

  std::size_t expose(std::size_t n) noexcept {
    n = std::min(n, private_size());
    if (n == 0) return 0;
    move_split(n);
    restore_bounds();
    return n;
  }

  [[nodiscard]] std::optional<T> pop_public() noexcept {
    if (private_size() != 0) return pop();
    const ext::slot<T, Sync>* const won = take_public();
    return won != nullptr ? std::optional<T>(won->load(Orders::relaxed)) : std::nullopt;  // own store
  }

  // The youngest public item, and with it as many as the rule takes back. Null: nothing is left, or a thief won the last.
  [[gnu::noinline, gnu::cold]] const ext::slot<T, Sync>* take_public() noexcept {
    const index p = base_;
    const std::int64_t most = math::distance(this->top_.load(Orders::relaxed), p);  // an old top_ is never too high
    if (most <= 0) return nullptr;
    const auto back = this->take_back(p, amount_to_take_back(rule_, static_cast<std::uint64_t>(most)));
    if (!back.last) return nullptr;
    const index last = math::minus(p, 1);
    if (back.split != p) {
      base_ = back.split;
      enter_segment_of(last, last);
      bounds_.remove();  // the next push or pop puts them right
      if (base_ != last) this->note_private_work(1);
    }
    return &(*this->newest_)[last];
  }

  [[nodiscard]] std::uint64_t mark() const noexcept { return bottom(); }

  // Index of the next push.
  [[nodiscard]] index bottom() const noexcept { return math::plus(from_, static_cast<std::uint64_t>(cur_ - first_)); }

  [[nodiscard]] std::size_t private_size() const noexcept {
    return static_cast<std::size_t>(cur_ - first_ + math::distance(base_, from_));
  }

  void request() noexcept {
    if (asked_.load(Orders::relaxed) == 0) asked_.store(1, Orders::relaxed);  // hint
    bounds_.request();
  }

  alignas(ext::isolation_bytes) ext::slot<T, Sync>* cur_ = nullptr;
  ext::slot<T, Sync>* first_ = nullptr;
  index from_ = 0;
  index base_ = 0;
  const exposure_rule rule_;
  ext::request_bounds<Sync> bounds_;
  atomic<std::uint32_t> asked_{0, "asked"};
};

template <ext::queue_item T, class Sync, class Orders, unsigned IndexBits>
class signal_split_deque : public split_deque_base<T, Sync, Orders, IndexBits>,
                           public ext::two_roles<signal_split_deque<T, Sync, Orders, IndexBits>> {
  using base = split_deque_base<T, Sync, Orders, IndexBits>;
  using typename base::index;
  using typename base::math;
  template <class U>
  using atomic = typename Sync::template atomic<U>;

 public:
  using item_type = T;
  static constexpr ext::queue_traits traits{
      .name = "split-signal", .order = ext::queue_order::lifo, .bounded = false, .split = true, .marks = true};

  explicit signal_split_deque(std::size_t capacity = 64) : base(capacity) {
    enter_segment_of(0);
    bound_ = 0;  // the first push says that there is private work
  }

 private:
  friend ext::owner_handle<signal_split_deque>;
  friend ext::thief_handle<signal_split_deque>;

  static constexpr std::uintptr_t slot_bytes = sizeof(ext::slot<T, Sync>);
  [[nodiscard]] static ext::slot<T, Sync>& slot_at(std::uintptr_t address) noexcept {
    return *reinterpret_cast<ext::slot<T, Sync>*>(address);
  }

  [[nodiscard]] bool push(T item) noexcept {
    const std::uintptr_t at = cur_.load(Orders::relaxed);  // own variable
    if (at >= bound_) [[unlikely]] {
      return push_slow(item);
    }
    append(at, item);
    return true;
  }

  void append(std::uintptr_t at, T item) noexcept {
    slot_at(at).store(item, Orders::relaxed);  // carried by expose
    Sync::signal_fence(Orders::handler);
    cur_.store(at + slot_bytes, Orders::relaxed);  // own variable; ordered by handler
  }

  [[nodiscard]] std::optional<T> pop() noexcept {
    std::uintptr_t at = cur_.load(Orders::relaxed) - slot_bytes;  // own variable
    cur_.store(at, Orders::relaxed);                              // own variable; ordered by handler
    Sync::signal_fence(Orders::handler);
    if (at < floor_.load(Orders::relaxed)) [[unlikely]] {  // own variable
      if (!prepare_pop()) return std::nullopt;
      at = cur_.load(Orders::relaxed);  // own variable
    }
    return slot_at(at).load(Orders::relaxed);  // own store
  }

  // Keeps handlers away while the owner's variables do not fit together.
  class busy_section : ext::immovable {
   public:
    explicit busy_section(atomic<std::uint32_t>& flag) noexcept : flag_(flag) {
      flag_.store(1, Orders::relaxed);  // own variable; ordered by handler
      Sync::signal_fence(Orders::handler);
    }
    ~busy_section() {
      Sync::signal_fence(Orders::handler);
      flag_.store(0, Orders::relaxed);  // own variable; ordered by handler
    }

   private:
    atomic<std::uint32_t>& flag_;
  };
  [[nodiscard]] bool is_busy() const noexcept { return busy_.load(Orders::relaxed) != 0; }  // own variable

  // Index of the next push.
  [[nodiscard]] index bottom() const noexcept {
    const std::uintptr_t into = cur_.load(Orders::relaxed) - line_.load(Orders::relaxed);  // own variables
    const auto slots = static_cast<std::int64_t>(into) / static_cast<std::int64_t>(slot_bytes);
    return math::plus(start_.load(Orders::relaxed), static_cast<std::uint64_t>(slots));  // own variable
  }

  [[gnu::noinline, gnu::cold]] bool push_slow(T item) noexcept {
    {
      const busy_section section(busy_);
      const index b = bottom();
      if (this->is_full(b) && !this->make_room(b)) return false;
      enter_segment_of(b);
      this->note_private_work(1);
    }
    append(cur_.load(Orders::relaxed), item);  // own variable
    return true;
  }

  // Requires that cur_ was lowered already: a handler exposes only what is below it. Makes cur_ point to the item to
  // take. False: the private part is empty, and the step ahead is undone.
  [[gnu::noinline, gnu::cold]] bool prepare_pop() noexcept {
    const busy_section section(busy_);
    const index b = bottom();
    if (!math::before(b, this->split_.load(Orders::relaxed))) {  // own variable
      enter_segment_of(b);
      return true;
    }
    cur_.store(cur_.load(Orders::relaxed) + slot_bytes, Orders::relaxed);  // own variable
    bound_ = 0;  // the next push comes by, and says that there is private work
    this->note_private_work(0);
    return false;
  }

  // The owner works in the segment of index b from now on; cur_ becomes its slot.
  void enter_segment_of(index b) noexcept {
    const index start = this->segment_start(b);
    const auto capacity = static_cast<std::int64_t>(this->newest_->capacity());
    const auto line = reinterpret_cast<std::uintptr_t>(this->newest_->slots());
    line_.store(line, Orders::relaxed);    // own variable
    start_.store(start, Orders::relaxed);  // own variable
    cur_.store(line + slot_bytes * static_cast<std::uintptr_t>(math::distance(start, b)),
               Orders::relaxed);  // own variable
    const std::int64_t room = capacity + math::distance(start, this->known_top_);
    bound_ = line + slot_bytes * static_cast<std::uintptr_t>(std::min(room, capacity));
    set_floor(this->split_.load(Orders::relaxed));  // own variable
  }

  // floor_ is the start of the private part, as far as it lies in this segment.
  void set_floor(index split) noexcept {
    const std::int64_t below =
        std::max<std::int64_t>(0, math::distance(start_.load(Orders::relaxed), split));     // own variable
    const std::uintptr_t line = line_.load(Orders::relaxed);                                // own variable
    floor_.store(line + slot_bytes * static_cast<std::uintptr_t>(below), Orders::relaxed);  // own variable
  }

  std::size_t expose(std::size_t n) noexcept {
    if (is_busy()) return 0;
    const busy_section section(busy_);
    const index p = this->split_.load(Orders::relaxed);  // own variable
    const std::int64_t private_items = math::distance(p, bottom());
    if (private_items <= 0 || n == 0) return 0;
    const std::size_t more = std::min(n, static_cast<std::size_t>(private_items));
    const index next = math::plus(p, more);
    set_floor(next);
    this->split_.store(next, Orders::expose.rel);
    return more;
  }

  [[nodiscard]] std::optional<T> pop_public() noexcept {
    while (private_size() != 0) {  // a handler may expose it before pop gets it
      if (const auto item = pop()) return item;
    }
    const ext::slot<T, Sync>* const won = take_public();
    return won != nullptr ? std::optional<T>(won->load(Orders::relaxed)) : std::nullopt;  // own store
  }

  // Null: nothing is left, or a thief won the last item.
  [[gnu::noinline, gnu::cold]] const ext::slot<T, Sync>* take_public() noexcept {
    const busy_section section(busy_);
    const index p = this->split_.load(Orders::relaxed);                      // own variable
    if (!math::before(this->top_.load(Orders::relaxed), p)) return nullptr;  // an old top_ is never too high
    const auto back = this->take_back(p, 1);
    if (!back.last) return nullptr;
    const index last = math::minus(p, 1);
    if (back.split != p) {
      enter_segment_of(last);
      bound_ = 0;  // the next push comes by, and says that there is private work
    }
    return &(*this->newest_)[last];
  }

  [[nodiscard]] std::uint64_t mark() const noexcept { return bottom(); }

  [[nodiscard]] std::size_t private_size() const noexcept {
    if (is_busy()) return 0;
    const std::int64_t n = math::distance(this->split_.load(Orders::relaxed), bottom());  // own variable
    return n > 0 ? static_cast<std::size_t>(n) : 0;
  }

  alignas(ext::isolation_bytes) atomic<std::uintptr_t> cur_{0, "cur"};
  std::uintptr_t bound_ = 0;
  atomic<std::uintptr_t> floor_{0, "floor"};
  atomic<std::uintptr_t> line_{0, "line"};
  atomic<index> start_{0, "start"};
  atomic<std::uint32_t> busy_{0, "busy"};
};

// IndexBits: fewer than 64 make indices wrap within a test.
template <ext::queue_item T, class Sync = ext::default_sync, class Orders = split_orders,
          split_form Form = split_form::polled, unsigned IndexBits = 64>
using split_deque = std::conditional_t<Form == split_form::polled, polled_split_deque<T, Sync, Orders, IndexBits>,
                                       signal_split_deque<T, Sync, Orders, IndexBits>>;

template <ext::queue_item T, class Sync = ext::default_sync, class Orders = split_orders, unsigned IndexBits = 64>
using signal_safe_split_deque = split_deque<T, Sync, Orders, split_form::signal_safe, IndexBits>;

}  // namespace pilfer::queue
