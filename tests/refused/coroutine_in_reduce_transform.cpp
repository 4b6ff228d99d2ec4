// pilfer: an algorithm does not run coroutine functions; spawn them into a task_group instead
#include <pilfer/algorithm/reduce.hpp>
#include <pilfer/coro/task.hpp>

int main() {
  return pilfer::parallel_reduce(
      0, 10, 0, [](int a, int b) { return a + b; }, [](int i) -> pilfer::task<int> { co_return i; });
  return 0;
}
