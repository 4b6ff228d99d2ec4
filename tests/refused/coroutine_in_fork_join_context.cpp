// pilfer: fork_join does not run coroutine functions; use co_await pilfer::when_all
#include <pilfer/coro/task.hpp>
#include <pilfer/fork_join.hpp>
#include <pilfer/pool.hpp>

namespace {
pilfer::task<void> work(int) { co_return; }
}  // namespace

int main() {
  pilfer::pool pool;
  pool.run([](pilfer::context here) { pilfer::fork_join(here, [] {}, [](pilfer::context) { return work(2); }); });
  return 0;
}
