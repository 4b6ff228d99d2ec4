// The queue of forks of the default scheduler: the deque that fork_join has inlined.
#pragma once

#include <memory>

#include "lane.hpp"
#include "worker.hpp"

namespace pilfer::detail {

class deque_lane final : public fork_lane, private fork_slow_path {
 public:
  explicit deque_lane(worker& owner);

  ext::steal_result<job*> steal(std::uint64_t random) noexcept override;
  ext::steal_result<job*> steal_urgent(std::uint64_t random, unsigned level) noexcept override;
  ext::steal_result<job*> steal_from(std::uint64_t mark) noexcept override;
  effort ask() noexcept override;
  effort insist(std::uint64_t mark) noexcept override;
  void leave_request() noexcept override { deque_->request(); }
  [[nodiscard]] bool has_items() const noexcept override { return deque_->has_items(); }
  [[nodiscard]] bool sample(std::uint64_t random) const noexcept override { return deque_->thief().sample(random); }
  [[nodiscard]] std::size_t size_hint() const noexcept override { return deque_->size_hint(); }
  [[nodiscard]] bool exposes() const noexcept override { return true; }

  [[nodiscard]] std::uint64_t mark() const noexcept override { return deque_->owner().mark(); }
  [[nodiscard]] job* take() noexcept override;
  void bind() noexcept override;
  void unbind() noexcept override { current_deque = outer_; }
  [[nodiscard]] fork_deque* deque() noexcept override { return deque_.get(); }

 private:
  [[nodiscard]] fork_slot* fork(fork_slot* at, forked_job& work) noexcept override;
  [[nodiscard]] bool join(fork_slot* at, forked_job& work) noexcept override;
  [[nodiscard]] bool is_wanted() const noexcept override { return deque_->is_asked(); }

  using scope_marks = scope_stack<task_scope, ext::default_sync>;
  using place = scope_marks::place;
  ext::steal_result<job*> with_place(std::uint64_t mark) noexcept;
  [[nodiscard]] place place_of(std::uint64_t index) const noexcept;

  const scope_marks& scopes_;
  const place outside_;  // of every task
  std::unique_ptr<fork_deque> deque_;
  fork_stack* outer_ = nullptr;
};

}  // namespace pilfer::detail
