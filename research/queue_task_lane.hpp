// A queue of spawned tasks, whatever queue it is.
#pragma once

#include <memory>

#include "research/lane_base.hpp"

namespace pilfer::research {

template <class Config, class Sync = ext::default_sync>
class queue_task_lane final : public lane_base<Config, Sync, detail::task_lane> {
  using base = lane_base<Config, Sync, detail::task_lane>;

 public:
  using typename base::queue_type;

  queue_task_lane(worker& owner, std::shared_ptr<queue_type> queue) : base(owner, std::move(queue)) {}

  [[nodiscard]] bool push(job& work) noexcept override {
    if (!this->queue_->owner().push(&work)) [[unlikely]]
      return false;
    this->tally_.pushed(this->self_.counts);
    if (!this->self_.events.deferred.defers()) this->self_.call_sleeper();
    return true;
  }
  [[nodiscard]] bool hides_some() const noexcept override { return base::traits.split || base::traits.batch; }
  [[nodiscard]] bool is_shared() const noexcept override { return Config::shared; }
  [[nodiscard]] bool newest_first() const noexcept override { return base::traits.order == ext::queue_order::lifo; }
};

}  // namespace pilfer::research
