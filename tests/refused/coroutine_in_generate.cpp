// pilfer: an algorithm does not run coroutine functions; spawn them into a task_group instead
#include <pilfer/algorithm/transform.hpp>
#include <pilfer/coro/task.hpp>

namespace {
pilfer::task<void> work(int) { co_return; }
}  // namespace

int main() {
  pilfer::task<void> results[3];
  pilfer::parallel_generate(results, [] { return work(1); });
  return 0;
}
