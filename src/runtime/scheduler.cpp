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
#include "../topology/sizing.hpp"
#include "current_worker.hpp"
#include "level_queues.hpp"
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

std::string chosen_victim(const std::string& option) {
  if (!option.empty()) return option;
  const std::string_view told = environment::value_of(environment::victim);
  return std::string(told.empty() ? "rand" : told);
}

}  // namespace

worker::worker(scheduler& s, unsigned i) : home(s), index(i) {}
worker::~worker() = default;

scheduler::state::state(scheduler& s, const pool_options& options, std::size_t places, std::string n, lane_maker m,
                        task_lane_maker t)
    : home(s),
      name(std::move(n)),
      make_lane(std::move(m)),
      on_worker_start(options.on_worker_start),
      on_worker_stop(options.on_worker_stop),
      on_error(options.on_error),
      wait_rule(options.wait),
      runs_strangers(options.strangers),
      thieves(workers, chosen_victim(options.victim), places),
      ready(ready_set::make(options, {.workers = workers,
                                      .thieves = thieves,
                                      .sleepers = s.parking_,
                                      .places = [this] { return crew.places(); },
                                      .make_lane = std::move(t)})),
      events(s.parking_, ready->levels() == 1),
      crew(
          workers, places, checked_threads(options, places), options.callers_work,
          [this](unsigned index) { return make_worker(index); }, [this](worker& self) { life_of(self); }) {}

scheduler::scheduler(const pool_options& options, std::string name, lane_maker make_lane,
                     task_lane_maker make_task_lane)
    : callers_work_(options.callers_work),
      state_(std::make_unique<state>(*this, options, checked_places(options.workers), std::move(name),
                                     std::move(make_lane), std::move(make_task_lane))),
      stop_(state_->count_places()) {
  static_cast<void>(wait_graph::only());  // so that a wait needs no memory for it
  levels_ = state_->ready->levels();
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
  fresh->level = ready->level_of_callers();
  ready->equip(*fresh);
  thieves.equip(*fresh);
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
  ready->give_away(self);  // tombstones: unbinding wants an empty queue
  unbind(self);
  home.parking_.notify_all();  // a call that was meant for another may have been ours: pass it on
}

void scheduler::state::retire(worker& self) noexcept {
  if (!crew.retire(self)) return;
  self.does.store(activity::spare, orders::relaxed);  // hint
  self.queue->rest();
  if (self.tasks.hides_some()) ready->give_away(self);
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
  state_->ready->enter(*seat);
  return seat;
}

void scheduler::enter_level(worker& self, task_level level) noexcept {
  self.scopes.push(self.queue->mark(), self.scope, level.bits());
  self.level = level;
  self.home.core().ready->begin_nested(self, level.number());
}
void scheduler::leave_level(worker& self, task_level outer) noexcept {
  self.level = outer;
  self.scopes.pop();
}

// What a caller leaves behind is everybody's; if there is nobody, and nobody can be had, it is done now.
void scheduler::state::empty_seat(worker& seat) noexcept {
  for (;;) {
    ready->give_away(seat);  // also what only the owner of the queue can see
    if (!ready->has_injected() || crew.has_threads()) return;
    while (job* const each = ready->outside().take(seat.counts.injected)) execute_nested(seat, *each);
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
  if (seat.tasks.exist() && (seat.tasks.has_items() || seat.tasks.hides_some() || state_->ready->has_injected())) {
    state_->empty_seat(seat);
  }
  state_->ready->leave(seat);
  state::unbind(seat);
  seat.does.store(activity::nothing, state::orders::relaxed);  // hint
  const auto left = state_->crew.leave_seat(seat);
  if (state_->ready->has_injected() ||
      (left.may_strand && (state_->anything_to_do(seat) || state_->events.are_outstanding(seat)))) {
    const bool taken = state_->crew.offer_place(crew::vacancy::for_anyone);
    // What came after the seat was emptied, where there is no thread: the caller was all that there was.
    if (!taken && state_->ready->has_injected() && !state_->crew.has_hands()) {
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
  state_->ready->inject(nullptr, work);
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
  ready->clear();
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
  all.levels = levels();
  all.workers = state_->count_places();
  all.threads = size.threads;
  all.threads_missing = size.missing;
  const std::size_t known = state_->known_workers();
  for (std::size_t i = 0; i < known; ++i) all.of_worker.push_back(state_->at(i).counts.values());
  all.of_worker.front().suppressed += state_->suppressed_outside.load(state::orders::relaxed);  // a count
  return all;
}

}  // namespace pilfer::detail
