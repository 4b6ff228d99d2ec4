#include <pilfer/task_group.hpp>

#include <cstdlib>
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

// A thread that waits: a worker of that pool helps; one of another gives its place there away; any other becomes a worker for
// the time, if there is room.
bool wait_for_scope(detail::task_scope& scope, std::chrono::nanoseconds limit) noexcept {
  detail::scheduler& home = scope.home;
  detail::worker* const self = detail::current_worker();
  if (self != nullptr && &self->home == &home) return home.wait(*self, scope, limit);
  if (self != nullptr) {
    self->home.begin_blocking(*self);
    const bool done = scope.left.sleep(limit);
    self->home.end_blocking(*self);
    return done;
  }
  if (scope.left.is_done()) {
    scope.left.leave();
    return true;
  }
  detail::worker* const seat = home.enter(false);
  if (seat == nullptr) return scope.left.sleep(limit);
  const bool done = home.wait(*seat, scope, limit);
  home.leave(*seat);
  return done;
}

}  // namespace

task_group::task_group(std::stop_token stop)
    : scope_(detail::task_scope::make(detail::scheduler_of_caller(), std::move(stop))) {}
task_group::task_group(pool& home, std::stop_token stop)
    : scope_(detail::task_scope::make(home.inside(), std::move(stop))) {}

task_group::~task_group() {
  wait_for_scope(*scope_, std::chrono::nanoseconds{-1});
  const auto rest = scope_->take_summary();
  if (!rest.errors.empty()) {
    if (detail::worker* const self = detail::current_worker()) self->counts.suppressed.add();  // the first of them
  }
  scope_->release();
}

detail::scheduler& task_group::home() const noexcept { return scope_->home; }

bool task_group::wait_limited(std::chrono::nanoseconds limit) {
  if (!wait_for_scope(*scope_, limit)) return false;
  auto all = scope_->take_summary();
  errors_ = std::move(all.errors);
  outcome_ = {.failed = errors_.size() + all.unkept, .cancelled = all.cancelled};
#if defined(__cpp_exceptions)
  if (!errors_.empty()) std::rethrow_exception(errors_.front());
  if (all.unkept != 0) throw std::bad_alloc();
#endif
  return true;
}

group_outcome task_group::wait() {
  wait_limited(std::chrono::nanoseconds{-1});
  return outcome_;
}

bool task_group::request_stop() noexcept { return scope_->request_stop(); }
bool task_group::stop_requested() const noexcept { return scope_->is_stopped(); }
std::stop_token task_group::stop_token() { return scope_->token(); }
std::size_t task_group::unfinished() const noexcept { return scope_->left.unfinished(); }

std::stop_token current_stop_token() {
  const detail::worker* const self = detail::current_worker();
  return self != nullptr && self->scope != nullptr ? self->scope->token() : std::stop_token();
}

namespace detail {

std::size_t index_in(const scheduler& home) {
  const worker* const self = current_worker();
  if (self == nullptr || &self->home != &home) {
    throw std::logic_error("pilfer: per_worker::local() is for tasks of its own pool");
  }
  return self->index;
}

bool wait_for_task(task& work, completion<ext::default_sync>& done, std::chrono::nanoseconds limit) noexcept {
  worker* const self = current_worker();
  if (self == nullptr) return done.sleep(limit);
  if (&self->home == &work.home()) return work.home().wait(*self, work, done, limit);
  if (done.is_done()) return true;
  self->home.begin_blocking(*self);
  const bool ready = done.sleep(limit);
  self->home.end_blocking(*self);
  return ready;
}

#if defined(__cpp_exceptions)
void throw_no_future() { throw std::future_error(std::future_errc::no_state); }
void throw_task_cancelled() { throw task_cancelled(); }
void throw_no_memory() { throw std::bad_alloc(); }
#else
void throw_no_future() { std::abort(); }
void throw_task_cancelled() { std::abort(); }
void throw_no_memory() { std::abort(); }
#endif

}  // namespace detail
}  // namespace pilfer
