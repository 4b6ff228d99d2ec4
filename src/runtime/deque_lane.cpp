#include "deque_lane.hpp"

#include "current_worker.hpp"

namespace pilfer::detail {

deque_lane::deque_lane(worker& owner)
    : fork_slow_path(owner),
      scopes_(owner.scopes),
      outside_{nullptr, owner.callers_level.bits()},
      deque_(std::make_unique<fork_deque>()) {
  deque_->set_companion(static_cast<fork_slow_path*>(this));
}

// Says whose task it was that forked what was stolen: a fork does not. It looks before the claim: afterwards the owner may be at
// that fork's join, and run a task of another scope from the same mark.
ext::steal_result<job*> deque_lane::with_place(std::uint64_t mark) noexcept {
  place found{};
  const auto result = deque_->steal_with_index(mark, [&](std::uint64_t index) noexcept { found = place_of(index); });
  if (result) {
    auto& stolen = static_cast<forked_job&>(**result);
    stolen.scope = found.scope;
    stolen.level = found.level;
  }
  return result;
}
deque_lane::place deque_lane::place_of(std::uint64_t index) const noexcept { return scopes_.place_of(index, outside_); }

ext::steal_result<job*> deque_lane::steal(std::uint64_t /*random*/) noexcept { return with_place(0); }
ext::steal_result<job*> deque_lane::steal_urgent(std::uint64_t /*random*/, unsigned level) noexcept {
  // The oldest may be of a less urgent task, on top of which its worker runs an urgent one while it waits.
  if (task_level::from_bits(place_of(deque_->top_hint()).level).number() > level) return ext::steal_status::empty;
  return with_place(0);
}
ext::steal_result<job*> deque_lane::steal_from(std::uint64_t mark) noexcept { return with_place(mark); }
effort deque_lane::ask() noexcept {
  deque_->request();
  return {};
}
effort deque_lane::insist(std::uint64_t mark) noexcept {
  return {.barrier = deque_->uses_membarrier(), .exposed = deque_->seize(mark)};
}

job* deque_lane::take() noexcept {
  const auto item = deque_->owner().take();
  return item ? *item : nullptr;
}
void deque_lane::bind() noexcept {
  outer_ = current_deque;
  current_deque = deque_.get();
}

fork_slot* deque_lane::fork(fork_slot* at, forked_job& /*work*/) noexcept {
  const auto [next, exposed] = deque_->look_up_after_push(at);
  if (next == at) owner().counts.run_inline.add();
  if (exposed != 0) owner().call_sleeper_fenced();  // the request may have been a sleeper's
  return next;
}

bool deque_lane::join(fork_slot* at, forked_job& work) noexcept {
  const auto [outcome, exposed] = deque_->look_up_before_pop(at);
  if (exposed != 0) owner().call_sleeper_fenced();  // the request may have been a sleeper's
  switch (outcome) {
    case fork_deque::pop_outcome::mine: return true;
    case fork_deque::pop_outcome::taken_back:
      owner().counts.exposed.add();
      owner().counts.unstolen.add();
      return true;
    case fork_deque::pop_outcome::stolen: break;
  }
  wait_for_stolen(owner(), work);
  return false;
}

}  // namespace pilfer::detail
