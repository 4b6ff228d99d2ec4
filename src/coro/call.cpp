// Tasks that begin a coroutine, and last until it has ended.
#include <pilfer/coro/call.hpp>

#include <exception>
#include <utility>

#include "../runtime/current_worker.hpp"
#include "../runtime/runtime.hpp"
#include "../runtime/spawned_job.hpp"
#include "../runtime/task_scope.hpp"

namespace pilfer::detail {

void hold_coroutine(task& root) noexcept {
  const spawned_job& work = root.queued();
  if (work.scope != nullptr) {
    work.scope->left.add();
  } else {
    work.home().loose.add();  // beside the task that begins it
    work.home().stop.begin_coroutine(&work);
  }
}

void end_first_step(task& root) noexcept {
  const spawned_job& work = root.queued();
  if (work.scope == nullptr) work.home().stop.end_start(&work);
}

void end_coroutine(task& root) noexcept {
  spawned_job& work = root.queued();
  task_scope* const group = work.scope;
  runtime& home = work.home();
  const void* const address = &work;
  work.let_go();
  if (group != nullptr) {
    group->left.finish();
  } else {
    home.stop.end_coroutine(address);
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
