// pilfer: an algorithm does not run coroutine functions; spawn them into a task_group instead
#include <pilfer/algorithm/for.hpp>
#include <pilfer/coro/task.hpp>

namespace {
pilfer::task<void> work(int) { co_return; }
}  // namespace

int main() {
  pilfer::parallel_for(0, 10, work);
  return 0;
}
