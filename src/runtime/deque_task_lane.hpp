// The queue of spawned tasks of the default scheduler: a growing deque of Chase and Lev. The deque of forks is for forks alone: the places of
// its items are held by frames.
#pragma once

#include <pilfer/queue/chase_lev_deque.hpp>

#include "lane.hpp"
#include "worker.hpp"

namespace pilfer::detail {

class deque_task_lane final : public task_lane {
 public:
  //   Throws  std::bad_alloc
  explicit deque_task_lane(worker& owner) : self_(owner) {}

  ext::steal_result<job*> steal(std::uint64_t /*random*/) noexcept override { return deque_.thief().steal(); }
  ext::steal_result<job*> steal_from(std::uint64_t mark) noexcept override { return deque_.thief().steal_from(mark); }
  [[nodiscard]] bool has_items() const noexcept override { return ext::has_items(deque_); }
  [[nodiscard]] bool sample(std::uint64_t random) const noexcept override { return deque_.thief().sample(random); }
  [[nodiscard]] std::size_t size_hint() const noexcept override { return deque_.size_hint(); }

  [[nodiscard]] bool push(job& work) noexcept override {
    if (!deque_.owner().push(&work)) [[unlikely]]
      return false;
    if (!self_.events.deferred.defers()) self_.call_sleeper();
    return true;
  }
  [[nodiscard]] job* take() noexcept override { return deque_.owner().pop().value_or(nullptr); }
  [[nodiscard]] std::uint64_t mark() const noexcept override { return deque_.owner().mark(); }
  void bind() noexcept override {}
  void unbind() noexcept override {}
  [[nodiscard]] bool hides_some() const noexcept override { return false; }
  [[nodiscard]] bool is_shared() const noexcept override { return false; }
  [[nodiscard]] bool newest_first() const noexcept override { return true; }

 private:
  worker& self_;
  mutable queue::chase_lev_deque<job*> deque_;  // the handles of its roles are not const
};

}  // namespace pilfer::detail
