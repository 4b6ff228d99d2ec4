// pilfer::pool with another queue: the bounds of the deque that fork_join has inlined are never set, so that every fork and every join leaves the
// fast path, and goes to that queue from there.
#pragma once

#include <memory>

#include "research/job_lane.hpp"

namespace pilfer::research {

class redirected_lane final : public fork_lane, private detail::fork_slow_path {
 public:
  redirected_lane(worker& owner, std::unique_ptr<job_lane> to);

  ext::steal_result<job*> steal(std::uint64_t random) noexcept override { return to_->steal(random); }
  ext::steal_result<job*> steal_from(std::uint64_t mark) noexcept override { return to_->steal_from(mark); }
  effort ask() noexcept override { return to_->ask(); }
  effort insist(std::uint64_t mark) noexcept override { return to_->insist(mark); }
  void leave_request() noexcept override { to_->leave_request(); }
  [[nodiscard]] bool has_items() const noexcept override { return to_->has_items(); }
  [[nodiscard]] bool sample(std::uint64_t random) const noexcept override { return to_->sample(random); }
  [[nodiscard]] std::size_t size_hint() const noexcept override { return to_->size_hint(); }
  [[nodiscard]] bool exposes() const noexcept override { return to_->exposes(); }

  [[nodiscard]] std::uint64_t mark() const noexcept override { return to_->mark(); }
  [[nodiscard]] job* take() noexcept override { return to_->take(); }
  void rest() noexcept override { to_->rest(); }
  void bind() noexcept override;
  void unbind() noexcept override;
  [[nodiscard]] fork_deque* deque() noexcept override { return deque_.get(); }

 private:
  [[nodiscard]] fork_slot* fork(fork_slot* at, forked_job& work) noexcept override;
  [[nodiscard]] bool join(fork_slot* at, forked_job& work) noexcept override;
  [[nodiscard]] bool is_wanted() const noexcept override;

  std::unique_ptr<job_lane> to_;
  std::unique_ptr<fork_deque> deque_;
  fork_stack* outer_ = nullptr;
};

}  // namespace pilfer::research
