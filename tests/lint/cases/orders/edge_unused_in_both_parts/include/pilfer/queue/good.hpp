// A header as it should be.
//
// State      writer   reader   meaning
//   word_    all      all      a word
//
// Invariants
//   I1  The word is a word.
//
// Edges
//   publish    owner: store of word_ -> steal: load of word_   what came before is visible
//   dekker     pop: word_, fence, other_ || steal: other_, fence, word_   not both miss the other
//
// Sources    none.
// Continued  rest.hpp
#pragma once

#include <pilfer/ext/sync.hpp>

namespace pilfer::queue {

struct good_orders {
  static constexpr ext::edge publish{};
  static constexpr auto dekker = std::memory_order_seq_cst;
  static constexpr auto relaxed = std::memory_order_relaxed;
};

template <class Sync, class Orders = good_orders>
class good {
 public:
  void publish(int value) noexcept {
    word_.store(value, Orders::publish.rel);
    Sync::fence(Orders::dekker);
  }
  [[nodiscard]] int peek() const noexcept {
    // A hint, rechecked by read().
    return word_.load(Orders::relaxed);
  }
  [[nodiscard]] bool claim(int expected) noexcept {
    return word_.compare_exchange(expected, expected + 1, Orders::publish.rel,
                                  Orders::relaxed);  // failure: value unused
  }

 protected:
  typename Sync::template atomic<int> word_{0};
};

}  // namespace pilfer::queue
