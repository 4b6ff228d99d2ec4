// Which scope and level what a worker forks belongs to, for the thief that stole it.
//
// A fork writes nothing but itself. But items lie in the deque by depth: what a task forks lies at or after the mark taken when it
// began. So a worker keeps, beside its deque, the marks, scopes and levels of the tasks it is in, and a thief that steals item i looks for
// the innermost one with a mark at or below i. A fork pays nothing; only thieves look.
//
// State        writer   reader   meaning
//   depth_     owner    all      tasks that the owner is in
//   entry      owner    all      mark, scope and level of each; those below depth_
//
// Invariants
//   I1  A thief looks before its claim. If that succeeds, the item lay there all the while: the tasks around it went on, and their
//       entries did not change.
//   I2  Entries above those, as depth_ shows them or newer, were made while the item lay there: their marks are greater than its
//       index, and the thief passes over them. (Later ones need not be: who waits for a stolen item has popped it, and runs
//       others from the same mark. So a look after the claim is too late.)
//
// Edges
//   enter     push: store of depth_  -> place_of: load of depth_   the entries below it, and their blocks, are whole
//
// Sources    ours.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <pilfer/ext/immovable.hpp>
#include <pilfer/ext/sync.hpp>

namespace pilfer::detail {

struct scope_orders {
  static constexpr ext::edge enter{};
  static constexpr auto relaxed = std::memory_order_relaxed;
};

// FirstBlock: entries of the first block; each further block doubles what there is. A power of two.
template <class Scope, class Sync, class Orders = scope_orders, std::size_t FirstBlock = 32>
class scope_stack : ext::immovable {
  template <class T>
  using atomic = typename Sync::template atomic<T>;

 public:
  ~scope_stack() {
    for (auto& each : blocks_) {
      if (entry* const block = each.load(Orders::relaxed)) destroy(block);  // nobody else is left
    }
  }

  // The owner: a task begins. What it forks lies at or after `mark`.
  void push(std::uint64_t mark, Scope* scope, std::uint8_t level) noexcept {
    const std::size_t depth = depth_.load(Orders::relaxed);  // own variable
    entry* const at = overflow_ == 0 ? make_entry(depth) : nullptr;
    if (at == nullptr) {  // no memory: thieves take it for a part of the task around it
      ++overflow_;
      return;
    }
    at->mark.store(mark, Orders::relaxed);    // carried by enter
    at->scope.store(scope, Orders::relaxed);  // carried by enter
    at->level.store(level, Orders::relaxed);  // carried by enter
    depth_.store(depth + 1, Orders::enter.rel);
  }
  void pop() noexcept {
    if (overflow_ != 0) {
      --overflow_;
      return;
    }
    depth_.store(depth_.load(Orders::relaxed) - 1, Orders::enter.rel);  // own variable
  }

  struct place {
    Scope* scope;  // null: none
    std::uint8_t level;
  };
  // For a thief that is about to claim item `index` of the owner's deque: where it was forked; `otherwise` if in no task. Worthless
  // unless the claim succeeds.
  [[nodiscard]] place place_of(std::uint64_t index, place otherwise) const noexcept {
    for (std::size_t i = depth_.load(Orders::enter.acq); i != 0; --i) {
      const entry& each = *find(i - 1);
      if (each.mark.load(Orders::relaxed) > index) continue;                        // carried by enter
      return {each.scope.load(Orders::relaxed), each.level.load(Orders::relaxed)};  // carried by enter
    }
    return otherwise;
  }

 private:
  struct entry {
    atomic<std::uint64_t> mark{0, "mark"};
    atomic<Scope*> scope{nullptr, "scope"};
    atomic<std::uint8_t> level{0, "level"};
  };
  static constexpr std::size_t most_blocks = 24;

  // Entry i is in the block that the highest bit of i / FirstBlock names.
  static constexpr std::size_t block_of(std::size_t i) noexcept {
    return static_cast<std::size_t>(std::numeric_limits<std::size_t>::digits - std::countl_zero(i / FirstBlock));
  }
  static constexpr std::size_t start_of(std::size_t block) noexcept {
    return block == 0 ? 0 : FirstBlock << (block - 1);
  }
  static constexpr std::size_t size_of(std::size_t block) noexcept { return block == 0 ? FirstBlock : start_of(block); }

  [[nodiscard]] entry* find(std::size_t i) const noexcept {
    const std::size_t block = block_of(i);
    return blocks_[block].load(Orders::relaxed) + (i - start_of(block));  // carried by enter
  }
  [[nodiscard]] entry* make_entry(std::size_t i) noexcept {
    const std::size_t block = block_of(i);
    if (block >= most_blocks) return nullptr;
    entry* base = blocks_[block].load(Orders::relaxed);  // own variable
    if (base == nullptr) {
      const std::size_t count = size_of(block);
      void* const room = Sync::allocate(count * sizeof(entry), alignof(entry));
      if (room == nullptr) return nullptr;
      base = static_cast<entry*>(room);
      for (std::size_t k = 0; k < count; ++k) ::new (static_cast<void*>(base + k)) entry;
      blocks_[block].store(base, Orders::relaxed);  // carried by enter
    }
    return base + (i - start_of(block));
  }
  static void destroy(entry* block) noexcept { Sync::deallocate(block, alignof(entry)); }

  std::array<atomic<entry*>, most_blocks> blocks_;
  atomic<std::size_t> depth_{0, "depth"};
  std::size_t overflow_ = 0;
};

}  // namespace pilfer::detail
