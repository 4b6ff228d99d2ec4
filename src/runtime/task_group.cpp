#include <pilfer/task_group.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include <pilfer/per_worker.hpp>
#include <pilfer/pool.hpp>

#include "../sync/stack_room.hpp"
#include "current_worker.hpp"
#include "rest.hpp"
#include "runtime.hpp"
#include "task_scope.hpp"

namespace pilfer {

namespace {

// A thread that is a worker of that pool helps, also when it has entered another pool since. Any other thread becomes a worker for
// the time, if there is room. A waiter with a limit does not help: see wait_room.
detail::wait_end wait_for_scope(detail::task_scope& scope, std::chrono::nanoseconds limit,
                                bool is_end = false) noexcept {
  using detail::wait_end;
  detail::runtime& home = scope.home;
  if (detail::worker* const self = detail::current_worker_in(home)) {
    return home.waits.for_group(*self, scope, limit, is_end);
  }
  if (detail::worker* const self = detail::own_worker_in(home)) {
    const detail::reentry here(*self);
    return home.waits.for_group(*self, scope, limit, is_end);
  }
  if (limit.count() == 0 ? scope.is_done(nullptr) : scope.left.is_done()) {
    scope.left.leave();
    return wait_end::done;
  }
  if (limit.count() == 0) return wait_end::time_over;
  if (detail::worker* const seat = detail::seat_for_wait(home)) {
    const wait_end how = home.waits.for_group(*seat, scope, limit, is_end);
    home.visitors.leave(*seat);
    return how;
  }
  const detail::task_scope::sharing shared(scope, nullptr);
  detail::awaited_completion what(scope.left,
                                  {.what = detail::wait_target::kind::group, .object = &scope, .home = &home},
                                  is_end ? detail::failing::at_last : detail::failing::willing);
  return detail::rest_until_done(what, limit);
}

}  // namespace

task_group::task_group(group_options options)
    : scope_(detail::task_scope::make(detail::runtime_of_caller(), std::move(options.stop), options.stop_on_error)) {}
task_group::task_group(pool& home, group_options options)
    : scope_(detail::task_scope::make(detail::access::of(home), std::move(options.stop), options.stop_on_error)) {}

task_group::~task_group() {
  const std::uint64_t round = scope_->round_number();
  constexpr std::chrono::nanoseconds no_limit{-1};
  auto how = wait_for_scope(*scope_, no_limit, true);
  if (how == detail::wait_end::too_deep) {  // what has not begun is not begun any more, and so needs no room
    scope_->request_stop();
    how = wait_for_scope(*scope_, no_limit, true);
  }
  detail::terminate_unless_ended(how);
  if (scope_->end_round(round)) home().count_suppressed(detail::current_worker());  // the first; the others are counted
  scope_->release();
}

detail::runtime& task_group::home() const noexcept { return scope_->home; }

bool task_group::wait_limited(std::chrono::nanoseconds limit) {
  const std::uint64_t round = scope_->round_number();
  const detail::wait_end how = wait_for_scope(*scope_, limit);
  if (how == detail::wait_end::time_over) return false;
  if (how == detail::wait_end::too_deep) scope_->request_stop();  // so that the destructor finds room
  if (how != detail::wait_end::done) [[unlikely]]
    detail::throw_unless_ended(how, home());
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
std::size_t task_group::unfinished() const noexcept { return scope_->unfinished(); }

std::stop_token current_stop_token() {
  const detail::worker* const self = detail::current_worker();
  if (self == nullptr) return {};
  return self->scope != nullptr ? self->scope->token() : self->home.stop.token_for(self);
}

namespace detail {

namespace {
constexpr const char* own_wait =
    "pilfer: this wait would never end: what it waits for waits for the caller (a task's own group or future, or a "
    "circle of waits)";
constexpr const char* too_deep_wait =
    "pilfer: waits are nested too deeply: every thread of the pool sleeps, no other can be made, and none has room on "
    "its stack for the "
    "tasks that they wait for, or may run them (pool_options::max_threads, strangers)";
}  // namespace

std::size_t index_in(const runtime& home) {
  if (const worker* const self = current_worker_in(home)) return self->index;
  throw std::logic_error("pilfer: per_worker::local() is for tasks of its own pool");
}

void throw_unless_ended(wait_end how, const runtime& home) {
  if (how == wait_end::own) throw std::logic_error(own_wait);
  if (how == wait_end::too_deep) throw std::runtime_error(too_deep_wait + std::string("\n") + home.describe());
}
void terminate_unless_ended(wait_end how) noexcept {
  if (how != wait_end::own && how != wait_end::too_deep) return;
  std::fprintf(stderr, "%s\n", how == wait_end::own ? own_wait : too_deep_wait);
  std::terminate();
}

bool wait_for_loose(runtime& home, std::chrono::nanoseconds limit) noexcept {
  if (home.loose.is_done()) {
    home.loose.leave();
    return true;
  }
  if (limit.count() == 0) return false;
  worker* const seat = seat_without_threads(home);
  awaited_completion what(home.loose, {.what = wait_target::kind::pool_end, .object = &home, .home = &home},
                          failing::never);
  const wait_end how = rest_until_done(what, limit);
  if (seat != nullptr) home.visitors.leave(*seat);
  return how == wait_end::done;
}

namespace {

// The task's pool may be gone as soon as the task is done. So a thread that is not of that pool touches it only with a claim.
wait_end await_task(spawned_job& work, completion<ext::default_sync>& done, std::chrono::nanoseconds limit) noexcept {
  if (done.is_done()) {
    done.leave();
    return wait_end::done;
  }
  runtime& home = work.home();
  if (worker* const self = current_worker_in(home)) {
    return home.waits.for_task(*self, work, done, limit);
  }
  if (worker* const self = own_worker_in(home)) {
    const reentry here(*self);
    return home.waits.for_task(*self, work, done, limit);
  }
  if (current_worker() == nullptr && limit.count() < 0 && work.callers_may_run() && has_stack_room() && work.claim()) {
    run_claimed_outside(work);
  }
  if (done.is_done()) {
    done.leave();
    return wait_end::done;
  }
  if (limit.count() == 0) return wait_end::time_over;
  awaited_completion what(done,
                          {.what = wait_target::kind::future, .object = static_cast<const job*>(&work), .home = &home});
  return rest_until_done(what, limit);
}

using end_of_task = completion<ext::default_sync>;
end_of_task& in(task_end& end) noexcept { return *std::launder(static_cast<end_of_task*>(end.room())); }

}  // namespace

task_end::task_end() noexcept {
  static_assert(sizeof(end_of_task) <= sizeof(room_) && alignof(end_of_task) <= alignof(task_end) &&
                std::is_trivially_destructible_v<end_of_task>);
  ::new (static_cast<void*>(room_)) end_of_task(1);
}
void task_end::tell() noexcept { in(*this).finish(); }
bool task_end::is_told() const noexcept { return in(const_cast<task_end&>(*this)).is_done(); }

bool wait_for_task(task& work, task_end& end, std::chrono::nanoseconds limit) {
  const wait_end how = await_task(work.queued(), in(end), limit);
  if (how != wait_end::done && how != wait_end::time_over) throw_unless_ended(how, work.queued().home());
  return how == wait_end::done;
}

void throw_no_future() { throw std::future_error(std::future_errc::no_state); }
void throw_task_cancelled() { throw task_cancelled(); }
std::exception_ptr make_task_cancelled() noexcept { return std::make_exception_ptr(task_cancelled()); }
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
