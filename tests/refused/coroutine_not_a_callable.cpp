// pilfer: a pilfer::task is not a callable; write group.spawn
#include <pilfer/coro/task.hpp>
#include <pilfer/task_group.hpp>

namespace {
pilfer::task<void> work(int) { co_return; }
}  // namespace

int main() {
  pilfer::task_group group;
  group.spawn(work(1));
  return 0;
}
