// Builds on another queue.
//
// State      writer   reader   meaning
//   mode_    all      all      a mode
//
// Invariants
//   I1  As in good.hpp.
//
// Edges
//   dekker     as in good.hpp, but the thief pays for both
//   resign     owner: store of mode_ -> steal: load of mode_   no more light fences
//
// Sources    none.
#pragma once

#include <pilfer/queue/good.hpp>

namespace pilfer::queue {

struct heir_orders : good_orders {
  static constexpr ext::edge resign{};
};

template <class Sync, class Orders = heir_orders>
class heir {
 public:
  void resign() noexcept { mode_.store(1, Orders::resign.rel); }
  [[nodiscard]] bool resigned() const noexcept { return mode_.load(Orders::resign.acq) != 0; }

 private:
  typename Sync::template atomic<int> mode_{0};
};

}  // namespace pilfer::queue
