// Threads and places: who works, who is spare, how it all begins and ends.
#include <pilfer/detail/scheduler.hpp>

#include <algorithm>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "../sync/environment.hpp"
#include "../topology/groups.hpp"
#include "../topology/sizing.hpp"
#include "current_worker.hpp"
#include "state.hpp"
#include "watchdog.hpp"

namespace pilfer::detail {

namespace {

std::size_t checked_places(std::size_t wanted) {
  constexpr std::size_t most = scheduler_limits::most_places;
  if (wanted == 0) wanted = std::min(topology::find_sizing().workers, most);
  if (wanted > most) {
    throw std::invalid_argument("pilfer: a pool has 1 to " + std::to_string(most) + " workers, not " +
                                std::to_string(wanted));
  }
  return wanted;
}

// Of seats for callers the table has some, too.
constexpr std::size_t threads_limit = scheduler_limits::most_places + 256;
static_assert(threads_limit < std::size_t{1} << run_id::worker_bits);

std::size_t checked_threads(const pool_options& options, std::size_t places) {
  if (options.max_threads > threads_limit) {
    throw std::invalid_argument("pilfer: pool_options::max_threads is at most " + std::to_string(threads_limit) +
                                ", not " + std::to_string(options.max_threads));
  }
  return options.max_threads != 0 ? options.max_threads : std::min(places + 500, threads_limit);
}

constexpr std::chrono::nanoseconds longest_ageing = std::chrono::hours(24 * 365 * 100);  // so that no sum overflows

unsigned checked_levels(const pool_options& options) {
  if (options.levels == 0 || options.levels > most_levels) {
    throw std::invalid_argument("pilfer: a pool has 1 to " + std::to_string(most_levels) + " levels, not " +
                                std::to_string(options.levels));
  }
  if (options.ageing.count() < 0) throw std::invalid_argument("pilfer: pool_options::ageing is negative");
  return options.levels;
}

std::string chosen_victim(const std::string& option) {
  if (!option.empty()) return option;
  const std::string_view told = environment::value_of(environment::victim);
  return std::string(told.empty() ? "rand" : told);
}

// To ask for them takes milliseconds: only for who makes use of them.
ext::machine_groups groups_for(const std::string& victim, std::size_t places) {
  return victim.ends_with("numa") ? topology::find_groups(places) : ext::machine_groups{};
}

}  // namespace

worker::worker(scheduler& s, unsigned i) : home(s), index(i) {}
worker::~worker() = default;

scheduler::state::state(scheduler& s, const pool_options& options, std::string n, lane_maker m, task_lane_maker t)
    : home(s),
      name(std::move(n)),
      make_lane(std::move(m)),
      make_task_lane(std::move(t)),
      on_worker_start(options.on_worker_start),
      on_worker_stop(options.on_worker_stop),
      on_error(options.on_error),
      crew(checked_places(options.workers)),
      wait_rule(options.wait),
      runs_strangers(options.strangers),
      most_threads(checked_threads(options, crew.count())),
      levels(make_task_lane ? checked_levels(options) : 1),
      rule(options.rule),
      ages(levels > 1 ? std::min(options.ageing, longest_ageing) : std::chrono::nanoseconds{0}),
      audited(levels > 1 && options.count_inversions),
      victim_name(chosen_victim(options.victim)),
      groups(groups_for(victim_name, count_places())),
      events(s.parking_, levels == 1),
      outside(levels, audited) {
  static_cast<void>(victim::make_policy(victim_name, {.self = 0, .workers = 1}));  // throws for an unknown name
}

scheduler::scheduler(const pool_options& options, std::string name, lane_maker make_lane,
                     task_lane_maker make_task_lane)
    : callers_work_(options.callers_work),
      state_(std::make_unique<state>(*this, options, std::move(name), std::move(make_lane), std::move(make_task_lane))),
      stop_(state_->count_places()) {
  static_cast<void>(wait_graph::only());  // so that a wait needs no memory for it
  levels_ = state_->levels;
  parking_.kick_by(&state::kick, state_.get());
  const std::lock_guard lock(state_->mutex);
  if (state_->make_worker() == nullptr) throw std::bad_alloc();  // a caller has a seat, come what may
  state_->free_seats.push_back(state_->workers.front().get());
  const std::size_t places = state_->count_places();
  for (std::size_t i = callers_work_ ? 1 : 0; i < places; ++i) {
    if (!state_->start_thread()) {
      state_->threads_missing += places - i;
      break;
    }
  }
}

void scheduler::make_known(std::chrono::nanoseconds option) {
  pool_registry::only().add(*this, watchdog_patience(option));
  is_watched_ = true;
}

scheduler::~scheduler() {
  wait_at_end();
  if (is_watched_) pool_registry::only().remove(*this);
  state_->stop();
}

void scheduler::wait_at_end() noexcept { static_cast<void>(wait_for_loose(*this, std::chrono::nanoseconds{-1})); }

std::size_t scheduler::places() const noexcept { return state_->count_places(); }
void scheduler::resize(std::size_t places) { state_->resize(places); }
bool scheduler::has_company() const noexcept { return state_->known_workers() > 1; }

worker* scheduler::state::make_worker() {
  const std::size_t index = workers.size();
  if (index == most_workers) return nullptr;
  try {
    auto fresh = std::make_unique<worker>(home, static_cast<unsigned>(index));
    fresh->queue = make_lane(*fresh);
    if (make_task_lane) {
      for (unsigned level = 0; level < levels; ++level) fresh->tasks.add(make_task_lane(*fresh, level));
    }
    if (levels > 1) fresh->tasks.show_in(summary[index]);
    if (audited) fresh->tasks.begin_audit();
    fresh->level = home.level_of_callers();
    const ext::victim_setup setup{.self = index, .workers = index + 1, .seed = 0x9e3779b97f4a7c15U, .groups = &groups};
    fresh->hunt = std::make_unique<worker::hunting>(victim::make_policy(victim_name, setup), index + 1);
    free_seats.reserve(index + 1);  // so that nothing can fail where a place is given back
    workers.push_back(std::move(fresh));
  } catch (const std::bad_alloc&) {
    return nullptr;
  } catch (const std::exception&) {  // no free signal: says the first worker, where a caller hears it
    if (index == 0) throw;
    return nullptr;
  }
  table[index].store(workers.back().get(), orders::enlist.rel);
  table_size.store(index + 1, orders::enlist.rel);
  return workers.back().get();
}

bool scheduler::state::start_thread() {
  if (threads.size() >= most_threads) return false;
  // A worker that was made for a thread which could not be created stays a seat for callers, or for the next thread.
  worker* self = nullptr;
  if (free_seats.size() > 1) {
    self = free_seats.back();
    free_seats.pop_back();
  } else {
    self = make_worker();
  }
  if (self == nullptr) return false;
  self->is_thread = true;
  try {
    threads.reserve(threads.size() + 1);
    crew.count_active(1);
    crew.count_call(1);
    threads.emplace_back([this, self] { life_of(*self); });
    return true;
  } catch (const std::exception&) {  // EAGAIN: no thread; or no memory
    crew.count_active(-1);
    crew.count_call(-1);
    self->is_thread = false;
    free_seats.push_back(self);
    return false;
  }
}

bool scheduler::state::start_another() noexcept {
  if (is_stopping() || start_thread()) return true;
  ++threads_missing;
  return false;
}

void scheduler::state::life_of(worker& self) noexcept {
  bind(self);
  crew.count_call(-1);
  self.does.store(activity::looks, orders::relaxed);  // hint
  if (on_worker_start) on_worker_start(self.index);
  while (!stopping.load(orders::stop.acq)) {
    // A spare worker that was called looks at least once, even if the caller has taken the place back already.
    retire(self);
    idle(self);
  }
  if (on_worker_stop) on_worker_stop(self.index);
  give_away_tasks(self);  // tombstones: unbinding wants an empty queue
  unbind(self);
  home.parking_.notify_all();  // a call that was meant for another may have been ours: pass it on
}

void scheduler::state::retire(worker& self) noexcept {
  if (!is_surplus()) return;
  {
    const std::lock_guard lock(mutex);
    if (is_stopping() || !is_surplus()) return;
    crew.retire(self.crew);
  }
  self.does.store(activity::spare, orders::relaxed);  // hint
  self.queue->rest();
  if (self.tasks.hides_some()) give_away_tasks(self);
  events.leave(self);
  relay(self);  // what this worker may have been called for is still there
  crew.sleep_as_spare(self.crew);
  self.does.store(activity::looks, orders::relaxed);  // hint
}

void scheduler::state::resize(std::size_t wanted) {
  wanted = checked_places(wanted);
  {
    const std::lock_guard lock(mutex);
    crew.resize(wanted);
    // As many as the constructor would have started: one place is a caller's, also when none is inside.
    const auto enough = static_cast<std::ptrdiff_t>(callers == 0 && home.callers_work() ? wanted - 1 : wanted);
    while (crew.active() < enough) {  // a worker that sleeps in a wait comes back by itself
      if (crew.call_spare()) continue;
      if (!start_thread()) {
        ++threads_missing;
        break;
      }
    }
  }
  home.parking_.notify_all();  // a worker that sleeps and is surplus retires
}

bool scheduler::state::offer_place(vacancy place) noexcept {
  const std::lock_guard lock(mutex);
  if (is_stopping()) return true;
  if (place == vacancy::for_spares) return !crew.has_vacancy() || crew.call_spare();
  return crew.offer_locked([this]() noexcept { return start_another(); });
}

worker* scheduler::enter(bool always) {
  worker* seat = nullptr;
  {
    const std::lock_guard lock(state_->mutex);
    if (!always && (!callers_work_ || state_->callers >= state_->count_places())) return nullptr;
    if (!state_->free_seats.empty()) {
      seat = state_->free_seats.back();
      state_->free_seats.pop_back();
    } else {
      seat = state_->make_worker();
      if (seat == nullptr) return nullptr;
    }
    ++state_->callers;
    state_->crew.count_active(1);
  }
  state::bind(*seat);
  seat->does.store(activity::runs, state::orders::relaxed);  // hint
  if (state_->levels > 1) enter_level(*seat, level_from_outside(state_->levels));
  return seat;
}

void scheduler::enter_level(worker& self, task_level level) noexcept {
  self.scopes.push(self.queue->mark(), self.scope, level.bits());
  self.level = level;
  if (self.tasks.count() > 1) self.tasks.entry().run(self.tasks.entry().running() | level_set::of(level.number()));
}
void scheduler::leave_level(worker& self, task_level outer) noexcept {
  self.level = outer;
  self.scopes.pop();
}

// What a caller leaves behind is everybody's; if there is nobody, and nobody can be had, it is done now.
void scheduler::state::empty_seat(worker& seat) noexcept {
  for (;;) {
    give_away_tasks(seat);  // also what only the owner of the queue can see
    if (!has_injected() || has_threads()) return;
    while (job* const each = take_injected(seat)) execute(seat, *each);
  }
}

void scheduler::state::give_away_tasks(worker& self) noexcept {
  for (unsigned level = 0; level < self.tasks.count(); ++level) {
    while (job* const each = self.tasks.take(level)) {
      auto& work = static_cast<task&>(*each);
      if (work.is_claimed()) {
        exhume(self, work, level);
      } else {
        inject(&self, work);
      }
    }
  }
}

bool scheduler::state::has_threads() noexcept {
  const std::lock_guard lock(mutex);
  return !threads.empty() || start_thread();
}
bool scheduler::state::has_hands() noexcept {
  const std::lock_guard lock(mutex);
  return !threads.empty() || crew.active() > 0 || crew.anyone_rests();
}

void scheduler::state::bind(worker& self) noexcept {
  hold_place(self.place);
  self.queue->bind();
  self.tasks.bind();
}
void scheduler::state::unbind(worker& self) noexcept {
  self.tasks.unbind();
  self.queue->unbind();
  drop_place(self.place);
}

void scheduler::leave(worker& seat) noexcept {
  if (seat.tasks.exist() && (seat.tasks.has_items() || seat.tasks.hides_some() || state_->has_injected())) {
    state_->empty_seat(seat);
  }
  if (state_->levels > 1) {
    leave_level(seat, level_of_callers());
    seat.tasks.entry().run({});
  }
  state::unbind(seat);
  seat.does.store(activity::nothing, state::orders::relaxed);  // hint
  bool anyone_spare = false;
  bool may_strand = false;  // work in the queues of workers that sleep
  {
    const std::lock_guard lock(state_->mutex);
    --state_->callers;
    state_->crew.count_active(-1);
    state_->free_seats.push_back(&seat);
    anyone_spare = state_->crew.has_spares();
    may_strand = state_->crew.anyone_blocked() && state_->crew.has_vacancy();
  }
  if (state_->has_injected() ||
      (may_strand && (state_->anything_to_do(seat) || state_->events.are_outstanding(seat)))) {
    const bool taken = state_->offer_place(state::vacancy::for_anyone);
    // What came after the seat was emptied, where there is no thread: the caller was all that there was.
    if (!taken && state_->has_injected() && !state_->has_hands()) {
      if (worker* const again = enter(true)) leave(*again);
    }
  } else if (anyone_spare) {
    state_->offer_place(state::vacancy::for_spares);
  }
}

namespace {

// A job that a caller has given to a pool, and that lies in the caller's frame.
class awaited_call final : public sleepable {
 public:
  awaited_call(job& work, latch_sleeper& bed, const scheduler& home) noexcept : work_(work), bed_(bed), home_(home) {}
  [[nodiscard]] bool is_done() const noexcept override { return work_.state.is_done(); }
  [[nodiscard]] latch_sleeper& bed() noexcept override { return bed_; }
  void sleep(std::chrono::nanoseconds limit) noexcept override {
    if (work_.state.wait_for(bed_)) static_cast<void>(bed_.sleep_once(limit));
  }
  [[nodiscard]] wait_target target() const noexcept override {
    return {.what = wait_target::kind::call, .object = &work_, .home = &home_};
  }
  [[nodiscard]] failing may_fail() const noexcept override { return failing::never; }

 private:
  job& work_;
  latch_sleeper& bed_;
  const scheduler& home_;
};

}  // namespace

bool scheduler::run_elsewhere(job& work) {
  // A bed of the pool's, not of this frame: who wakes us may still be at it when we are gone.
  latch_sleeper* bed = nullptr;
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->threads.empty() && !state_->start_thread()) return false;
    if (state_->free_beds.empty()) {
      state_->free_beds.reserve(state_->guest_beds.size() + 1);  // so that it can be given back, come what may
      state_->guest_beds.push_back(std::make_unique<latch_sleeper>());
      state_->free_beds.push_back(state_->guest_beds.back().get());
    }
    bed = state_->free_beds.back();
    state_->free_beds.pop_back();
  }
  work.scope = nullptr;
  work.level = level_from_outside(levels()).bits();
  state_->inject(nullptr, work);
  state_->offer_place(state::vacancy::for_anyone);
  awaited_call what(work, *bed, *this);
  static_cast<void>(rest_until_done(what, std::chrono::nanoseconds{-1}));
  const std::lock_guard lock(state_->mutex);
  state_->free_beds.push_back(bed);
  return true;
}

void scheduler::state::stop() noexcept {
  {
    const std::lock_guard lock(mutex);
    stopping.store(true, orders::stop.rel);
    crew.call_spares();
  }
  home.parking_.notify_all();
  begin_blocking();  // the calling thread's places in other pools
  for (std::thread& thread : threads) thread.join();
  end_blocking();
  // Tombstones: tasks that a waiter has run, and that nobody has taken out of a queue since.
  for (const auto& each : workers) {
    if (!each->tasks.exist()) continue;
    while (job* const left = each->tasks.take()) static_cast<task*>(left)->let_go();
    while (job* const left = take_injected(*each)) static_cast<task*>(left)->let_go();
  }
  ages.clear();
}

event_source& scheduler::attach(std::unique_ptr<event_source> source) noexcept {
  return state_->events.attach(std::move(source));
}
event_source* scheduler::events() const noexcept { return state_->events.source(); }

visit::visit(scheduler& to, place wanted) : home_(to) {
  if (worker* const own = own_worker_in(to)) {
    seat_ = own;
    again_ = {own, nullptr};
    outer_deque_ = begin_reentry(again_);
    return;
  }
  if (to.callers_work() || wanted == place::at_any_price) seat_ = to.enter(wanted != place::if_free);
  if (seat_ == nullptr && wanted == place::at_any_price) throw std::bad_alloc();
}
visit::~visit() {
  if (again_.self != nullptr) {
    end_reentry(again_, outer_deque_);
  } else if (seat_ != nullptr) {
    home_.leave(*seat_);
  }
}

void scheduler::count_suppressed(worker* by) noexcept {
  if (by != nullptr && &by->home == this) {
    by->counts.suppressed.add();
    return;
  }
  const std::lock_guard lock(state_->mutex);
  ++state_->suppressed_outside;
}

pool_statistics scheduler::statistics() const {
  const std::lock_guard lock(state_->mutex);
  pool_statistics all;
  all.scheduler = state_->name;
  all.levels = state_->levels;
  all.workers = state_->count_places();
  all.threads = state_->threads.size();
  all.threads_missing = state_->threads_missing;
  for (const auto& each : state_->workers) all.of_worker.push_back(each->counts.values());
  all.of_worker.front().suppressed += state_->suppressed_outside;
  return all;
}

}  // namespace pilfer::detail
