// What every work-stealing queue offers, and the two handles through which it is used.
//
// A queue has one owner and any number of thieves. Its operations are private; an owner takes `q.owner()`, a thief
// `q.thief()`, so that a use from the wrong side is visible in the code. Handles are pointers: copy them freely, keep
// the queue alive. Nothing stops a program from making two owners; it must not.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <pilfer/ext/immovable.hpp>
#include <pilfer/ext/item.hpp>
#include <pilfer/ext/steal_result.hpp>

namespace pilfer::ext {

enum class queue_order : std::uint8_t { lifo, fifo };

// Compile-time facts about a queue.
struct queue_traits {
  const char* name;
  queue_order order;          // in which the owner gets its own items back
  bool bounded;               // push may say no although there is memory
  bool batch = false;         // thieves have steal_batch
  bool split = false;         // the owner has expose and pop_public, thieves may see private_work
  bool requests = false;      // thieves have request(): the owner answers at its next push or pop
  bool random_start = false;  // thieves have steal_at(random)
  bool marks = false;         // the owner has mark, thieves have steal_from(mark)
};

// What a thief may take: the plain steal takes anything.
struct anything {
  template <class Place>
  [[nodiscard]] constexpr bool operator()(const Place& /*place*/) const noexcept {
    return true;
  }
};

// For one thread at a time.
template <class Queue>
class owner_handle {
 public:
  using item_type = typename Queue::item_type;

  explicit owner_handle(Queue& queue) noexcept : queue_(&queue) {}

  // Adds an item at the bottom. False: no room (or, in a growing queue, no memory); the item was not added.
  [[nodiscard]] bool push(item_type item) noexcept { return queue_->push(item); }
  // Takes the owner's next item; from the private part alone, where there is one.
  [[nodiscard]] std::optional<item_type> pop() noexcept { return queue_->pop(); }
  // The same, and from the public part when the private one is empty.
  [[nodiscard]] std::optional<item_type> take() noexcept {
    if constexpr (Queue::traits.split) {
      if (const auto item = queue_->pop()) return item;
      return queue_->pop_public();
    } else {
      return queue_->pop();
    }
  }
  [[nodiscard]] std::optional<item_type> pop_public() noexcept
    requires(Queue::traits.split)
  {
    return queue_->pop_public();
  }
  // Makes up to n of the oldest private items stealable; returns how many. Safe in a signal handler of the owner's
  // thread where the queue says so.
  std::size_t expose(std::size_t n) noexcept
    requires(Queue::traits.split)
  {
    return queue_->expose(n);
  }
  [[nodiscard]] std::size_t private_size() const noexcept
    requires(Queue::traits.split)
  {
    return queue_->private_size();
  }
  // The place of the next push. Nothing lies at or after it now, so what a thief ever finds there was pushed later. What
  // is pushed later is there, too, as long as the owner does not pop below the mark. Valid while the queue lives.
  [[nodiscard]] std::uint64_t mark() const noexcept
    requires(Queue::traits.marks)
  {
    return queue_->mark();
  }
  [[nodiscard]] std::size_t size_hint() const noexcept { return queue_->size_hint(); }

 private:
  Queue* queue_;
};

// For any thread.
template <class Queue>
class thief_handle {
 public:
  using item_type = typename Queue::item_type;

  explicit thief_handle(Queue& queue) noexcept : queue_(&queue) {}

  steal_result<item_type> steal() noexcept { return queue_->steal(); }
  // Steals up to out.size() items with one claim; an empty span takes nothing and says `empty`.
  batch_result steal_batch(std::span<item_type> out) noexcept
    requires(Queue::traits.batch)
  {
    return queue_->steal_batch(out);
  }
  // Begins to look at a place chosen by `random` (001's randomized stealing).
  steal_result<item_type> steal_at(std::uint64_t random) noexcept
    requires(Queue::traits.random_start)
  {
    return queue_->steal_at(random);
  }
  // Steals, unless the oldest item lies before the mark: then it says `empty`, whatever else there is. An item that it
  // gets was pushed after the mark was taken. Requires that taking the mark happens before this call.
  steal_result<item_type> steal_from(std::uint64_t mark) noexcept
    requires(Queue::traits.marks)
  {
    return queue_->steal_from(mark);
  }
  // Asks the owner to expose work; it notices at its next push or pop.
  void request() noexcept
    requires(Queue::traits.requests)
  {
    queue_->request();
  }
  // One random probe: is there probably something to steal? Does not touch the line that the owner works on. May err
  // both ways; asked again and again with fresh random bits, it says yes sooner or later when there is something.
  [[nodiscard]] bool sample(std::uint64_t random) const noexcept { return queue_->sample(random); }
  // About how many items there are, for policies that compare victims. A block-based queue may be off by what its owner
  // holds privately, at most one block. May touch the owner's line.
  [[nodiscard]] std::size_t size_hint() const noexcept { return queue_->size_hint(); }

 private:
  Queue* queue_;
};

// The base of a queue: it stays where it is made, and hands out its two roles.
template <class Queue>
class two_roles : immovable {
 public:
  [[nodiscard]] owner_handle<Queue> owner() noexcept { return owner_handle<Queue>(static_cast<Queue&>(*this)); }
  [[nodiscard]] thief_handle<Queue> thief() noexcept { return thief_handle<Queue>(static_cast<Queue&>(*this)); }

 private:
  friend Queue;
  two_roles() = default;
};

// Is there anything that thieves can reach? As size_hint() != 0; a queue for which that means a look at everything has a
// has_items() of its own.
template <class Queue>
[[nodiscard]] bool has_items(const Queue& queue) noexcept {
  if constexpr (requires { queue.has_items(); }) {
    return queue.has_items();
  } else {
    return queue.size_hint() != 0;
  }
}

template <class Q>
concept work_stealing_queue =
    queue_item<typename Q::item_type> && std::same_as<std::remove_cv_t<decltype(Q::traits)>, queue_traits> &&
    requires(Q& queue, const Q& constant, owner_handle<Q> owner, thief_handle<Q> thief, typename Q::item_type item) {
      { queue.owner() } -> std::same_as<owner_handle<Q>>;
      { queue.thief() } -> std::same_as<thief_handle<Q>>;
      { constant.capacity() } -> std::same_as<std::size_t>;
      { constant.size_hint() } -> std::same_as<std::size_t>;
      { owner.push(item) } -> std::same_as<bool>;
      { owner.pop() } -> std::same_as<std::optional<typename Q::item_type>>;
      { thief.steal() } -> std::same_as<steal_result<typename Q::item_type>>;
      { thief.sample(std::uint64_t{}) } -> std::same_as<bool>;
    } && !std::is_copy_constructible_v<Q> && !std::is_move_constructible_v<Q>;

}  // namespace pilfer::ext
