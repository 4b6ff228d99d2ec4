// A lane around a queue that gives its owner the newest item back: a join finds its own job at the bottom, or knows it stolen.
#pragma once

#include <memory>
#include <utility>

#include "research/job_lane.hpp"
#include "research/lane_base.hpp"
#include "src/runtime/current_worker.hpp"

namespace pilfer::research {

template <class Config, class Sync = ext::default_sync>
class queue_lane final : public lane_base<Config, Sync, job_lane> {
  using base = lane_base<Config, Sync, job_lane>;
  using base::exposure_;
  using base::queue_;
  using base::self_;
  using base::tally_;

 public:
  using typename base::queue_type;
  static_assert(base::traits.order == ext::queue_order::lifo);

  queue_lane(worker& owner, std::shared_ptr<queue_type> queue) : base(owner, std::move(queue)) {}

  [[nodiscard, gnu::always_inline]] static queue_lane* current() noexcept { return of_this_thread; }
  [[nodiscard]] worker& owner() noexcept { return self_; }

  [[nodiscard]] bool fork(forked_job& work) noexcept override {
    if (!queue_->owner().push(&work)) [[unlikely]] {
      self_.counts.run_inline.add();
      return false;
    }
    tally_.pushed(self_.counts);
    self_.call_sleeper();
    return true;
  }
  // Flattened: a pop that is called hands its optional over through the stack, by one narrow store and one wide load (g++ 12).
  [[nodiscard, gnu::flatten]] bool join(forked_job& work) noexcept override {
    if (!queue_->owner().pop().has_value() && !takes_public()) [[unlikely]] {
      detail::wait_for_stolen(self_, work);
      return false;
    }
    tally_.popped(self_.counts);
    return true;
  }

  void bind() noexcept override {
    outer_ = of_this_thread;
    of_this_thread = this;
    base::bind();
  }
  void unbind() noexcept override {
    base::unbind();
    of_this_thread = outer_;
  }

 private:
  [[gnu::noinline, gnu::cold]] bool takes_public() noexcept {
    if constexpr (base::traits.split) {
      if (queue_->owner().pop_public().has_value()) {
        self_.counts.exposed.add();
        self_.counts.unstolen.add();
        return true;
      }
    }
    return false;
  }

  static inline thread_local constinit queue_lane* of_this_thread = nullptr;

  queue_lane* outer_ = nullptr;
};

}  // namespace pilfer::research
