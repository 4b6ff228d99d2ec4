// Who runs next, who waits for what, and which states were seen before.
#include "engine.hpp"

namespace pilfer::model {
namespace {
enum schedule_link : std::uint64_t {
  link_stopped = 32,
  link_interrupt,
  link_announce,
  link_await,
  link_park,
  link_wake,
  link_pause
};
}

void engine::run(std::size_t thread) {
  if (thread == running_) return;
  const std::size_t previous = running_;
  running_ = thread;
  fibers_[previous].switch_to(fibers_[thread]);
}

bool engine::may_happen(location_id what, std::size_t except) const {
  for (std::size_t u = 0; u < scenario_->threads; ++u) {
    const thread_state& t = threads_[u];
    if (u == except || t.state == status::done || t.state == status::stopped) continue;
    if (footprint_[u][what] > t.phase) return true;
  }
  return false;
}

void engine::note_footprint(location_id what) {
  if (conducting()) return;
  std::uint32_t& last = footprint_[running_][what];
  const auto now = static_cast<std::uint32_t>(self().phase + 1);
  if (last < now) {
    last = now;
    footprint_grew_ = true;
  }
}

bool engine::can_run(const thread_state& t) const {
  switch (t.state) {
    case status::ready: return true;
    case status::waiting:
      return (t.awaited != 0 && locations_[t.awaited].newest >= t.watermark) ||
             (t.awaits_sc && sc_count_ > t.sc_seen) || t.barriers > t.barriers_seen ||
             (t.awaits_target && stop_count_ > t.stops_seen) ||
             (t.awaited_locks != 0 && locations_[t.awaited].locks >= t.awaited_locks && !locations_[t.awaited].locked);
    case status::locked_out: return !locations_[t.awaited].locked;
    case status::paused: return can_run_paused(t);
    case status::gated: return announced_[t.gate];
    case status::parked:
    case status::stopped:
    case status::done: return false;
  }
  return false;
}

bool engine::can_run_paused(const thread_state& t) const {
  for (const auto& [at, s] : t.looked) {
    if (std::size_t{position(s)} + 1 < locations_[at].order.size()) return true;
  }
  return false;
}

// Is there anything left that could wake this waiting thread?
bool engine::may_be_woken(std::size_t number) const {
  const thread_state& t = threads_[number];
  if (t.awaited != 0 && may_happen(t.awaited, number)) return true;
  if (t.awaits_sc && may_happen(sc_events, number)) return true;
  if (may_happen(barrier_events, number)) return true;
  if (t.awaits_target) {
    for (std::size_t u = 0; u < scenario_->threads; ++u) {
      if (u != number && threads_[u].state != status::done && threads_[u].state != status::stopped) return true;
    }
  }
  return false;
}

void engine::wait_for(location_id at, bool sc) {
  thread_state& t = self();
  t.awaited = at;
  t.awaits_sc = sc;
  t.sc_seen = sc_count_;
  t.barriers_seen = t.barriers;
  t.stops_seen = stop_count_;
  if (!t.awaits_target) ++stop_count_;
  t.state = status::waiting;
  give_way();
  t.state = status::ready;
  t.awaited = 0;
  t.awaits_sc = false;
}

// For something that the program itself waits for.
void engine::block(status why) {
  self().state = why;
  give_way();
  self().state = status::ready;
}

std::size_t engine::runnable(std::array<std::size_t, max_threads>& list, std::size_t first) const {
  std::size_t count = 0;
  if (first < scenario_->threads && can_run(threads_[first])) list[count++] = first;
  for (std::size_t u = 0; u < scenario_->threads; ++u) {
    if (u != first && can_run(threads_[u])) list[count++] = u;
  }
  return count;
}

// Waiting by decision for a lock that somebody has taken since: whoever waits for that waits in earnest.
bool engine::waits_for_holder(const thread_state& t) const {
  return t.state == status::waiting && t.awaited_locks != 0 && locations_[t.awaited].locks >= t.awaited_locks &&
         locations_[t.awaited].locked;
}

// The running thread cannot go on.
void engine::give_way() {
  std::array<std::size_t, max_threads> list{};
  const std::size_t count = runnable(list, max_threads);
  if (!interleaves_ && !replaying_) {
    for (std::size_t u = 0; u < scenario_->threads; ++u) {
      const thread_state& t = threads_[u];
      const bool in_vain = t.state == status::waiting && !can_run(t) && !waits_for_holder(t) && !may_be_woken(u);
      if (in_vain) give_up(outcome::cut_off);
    }
  }
  if (count > 0) {
    const std::size_t next = interleaves_ ? static_cast<std::size_t>(decide(count, false, true)) : 0;
    run(list[next]);
    return;
  }
  bool all_ended = true;
  bool by_decision = false;
  bool in_pause = false;
  for (std::size_t u = 0; u < scenario_->threads; ++u) {
    thread_state& t = threads_[u];
    if (t.state == status::done || t.state == status::stopped) continue;
    all_ended = false;
    by_decision = by_decision || (t.state == status::waiting && !waits_for_holder(t));
    in_pause = in_pause || t.state == status::paused;
  }
  if (all_ended) {
    run(conductor_thread);
    return;
  }
  if (by_decision) give_up(outcome::cut_off);
  for (std::size_t u = 0; u < scenario_->threads; ++u) {
    if (threads_[u].state == status::parked && threads_[u].timed) {  // its time runs out, nothing else happens
      threads_[u].timed = false;
      threads_[u].state = status::ready;
      run(u);
      return;
    }
  }
  const char* const because = stopped_one_ ? " (one thread was stopped for ever: it blocks the others)" : "";
  if (in_pause) fail(fault::livelock, std::string("every thread waits for a store that nobody makes") + because);
  fail(fault::deadlock, std::string("no thread can go on, and some have not finished") + because);
}

void engine::start_threads() {
  std::array<std::size_t, max_threads> list{};
  const std::size_t count = runnable(list, max_threads);
  if (count == 0) return;
  run(list[interleaves_ ? static_cast<std::size_t>(decide(count, false, true)) : 0]);
}

void engine::finish_thread() {
  self().state = status::done;
  ++stop_count_;
  give_way();
}

// Interleaving: before each operation.
void engine::choose_thread() {
  std::array<std::size_t, max_threads> list{};
  const std::size_t count = runnable(list, running_);
  if (count < 2) return;
  const bool stays = options_->preemption_bound >= 0 && !rolls_dice_ && preemptions_ >= options_->preemption_bound;
  cut_off_if_known();
  const auto next = static_cast<std::size_t>(decide(count, false, true, stays));
  if (next == 0) return;
  ++preemptions_;
  run(list[next]);
}

bool engine::read_matters(location_id at, bool sc) const {
  if (!interleaves_ || conducting()) return true;
  return others_may(at) || others_may(barrier_events) || (sc && others_may(sc_events));
}
bool engine::store_matters(bool sc) const {
  if (!interleaves_ || conducting()) return true;
  return others_may(barrier_events) || (sc && others_may(sc_events));
}

void engine::begin_operation(const where& site, bool matters) {
  if (conducting()) return;
  ++result_.steps;
  if (++steps_ > options_->max_steps) {
    fail(fault::livelock, "more than " + std::to_string(options_->max_steps) + " steps" +
                              (stopped_one_ ? " (one thread was stopped for ever: it blocks the others)" : ""));
  }
  if (options_->killed == static_cast<int>(running_) && !stopped_one_ && decide(2, false) == 1) {
    stopped_one_ = true;
    if (recording_) record('x', 0, memory_order::relaxed, site, 0, 0, 0);
    self().chain.append(link_stopped);
    self().graph.append(link_stopped);
    self().state = status::stopped;
    ++stop_count_;
    give_way();
  }
  if (running_ == 0 && !in_interrupt_ && interrupts_used_ < options_->interrupts && decide(2, false) == 1) {
    ++interrupts_used_;
    in_interrupt_ = true;
    if (recording_) record('i', 0, memory_order::relaxed, site, 0, 0, 0);
    self().chain.append(link_interrupt);
    self().graph.append(link_interrupt);
    scenario_->interrupt(object_);
    in_interrupt_ = false;
  }
  const bool reduced = options_->preemption_bound >= 0 && !rolls_dice_ && options_->mode != exploration::random;
  if (interleaves_ && (matters || !reduced)) choose_thread();
}

void engine::end_operation() {
  thread_state& t = self();
  ++t.clock[running_];
  ++t.operations;
}

hash128 engine::state_hash() const {
  hash128 h;
  for (std::size_t u = 0; u < scenario_->threads; ++u) {
    const thread_state& t = threads_[u];
    h.append(t.chain);
    h.append(std::uint64_t{static_cast<std::uint8_t>(t.state)} | std::uint64_t{t.must_pass} << 8 |
             std::uint64_t{t.awaited} << 24 | std::uint64_t{t.awaits_sc} << 40 | std::uint64_t{t.awaits_target} << 41 |
             std::uint64_t{can_run(t)} << 42);
    if (t.must_pass != 0) h.append(stores_[t.passed].uid);
    if (t.state == status::waiting && t.awaited != 0) {
      hash128 old{0, 0};
      for (const store_id s : locations_[t.awaited].order) {
        if (s >= t.watermark) continue;
        hash128 one;
        one.append(stores_[s].uid);
        old.add(one);
      }
      h.append(old);
    }
  }
  for (std::size_t l = first_location; l < location_count_; ++l) h.append(order_hash(locations_[l]));
  h.append(view_hash(fences_));
  h.append(view_hash(sc_accesses_));
  h.append(running_ | (options_->preemption_bound >= 0 ? static_cast<std::uint64_t>(preemptions_) << 8 : 0));
  return h;
}

hash128 engine::graph_hash() const {
  hash128 h;
  for (std::size_t u = 0; u < scenario_->threads; ++u) h.append(threads_[u].graph);
  for (std::size_t l = first_location; l < location_count_; ++l) h.append(order_hash(locations_[l]));
  return h;
}

void engine::cut_off_if_known() {
  if (!options_->deduplicate || rolls_dice_ || replaying_ || conducting() || !in_new_territory()) return;
  if (!seen_.insert(state_hash())) give_up(outcome::cut_off);
}

// Locks, parking, pauses, gates.

void engine::lock(location_id at, const where& site) {
  begin_operation(site, true);
  location_record& l = locations_[at];
  if (!conducting()) {
    for (;;) {
      if (l.locked) {
        self().awaited = at;
        self().watermark = static_cast<store_id>(60000);
        block(status::locked_out);
        self().awaited = 0;
        continue;
      }
      if (interleaves_ || decide(1, others_may(at)) != wait) break;
      self().awaited_locks = l.locks + 1;
      self().watermark = static_cast<store_id>(60000);  // not by a store
      wait_for(at, false);
      self().awaited_locks = 0;
    }
  }
  const store_id last = l.order.back();
  finish_read(at, last, memory_order::acquire);
  l.locked = true;
  ++l.locks;
  const store_id s = insert(at, 1, memory_order::relaxed, l.order.size(), last, true);
  if (recording_) record('k', at, memory_order::acquire, site, last, s, 1);
  self().graph.append(std::uint64_t{at} << 32 | stores_[last].uid);
  self().chain.append(std::uint64_t{at} << 32 | stores_[last].uid);
  accessed(at);
  end_operation();
}

void engine::unlock(location_id at, const where& site) {
  // Not a point where others come in: nobody can tell whether they came before it or after.
  location_record& l = locations_[at];
  const store_id s = insert(at, 0, memory_order::release, l.order.size(), 0, false);
  l.locked = false;
  if (recording_) record('u', at, memory_order::release, site, 0, s, 0);
  accessed(at);
  end_operation();
}

// Compares and goes to sleep in one step, as the kernel does.
bool engine::futex_wait(location_id at, std::uint64_t expected, bool timed, const where& site) {
  begin_operation(site, true);
  if (conducting()) return true;
  const store_id s = choose_any_source(at, memory_order::seq_cst);
  note_footprint(sc_events);
  ++sc_count_;
  fence_of(running_, memory_order::seq_cst);
  finish_read(at, s, memory_order::relaxed);
  thread_state& t = self();
  t.graph.append(std::uint64_t{at} << 32 | stores_[s].uid);
  t.chain.append(std::uint64_t{at} << 32 | stores_[s].uid);
  accessed(at);
  const bool sleeps = stores_[s].value == expected;
  if (recording_) record(sleeps ? 'w' : 'l', at, memory_order::seq_cst, site, s, 0, stores_[s].value);
  end_operation();
  if (!sleeps) return true;
  t.awaited = at;
  t.timed = timed;
  t.graph.append(link_park);
  t.chain.append(link_park);
  block(status::parked);
  t.awaited = 0;
  const bool timed_out = timed && !t.timed;
  t.timed = false;
  return !timed_out;
}

std::size_t engine::futex_wake(location_id at, std::size_t count, const where& site) {
  fence(memory_order::seq_cst, site);
  std::size_t woken = 0;
  while (woken < count) {
    std::array<std::size_t, max_threads> sleepers{};
    std::size_t n = 0;
    for (std::size_t u = 0; u < scenario_->threads; ++u) {
      if (threads_[u].state == status::parked && threads_[u].awaited == at) sleepers[n++] = u;
    }
    if (n == 0) break;
    const std::size_t u = sleepers[static_cast<std::size_t>(decide(n, false))];
    threads_[u].state = status::ready;
    self().graph.append(std::uint64_t{link_wake} << 8 | u);
    self().chain.append(std::uint64_t{link_wake} << 8 | u);
    if (recording_) record('W', at, memory_order::seq_cst, site, 0, 0, u);
    ++woken;
  }
  return woken;
}

// A thread that retries needs to run again only when something it looked at has changed.
void engine::pause(const where& site) {
  begin_operation(site, true);
  if (conducting()) return;
  thread_state& t = self();
  if (t.looked.empty()) return;
  if (recording_) record('y', 0, memory_order::relaxed, site, 0, 0, 0);
  if (!can_run_paused(t)) block(status::paused);
  std::array<std::pair<location_id, store_id>, 32> changed;
  std::size_t count = 0;
  for (const auto& [at, s] : t.looked) {
    if (count < changed.size() && std::size_t{position(s)} + 1 < locations_[at].order.size())
      changed[count++] = {at, s};
  }
  const auto which = static_cast<std::size_t>(decide(count, false));
  t.must_pass = changed[which].first;
  t.passed = changed[which].second;
  t.looked.clear();
  t.graph.append(link_pause);
  t.chain.append(std::uint64_t{link_pause} << 16 | t.must_pass);
}

void engine::announce(unsigned n) {
  if (conducting()) return;
  thread_state& t = self();
  announced_[n] = true;
  announced_clock_[n] = t.clock;
  announced_view_[n] = t.cur;
  announced_locations_[n] = location_count_;
  t.chain.append(std::uint64_t{link_announce} << 8 | n);
  ++t.clock[running_];
}

void engine::await(unsigned n) {
  if (conducting()) return;
  thread_state& t = self();
  if (!announced_[n]) {
    t.gate = n;
    block(status::gated);
  }
  join(t.clock, announced_clock_[n]);
  join(t.cur, announced_view_[n], announced_locations_[n]);  // what was made later, the view knows nothing of
  t.chain.append(std::uint64_t{link_await} << 8 | n);
}

}  // namespace pilfer::model
