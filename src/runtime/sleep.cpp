#include "sleep.hpp"

#include <algorithm>
#include <cstddef>
#include <thread>

#include "patience.hpp"

namespace pilfer::detail {

namespace {
constexpr std::chrono::microseconds nap_beside_private_us{100};    // work that no thief can get at
constexpr std::chrono::microseconds nap_without_barrier_us{1000};  // a wake-up may be missed
}  // namespace

bool sleep_room::anything_to_do(const worker_face& self) const noexcept {
  return told_.members.is_stopping() || told_.ready.has_injected() || told_.thieves.sees_any(self);
}

void sleep_room::kick(bool all) const noexcept {
  const std::size_t known = told_.workers.known();
  for (std::size_t i = 0; i < known; ++i) {
    if (told_.completions.kick(told_.workers.at(i)) && !all) return;
  }
}

// All sleepers have left requests, but an owner that answers calls only one of them. The worker that was called leaves requests again for
// the others, and calls the next one if there is more work already: its owner may have begun a long task since.
void sleep_room::relay(worker& self) noexcept {
  if (!told_.sleepers.anyone_sleeps()) return;
  told_.thieves.leave_requests(self);
  // Refused: then owners look up at every push and pop, and the requests' own fences serve.
  if (ext::default_sync::heavy_fence()) self.counts.barriers.add();
  if (anything_to_do(self) && told_.sleepers.notify_fenced()) self.counts.wakes.add();
}

bool sleep_room::park(worker& self) noexcept {
  parking<ext::default_sync>& sleepers = told_.sleepers;
  const bool certain = sleepers.prepare([&]() noexcept { told_.thieves.leave_requests(self); });
  if (certain && sleepers.uses_membarrier()) self.counts.barriers.add();
  std::chrono::nanoseconds limit{-1};
  if (!certain) limit = nap_without_barrier_us;
  if (anything_to_do(self)) {
    // Private work that its owner does not expose, although it was asked all the while: come back in a moment.
    if (self.hunt->asked == nullptr) {
      sleepers.cancel();
      return false;
    }
    limit = nap_beside_private_us;
  }
  const events::outlook ahead = told_.completions.look_out(self);
  if (ahead.has_come) {
    sleepers.cancel();
    return false;
  }
  if (ahead.watches()) limit = limit.count() < 0 ? ahead.nap : std::min(limit, ahead.nap);
  self.counts.parks.add();
  self.note(activity::parked);
  self.memory->collect();
  const bool was_called = told_.completions.sleep(self, limit, ahead.watches());
  self.note(activity::looks);
  return was_called;
}

void idle::begin() noexcept {
  room_.told_.completions.attend_idle(self_);
  self_.hunt->asked = nullptr;
  round_ = 0;
}

bool idle::look_again() noexcept {
  const crew& members = room_.told_.members;
  events& completions = room_.told_.completions;
  if (members.is_stopping() || members.is_surplus()) return false;
  if (++round_ == 1) since_ = std::chrono::steady_clock::now();  // a look that finds something at once reads no clock
  if (completions.take_all(self_) != 0) return true;
  // A worker that waits for events is woken by them: looking on would cost more than it gains, unless there is something to get at soon.
  if (completions.is_waiting(self_)) {
    if (!room_.anything_to_do(self_)) return sleep();
    completions.flush(self_);
  }
  ext::default_sync::pause();
  if (round_ % rounds_between_yields != 0) return true;
  std::this_thread::yield();
  return std::chrono::steady_clock::now() - since_ > spin_before_park_us ? sleep() : true;
}

bool idle::sleep() noexcept {
  if (room_.park(self_)) was_called_ = true;
  return false;
}

void idle::end_with_job() noexcept {
  if (was_called_) end_as_spare();
  room_.told_.completions.begin_job(self_);
}

void idle::end_as_spare() noexcept {
  was_called_ = false;
  room_.relay(self_);
}

}  // namespace pilfer::detail
