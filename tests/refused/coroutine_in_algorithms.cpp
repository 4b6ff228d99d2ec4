// pilfer: an algorithm does not run coroutine functions; spawn them into a task_group instead
#include <pilfer/algorithm/find.hpp>
#include <pilfer/algorithm/for.hpp>
#include <pilfer/algorithm/for_2d.hpp>
#include <pilfer/algorithm/reduce.hpp>
#include <pilfer/algorithm/transform.hpp>
#include <pilfer/coro/task.hpp>
#include <pilfer/parlay.hpp>
#include <pilfer/per_worker.hpp>

namespace {

pilfer::task<void> work(int) { co_return; }
pilfer::task<int> sum(int a, int b) { co_return a + b; }

void call_each(int (&in)[3], pilfer::task<void> (&out)[3], pilfer::per_worker<int>& all) {
  pilfer::parallel_for(0, 3, [](int i) { return work(i); });                                          // refused
  pilfer::parallel_for(pilfer::blocked_range(0, 3), [](const auto&) { return work(1); });             // refused
  pilfer::parallel_for(pilfer::blocked_range2d(0, 3, 0, 3), [](const auto&) { return work(1); });     // refused
  pilfer::parallel_for_each(in, [](int i) { return work(i); });                                       // refused
  pilfer::parallel_transform(in, out + 0, [](int i) { return work(i); });                             // refused
  pilfer::parallel_generate(out, [] { return work(1); });                                             // refused
  static_cast<void>(pilfer::parallel_reduce(in, 0, [](int a, int b) { return sum(a, b); }));          // refused
  static_cast<void>(pilfer::parallel_any_of(in, [](int) -> pilfer::task<bool> { co_return true; }));  // refused
  parlay::par_do([] { return work(1); }, [] {});                                                      // refused
  all.for_each([](int i) { return work(i); });                                                        // refused
}

}  // namespace

int main() {
  int in[3] = {};
  pilfer::task<void> out[3];
  pilfer::per_worker<int> all;
  call_each(in, out, all);
  return 0;
}
