// pilfer: an algorithm does not run coroutine functions; spawn them into a task_group instead
#include <pilfer/algorithm/reduce.hpp>
#include <pilfer/coro/task.hpp>

int main() {
  const int values[] = {1, 2, 3};
  return pilfer::parallel_reduce(values, 0, [](int a, int b) -> pilfer::task<int> { co_return a + b; });
  return 0;
}
