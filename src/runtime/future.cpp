// What a future waits for: the end of its task, and what follows that.
#include <pilfer/future.hpp>

#include <chrono>
#include <exception>
#include <mutex>
#include <new>

#include <pilfer/detail/protocol/completion.hpp>
#include <pilfer/detail/protocol/follower_slot.hpp>

#include "../sync/stack_room.hpp"
#include "current_worker.hpp"
#include "rest.hpp"
#include "runtime.hpp"
#include "spawned_job.hpp"

namespace pilfer::detail {

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

// The mutex of the completion is the guard of the slot.
struct end_of_task {
  completion<ext::default_sync> done{1};
  follower_slot<ext::default_sync, follower> next;
};
end_of_task& in(task_end& end) noexcept { return *std::launder(static_cast<end_of_task*>(end.room())); }

}  // namespace

task_end::task_end() noexcept {
  static_assert(sizeof(end_of_task) <= sizeof(room_) && alignof(end_of_task) <= alignof(task_end) &&
                std::is_trivially_destructible_v<end_of_task>);
  ::new (static_cast<void*>(room_)) end_of_task;
}
void task_end::tell() noexcept {
  end_of_task& me = in(*this);
  me.done.finish();
  if (!me.next.tell()) return;
  std::unique_lock guard(me.done.mutex());
  if (follower* const next = me.next.take()) next->serve(*next, guard);
}
bool task_end::is_told() const noexcept { return in(const_cast<task_end&>(*this)).done.is_done(); }
std::mutex& task_end::guard() noexcept { return in(*this).done.mutex(); }
bool task_end::watch() noexcept { return in(*this).next.watch(); }
void task_end::put(follower& next) noexcept { in(*this).next.put(next); }
void task_end::step_out() noexcept { in(*this).next.step_out(); }

bool wait_for_task(task& work, task_end& end, std::chrono::nanoseconds limit) {
  const wait_end how = await_task(work.queued(), in(end).done, limit);
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

}  // namespace pilfer::detail
