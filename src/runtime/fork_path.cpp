// Where the fast path of pilfer::pool's forks ends: requests, a full stack of forks, stolen jobs, and other queues.
#include <pilfer/detail/fork_path.hpp>
#include <pilfer/detail/hunger.hpp>

#include "pool_lane.hpp"

namespace pilfer::detail {

fork_slot* fork_slowly(fork_slot* at, job& work) noexcept { return pool_lane::of(at).fork_slowly(at, work); }
bool join_slowly(fork_slot* at, job& work) noexcept { return pool_lane::of(at).join_slowly(at, work); }
bool is_anyone_hungry_really(fork_slot* at) noexcept { return pool_lane::of(at).is_wanted(); }
void count_suppressed(fork_slot* at) noexcept { pool_lane::of(at).owner().counts.suppressed.add(); }

fork_slot* pool_lane::fork_slowly(fork_slot* at, job& work) noexcept {
  if (other_ != nullptr) {
    deque_->retract(at);
    work.scope = self_.scope;
    work.level = self_.level.bits();
    if (!other_->fork(work)) work.state.keep();
    return at;
  }
  const auto [next, exposed] = deque_->look_up_after_push(at);
  if (next == at) self_.counts.run_inline.add();
  if (exposed != 0) self_.home.notify_fenced(self_);  // the request may have been a sleeper's
  return next;
}

bool pool_lane::is_wanted() const noexcept {
  if (other_ == nullptr) return deque_->is_asked();
  return self_.home.has_company() && !other_->has_items();  // the rule of lazy binary splitting
}

bool pool_lane::join_slowly(fork_slot* at, job& work) noexcept {
  if (other_ != nullptr) return work.state.is_kept() || other_->join(work);
  const auto [outcome, exposed] = deque_->look_up_before_pop(at);
  if (exposed != 0) self_.home.notify_fenced(self_);  // the request may have been a sleeper's
  switch (outcome) {
    case fork_deque::pop_outcome::mine: return true;
    case fork_deque::pop_outcome::taken_back:
      self_.counts.exposed.add();
      self_.counts.unstolen.add();
      return true;
    case fork_deque::pop_outcome::stolen: break;
  }
  self_.home.wait(self_, work);
  return false;
}

}  // namespace pilfer::detail
