#include "runtime.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <pilfer/pool.hpp>

#include "../sync/environment.hpp"
#include "../topology/sizing.hpp"
#include "current_worker.hpp"
#include "level_queues.hpp"
#include "watchdog.hpp"

namespace pilfer::detail {

namespace {

// A pool larger than this is a slip of the keyboard. Spare workers, and seats for callers, need room in the table too.
constexpr std::size_t most_places = 512;
constexpr std::size_t threads_limit = most_places + 256;
static_assert(threads_limit < roster::most_workers);

std::size_t checked_places(std::size_t wanted) {
  if (wanted == 0) wanted = std::min(topology::find_sizing().workers, most_places);
  if (wanted > most_places) {
    throw std::invalid_argument("pilfer: a pool has 1 to " + std::to_string(most_places) + " workers, not " +
                                std::to_string(wanted));
  }
  return wanted;
}

std::size_t checked_threads(const pool_options& options, std::size_t places) {
  if (options.max_threads > threads_limit) {
    throw std::invalid_argument("pilfer: pool_options::max_threads is at most " + std::to_string(threads_limit) +
                                ", not " + std::to_string(options.max_threads));
  }
  return options.max_threads != 0 ? options.max_threads : std::min(places + 500, threads_limit);
}

// Less is not enough for a worker of its own, its hooks and a task.
constexpr std::size_t least_stack_bytes = std::size_t{128} << 10;

std::size_t checked_stack(std::size_t bytes) {
  if (bytes != 0 && bytes < least_stack_bytes) {
    throw std::invalid_argument("pilfer: pool_options::stack_bytes is 0, or at least " +
                                std::to_string(least_stack_bytes) + ", not " + std::to_string(bytes));
  }
  return bytes;
}

std::string checked_name(const std::string& name) {
  const auto is_control = [](char each) { return static_cast<unsigned char>(each) < ' ' || each == '\x7f'; };
  if (std::any_of(name.begin(), name.end(), is_control)) {
    throw std::invalid_argument("pilfer: pool_options::name has a control character in it");
  }
  return name.empty() ? "pilfer" : name;
}

std::string chosen_victim(const std::string& option) {
  if (!option.empty()) return option;
  const std::string_view told = environment::value_of(environment::victim);
  return std::string(told.empty() ? "rand" : told);
}

pool_options with_places(pool_options options) {
  options.workers = checked_places(options.workers);
  return options;
}

}  // namespace

void throw_negative_workers() {
  throw std::invalid_argument("pilfer: a pool has 1 to " + std::to_string(most_places) +
                              " workers, not a negative number of them");
}

worker_face::worker_face(runtime& pool, unsigned number) noexcept : home(pool), index(number) {}
worker_face::~worker_face() = default;
void worker_face::leave_requests() const noexcept {
  queue->leave_request();
  tasks.leave_requests();
}
worker::worker(runtime& pool, pool_parking& sleepers, task_level of_callers, unsigned number)
    : worker_face(pool, number),
      callers_level(of_callers),
      level(of_callers),
      memory(task_memory::make()),
      sleepers_(sleepers) {
  if (memory == nullptr) throw std::bad_alloc();
}
worker::~worker() = default;

runtime::runtime(const pool_options& given, std::string called, lane_makers makers)
    : runtime(with_places(given), std::move(called), std::move(makers), checked{}) {
  pool_registry::only().add(*this, watchdog_patience(given.watchdog));
}

runtime::runtime(const pool_options& options, std::string called, lane_makers makers, checked)
    : name(std::move(called)),
      thread_name(checked_name(options.name)),
      callers_work(options.callers_work),
      has_terms(!callers_work || options.max_pending != 0),
      limit(options.max_pending, options.when_full),
      on_error(options.on_error),
      thieves(workers, chosen_victim(options.victim), options.workers),
      ready(ready_set::make(options, {.workers = workers,
                                      .thieves = thieves,
                                      .sleepers = sleepers,
                                      .places = [this] { return crew.places(); },
                                      .make_lane = std::move(makers.of_tasks)})),
      events(sleepers, ready->levels() == 1),
      runs(*ready),
      places({.workers = workers, .ready = *ready, .completions = events, .members = crew, .runs = runs},
             options.strangers),
      sleep({.workers = workers,
             .thieves = thieves,
             .ready = *ready,
             .members = crew,
             .completions = events,
             .sleepers = sleepers}),
      waits({.home = *this,
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
            .sleepers = sleepers,
            .name = thread_name,
            .on_start = options.on_worker_start,
            .on_stop = options.on_worker_stop}),
      intake({.ready = *ready, .members = crew}),
      visitors({.home = *this, .ready = *ready, .completions = events, .members = crew, .runs = runs, .sleep = sleep}),
      stop(options.workers),
      crew(
          workers, options.workers,
          {.most_threads = checked_threads(options, options.workers),
           .stack_bytes = checked_stack(options.stack_bytes),
           .callers_work = options.callers_work},
          [this, make = std::move(makers.of_forks)](unsigned index) {
            auto fresh = std::make_unique<worker>(*this, sleepers, ready->level_of_callers(), index);
            fresh->queue = make(*fresh);
            ready->equip(*fresh);
            thieves.equip(*fresh);
            if (limit.is_set()) fresh->plain_tasks = nullptr;  // each task is counted
            return fresh;
          },
          [this](worker& self) { loop.run(self); }) {
  static_cast<void>(wait_graph::only());  // so that a wait needs no memory for it
  sleepers.kick_by([](void* self, bool everyone) noexcept { static_cast<runtime*>(self)->sleep.kick(everyone); }, this);
  crew.start();
}

runtime::~runtime() {
  static_cast<void>(wait_for_loose(*this, std::chrono::nanoseconds{-1}));
  pool_registry::only().remove(*this);
  stop_threads();
}

void runtime::stop_threads() noexcept {
  crew.stop();
  sleepers.notify_all();
  begin_blocking();  // the calling thread's places in other pools
  crew.join();
  end_blocking();
  ready->clear();
}

void runtime::resize(std::size_t wanted) {
  crew.resize(checked_places(wanted));
  sleepers.notify_all();  // a worker that sleeps and is surplus retires
}

void runtime::handle_error(std::exception_ptr error) noexcept {
  if (!on_error) std::terminate();
  on_error(std::move(error));
}

void runtime::count_suppressed(worker* by) noexcept {
  if (by != nullptr && &by->home == this) {
    by->counts.suppressed.add();
  } else {
    suppressed_outside.add();
  }
}

pool_statistics runtime::statistics() const {
  const auto size = crew.count();
  pool_statistics all;
  all.scheduler = name;
  all.levels = ready->levels();
  all.workers = crew.places();
  all.threads = size.threads;
  all.threads_missing = size.missing;
  const pending_limit::figures tasks = limit.count();
  all.pending = tasks.pending;
  all.blocked = tasks.blocked;
  all.ran_at_once = tasks.run_inline;
  all.refused = tasks.refused;
  const std::size_t known = workers.known();
  for (std::size_t i = 0; i < known; ++i) all.of_worker.push_back(workers.at(i).counted().values());
  all.of_worker.front().suppressed += suppressed_outside.value();
  return all;
}

}  // namespace pilfer::detail
