#include "worker_loop.hpp"

#include "../sync/system_thread.hpp"
#include "patience.hpp"
#include "rest.hpp"

namespace pilfer::detail {

void worker_loop::run(worker& self) noexcept {
  if (!told_.name.empty()) name_this_thread(numbered_name(told_.name, self.index).c_str());
  bind(self);
  told_.members.begin_life();
  self.note(activity::looks);
  if (told_.on_start) told_.on_start(self.index);
  idle now(told_.sleep, self);
  while (!told_.members.has_ended()) {
    retire_if_surplus(self, now);
    // A spare worker that was called looks at least once, even if the caller has taken the place back already.
    work_once(self, now);
  }
  if (told_.on_stop) told_.on_stop(self.index);
  told_.ready.give_away(self);  // tombstones
  unbind(self);
  told_.sleepers.notify_all();  // a call that was meant for another may have been ours: pass it on
}

void worker_loop::work_once(worker& self, idle& now) noexcept {
  now.begin();
  do {
    if (job* const work = find_job(self)) {
      now.end_with_job();
      self.note(activity::runs);
      run_in_a_row(self, *work);
      self.note(activity::looks);
      return;
    }
  } while (now.look_again());
}

// With plain tasks the worker's next job is the newest in its queue: its queue of forks is empty when nothing is on its stack. So it takes no whole
// look before each, unless something but its own jobs wants it.
void worker_loop::run_in_a_row(worker& self, job& first) noexcept {
  if (self.plain_tasks == nullptr) {
    told_.runs.run(self, first);
    return;
  }
  const auto goes_on = [this]() noexcept {
    return told_.completions.source() == nullptr && !told_.ready.has_injected() && !told_.members.is_surplus() &&
           !told_.members.is_stopping();
  };
  for (job* next = &first; next != nullptr;) {
    if (next->type.kind == job_kind::resumed) {
      next = execution::run_resumptions(self, static_cast<const resume_job&>(*next), goes_on);
    } else {
      told_.runs.run(self, *next);
      next = goes_on() ? self.plain_tasks->owner().pop().value_or(nullptr) : nullptr;
    }
  }
}

job* worker_loop::find_job(worker& self) noexcept {
  if (job* const own = self.queue->take()) {
    told_.ready.begin_nested(self, told_.ready.level_of(*own));
    return own;
  }
  return told_.ready.find(self);
}

void worker_loop::retire_if_surplus(worker& self, idle& now) noexcept {
  if (!told_.members.is_surplus()) return;
  for (unsigned i = 0; i < pauses_before_retiring && told_.members.is_surplus(); ++i) ext::default_sync::pause();
  if (!told_.members.retire(self)) return;
  self.note(activity::spare);
  self.queue->rest();
  if (self.tasks.hide_some()) told_.ready.give_away(self);
  told_.completions.leave(self);
  self.memory->collect();
  now.end_as_spare();  // what this worker may have been called for is still there
  told_.members.sleep_as_spare(self);
  self.note(activity::looks);
}

void bind(worker& self) noexcept {
  hold_place(self.place);
  self.queue->bind();
  self.tasks.bind();
}
void unbind(worker& self) noexcept {
  self.tasks.unbind();
  self.queue->unbind();
  drop_place(self.place);
}

}  // namespace pilfer::detail
