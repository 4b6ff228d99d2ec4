// Coroutine functions where nothing could await them.
#include <pilfer/pilfer.hpp>

#include <pilfer/coro/task.hpp>
#include <pilfer/parlay.hpp>

namespace {

pilfer::task<void> work(int) { co_return; }
pilfer::task<int> sum(int a, int b) { co_return a + b; }

void go(pilfer::pool& pool, pilfer::per_worker<int>& all, int (&in)[3], pilfer::task<void> (&out)[3]) {
  const auto one = [] { return work(1); };
  const auto each = [](int i) { return work(i); };
  const auto block = [](const auto&) { return work(1); };

  // refused: pilfer: an algorithm does not run coroutine functions; spawn them into a task_group instead
  pilfer::parallel_for(0, 3, each);
  // refused: pilfer: an algorithm does not run coroutine functions
  pilfer::parallel_for(pilfer::blocked_range(0, 3), block);
  // refused: pilfer: an algorithm does not run coroutine functions
  pilfer::parallel_for(pilfer::blocked_range2d(0, 3, 0, 3), block);
  // refused: pilfer: an algorithm does not run coroutine functions
  pilfer::parallel_for_each(in, each);
  // refused: pilfer: an algorithm does not run coroutine functions
  pilfer::parallel_for_each(in + 0, in + 3, each);
  // refused: pilfer: an algorithm does not run coroutine functions
  pilfer::parallel_transform(in, out + 0, each);
  // refused: pilfer: an algorithm does not run coroutine functions
  pilfer::parallel_transform(in, in + 0, each);
  // refused: pilfer: an algorithm does not run coroutine functions
  pilfer::parallel_generate(out, one);
  // refused: pilfer: an algorithm does not run coroutine functions
  static_cast<void>(pilfer::parallel_reduce(in, 0, sum));
  // refused: pilfer: an algorithm does not run coroutine functions
  static_cast<void>(pilfer::parallel_reduce(0, 3, 0, std::plus<>{}, each));
  // refused: pilfer: an algorithm does not run coroutine functions
  static_cast<void>(pilfer::parallel_any_of(in, [](int) -> pilfer::task<bool> { co_return true; }));
  // refused: pilfer: an algorithm does not run coroutine functions
  static_cast<void>(pilfer::parallel_count_if(in, each));
  // refused: pilfer: an algorithm does not run coroutine functions
  pilfer::parallel_filter(in, in + 0, each);
  // refused: pilfer: an algorithm does not run coroutine functions
  static_cast<void>(pilfer::parallel_histogram(in, 3, each));
  // refused: pilfer: an algorithm does not run coroutine functions
  parlay::par_do(one, [] {});
  // refused: pilfer: an algorithm does not run coroutine functions
  all.for_each(each);
  // refused: pilfer: an algorithm does not run coroutine functions
  static_cast<void>(all.combine(0, sum));

  // refused: pilfer: fork_join does not run coroutine functions; use co_await pilfer::when_all
  pilfer::fork_join(one, [] {});
  // refused: pilfer: fork_join does not run coroutine functions; use co_await pilfer::when_all
  pool.run([](pilfer::context here) { pilfer::fork_join(here, [] {}, [](pilfer::context) { return work(2); }); });
  // refused: pilfer: parallel_invoke does not run coroutine functions; use co_await pilfer::when_all
  pilfer::parallel_invoke(one, [] {});
  // refused: pilfer: pool.run does not run coroutine functions; use pilfer::sync_wait
  pool.run([]() -> pilfer::task<int> { co_return 1; });
  // refused: pilfer: with_priority does not run coroutine functions; write pool.at(priority).submit(f)
  static_cast<void>(pilfer::with_priority(pilfer::priority::high, one));
  // refused: pilfer: a coroutine that was made has its arguments and is given away
  pilfer::task_group group;
  auto made = work(1);
  group.spawn(made);
  // refused: pilfer: a coroutine that was made has its arguments and is given away
  pool.submit(work(1), 1).get();
  // refused: pilfer: a coroutine that was made has its arguments and is given away
  auto made = work(1);
  pool.at(pilfer::priority::high).async(made).get();
  // refused: pilfer: a coroutine that was made has its arguments and is given away
  pool.detach(work(1), 2);

  static_cast<void>(each);
  static_cast<void>(block);
}

}  // namespace

int main() {
  pilfer::pool pool;
  pilfer::per_worker<int> all(pool);
  int in[3] = {};
  pilfer::task<void> out[3];
  go(pool, all, in, out);
  return 0;
}
