// Any queue behind one interface, so that a test is compiled once and not once per queue. Items are their numbers here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <pilfer/ext/queue_concept.hpp>
#include <pilfer/ext/storage.hpp>

#include "support/items.hpp"

namespace pilfer::test {

struct steal_outcome {
  ext::steal_status status;
  std::uint64_t id;  // if taken
};

struct batch_outcome {
  ext::batch_result result;
  std::vector<std::uint64_t> ids;  // the first `count` places of the span
  bool rest_untouched;             // what is behind them was not written
};

// An operation that the traits do not promise ends the program.
class any_queue {
 public:
  any_queue() = default;
  any_queue(const any_queue&) = delete;
  any_queue& operator=(const any_queue&) = delete;
  virtual ~any_queue() = default;

  // Owner
  virtual bool push(std::uint64_t id) = 0;
  virtual std::optional<std::uint64_t> take() = 0;
  virtual std::optional<std::uint64_t> pop() = 0;
  virtual std::optional<std::uint64_t> pop_public() = 0;
  virtual std::size_t expose(std::size_t n) = 0;
  [[nodiscard]] virtual std::size_t private_size() const = 0;

  // Thief
  virtual steal_outcome steal() = 0;
  virtual steal_outcome steal_at(std::uint64_t random) = 0;
  virtual batch_outcome steal_batch(std::size_t span) = 0;
  virtual void request() = 0;
  [[nodiscard]] virtual bool sample(std::uint64_t random) const = 0;

  // Both
  [[nodiscard]] virtual std::size_t capacity() const = 0;
  struct hints {
    std::size_t queue, owner, thief;
    bool has_items;
  };
  [[nodiscard]] virtual hints size_hints() const = 0;
};

template <ext::work_stealing_queue Queue>
class queue_adapter final : public any_queue {
 public:
  template <class... Arguments>
  explicit queue_adapter(Arguments... arguments)
      : queue_(arguments...), owner_(queue_.owner()), thief_(queue_.thief()) {}

  bool push(std::uint64_t id) override { return owner_.push(make_item<item>(id)); }
  std::optional<std::uint64_t> take() override { return number(owner_.take()); }
  std::optional<std::uint64_t> pop() override { return number(owner_.pop()); }
  std::optional<std::uint64_t> pop_public() override {
    if constexpr (traits.split) return number(owner_.pop_public());
    std::abort();
  }
  std::size_t expose(std::size_t n) override {
    if constexpr (traits.split) return owner_.expose(n);
    std::abort();
  }
  [[nodiscard]] std::size_t private_size() const override {
    if constexpr (traits.split) return owner_.private_size();
    std::abort();
  }

  steal_outcome steal() override { return outcome(thief_.steal()); }
  steal_outcome steal_at(std::uint64_t random) override {
    if constexpr (traits.random_start) return outcome(thief_.steal_at(random));
    std::abort();
  }
  batch_outcome steal_batch(std::size_t span) override {
    if constexpr (traits.batch) {
      const item untouched = make_item<item>(untouched_id);
      std::vector<item> out(span, untouched);
      batch_outcome all{thief_.steal_batch(std::span<item>(out)), {}, true};
      for (std::size_t i = 0; i < span; ++i) {
        if (i < all.result.count) {
          all.ids.push_back(id_of(out[i]));
        } else if (id_of(out[i]) != untouched_id) {
          all.rest_untouched = false;
        }
      }
      return all;
    }
    std::abort();
  }
  void request() override {
    if constexpr (traits.requests) return thief_.request();
    std::abort();
  }
  [[nodiscard]] bool sample(std::uint64_t random) const override { return thief_.sample(random); }

  [[nodiscard]] std::size_t capacity() const override { return queue_.capacity(); }
  [[nodiscard]] hints size_hints() const override {
    return {queue_.size_hint(), owner_.size_hint(), thief_.size_hint(), ext::has_items(queue_)};
  }

 private:
  using item = typename Queue::item_type;
  static constexpr ext::queue_traits traits = Queue::traits;
  static constexpr std::uint64_t untouched_id = 0x7ABCDEF;

  [[nodiscard]] static std::optional<std::uint64_t> number(const std::optional<item>& got) {
    return got ? std::optional(id_of(*got)) : std::nullopt;
  }
  [[nodiscard]] static steal_outcome outcome(const ext::steal_result<item>& got) {
    return {got.status(), got ? id_of(*got) : not_an_item};
  }

  Queue queue_;
  ext::owner_handle<Queue> owner_;
  ext::thief_handle<Queue> thief_;
};

// One way to construct a queue.
struct queue_variant {
  std::string name;
  std::size_t block;  // entries of a block; 0 in a queue without blocks
  std::function<std::unique_ptr<any_queue>()> make;
};

// A queue type with the ways to construct it that a test goes through.
struct queue_case {
  std::string label;
  ext::queue_traits traits;
  // A bounded queue has room whenever it holds fewer than capacity() items. Otherwise only the owner makes room, or whole blocks do.
  bool exact_room = false;
  // Steals may fail although nobody else is there, until the owner has come by: the kernel withdrew its barrier.
  bool barrier_withdrawn = false;
  // When nothing is private, the owner's take makes half of the public items private, rounded up, and takes one of them.
  bool takes_back_half = false;
  // A queue that is not bounded holds at least so many items.
  std::size_t sure_items = std::numeric_limits<std::size_t>::max();
  std::vector<queue_variant> variants;

  template <class Queue, class... Arguments>
  void add(std::string name, std::size_t block, Arguments... arguments) {
    variants.push_back({std::move(name), block, [=] { return std::make_unique<queue_adapter<Queue>>(arguments...); }});
  }
};

// How GoogleTest names a case, in a failure and in a test's name.
inline void PrintTo(const queue_case& kind, std::ostream* out) { *out << kind.label; }
struct case_label {
  template <class Info>
  std::string operator()(const Info& parameter) const {
    return parameter.param.label;
  }
};

// Any capacity from 1 on.
template <ext::work_stealing_queue Queue>
[[nodiscard]] queue_case any_capacity(std::string label) {
  static_assert(!std::is_copy_assignable_v<Queue> && !std::is_move_assignable_v<Queue>);
  queue_case all{.label = std::move(label), .traits = Queue::traits, .variants = {}};
  for (const std::size_t capacity : {1U, 2U, 3U, 4U, 7U, 64U}) {
    all.add<Queue>("capacity " + std::to_string(capacity), 0, capacity);
  }
  return all;
}

// A capacity that is a power of two, and perhaps a second argument: one of `options`. IndexBits: the width of the queue's
// indices, which limits how many items it can hold: an eighth of them is little enough for every queue.
template <ext::work_stealing_queue Queue, unsigned IndexBits = 64, class... Options>
[[nodiscard]] queue_case power_of_two(std::string label, Options... options) {
  static_assert(!std::is_copy_assignable_v<Queue> && !std::is_move_assignable_v<Queue>);
  queue_case all{.label = std::move(label), .traits = Queue::traits, .exact_room = true, .variants = {}};
  if constexpr (IndexBits < 64) all.sure_items = std::size_t{1} << (IndexBits - 3);
  for (const std::size_t capacity : {1U, 2U, 4U, 8U, 32U, 64U}) {
    if (capacity > all.sure_items) continue;
    const std::string name = "capacity " + std::to_string(capacity);
    if constexpr (sizeof...(options) == 0) all.add<Queue>(name, 0, capacity);
    (all.add<Queue>(name + ", option " + std::to_string(static_cast<int>(options)), 0, capacity, options), ...);
  }
  return all;
}

template <ext::work_stealing_queue Queue>
[[nodiscard]] queue_case blocks(std::string label) {
  static_assert(!std::is_copy_assignable_v<Queue> && !std::is_move_assignable_v<Queue>);
  queue_case all{.label = std::move(label), .traits = Queue::traits, .variants = {}};
  constexpr ext::block_geometry geometries[] = {{.blocks = 2, .entries = 1},
                                                {.blocks = 2, .entries = 2},
                                                {.blocks = 4, .entries = 3},
                                                {.blocks = 8, .entries = 16}};
  for (const ext::block_geometry& geometry : geometries) {
    all.add<Queue>(std::to_string(geometry.blocks) + " x " + std::to_string(geometry.entries), geometry.entries,
                   geometry);
  }
  return all;
}

}  // namespace pilfer::test
