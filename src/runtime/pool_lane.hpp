// The lane of pilfer::pool: the deque that fork_join has inlined, or another queue behind it.
#pragma once

#include <memory>

#include <pilfer/detail/fork_path.hpp>
#include <pilfer/detail/queue_lane.hpp>

namespace pilfer::detail {

class pool_lane final : public lane {
 public:
  // `other`: the queue to use instead; null: the deque itself.
  pool_lane(worker& owner, std::unique_ptr<fork_lane> other);

  [[nodiscard]] static pool_lane& of(fork_slot* at) noexcept {
    return *static_cast<pool_lane*>(fork_deque::of(at).companion());
  }
  [[nodiscard]] worker& owner() noexcept { return self_; }
  [[nodiscard]] fork_deque& deque() noexcept { return *deque_; }

  [[nodiscard]] fork_slot* fork_slowly(fork_slot* at, job& work) noexcept;
  [[nodiscard]] bool join_slowly(fork_slot* at, job& work) noexcept;
  // Would somebody take work from here now? A hint.
  [[nodiscard]] bool is_wanted() const noexcept;

  ext::steal_result<job*> steal(std::uint64_t random) noexcept override;
  ext::steal_result<job*> steal_urgent(std::uint64_t random, unsigned level) noexcept override;
  ext::steal_result<job*> steal_from(std::uint64_t mark) noexcept override;
  effort ask() noexcept override;
  effort insist(std::uint64_t mark) noexcept override;
  void leave_request() noexcept override;
  [[nodiscard]] bool has_items() const noexcept override;
  [[nodiscard]] bool sample(std::uint64_t random) const noexcept override;
  [[nodiscard]] std::size_t size_hint() const noexcept override;
  [[nodiscard]] bool exposes() const noexcept override;
  [[nodiscard]] std::uint64_t mark() const noexcept override;
  [[nodiscard]] job* take() noexcept override;
  void rest() noexcept override;
  void bind() noexcept override;
  void unbind() noexcept override;

 private:
  using place = scope_stack<task_scope, ext::default_sync>::place;
  ext::steal_result<job*> with_place(std::uint64_t mark) noexcept;
  [[nodiscard]] place place_of(std::uint64_t index) const noexcept;

  worker& self_;
  std::unique_ptr<fork_lane> other_;
  std::unique_ptr<fork_deque> deque_;
  fork_deque* outer_ = nullptr;
};

}  // namespace pilfer::detail
