// A worker without work: look for some, ask for some, sleep. The protocol is argued in README.md.
#include <algorithm>
#include <mutex>
#include <thread>
#include <utility>

#include "inside_scope.hpp"
#include "state.hpp"
#include "task_scope.hpp"

namespace pilfer::detail {

void scheduler::state::execute(worker& self, job& work) noexcept {
  if (work.state.is_spawned()) {
    execute_task(self, static_cast<task&>(work));
    return;
  }
  auto& record = self.runs[self.depth];
  const std::uint64_t mark = self.queue->mark();
  const std::uint64_t serial = record.start(mark, self.tasks.exist() ? self.tasks.mark(ready->level_of(work)) : 0);
  work.state.start(run_id(self.index, self.depth, serial));
  ++self.depth;
  if (!self.tasks.exist()) {
    work.run(work);
  } else {
    const inside_scope in(self, work, mark, task_level::from_bits(work.level));
    work.run(work);
  }
  --self.depth;
  record.end(serial);
  work.state.finish();
}

void scheduler::state::execute_nested(worker& self, job& work) noexcept {
  ready->begin_nested(self, ready->level_of(work));
  execute(self, work);
}

// Out of a queue.
void scheduler::state::execute_task(worker& self, task& work) noexcept {
  if (!work.claim()) {  // a waiter was first: a tombstone
    work.let_go();
    return;
  }
  auto& record = self.runs[self.depth];
  const std::uint64_t mark = self.queue->mark();
  const unsigned level = work.level();
  const std::uint64_t serial = record.start(mark, self.tasks.mark(level));
  const run_id id(self.index, self.depth, serial);
  work.state.start_spawned(id);
  if (work.scope != nullptr) work.scope->note_run(id);
  ++self.depth;
  self.counts.tasks.add();
  self.counts.tasks_of_level[level].add();
  {
    const inside_scope in(self, work, mark, task_level(level));
    work.run(work);
  }
  --self.depth;
  record.end(serial);
  work.end(true);
}

bool scheduler::state::anything_to_do(const worker& self) const noexcept {
  return is_stopping() || ready->has_injected() || thieves.sees_any(self);
}

job* scheduler::state::find_work(worker& self) noexcept {
  if (job* const own = self.queue->take()) {
    ready->begin_nested(self, ready->level_of(*own));
    return own;
  }
  return ready->find(self);
}

void scheduler::state::idle(worker& self) noexcept {
  events.attend_idle(self);
  const auto since = steady_clock::now();
  self.hunt->asked = nullptr;
  for (unsigned round = 1;; ++round) {
    if (job* const work = find_work(self)) {
      if (self.hunt->called) relay(self);
      events.begin_job(self);
      self.does.store(activity::runs, orders::relaxed);  // hint
      execute(self, *work);
      self.does.store(activity::looks, orders::relaxed);  // hint
      return;
    }
    if (is_stopping() || is_surplus()) return;
    if (events.take_all(self) != 0) continue;
    // A worker that waits for events is woken by them: looking on would cost more than it gains, unless there is something to get at soon.
    if (events.is_waiting(self)) {
      if (!anything_to_do(self)) {
        park(self);
        return;
      }
      events.flush(self);
    }
    ext::default_sync::pause();
    if (round % rounds_between_yields == 0) {
      std::this_thread::yield();
      if (steady_clock::now() - since > spin_before_park_us) {
        park(self);
        return;
      }
    }
  }
}

// All sleepers have left requests, but an owner that answers calls only one of them. The worker that was called leaves requests again for
// the others, and calls the next one if there is more work already: its owner may have begun a long task since.
void scheduler::state::relay(worker& self) noexcept {
  self.hunt->called = false;
  if (!home.parking_.anyone_sleeps()) return;
  thieves.leave_requests(self);
  // Refused: then owners look up at every push and pop, and the requests' own fences serve.
  if (ext::default_sync::heavy_fence()) self.counts.barriers.add();
  if (anything_to_do(self)) home.notify_fenced(self);
}

void scheduler::state::kick(void* self, bool all) noexcept {
  const state& me = *static_cast<state*>(self);
  const std::size_t known = me.known_workers();
  for (std::size_t i = 0; i < known; ++i) {
    if (me.events.kick(me.at(i)) && !all) return;
  }
}

void scheduler::state::park(worker& self) noexcept {
  const bool certain = home.parking_.prepare([&]() noexcept { thieves.leave_requests(self); });
  if (certain && home.parking_.uses_membarrier()) self.counts.barriers.add();
  std::chrono::nanoseconds limit{-1};
  if (!certain) limit = nap_without_barrier_us;
  if (anything_to_do(self)) {
    // Private work that its owner does not expose, although it was asked all the while: come back in a moment.
    if (self.hunt->asked == nullptr) {
      home.parking_.cancel();
      return;
    }
    limit = nap_beside_private_us;
  }
  const detail::events::outlook ahead = events.look_out(self);
  if (ahead.has_come) {
    home.parking_.cancel();
    return;
  }
  if (ahead.watches()) limit = limit.count() < 0 ? ahead.nap : std::min(limit, ahead.nap);
  self.counts.parks.add();
  self.does.store(activity::parked, orders::relaxed);  // hint
  if (events.sleep(self, limit, ahead.watches())) self.hunt->called = true;
  self.does.store(activity::looks, orders::relaxed);  // hint
}

}  // namespace pilfer::detail
