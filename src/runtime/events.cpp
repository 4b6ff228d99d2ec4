#include "events.hpp"

#include <algorithm>
#include <utility>

namespace pilfer::detail {

namespace {
constexpr std::size_t most_between_reaps = 32;                    // jobs
constexpr unsigned reaps_between_others = 61;                     // looks at the own events
constexpr std::chrono::microseconds nap_for_attended_us{5000};    // others wait for events, and look after them
constexpr std::chrono::microseconds nap_for_unattended_us{1000};  // and may not look for long
}  // namespace

event_source& events::attach(std::unique_ptr<event_source> source) noexcept {
  const std::lock_guard lock(mutex_);
  if (owned_ == nullptr) {
    owned_ = std::move(source);
    source_.store(owned_.get(), orders::attach.rel);
  }
  return *owned_;
}

event_source* events::begin_look(worker& self) noexcept {
  event_source* const from = source();
  if (from == nullptr) return nullptr;
  worker_events& mine = self.events;
  if (mine.until_reap > 1) {
    --mine.until_reap;
    return nullptr;
  }
  mine.is_reaping_busy = self.tasks.has_items();
  return from;
}

void events::attend_source(worker& self) noexcept {
  event_source* const from = begin_look(self);
  if (from == nullptr) return;
  flush(self, *from);
  end_look(self, *from, from->reap(self));
  call_watcher(self, *from);  // the caller goes on with a job, or with a wait
}

void events::attend_idle(worker& self) noexcept {
  event_source* const from = begin_look(self);
  if (from == nullptr) return;
  const worker_events& mine = self.events;
  std::size_t came = 0;
  if (mine.is_reaping_busy) {
    flush(self, *from);
    came = from->reap(self);
  } else {
    came = reap_alone(self, *from);
    if (came == 0 ? mine.jobs_unsent > 1 : mine.jobs_unsent >= most_between_reaps) {
      flush(self, *from);
      if (came == 0) came = reap_alone(self, *from);
    }
  }
  end_look(self, *from, came);
}

// A worker that is spare or blocked looks after nothing, and perhaps no worker is ever idle.
void events::end_look(worker& self, event_source& from, std::size_t came) noexcept {
  worker_events& mine = self.events;
  if (++mine.reaps % reaps_between_others == 0) came += from.reap_others(self);
  mine.until_reap = std::min(came, most_between_reaps);
  mine.is_reaping_busy = false;
}

void events::look(worker& self) noexcept {
  if (event_source* const from = source()) {
    from->flush(self);
    from->reap(self);
  }
}

std::size_t events::look_for_all(worker& self) noexcept {
  event_source* const from = source();
  if (from == nullptr) return 0;
  from->flush(self);
  const std::size_t own = from->reap(self);
  return own + from->reap_others(self);
}

std::size_t events::take_all(worker& self) noexcept {
  event_source* const from = source();
  if (from == nullptr) return 0;
  self.events.until_reap = 0;
  const std::size_t own = reap_alone(self, *from);
  return own + from->reap_others(self);
}

void events::flush(worker& self) noexcept {
  if (event_source* const from = source()) flush(self, *from);
}
void events::flush(worker& self, event_source& from) noexcept {
  self.events.jobs_unsent = 0;
  from.flush(self);
}

// Called by a worker that has nothing else to do. The first completion that came is its own next job, so it calls another worker
// for the others only.
std::size_t events::reap_alone(worker& self, event_source& from) noexcept {
  if (!defers_) return from.reap(self);
  return self.events.deferred.reap([&]() noexcept { return from.reap(self); }, [&]() noexcept { self.call_sleeper(); });
}

// The job may be long: what was prepared goes first, unless the job is one of those that came together.
void events::begin_job(worker& self) noexcept {
  event_source* const from = source();
  if (from == nullptr) return;
  if (self.events.until_reap == 0) flush(self, *from);
  ++self.events.jobs_unsent;
  // It has found another job than the completion that it has called no sleeper for.
  if (self.events.deferred.is_due([&]() noexcept { return self.tasks.has_items(); })) self.call_sleeper();
  call_watcher(self, *from);
}

void events::leave(worker& self) noexcept {
  event_source* const from = source();
  if (from == nullptr) return;
  flush(self, *from);  // no other thread can submit it
  call_watcher(self, *from);
}

// A worker that fell asleep before an operation was started sleeps without a limit, and does not look at its completion while the
// operation's owner is busy or blocked. Argued in detail/protocol/watch.hpp.
void events::call_watcher(worker& self, const event_source& from) noexcept {
  const bool called = watch_.begin(
      self.events.duty, parking_, [&]() noexcept { return from.waits(self); },
      [&]() noexcept { return from.others_wait(self) == event_source::others::unattended; });
  if (called) self.counts.wakes.add();
}

bool events::is_waiting(const worker& self) const noexcept {
  const event_source* const from = source();
  return from != nullptr && from->waits(self);
}

bool events::are_outstanding(const worker& self) const noexcept {
  const event_source* const from = source();
  return from != nullptr && (from->waits(self) || from->others_wait(self) != event_source::others::nothing);
}

events::outlook events::look_out(const worker& self) const noexcept {
  const event_source* const from = source();
  if (from == nullptr) return {};
  if (from->has_come(self)) return {.has_come = true};
  // A worker may begin something long just now, and not look after its events.
  switch (from->others_wait(self)) {
    case event_source::others::nothing: return {};
    case event_source::others::attended: return {.nap = nap_for_attended_us};
    case event_source::others::unattended: break;
  }
  return {.nap = nap_for_unattended_us};
}

bool events::sleep(worker& self, std::chrono::nanoseconds limit, bool watches) noexcept {
  event_source* const from = source();
  self.events.jobs_unsent = 0;
  bool called = false;
  watch_.sleep(self.events.duty, watches, [&]() noexcept {
    called = from != nullptr && from->waits(self)
                 ? parking_.sleep_in(self.out, [&]() noexcept { from->sleep(self, limit); })
                 : parking_.sleep(limit);
  });
  return called;
}

bool events::kick(worker_face& sleeper) const noexcept {
  event_source* const from = source();
  if (from == nullptr || !sleeper.watched_from().call()) return false;
  from->kick(sleeper);
  return true;
}

}  // namespace pilfer::detail
