// A bit of everything that the library defines.
#include <chrono>

#include <pilfer/algorithm/for.hpp>
#include <pilfer/coro/sync_wait.hpp>
#include <pilfer/coro/task.hpp>
#include <pilfer/coro/timer.hpp>
#include <pilfer/fork_join.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/task_group.hpp>

namespace {
pilfer::task<int> later(int value) {
  co_await pilfer::sleep_for(std::chrono::milliseconds(1));
  co_return value;
}
}  // namespace

int main() {
  pilfer::pool pool(2);
  pilfer::task_group group(pool);
  int sum = 0;
  group.spawn([&] { pilfer::parallel_for(0, 10, [](int) {}); });
  group.spawn(later, 1);
  group.wait();
  sum += pool.submit(later, 2).get() + pilfer::sync_wait(pool, later(3));
  const auto [left, right] = pilfer::fork_join([] { return 4; }, [] { return 5; });
  return sum + left + right == 14 ? 0 : 1;
}
