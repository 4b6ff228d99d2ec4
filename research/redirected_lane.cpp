#include "research/redirected_lane.hpp"

#include <utility>

#include "src/runtime/runtime.hpp"

namespace pilfer::research {

redirected_lane::redirected_lane(worker& owner, std::unique_ptr<job_lane> to)
    : fork_slow_path(owner), to_(std::move(to)), deque_(std::make_unique<fork_deque>(1, false)) {
  deque_->set_companion(static_cast<detail::fork_slow_path*>(this));
}

void redirected_lane::bind() noexcept {
  outer_ = detail::current_deque;
  detail::current_deque = deque_.get();
  to_->bind();
}
void redirected_lane::unbind() noexcept {
  to_->unbind();
  detail::current_deque = outer_;
}

fork_slot* redirected_lane::fork(fork_slot* at, forked_job& work) noexcept {
  deque_->retract(at);
  work.scope = owner().scope;
  work.level = owner().level.bits();
  if (!to_->fork(work)) latch_of(work).keep();
  return at;
}

bool redirected_lane::join(fork_slot* /*at*/, forked_job& work) noexcept {
  return latch_of(work).is_kept() || to_->join(work);
}

// The rule of lazy binary splitting: a queue that holds something already has enough for thieves.
bool redirected_lane::is_wanted() const noexcept { return owner().home.has_company() && !to_->has_items(); }

}  // namespace pilfer::research
