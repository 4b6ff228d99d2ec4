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

scheduler::state::state(scheduler& s, const pool_options& options, std::size_t places, std::string n, lane_maker m,
                        task_lane_maker t)
    : home(s),
      name(std::move(n)),
      make_lane(std::move(m)),
      make_task_lane(std::move(t)),
      on_worker_start(options.on_worker_start),
      on_worker_stop(options.on_worker_stop),
      on_error(options.on_error),
      wait_rule(options.wait),
      runs_strangers(options.strangers),
      levels(make_task_lane ? checked_levels(options) : 1),
      rule(options.rule),
      ages(levels > 1 ? std::min(options.ageing, longest_ageing) : std::chrono::nanoseconds{0}),
      audited(levels > 1 && options.count_inversions),
      victim_name(chosen_victim(options.victim)),
      groups(groups_for(victim_name, places)),
      events(s.parking_, levels == 1),
      outside(levels, audited),
      crew(
          places, checked_threads(options, places), options.callers_work,
          [this](unsigned index) { return make_worker(index); }, [this](worker& self) { life_of(self); }) {
  static_cast<void>(victim::make_policy(victim_name, {.self = 0, .workers = 1}));  // throws for an unknown name
}

scheduler::scheduler(const pool_options& options, std::string name, lane_maker make_lane,
                     task_lane_maker make_task_lane)
    : callers_work_(options.callers_work),
      state_(std::make_unique<state>(*this, options, checked_places(options.workers), std::move(name),
                                     std::move(make_lane), std::move(make_task_lane))),
      stop_(state_->count_places()) {
  static_cast<void>(wait_graph::only());  // so that a wait needs no memory for it
  levels_ = state_->levels;
  parking_.kick_by(&state::kick, state_.get());
  state_->crew.start();
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
void scheduler::resize(std::size_t places) {
  state_->crew.resize(checked_places(places));
  parking_.notify_all();  // a worker that sleeps and is surplus retires
}
bool scheduler::has_company() const noexcept { return state_->known_workers() > 1; }

std::unique_ptr<worker> scheduler::state::make_worker(unsigned index) {
  auto fresh = std::make_unique<worker>(home, index);
  fresh->queue = make_lane(*fresh);
  if (make_task_lane) {
    for (unsigned level = 0; level < levels; ++level) fresh->tasks.add(make_task_lane(*fresh, level));
  }
  if (levels > 1) fresh->tasks.show_in(summary[index]);
  if (audited) fresh->tasks.begin_audit();
  fresh->level = home.level_of_callers();
  const ext::victim_setup setup{
      .self = index, .workers = std::size_t{index} + 1, .seed = 0x9e3779b97f4a7c15U, .groups = &groups};
  fresh->hunt = std::make_unique<worker::hunting>(victim::make_policy(victim_name, setup), std::size_t{index} + 1);
  return fresh;
}

void scheduler::state::life_of(worker& self) noexcept {
  bind(self);
  crew.begin_life();
  self.does.store(activity::looks, orders::relaxed);  // hint
  if (on_worker_start) on_worker_start(self.index);
  while (!crew.has_ended()) {
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
  if (!crew.retire(self)) return;
  self.does.store(activity::spare, orders::relaxed);  // hint
  self.queue->rest();
  if (self.tasks.hides_some()) give_away_tasks(self);
  events.leave(self);
  relay(self);  // what this worker may have been called for is still there
  crew.sleep_as_spare(self);
  self.does.store(activity::looks, orders::relaxed);  // hint
}

worker* scheduler::enter(bool always) {
  worker* const seat = state_->crew.take_seat(always);
  if (seat == nullptr) return nullptr;
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
    if (!has_injected() || crew.has_threads()) return;
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
  const auto left = state_->crew.leave_seat(seat);
  if (state_->has_injected() ||
      (left.may_strand && (state_->anything_to_do(seat) || state_->events.are_outstanding(seat)))) {
    const bool taken = state_->crew.offer_place(crew::vacancy::for_anyone);
    // What came after the seat was emptied, where there is no thread: the caller was all that there was.
    if (!taken && state_->has_injected() && !state_->crew.has_hands()) {
      if (worker* const again = enter(true)) leave(*again);
    }
  } else if (left.anyone_spare) {
    state_->crew.offer_place(crew::vacancy::for_spares);
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
  if (!state_->crew.has_threads()) return false;
  latch_sleeper& bed = state_->beds.borrow();
  work.scope = nullptr;
  work.level = level_from_outside(levels()).bits();
  state_->inject(nullptr, work);
  state_->crew.offer_place(crew::vacancy::for_anyone);
  awaited_call what(work, bed, *this);
  static_cast<void>(rest_until_done(what, std::chrono::nanoseconds{-1}));
  state_->beds.give_back(bed);
  return true;
}

void scheduler::state::stop() noexcept {
  crew.stop();
  home.parking_.notify_all();
  begin_blocking();  // the calling thread's places in other pools
  crew.join();
  end_blocking();
  // Tombstones: tasks that a waiter has run, and that nobody has taken out of a queue since.
  for (std::size_t i = 0; i < known_workers(); ++i) {
    worker& each = at(i);
    if (!each.tasks.exist()) continue;
    while (job* const left = each.tasks.take()) static_cast<task*>(left)->let_go();
    while (job* const left = take_injected(each)) static_cast<task*>(left)->let_go();
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
  state_->suppressed_outside.fetch_add(1, state::orders::relaxed);  // a count
}

pool_statistics scheduler::statistics() const {
  const auto size = state_->crew.count();
  pool_statistics all;
  all.scheduler = state_->name;
  all.levels = state_->levels;
  all.workers = state_->count_places();
  all.threads = size.threads;
  all.threads_missing = size.missing;
  const std::size_t known = state_->known_workers();
  for (std::size_t i = 0; i < known; ++i) all.of_worker.push_back(state_->at(i).counts.values());
  all.of_worker.front().suppressed += state_->suppressed_outside.load(state::orders::relaxed);  // a count
  return all;
}

}  // namespace pilfer::detail
