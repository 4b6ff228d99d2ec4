// What every lane around a queue does alike: all but how jobs come in.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include <pilfer/ext/queue_concept.hpp>

#include "research/job_lane.hpp"
#include "research/tally.hpp"

namespace pilfer::research {

// Nothing is private.
template <class Queue>
class open_to_all {
 public:
  explicit open_to_all(Queue& /*queue*/) noexcept {}
  static effort ask(Queue& /*queue*/) noexcept { return {}; }
  static effort insist(Queue& /*queue*/, std::uint64_t /*mark*/) noexcept { return {}; }
  static void answered() noexcept {}
  static void bind(Queue& /*queue*/) noexcept {}
  static void unbind() noexcept {}
};

// Config     name, queue<Sync> (a work_stealing_queue of job*, or of void* that are jobs), make<Queue>(shape): a new queue,
//            exposure<Queue>: see exposure.hpp
// Interface  lane, or what is derived from it
template <class Config, class Sync, class Interface>
class lane_base : public Interface {
 public:
  using queue_type = typename Config::template queue<Sync>;
  using exposure_type = typename Config::template exposure<queue_type>;
  static constexpr ext::queue_traits traits = queue_type::traits;

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
  [[nodiscard]] bool has_items() const noexcept override { return ext::has_items(*queue_); }
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
    return item ? static_cast<job*>(*item) : nullptr;
  }
  void bind() noexcept override {
    tally_.begin();
    exposure_.bind(*queue_);
  }
  void rest() noexcept override {
    if constexpr (traits.split) static_cast<void>(queue_->owner().pop());
  }
  void unbind() noexcept override {
    rest();
    exposure_.unbind();
    tally_.carry(self_.counts);
  }

 protected:
  lane_base(worker& owner, std::shared_ptr<queue_type> queue)
      : self_(owner), queue_(std::move(queue)), exposure_(*queue_) {}

  template <class Item>
  ext::steal_result<job*> counted(ext::steal_result<Item> result) noexcept {
    if (!result) return result.status();
    exposure_.answered();
    return ext::steal_result<job*>::of(static_cast<job*>(*result));
  }

  worker& self_;
  std::shared_ptr<queue_type> queue_;
  [[no_unique_address]] exposure_type exposure_;
  [[no_unique_address]] tally<Sync> tally_;
};

}  // namespace pilfer::research
