// Blocks of memory that other threads give back to their owner, and the end of an owner whose blocks are still in use.
//
// Any thread gives back, the owner takes all at once. When the owner ends it abandons the blocks that have not come back: from then on they are
// counted, and the thread that gives back the last one frees the memory that all of them lie in.
//
// State          writer        reader    meaning
//   newest_      all           all       the blocks given back since the owner has looked, linked by `next`; abandoned: there is no owner
//   missing_     all           all       once abandoned: how many have not come back; before that, less the ones that found it so already
//
// Invariants
//   I1  Blocks are pushed one by one and taken all at once: so the word may repeat, and nothing is lost.
//   I2  missing_ becomes 0 once: by the thread that adds the last of the owner's number and of the givers' minus ones.
//
// Edges
//   back     give: CAS of newest_      -> take: exchange of newest_     the giver is through with the block
//   last     give, abandon: RMW of missing_ -> the same                 all are through with the memory
//
// Sources    a stack that is taken as a whole: Treiber 1986; blocks that go back to their owner: Berger et al. 2000 (Hoard).
#pragma once

#include <cstddef>
#include <cstdint>

#include <pilfer/ext/sync.hpp>

namespace pilfer::detail {

struct return_orders {
  static constexpr ext::edge back{};
  static constexpr ext::edge last{};
  static constexpr auto relaxed = std::memory_order_relaxed;
};

// A Block has a link next, which is a cell.
template <class Sync, class Block, class Orders = return_orders>
class returned_blocks {
 public:
  // By any thread that is through with it. Returns true if the caller is to free all the memory: it was the last block of an owner that has ended.
  [[nodiscard]] bool give(Block& back) noexcept {
    Block* now = newest_.load(Orders::relaxed);  // rechecked by the CAS
    while (now != abandoned()) {
      back.next.set(now);
      if (newest_.compare_exchange(now, &back, Orders::back.rel, Orders::relaxed)) return false;  // failure: again
    }
    return add(-1);
  }
  // By the owner. Linked by next; null: none.
  [[nodiscard]] Block* take() noexcept {
    if (newest_.load(Orders::relaxed) == nullptr) return nullptr;  // hint
    return newest_.exchange(nullptr, Orders::back.acq);
  }
  // By the owner, which ends: returns what take() would. Then the owner calls end() with the number of those that have not come back.
  [[nodiscard]] Block* abandon() noexcept { return newest_.exchange(abandoned(), Orders::back.acq); }
  // Returns true as give() does.
  [[nodiscard]] bool end(std::size_t missing) noexcept { return add(static_cast<std::int64_t>(missing)); }

 private:
  [[nodiscard]] static Block* abandoned() noexcept { return reinterpret_cast<Block*>(std::uintptr_t{1}); }
  [[nodiscard]] bool add(std::int64_t n) noexcept {
    return missing_.fetch_add(n, ext::both(Orders::last.acq, Orders::last.rel)) + n == 0;
  }

  typename Sync::template atomic<Block*> newest_{nullptr, "newest"};
  typename Sync::template atomic<std::int64_t> missing_{0, "missing"};
};

}  // namespace pilfer::detail
