// pilfer: an algorithm does not run coroutine functions; spawn them into a task_group instead
#include <pilfer/coro/task.hpp>
#include <pilfer/parlay.hpp>

namespace {
pilfer::task<void> work(int) { co_return; }
}  // namespace

int main() {
  parlay::par_do([] { return work(1); }, [] {});
  return 0;
}
