// pilfer: parallel_invoke does not run coroutine functions; use co_await pilfer::when_all
#include <pilfer/algorithm/invoke.hpp>
#include <pilfer/coro/task.hpp>

namespace {
pilfer::task<void> work(int) { co_return; }
}  // namespace

int main() {
  const auto one = [] { return work(1); };
  pilfer::parallel_invoke(one, [] {});
  return 0;
}
