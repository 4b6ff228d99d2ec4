// pilfer: fork_join does not run coroutine functions; use co_await pilfer::when_all
#include <pilfer/coro/task.hpp>
#include <pilfer/fork_join.hpp>

namespace {
pilfer::task<void> work(int) { co_return; }
}  // namespace

int main() {
  pilfer::fork_join([] { return work(1); }, [] {});
  return 0;
}
