// pilfer: pool.run does not run coroutine functions; use pilfer::sync_wait
#include <pilfer/coro/task.hpp>
#include <pilfer/pool.hpp>

int main() {
  pilfer::pool pool;
  pool.run([]() -> pilfer::task<int> { co_return 1; });
  return 0;
}
