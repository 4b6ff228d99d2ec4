// pilfer: an algorithm does not run coroutine functions; spawn them into a task_group instead
#include <pilfer/algorithm/for.hpp>
#include <pilfer/coro/task.hpp>

namespace {
pilfer::task<void> work(int) { co_return; }
}  // namespace

int main() {
  pilfer::parallel_for(pilfer::blocked_range(0, 10), [](const auto&) { return work(1); });
  return 0;
}
