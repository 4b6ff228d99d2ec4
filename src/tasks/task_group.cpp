#include <pilfer/task_group.hpp>

#include <algorithm>
#include <chrono>
#include <new>
#include <stdexcept>
#include <utility>

#include <pilfer/detail/scheduler.hpp>
#include <pilfer/per_worker.hpp>
#include <pilfer/pool.hpp>

#include "current_worker.hpp"
#include "task_scope.hpp"

namespace pilfer {

namespace {

// A worker of that pool helps; one of another gives its place there away; any other thread becomes a worker for the time, if there
// is room. A waiter with a limit does not help: see scheduler::state::wait.
bool wait_for_scope(detail::task_scope& scope, std::chrono::nanoseconds limit) noexcept {
  detail::scheduler& home = scope.home;
  detail::worker* const self = detail::current_worker();
  if (self != nullptr && &self->home == &home) return home.wait(*self, scope, limit);
  if (scope.left.is_done()) {
    scope.left.leave();
    return true;
  }
  if (limit.count() == 0) return false;
  if (self != nullptr) return detail::sleep_in_other_pool(*self, scope.left, limit);
  detail::worker* const seat = home.enter(false);
  if (seat == nullptr) return scope.left.sleep(limit);
  const bool done = home.wait(*seat, scope, limit);
  home.leave(*seat);
  return done;
}

}  // namespace

task_group::task_group(group_options options)
    : scope_(detail::task_scope::make(detail::scheduler_of_caller(), std::move(options.stop), options.stop_on_error)) {}
task_group::task_group(pool& home, group_options options)
    : scope_(detail::task_scope::make(home.inside(), std::move(options.stop), options.stop_on_error)) {}

task_group::~task_group() {
  const std::uint64_t round = scope_->round_number();
  wait_for_scope(*scope_, std::chrono::nanoseconds{-1});
  if (scope_->end_round(round)) home().count_suppressed(detail::current_worker());  // the first; the others are counted
  scope_->release();
}

detail::scheduler& task_group::home() const noexcept { return scope_->home; }

bool task_group::wait_limited(std::chrono::nanoseconds limit) {
  const std::uint64_t round = scope_->round_number();
  if (!wait_for_scope(*scope_, limit)) return false;
  if (scope_->end_round(round)) [[unlikely]]
    throw_first();
  return true;
}

void task_group::throw_first() {
  if (const std::exception_ptr first = scope_->first_error()) std::rethrow_exception(first);
  throw std::bad_alloc();
}

group_outcome task_group::wait() {
  wait_limited(std::chrono::nanoseconds{-1});
  return outcome();
}

std::vector<std::exception_ptr> task_group::errors() const { return scope_->last_round().errors; }
group_outcome task_group::outcome() const noexcept {
  const auto all = scope_->count_last_round();
  return {.failed = all.failed, .cancelled = all.cancelled};
}

bool task_group::request_stop() noexcept { return scope_->request_stop(); }
bool task_group::stop_requested() const noexcept { return scope_->is_stopped(); }
std::stop_token task_group::stop_token() { return scope_->token(); }
std::size_t task_group::unfinished() const noexcept { return scope_->left.unfinished(); }

std::stop_token current_stop_token() {
  const detail::worker* const self = detail::current_worker();
  if (self == nullptr) return {};
  return self->scope != nullptr ? self->scope->token() : self->home.stop().token_for(self);
}

namespace detail {

std::size_t index_in(const scheduler& home) {
  const worker* const self = current_worker();
  if (self == nullptr || &self->home != &home) {
    throw std::logic_error("pilfer: per_worker::local() is for tasks of its own pool");
  }
  return self->index;
}

bool sleep_in_other_pool(worker& self, completion<ext::default_sync>& done, std::chrono::nanoseconds limit) noexcept {
  const auto since = std::chrono::steady_clock::now();
  bool helped = false;
  while (!done.is_done() && self.home.work_alone(self)) {
    helped = true;
    if (limit.count() >= 0 && std::chrono::steady_clock::now() - since > limit) break;
  }
  if (helped && limit.count() >= 0) {
    self.counts.late_waits.add();
    limit = std::max(limit - (std::chrono::steady_clock::now() - since), std::chrono::nanoseconds{0});
  }
  self.home.begin_blocking(self);
  const bool ready = done.sleep(limit);
  self.home.end_blocking(self);
  return ready;
}

bool wait_for_loose(scheduler& home, std::chrono::nanoseconds limit) noexcept {
  if (home.loose.is_done()) {
    home.loose.leave();
    return true;
  }
  if (limit.count() == 0) return false;
  worker* const self = current_worker();
  return self != nullptr ? sleep_in_other_pool(*self, home.loose, limit) : home.loose.sleep(limit);
}

// The task's pool may be gone as soon as the task is done. So who is not of that pool touches it only with a claim.
bool wait_for_task(task& work, completion<ext::default_sync>& done, std::chrono::nanoseconds limit) noexcept {
  worker* const self = current_worker();
  if (self != nullptr && &self->home == &work.home()) return work.home().wait(*self, work, done, limit);
  if (!done.is_done() && self == nullptr && limit.count() < 0 && work.callers_may_run() && work.claim())
    run_claimed_outside(work);
  if (done.is_done()) {
    done.leave();
    return true;
  }
  if (limit.count() == 0) return false;
  return self != nullptr ? sleep_in_other_pool(*self, done, limit) : done.sleep(limit);
}

void throw_no_future() { throw std::future_error(std::future_errc::no_state); }
void throw_task_cancelled() { throw task_cancelled(); }
void throw_no_memory() { throw std::bad_alloc(); }

bool is_task_cancelled(const std::exception_ptr& error) noexcept {
  try {
    std::rethrow_exception(error);
  } catch (const task_cancelled&) {
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace detail
}  // namespace pilfer
