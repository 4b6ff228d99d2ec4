// From code that is no coroutine into one, and back with its result.
//
//   int v = pilfer::sync_wait(pool, answer(pool));
//
// Calls     the task inside the pool: on this thread, if it is a worker of it or a place is free, until the task suspends for the first
//           time; then on any worker.
// Waiting   this thread sleeps. If it is a worker, another one takes its place.
// Throws    what the task throws; std::future_error if there is none.
// Stopping  the task has the token of the group whose task calls this, or of the pool that the caller is in; a stop of the pool that the
//           task begins in stops it, too. with_stop gives it another one.
#pragma once

#include <coroutine>
#include <optional>
#include <stop_token>
#include <utility>

#include <pilfer/coro/stop.hpp>
#include <pilfer/coro/task.hpp>
#include <pilfer/detail/protocol/completion.hpp>
#include <pilfer/detail/resume.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/task_group.hpp>

namespace pilfer {
namespace detail {

// A thread that waits for the end of one coroutine. In src/coro/.
class coro_wait {
 public:
  explicit coro_wait(runtime& home);
  // For the coroutine.
  [[nodiscard]] const std::stop_token& stop() const noexcept { return both_ ? both_->token() : stop_; }
  // Resumes the coroutine, which has this as its owner and on_end, and returns when it has ended.
  void run(runtime& home, std::coroutine_handle<> root);
  static std::coroutine_handle<> on_end(coro_promise_base& ended) noexcept;

 private:
  const std::stop_token stop_;
  std::optional<linked_stop> both_;  // of two pools
  completion<ext::default_sync> done_{1};
  resume_job begin_;
};

template <class T>
T sync_wait_in(runtime& home, pilfer::task<T> work) {
  const coro_owner<T> root = std::move(work).release();
  coro_wait wait(home);
  root.promise().begin(&coro_wait::on_end, &wait, wait.stop());
  wait.run(home, root.handle());
  return root.promise().result.take();
}

}  // namespace detail

// In the pool of the calling task; outside of every pool in the default one.
template <class T>
T sync_wait(task<T> work) {
  return detail::sync_wait_in(detail::runtime_of_caller(), std::move(work));
}
template <class T>
T sync_wait(pool& home, task<T> work) {
  return detail::sync_wait_in(detail::access::of(home), std::move(work));
}

}  // namespace pilfer
