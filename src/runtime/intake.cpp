#include "intake.hpp"

namespace pilfer::detail {

bool intake::push(worker& self, spawned_job& work) noexcept {
  if (!self.crew.is_blocked()) [[likely]] {
    if (told_.ready.push(self, work)) [[likely]]
      return true;
    self.counts.run_inline.add();
    return false;
  }
  if (self.tasks.hide_some()) {  // no thief would find it
    told_.ready.inject(&self, work);
  } else if (!told_.ready.push(self, work)) {
    return false;
  }
  told_.members.offer_place(crew::vacancy::for_anyone);  // its worker is not active, and perhaps no other is
  return true;
}

bool intake::inject(spawned_job& work) noexcept {
  // Without threads the calling thread runs a task itself. A coroutine is left to a caller that waits inside of the pool, now or later: the
  // thread that resumes it may be the timers', and must not block.
  if (!told_.members.has_threads() && !work.is_resumption()) return false;
  told_.ready.inject(nullptr, work);
  told_.members.offer_place(crew::vacancy::for_anyone);
  return true;
}

}  // namespace pilfer::detail
