#include "pool_lane.hpp"

namespace pilfer::detail {

pool_lane::pool_lane(worker& owner, std::unique_ptr<fork_lane> other)
    : self_(owner),
      other_(std::move(other)),
      deque_(std::make_unique<fork_deque>(other_ != nullptr ? 1 : fork_deque::max_capacity, other_ == nullptr)) {
  deque_->set_companion(this);
}

ext::steal_result<job*> pool_lane::steal(std::uint64_t random) noexcept {
  return other_ != nullptr ? other_->steal(random) : with_place(0);
}
// Says whose task it was that forked what was stolen: a fork does not. It looks before the claim: afterwards the owner may be at
// that fork's join, and run a task of another scope from the same mark.
ext::steal_result<job*> pool_lane::with_place(std::uint64_t mark) noexcept {
  place found{};
  const auto result = deque_->steal_with_index(mark, [&](std::uint64_t index) noexcept { found = place_of(index); });
  if (result) {
    (*result)->scope = found.scope;
    (*result)->level = found.level;
  }
  return result;
}
pool_lane::place pool_lane::place_of(std::uint64_t index) const noexcept {
  return self_.scopes.place_of(index, {nullptr, self_.home.level_of_callers().bits()});
}
ext::steal_result<job*> pool_lane::steal_urgent(std::uint64_t random, unsigned level) noexcept {
  if (other_ != nullptr) return other_->steal(random);
  // The oldest may be of a less urgent task, on top of which its worker runs an urgent one while it waits.
  if (task_level::from_bits(place_of(deque_->top_hint()).level).number() > level) return ext::steal_status::empty;
  return with_place(0);
}
ext::steal_result<job*> pool_lane::steal_from(std::uint64_t mark) noexcept {
  return other_ != nullptr ? other_->steal_from(mark) : with_place(mark);
}
effort pool_lane::ask() noexcept {
  if (other_ != nullptr) return other_->ask();
  deque_->request();
  return {};
}
effort pool_lane::insist(std::uint64_t mark) noexcept {
  if (other_ != nullptr) return other_->insist(mark);
  return {.barrier = deque_->uses_membarrier(), .exposed = deque_->seize(mark)};
}
void pool_lane::leave_request() noexcept {
  if (other_ != nullptr) {
    other_->leave_request();
  } else {
    deque_->request();
  }
}
bool pool_lane::has_items() const noexcept { return other_ != nullptr ? other_->has_items() : deque_->has_items(); }
bool pool_lane::sample(std::uint64_t random) const noexcept {
  return other_ != nullptr ? other_->sample(random) : deque_->thief().sample(random);
}
std::size_t pool_lane::size_hint() const noexcept {
  return other_ != nullptr ? other_->size_hint() : deque_->size_hint();
}
bool pool_lane::exposes() const noexcept { return other_ == nullptr || other_->exposes(); }
std::uint64_t pool_lane::mark() const noexcept { return other_ != nullptr ? other_->mark() : deque_->owner().mark(); }
job* pool_lane::take() noexcept {
  if (other_ != nullptr) return other_->take();
  const auto item = deque_->owner().take();
  return item ? *item : nullptr;
}
void pool_lane::rest() noexcept {
  if (other_ != nullptr) other_->rest();
}
void pool_lane::bind() noexcept {
  outer_ = current_deque;
  current_deque = deque_.get();
  if (other_ != nullptr) other_->bind();
}
void pool_lane::unbind() noexcept {
  if (other_ != nullptr) other_->unbind();
  current_deque = outer_;
}

}  // namespace pilfer::detail
