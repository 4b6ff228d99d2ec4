// pilfer: an algorithm does not run coroutine functions; spawn them into a task_group instead
#include <pilfer/algorithm/transform.hpp>
#include <pilfer/coro/task.hpp>

namespace {
pilfer::task<void> work(int) { co_return; }
}  // namespace

int main() {
  const int values[] = {1, 2, 3};
  pilfer::task<void> results[3];
  pilfer::parallel_transform(values, results + 0, work);
  return 0;
}
