// Coroutines that are begun here and end elsewhere.
//
//   pilfer::task_group group(pool);
//   pilfer::spawn(group, answer(request));   // group.wait() waits for its end
//   pilfer::detach(pool, keep_warm());       // the pool's destructor does
//
// Calls     a task of the pool that resumes the coroutine for the first time; who waits for the group may run it.
// Stopping  a spawned one has the group's token. If the group is to stop before it has begun it does not begin, and its frame is freed; if it
//           ends by task_cancelled because of that, it is counted as cancelled, too. For a detached one the same holds of the pool.
// Errors    of spawned ones: the group's wait() throws the first; of detached ones: pool_options::on_error, except for task_cancelled.
#pragma once

#include <utility>

#include <pilfer/coro/task.hpp>
#include <pilfer/detail/task.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/task_group.hpp>

namespace pilfer {
namespace detail {

// In src/coro/.
void begin_in_group(task_scope& group, coro_owner<void> work);
void begin_detached(const task_target& to, coro_owner<void> work);

struct group_start {
  void operator()() { begin_in_group(group, std::move(work)); }
  task_scope& group;
  coro_owner<void> work;
};

}  // namespace detail

//   Throws  std::future_error if there is no task; std::bad_alloc.
inline void spawn(task_group& group, task<void> work) {
  group.spawn(detail::group_start{detail::access::scope_of(group), std::move(work).release()});
}
//   Throws  std::invalid_argument, too, if the pool has no such level.
inline void spawn(task_group& group, priority wanted, task<void> work) {
  group.spawn(wanted, detail::group_start{detail::access::scope_of(group), std::move(work).release()});
}

inline void detach(pool& home, task<void> work) {
  detail::begin_detached({detail::access::of(home), nullptr}, std::move(work).release());
}
inline void detach(pool& home, priority wanted, task<void> work) {
  detail::begin_detached(detail::target_at(detail::access::of(home), nullptr, wanted), std::move(work).release());
}

}  // namespace pilfer
