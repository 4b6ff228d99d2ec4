#include <pilfer/task_group.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <new>
#include <optional>
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

void task_group::end() noexcept {
  const std::uint64_t round = scope_->round_number();
  constexpr std::chrono::nanoseconds no_limit{-1};
  auto how = wait_for_scope(*scope_, no_limit, true);
  if (how == detail::wait_end::too_deep) {  // what has not begun is not begun any more, and so needs no room
    scope_->request_stop();
    how = wait_for_scope(*scope_, no_limit, true);
  }
  detail::terminate_unless_ended(how);
  if (scope_->end_round(round)) {
    scope_->home.count_suppressed(detail::current_worker());  // the first; the others are counted
  }
  scope_->release();
}

detail::task_target task_group::target() const { return {scope().home, scope_}; }
void task_group::refuse_moved() { throw std::logic_error("pilfer: this task_group was moved away"); }

bool task_group::wait_limited(std::chrono::nanoseconds limit) {
  detail::task_scope& group = scope();
  const std::uint64_t round = group.round_number();
  const detail::wait_end how = wait_for_scope(group, limit);
  if (how == detail::wait_end::time_over) return false;
  if (how == detail::wait_end::too_deep) group.request_stop();  // so that the destructor finds room
  if (how != detail::wait_end::done) [[unlikely]]
    detail::throw_unless_ended(how, group.home);
  if (group.end_round(round)) [[unlikely]]
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

std::vector<std::exception_ptr> task_group::errors() const { return scope().last_round().errors; }
group_outcome task_group::outcome() const {
  const auto all = scope().count_last_round();
  return {.failed = all.failed, .cancelled = all.cancelled};
}

bool task_group::request_stop() { return scope().request_stop(); }
bool task_group::stop_requested() const { return scope().is_stopped(); }
std::stop_token task_group::stop_token() { return scope().token(); }
std::size_t task_group::unfinished() const { return scope().unfinished(); }

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

namespace {

// While it is asked for, the group is shared: its count is that of unfinished tasks.
class group_follower : public completion<ext::default_sync>::caller {
 public:
  group_follower(task_scope& group, task& work) noexcept : caller{&launch_it}, group_(group), work_(work) {}
  // It deletes itself.
  void follow() noexcept {
    group_.keep();
    group_.home.loose.add();  // the pool waits for what follows
    shared_.emplace(group_, nullptr);
    if (!group_.left.call_when_done(*this)) launch_it(*this);
  }

 private:
  static void launch_it(caller& self) noexcept {
    auto& me = static_cast<group_follower&>(self);
    task_scope& group = me.group_;
    runtime& home = group.home;
    launch_deferred(me.work_);
    delete &me;
    group.release();
    home.loose.finish();
  }

  task_scope& group_;
  task& work_;
  std::optional<task_scope::sharing> shared_;
};

}  // namespace

void launch_when_done(task_scope& group, task& work) {
  auto* const next = new (std::nothrow) group_follower(group, work);
  if (next == nullptr) {
    work.queued().let_go(task::uses_without_future);
    throw_no_memory();
  }
  next->follow();
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

}  // namespace detail
}  // namespace pilfer
