// The queue of spawned tasks of the default scheduler: a growing deque of Chase and Lev. The deque of forks is for forks alone: the places of
// its items are held by frames.
#pragma once

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

  [[nodiscard]] bool push(job& work) noexcept override { return push(self_, deque_, work); }
  // The same into the owner's deque.
  [[nodiscard, gnu::always_inline]] static bool push(worker& owner, task_deque& to, job& work) noexcept {
    if (!to.owner().push(&work)) [[unlikely]]
      return false;
    if (!owner.events.deferred.defers()) owner.call_sleeper();
    return true;
  }
  [[nodiscard]] job* take() noexcept override { return deque_.owner().pop().value_or(nullptr); }
  [[nodiscard]] std::uint64_t mark() const noexcept override { return deque_.owner().mark(); }
  void bind() noexcept override {}
  void unbind() noexcept override {}
  [[nodiscard]] bool hides_some() const noexcept override { return false; }
  [[nodiscard]] bool is_shared() const noexcept override { return false; }
  [[nodiscard]] bool newest_first() const noexcept override { return true; }
  [[nodiscard]] task_deque* deque() noexcept override { return &deque_; }

 private:
  worker& self_;
  mutable task_deque deque_;  // the handles of its roles are not const
};

}  // namespace pilfer::detail
