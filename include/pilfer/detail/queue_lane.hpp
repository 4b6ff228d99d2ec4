// A lane around a queue that gives its owner the newest item back: a join finds its own job at the bottom, or knows it stolen.
#pragma once

#include <memory>
#include <optional>

#include <pilfer/detail/lane.hpp>
#include <pilfer/detail/scheduler.hpp>
#include <pilfer/detail/tally.hpp>
#include <pilfer/detail/worker.hpp>
#include <pilfer/ext/queue_concept.hpp>

namespace pilfer::detail {

// A lane to which jobs can be forked from any fork path. The virtual functions serve pilfer::pool with another queue;
// basic_pool knows the type and calls them directly.
class fork_lane : public lane {
 public:
  // Forks. False: no room, the job was not queued.
  [[nodiscard]] virtual bool fork(job& work) noexcept = 0;
  // Joins a job that was queued. True: it is the caller's to run; false: it is done.
  [[nodiscard]] virtual bool join(job& work) noexcept = 0;
};

// Config   name, queue<Sync> (a work_stealing_queue of job*), make<Queue>(): a new queue, exposure<Queue>: see exposure.hpp
template <class Config, class Sync = ext::default_sync>
class queue_lane final : public fork_lane {
 public:
  using queue_type = typename Config::template queue<Sync>;
  using exposure_type = typename Config::template exposure<queue_type>;
  static constexpr ext::queue_traits traits = queue_type::traits;
  static_assert(traits.order == ext::queue_order::lifo);

  explicit queue_lane(worker& owner) : self_(owner), queue_(Config::template make<queue_type>()), exposure_(*queue_) {}

  [[nodiscard, gnu::always_inline]] static queue_lane* current() noexcept { return of_this_thread; }
  [[nodiscard]] worker& owner() noexcept { return self_; }

  [[nodiscard]] bool fork(job& work) noexcept override {
    if (!queue_->owner().push(&work)) [[unlikely]] {
      self_.counts.run_inline.add();
      return false;
    }
    tally_.pushed(self_.counts);
    self_.home.notify(self_);
    return true;
  }
  [[nodiscard]] bool join(job& work) noexcept override {
    if (!queue_->owner().pop().has_value() && !takes_public()) [[unlikely]] {
      self_.home.wait(self_, work);
      return false;
    }
    tally_.popped(self_.counts);
    return true;
  }

  ext::steal_result<job*> steal(std::uint64_t random) noexcept override {
    if constexpr (requires { queue_->glance(); }) {  // thieves come often, and mostly in vain: spare them the fence
      const ext::steal_status seen = queue_->glance();
      if (seen != ext::steal_status::taken) return seen;
    }
    if constexpr (traits.random_start) {
      return counted(queue_->thief().steal_at(random));
    } else {
      return counted(queue_->thief().steal());
    }
  }
  ext::steal_result<job*> steal_from(std::uint64_t mark) noexcept override {
    if constexpr (requires { queue_->glance_from(mark); }) {
      const ext::steal_status seen = queue_->glance_from(mark);
      if (seen != ext::steal_status::taken) return seen;
    }
    if constexpr (traits.marks) {
      return counted(queue_->thief().steal_from(mark));
    } else {
      static_cast<void>(mark);
      return ext::steal_status::empty;
    }
  }
  effort ask() noexcept override { return exposure_.ask(*queue_); }
  effort insist(std::uint64_t mark) noexcept override { return exposure_.insist(*queue_, mark); }
  [[nodiscard]] bool has_items() const noexcept override { return queue_->size_hint() != 0; }
  [[nodiscard]] bool sample(std::uint64_t random) const noexcept override { return queue_->thief().sample(random); }
  [[nodiscard]] std::size_t size_hint() const noexcept override { return queue_->size_hint(); }

  [[nodiscard]] bool exposes() const noexcept override { return traits.split; }

  [[nodiscard]] std::uint64_t mark() const noexcept override {
    if constexpr (traits.marks) {
      return queue_->owner().mark();
    } else {
      return 0;
    }
  }
  [[nodiscard]] job* take() noexcept override {
    tally_.carry(self_.counts);
    const auto item = queue_->owner().take();
    return item ? *item : nullptr;
  }
  void bind() noexcept override {
    outer_ = of_this_thread;
    of_this_thread = this;
    tally_.begin();
    exposure_.bind(*queue_);
  }
  void unbind() noexcept override {
    // Nothing is left; a split deque notices that, and stops saying that it has private work, when a pop finds nothing.
    if constexpr (traits.split) static_cast<void>(queue_->owner().pop());
    exposure_.unbind();
    tally_.carry(self_.counts);
    of_this_thread = outer_;
  }

 private:
  [[gnu::noinline, gnu::cold]] bool takes_public() noexcept {
    if constexpr (traits.split) {
      if (queue_->owner().pop_public().has_value()) {
        self_.counts.exposed.add();
        self_.counts.unstolen.add();
        return true;
      }
    }
    return false;
  }
  ext::steal_result<job*> counted(ext::steal_result<job*> result) noexcept {
    if (result) exposure_.answered();
    return result;
  }

  static inline thread_local constinit queue_lane* of_this_thread = nullptr;

  worker& self_;
  std::unique_ptr<queue_type> queue_;
  [[no_unique_address]] exposure_type exposure_;
  queue_lane* outer_ = nullptr;
  [[no_unique_address]] tally<Sync> tally_;
};

}  // namespace pilfer::detail
