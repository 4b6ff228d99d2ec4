#include "intake.hpp"

namespace pilfer::detail {

bool intake::push(worker& self, spawned_job& work) noexcept {
  if (push_any(self, work)) [[likely]]
    return true;
  self.counts.run_inline.add();
  return false;
}

bool intake::inject(spawned_job& work) noexcept {
  if (!told_.members.has_threads()) return false;  // the calling thread runs it itself
  inject_any(work);
  return true;
}

void intake::push(worker& self, resume_job& work) noexcept {
  if (!push_any(self, work)) [[unlikely]]
    inject_any(work);
}

void intake::inject(resume_job& work) noexcept {
  static_cast<void>(told_.members.has_threads());  // makes one
  inject_any(work);
}

bool intake::push_any(worker& self, job& work) noexcept {
  if (!self.crew.is_blocked()) [[likely]]
    return told_.ready.push(self, work);
  if (self.tasks.hide_some()) {  // no thief would find it
    told_.ready.inject(&self, work);
  } else if (!told_.ready.push(self, work)) {
    return false;
  }
  told_.members.offer_place(crew::vacancy::for_anyone);  // its worker is not active, and perhaps no other is
  return true;
}

void intake::inject_any(job& work) noexcept {
  told_.ready.inject(nullptr, work);
  told_.members.offer_place(crew::vacancy::for_anyone);
}

}  // namespace pilfer::detail
