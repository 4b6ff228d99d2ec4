// pilfer: a pool does not run coroutine functions as hooks; call pilfer::detach
#include <pilfer/coro/task.hpp>
#include <pilfer/pool.hpp>

namespace {
pilfer::task<void> work(int) { co_return; }
}  // namespace

int main() {
  const pilfer::pool pool({.on_worker_start = [](std::size_t i) { return work(static_cast<int>(i)); }});
  return 0;
}
