// pilfer: an algorithm does not run coroutine functions; spawn them into a task_group instead
#include <pilfer/algorithm/for.hpp>
#include <pilfer/coro/task.hpp>

namespace {
pilfer::task<void> work(int) { co_return; }
}  // namespace

int main() {
  const int values[] = {1, 2, 3};
  pilfer::parallel_for_each(values, work);
  return 0;
}
