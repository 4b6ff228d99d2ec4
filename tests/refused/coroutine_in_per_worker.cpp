// pilfer: an algorithm does not run coroutine functions; spawn them into a task_group instead
#include <pilfer/coro/task.hpp>
#include <pilfer/per_worker.hpp>

namespace {
pilfer::task<void> work(int) { co_return; }
}  // namespace

int main() {
  pilfer::per_worker<int> all;
  all.for_each(work);
  return 0;
}
