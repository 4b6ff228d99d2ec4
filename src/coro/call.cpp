// Roots of coroutines that nobody awaits by a handle.
#include <pilfer/coro/spawn.hpp>

#include <exception>
#include <memory>
#include <stop_token>
#include <utility>

#include "../runtime/current_worker.hpp"
#include "../runtime/runtime.hpp"
#include "../runtime/spawned_job.hpp"
#include "../runtime/task_scope.hpp"

namespace pilfer::detail {

namespace {

// What outlives the coroutine, and is told of its end.
struct coro_root {
  explicit coro_root(coro_owner<void> w) noexcept : work(std::move(w)) {}
  static void* operator new(std::size_t bytes) { return coro_frames::allocate(bytes); }
  static void operator delete(void* memory, std::size_t bytes) noexcept { coro_frames::free(memory, bytes); }

  coro_owner<void> work;
};

struct group_root : coro_root {
  group_root(task_scope& g, coro_owner<void> w) : coro_root(std::move(w)), group(g), stop(g.token()) {
    group.left.add();
  }

  static std::coroutine_handle<> on_end(coro_promise_base& ended) noexcept {
    std::unique_ptr<group_root> me(static_cast<group_root*>(ended.owner()));
    task_scope& group = me->group;
    std::exception_ptr error = me->work.promise().result.error();
    const bool cancelled = error != nullptr && group.is_stopped() && is_task_cancelled(error);
    me.reset();  // everything of it is gone when the group hears of its end
    if (cancelled) {
      group.count_cancelled();
      if (worker* const self = current_worker()) self->counts.cancelled.add();
    } else if (error != nullptr) {
      group.keep_error(std::move(error));
    }
    group.left.finish();
    return std::noop_coroutine();
  }

  task_scope& group;
  const std::stop_token stop;
};

struct detached_root : coro_root {
  detached_root(runtime& h, coro_owner<void> w) noexcept : coro_root(std::move(w)), home(h) {}

  static std::coroutine_handle<> on_end(coro_promise_base& ended) noexcept {
    std::unique_ptr<detached_root> me(static_cast<detached_root*>(ended.owner()));
    runtime& home = me->home;
    std::exception_ptr error = me->work.promise().result.error();
    const void* const address = me.get();
    me.reset();
    if (error != nullptr) report(home, std::move(error));
    home.stop.end_coroutine(address);
    home.loose.finish();
    return std::noop_coroutine();
  }

  runtime& home;

 private:
  static void report(runtime& home, std::exception_ptr error) noexcept {
    if (!is_task_cancelled(error)) {
      home.handle_error(std::move(error));
    } else if (worker* const self = current_worker(); self != nullptr && home.stop.is_requested()) {
      self->counts.cancelled.add();
    }
  }
};

// Begins the coroutine. If the pool is to stop it is not called, and frees the coroutine.
struct detached_start {
  void operator()() {
    detached_root* const begun = root.release();  // on_end deletes it
    runtime& home = begun->home;
    home.loose.add();  // beside the task that calls this
    home.stop.begin_coroutine(begun);
    const auto frame = begun->work.handle();
    frame.promise().begin(&detached_root::on_end, begun, home.stop.token_for(begun));
    resume_here(frame);
    home.stop.end_start(begun);  // an address only: it may be gone
  }
  std::unique_ptr<detached_root> root;
};

}  // namespace

void begin_in_group(task_scope& group, coro_owner<void> work) {
  auto* const root = new group_root(group, std::move(work));
  const auto frame = root->work.handle();
  frame.promise().begin(&group_root::on_end, root, root->stop);
  resume_here(frame);
}

void begin_detached(const task_target& to, coro_owner<void> work) {
  spawn_task(to, detached_start{std::make_unique<detached_root>(to.home, std::move(work))});
}

// --- Coroutine functions, whose task is the root.

void hold_coroutine(task& root) noexcept {
  const spawned_job& work = root.queued();
  if (work.scope != nullptr) {
    work.scope->left.add();
  } else {
    work.home().loose.add();
  }
}

void end_coroutine(task& root) noexcept {
  spawned_job& work = root.queued();
  task_scope* const group = work.scope;
  runtime& home = work.home();
  work.let_go();
  if (group != nullptr) {
    group->left.finish();
  } else {
    home.loose.finish();
  }
}

void report_coroutine_error(task& work, std::exception_ptr error) noexcept {
  const bool says_cancelled = is_task_cancelled(error);
  if (says_cancelled && work.is_cancelled()) {
    work.report_cancelled();
  } else if (!says_cancelled || work.queued().scope != nullptr) {
    work.report_error(std::move(error));
  }
}

void count_if_cancelled(task& work, const std::exception_ptr& error) noexcept {
  if (work.is_cancelled() && is_task_cancelled(error)) work.report_cancelled();
}

}  // namespace pilfer::detail
