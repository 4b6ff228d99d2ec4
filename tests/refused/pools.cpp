// Wrong pools. The number of workers is refused by what is compiled last, which clang forgets in headers that are compiled already.
#include <pilfer/coro/task.hpp>
#include <pilfer/pool.hpp>

namespace {
pilfer::task<void> work(std::size_t) { co_return; }
}  // namespace

int main() {
  // refused: pilfer: a pool cannot have a negative number of workers
  const pilfer::pool wrong(-1);
  // refused: pilfer: a pool does not run coroutine functions as hooks; call pool.detach
  const pilfer::pool hooked({.on_worker_start = work});

  static_cast<void>(&work);
  return 0;
}
