#include <pilfer/pool.hpp>

#include <algorithm>
#include <mutex>
#include <stdexcept>

#include <pilfer/detail/resume.hpp>
#include <pilfer/statistics.hpp>

#include "../sync/environment.hpp"
#include "../topology/files.hpp"
#include "current_worker.hpp"
#include "runtime.hpp"
#include "watchdog.hpp"

namespace pilfer {

namespace {

std::unique_ptr<detail::runtime> make_runtime(const pool_options& options) {
  std::string name = detail::chosen_scheduler(options.scheduler);
  detail::lane_makers makers = detail::find_scheduler(name).makers(detail::chosen_shape(options.block_entries));
  return std::make_unique<detail::runtime>(options, std::move(name), std::move(makers));
}

void refuse_inside(const detail::runtime& home, const std::string& call) {
  if (!detail::is_in(home)) return;
  throw std::logic_error("pilfer: " + call + " inside of its pool would wait for its own caller");
}

}  // namespace

pool::pool(const pool_options& options) : runtime_(make_runtime(options)) {}
pool::~pool() = default;

void pool::resize(std::size_t workers) { runtime_->resize(workers); }
std::size_t pool::size() const noexcept { return runtime_->crew.places(); }
unsigned pool::levels() const noexcept { return runtime_->ready->levels(); }
pool_statistics pool::statistics() const { return runtime_->statistics(); }
std::string pool::describe() const { return runtime_->describe(); }
std::string describe_pools() { return detail::pool_registry::only().describe(); }

std::optional<std::size_t> worker_index() noexcept {
  const detail::worker* const self = detail::current_worker();
  if (self == nullptr) return std::nullopt;
  return self->index;
}

void pool::drain() {
  refuse_inside(*runtime_, "drain()");
  static_cast<void>(detail::wait_for_loose(*runtime_, std::chrono::nanoseconds{-1}));
}

bool pool::request_stop() noexcept {
  const bool first = runtime_->stop.request();
  runtime_->limit.open();  // their tasks are cancelled
  return first;
}
bool pool::stop_requested() const noexcept { return runtime_->stop.is_requested(); }
std::stop_token pool::stop_token() const noexcept { return runtime_->stop.token_for(this); }

shutdown_report pool::shutdown_within(std::chrono::nanoseconds limit) {
  refuse_inside(*runtime_, "shutdown()");
  request_stop();
  if (detail::wait_for_loose(*runtime_, limit)) return {};
  // In this order: a coroutine is counted as unfinished before it is counted as a coroutine, and ends in the opposite order.
  const auto [coroutines, starts] = runtime_->stop.count();
  const std::size_t all = runtime_->loose.unfinished();
  const std::size_t known = std::min(all, coroutines);
  return {.tasks = all - std::min(all, known + starts), .coroutines = known};
}

namespace {
// Set once, by default_pool().
std::mutex default_mutex;
pool* made_default = nullptr;
}  // namespace

pool& default_pool() {
  static pool* const only = [] {
    auto* const fresh = new pool;  // never destroyed: its threads may outlive every static object
    const std::lock_guard lock(default_mutex);
    made_default = fresh;
    return fresh;
  }();
  return *only;
}

void drain() {
  pool* found = nullptr;
  {
    const std::lock_guard lock(default_mutex);
    found = made_default;
  }
  if (found != nullptr) found->drain();
}

namespace detail {

runtime& runtime_of_caller() {
  worker* const self = current_worker();
  return self != nullptr ? self->home : access::of(default_pool());
}

// Declared in parlay.hpp, which calls it once.
pool& parlay_pool();
pool& parlay_pool() {
  const auto workers = topology::to_number<std::size_t>(environment::value_of(environment::parlay_workers)).value_or(0);
  return workers != 0 ? *new pool(workers) : default_pool();
}

namespace {

// The same as a job, for a worker's thread.
class call_elsewhere final : public forked_job {
 public:
  explicit call_elsewhere(const inside_call& call) noexcept : forked_job(type_of_call), call_(call) {}

 private:
  static void run_it(job& self) noexcept {
    const inside_call& call = static_cast<call_elsewhere&>(self).call_;
    call.run(call.self, current_deque->cursor());
  }
  static constexpr job_class type_of_call{job_kind::forked, &run_it};

  const inside_call& call_;
};

}  // namespace

void run_in(runtime& home, const inside_call& call) {
  using place = visit::place;
  const auto run_here = [&] { call.run(call.self, current_deque->cursor()); };
  if (is_in(home)) {
    run_here();
    return;
  }
  {
    // A worker of another pool is never made to wait for a place: that pool may be what the place waits for.
    const visit inside(home, current_deque != nullptr ? place::additional : place::if_free);
    if (inside) {
      run_here();
      return;
    }
  }
  call_elsewhere work(call);
  if (home.visitors.run_elsewhere(work)) return;
  const visit inside(home, place::at_any_price);
  run_here();
}
void run_on_default_pool(const inside_call& call) { run_in(access::of(default_pool()), call); }

}  // namespace detail

}  // namespace pilfer
