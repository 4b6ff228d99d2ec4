// A worker without work: look for some, ask for some, sleep. The protocol is argued in README.md.
#include <algorithm>
#include <mutex>
#include <thread>
#include <utility>

#include "inside_scope.hpp"
#include "state.hpp"
#include "task_scope.hpp"

namespace pilfer::detail {

namespace {

// What a victim policy may see.
struct view {
  const scheduler::state& all;
  [[nodiscard]] std::size_t size_hint(std::size_t victim) const noexcept { return all.at(victim).queue->size_hint(); }
  [[nodiscard]] bool sample(std::size_t victim, std::uint64_t random) const noexcept {
    return all.at(victim).queue->sample(random);
  }
};

}  // namespace

void scheduler::state::execute(worker& self, job& work) noexcept {
  if (work.state.is_spawned()) {
    execute_task(self, static_cast<task&>(work));
    return;
  }
  auto& record = self.runs[self.depth];
  const std::uint64_t mark = self.queue->mark();
  const unsigned level = level_of(work);
  const std::uint64_t serial = record.start(mark, self.tasks.exist() ? self.tasks.mark(level) : 0);
  work.state.start(run_id(self.index, self.depth, serial));
  ++self.depth;
  if (!self.tasks.exist()) {
    work.run(work);
  } else {
    const inside_scope in(self, work, mark, levels > 1 ? task_level::from_bits(work.level) : self.level);
    work.run(work);
  }
  --self.depth;
  record.end(serial);
  work.state.finish();
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

void scheduler::state::inject(worker* by, job& work) noexcept {
  const unsigned level = level_of(work);
  if (outside.append(work, level)) static_cast<task&>(work).let_go();  // the entry that the caller had remains
  wake_global_level(level);
  if (home.parking_.notify_fenced() && by != nullptr) by->counts.wakes.add();
}

job* scheduler::state::take_injected(worker& self, unsigned level) noexcept {
  return outside.take(level, self.counts.injected);
}
job* scheduler::state::take_injected(worker& self) noexcept { return outside.take(self.counts.injected); }

// A fork's level may be written just now, by a thief: it is not read.
bool scheduler::state::take_back_injected(job& work) noexcept {
  return outside.take_back(work, work.state.is_spawned() ? level_of(work) : 0);
}

// NOLINTNEXTLINE(bugprone-exception-escape): std::visit throws only on a valueless variant
job* scheduler::state::steal_from(worker& self, worker& victim) noexcept {
  if (job* const forked = steal_from(self, victim, *victim.queue)) return forked;
  return victim.tasks.exist() ? steal_from(self, victim, victim.tasks[0]) : nullptr;
}

// NOLINTNEXTLINE(bugprone-exception-escape): std::visit throws only on a valueless variant
job* scheduler::state::steal_from(worker& self, worker& victim, lane& queue) noexcept {
  const auto result = try_steal(self, victim, queue, 0, [&] { return queue.steal(self.hunt->random()); });
  if (result) {
    self.hunt->note_theft(victim);
    return *result;
  }
  self.hunt->policy.failed(victim.index);
  return nullptr;
}

// There is work that its owner has not exposed: ask for it, and when that goes unanswered for long, interrupt. True: it is
// exposed now.
bool scheduler::state::press(worker& self, worker& victim, lane& queue, std::uint64_t mark) noexcept {
  effort made;
  const auto now = steady_clock::now();
  if (self.hunt->asked == nullptr) self.hunt->asked_at = now;
  if (now - self.hunt->asked_at > patience_us) {
    self.hunt->asked_at = now;
    made = queue.insist(mark);
  } else if (self.hunt->asked != &victim) {
    self.counts.requests.add();
    made = queue.ask();
  }
  self.hunt->asked = &victim;
  self.counts.signals.add(made.signal ? 1 : 0);
  self.counts.barriers.add(made.barrier ? 1 : 0);
  return made.exposed != 0;
}

job* scheduler::state::look_for_work(worker& self) noexcept {
  if (job* const own = self.queue->take()) return own;
  if (levels > 1) return look_by_level(self, true);
  if (self.tasks.exist()) {
    if (++self.hunt->looks % looks_between_injected == 0) {
      if (job* const injected = take_injected(self)) return injected;
    }
    if (job* const own = self.tasks.take(0)) return own;
  }
  return look_elsewhere(self);
}

// NOLINTNEXTLINE(bugprone-exception-escape): std::visit throws only on a valueless variant
std::size_t scheduler::state::choose_victim(worker& self, std::size_t known) noexcept {
  if (self.hunt->workers_told != known) {
    try {
      self.hunt->policy.resize(known);
      self.hunt->workers_told = known;
    } catch (const std::exception&) {
      self.hunt->workers_told = 0;  // no memory: the newest are not robbed by us, until we try again
    }
  }
  return self.hunt->policy.choose(view{*this});
}

// NOLINTNEXTLINE(bugprone-exception-escape): std::visit throws only on a valueless variant
job* scheduler::state::look_elsewhere(worker& self) noexcept {
  if (levels > 1) return look_by_level(self, false);
  if (job* const injected = take_injected(self)) return injected;
  const std::size_t known = known_workers();
  for (std::size_t attempt = 1; attempt < known; ++attempt) {
    const std::size_t victim = choose_victim(self, known);
    if (victim == ext::npos) break;
    if (job* const stolen = steal_from(self, at(victim))) return stolen;
  }
  return nullptr;
}

bool scheduler::state::anything_to_do(const worker& self) const noexcept {
  if (is_stopping() || has_injected()) return true;
  const std::size_t known = known_workers();
  for (std::size_t i = 0; i < known; ++i) {
    const worker& each = at(i);
    if (i != self.index && each.queue->has_items()) return true;
    if (each.tasks.has_items()) return true;
  }
  return false;
}

void scheduler::state::idle(worker& self) noexcept {
  events.attend_idle(self);
  const auto since = steady_clock::now();
  self.hunt->asked = nullptr;
  for (unsigned round = 1;; ++round) {
    if (job* const work = look_for_work(self)) {
      if (self.hunt->called) relay(self);
      events.begin_job(self);
      self.at_bottom = true;
      self.does.store(activity::runs, orders::relaxed);  // hint
      execute(self, *work);
      self.does.store(activity::looks, orders::relaxed);  // hint
      self.at_bottom = false;
      return;
    }
    if (levels > 1) self.tasks.entry().run({});
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

void scheduler::state::leave_requests(const worker& self) noexcept {
  const std::size_t known = known_workers();
  for (std::size_t i = 0; i < known; ++i) {
    if (i == self.index) continue;
    at(i).queue->leave_request();
    at(i).tasks.leave_requests();
  }
}

// All sleepers have left requests, but an owner that answers calls only one of them. The worker that was called leaves requests again for
// the others, and calls the next one if there is more work already: its owner may have begun a long task since.
void scheduler::state::relay(worker& self) noexcept {
  self.hunt->called = false;
  if (!home.parking_.anyone_sleeps()) return;
  leave_requests(self);
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
  const bool certain = home.parking_.prepare([&]() noexcept { leave_requests(self); });
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
  if (levels > 1) sink_to(self, levels);
  if (events.sleep(self, limit, ahead.watches())) self.hunt->called = true;
  self.does.store(activity::looks, orders::relaxed);  // hint
}

}  // namespace pilfer::detail
