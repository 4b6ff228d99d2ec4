// pilfer: with_priority does not run coroutine functions; give the priority to spawn, submit or detach
#include <pilfer/coro/task.hpp>
#include <pilfer/priority.hpp>

namespace {
pilfer::task<void> work(int) { co_return; }
}  // namespace

int main() {
  static_cast<void>(pilfer::with_priority(pilfer::priority::high, [] { return work(1); }));
  return 0;
}
