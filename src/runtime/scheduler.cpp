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
#include "runtime.hpp"
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

scheduler::rooms::rooms(scheduler& home, const pool_options& options, std::size_t count, std::string called,
                        lane_maker make_lane, task_lane_maker make_task_lane)
    : name(std::move(called)),
      on_error(options.on_error),
      thieves(workers, chosen_victim(options.victim), count),
      ready(ready_set::make(options, {.workers = workers,
                                      .thieves = thieves,
                                      .sleepers = home.parking_,
                                      .places = [this] { return crew.places(); },
                                      .make_lane = std::move(make_task_lane)})),
      events(home.parking_, ready->levels() == 1),
      runs(*ready),
      places({.workers = workers, .ready = *ready, .completions = events, .members = crew, .runs = runs},
             options.strangers),
      sleep({.workers = workers,
             .thieves = thieves,
             .ready = *ready,
             .members = crew,
             .completions = events,
             .sleepers = home.parking_}),
      waits({.home = home,
             .workers = workers,
             .ready = *ready,
             .completions = events,
             .members = crew,
             .runs = runs,
             .places = places},
            options.wait),
      loop({.members = crew,
            .ready = *ready,
            .completions = events,
            .runs = runs,
            .sleep = sleep,
            .sleepers = home.parking_,
            .on_start = options.on_worker_start,
            .on_stop = options.on_worker_stop}),
      crew(
          workers, count, checked_threads(options, count), options.callers_work,
          [this, &home, make = std::move(make_lane)](unsigned index) {
            auto fresh = std::make_unique<worker>(home, index);
            fresh->queue = make(*fresh);
            fresh->level = ready->level_of_callers();
            ready->equip(*fresh);
            thieves.equip(*fresh);
            return fresh;
          },
          [this](worker& self) { loop.run(self); }) {}

scheduler::scheduler(const pool_options& options, std::string name, lane_maker make_lane,
                     task_lane_maker make_task_lane)
    : callers_work_(options.callers_work),
      rooms_(std::make_unique<rooms>(*this, options, checked_places(options.workers), std::move(name),
                                     std::move(make_lane), std::move(make_task_lane))),
      stop_(places()) {
  static_cast<void>(wait_graph::only());  // so that a wait needs no memory for it
  levels_ = rooms_->ready->levels();
  parking_.kick_by([](void* all, bool everyone) noexcept { static_cast<rooms*>(all)->sleep.kick(everyone); },
                   rooms_.get());
  rooms_->crew.start();
}

void scheduler::make_known(std::chrono::nanoseconds option) {
  pool_registry::only().add(*this, watchdog_patience(option));
  is_watched_ = true;
}

scheduler::~scheduler() {
  wait_at_end();
  if (is_watched_) pool_registry::only().remove(*this);
  stop_threads();
}

void scheduler::wait_at_end() noexcept { static_cast<void>(wait_for_loose(*this, std::chrono::nanoseconds{-1})); }

std::size_t scheduler::places() const noexcept { return rooms_->crew.places(); }
void scheduler::resize(std::size_t places) {
  rooms_->crew.resize(checked_places(places));
  parking_.notify_all();  // a worker that sleeps and is surplus retires
}
bool scheduler::has_company() const noexcept { return rooms_->workers.known() > 1; }

worker* scheduler::enter(bool always) {
  worker* const seat = rooms_->crew.take_seat(always);
  if (seat == nullptr) return nullptr;
  bind(*seat);
  seat->note(activity::runs);
  rooms_->ready->enter(*seat);
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
void scheduler::empty_seat(worker& seat) noexcept {
  for (;;) {
    rooms_->ready->give_away(seat);  // also what only the owner of the queue can see
    if (!rooms_->ready->has_injected() || rooms_->crew.has_threads()) return;
    while (job* const each = rooms_->ready->outside().take(seat.counts.injected)) rooms_->runs.run_nested(seat, *each);
  }
}

void scheduler::leave(worker& seat) noexcept {
  if (seat.tasks.exist() && (seat.tasks.has_items() || seat.tasks.hides_some() || rooms_->ready->has_injected())) {
    empty_seat(seat);
  }
  rooms_->ready->leave(seat);
  unbind(seat);
  seat.note(activity::nothing);
  const auto left = rooms_->crew.leave_seat(seat);
  if (rooms_->ready->has_injected() ||
      (left.may_strand && (rooms_->sleep.anything_to_do(seat) || rooms_->events.are_outstanding(seat)))) {
    const bool taken = rooms_->crew.offer_place(crew::vacancy::for_anyone);
    // What came after the seat was emptied, where there is no thread: the caller was all that there was.
    if (!taken && rooms_->ready->has_injected() && !rooms_->crew.has_hands()) {
      if (worker* const again = enter(true)) leave(*again);
    }
  } else if (left.anyone_spare) {
    rooms_->crew.offer_place(crew::vacancy::for_spares);
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
  if (!rooms_->crew.has_threads()) return false;
  latch_sleeper& bed = rooms_->beds.borrow();
  work.scope = nullptr;
  work.level = level_from_outside(levels()).bits();
  rooms_->ready->inject(nullptr, work);
  rooms_->crew.offer_place(crew::vacancy::for_anyone);
  awaited_call what(work, bed, *this);
  static_cast<void>(rest_until_done(what, std::chrono::nanoseconds{-1}));
  rooms_->beds.give_back(bed);
  return true;
}

void scheduler::stop_threads() noexcept {
  rooms_->crew.stop();
  parking_.notify_all();
  begin_blocking();  // the calling thread's places in other pools
  rooms_->crew.join();
  end_blocking();
  rooms_->ready->clear();
}

bool scheduler::push_task(worker& self, task& work) noexcept {
  if (!self.crew.is_blocked()) [[likely]] {
    if (rooms_->ready->push(self, work)) [[likely]]
      return true;
    self.counts.run_inline.add();
    return false;
  }
  if (self.tasks.hides_some()) {  // no thief would find it
    rooms_->ready->inject(&self, work);
  } else if (!rooms_->ready->push(self, work)) {
    return false;
  }
  rooms_->crew.offer_place(crew::vacancy::for_anyone);  // its worker is not active, and perhaps no other is
  return true;
}

bool scheduler::inject_task(task& work) noexcept {
  // Without threads the calling thread runs a task itself. A coroutine is left to a caller that waits inside of the pool, now or later: the
  // thread that resumes it may be the timers', and must not block.
  if (!rooms_->crew.has_threads() && !work.is_resumption()) return false;
  rooms_->ready->inject(nullptr, work);
  rooms_->crew.offer_place(crew::vacancy::for_anyone);
  return true;
}

void scheduler::run_here(worker& self, task& work, bool entry_too) noexcept {
  rooms_->runs.run_here(self, work, entry_too);
}

void scheduler::handle_error(std::exception_ptr error) noexcept {
  if (!rooms_->on_error) std::terminate();
  rooms_->on_error(std::move(error));
}

void scheduler::wait(worker& self, job& work) noexcept { rooms_->waits.for_fork(self, work); }
wait_end scheduler::wait(worker& self, task_scope& scope, std::chrono::nanoseconds limit, bool is_end) noexcept {
  return rooms_->waits.for_group(self, scope, limit, is_end);
}
wait_end scheduler::wait(worker& self, task& work, completion<ext::default_sync>& done,
                         std::chrono::nanoseconds limit) noexcept {
  return rooms_->waits.for_task(self, work, done, limit);
}

event_source& scheduler::attach(std::unique_ptr<event_source> source) noexcept {
  return rooms_->events.attach(std::move(source));
}
event_source* scheduler::events() const noexcept { return rooms_->events.source(); }

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
  rooms_->suppressed_outside.fetch_add(1, crew_orders::relaxed);  // a count
}

pool_statistics scheduler::statistics() const {
  const auto size = rooms_->crew.count();
  pool_statistics all;
  all.scheduler = rooms_->name;
  all.levels = levels();
  all.workers = places();
  all.threads = size.threads;
  all.threads_missing = size.missing;
  const std::size_t known = rooms_->workers.known();
  for (std::size_t i = 0; i < known; ++i) all.of_worker.push_back(rooms_->workers.at(i).counts.values());
  all.of_worker.front().suppressed += rooms_->suppressed_outside.load(crew_orders::relaxed);  // a count
  return all;
}

}  // namespace pilfer::detail
