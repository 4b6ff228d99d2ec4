// pilfer: an algorithm does not run coroutine functions; spawn them into a task_group instead
#include <pilfer/algorithm/find.hpp>
#include <pilfer/coro/task.hpp>

int main() {
  const int values[] = {1, 2, 3};
  return pilfer::parallel_any_of(values, [](int i) -> pilfer::task<bool> { co_return i == 2; }) ? 1 : 0;
  return 0;
}
