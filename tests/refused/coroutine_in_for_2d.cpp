// pilfer: an algorithm does not run coroutine functions; spawn them into a task_group instead
#include <pilfer/algorithm/for_2d.hpp>
#include <pilfer/coro/task.hpp>

namespace {
pilfer::task<void> work(int) { co_return; }
}  // namespace

int main() {
  pilfer::parallel_for(pilfer::blocked_range2d(0, 3, 0, 4), [](const auto&) { return work(1); });
  return 0;
}
