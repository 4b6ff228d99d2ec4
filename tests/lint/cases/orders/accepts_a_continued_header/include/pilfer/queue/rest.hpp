// The thief's side of good.hpp, which has its orders and its opening comment.
#pragma once

#include <pilfer/queue/good.hpp>

namespace pilfer::queue {

template <class Sync, class Orders = good_orders>
class rest : public good<Sync, Orders> {
 public:
  [[nodiscard]] int read() const noexcept { return this->word_.load(Orders::publish.acq); }
};

}  // namespace pilfer::queue
