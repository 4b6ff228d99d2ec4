// Wrong calls of what calls something here and now.
#include <pilfer/pilfer.hpp>

namespace {

long fib(int n) { return n; }
struct no_callable {};
void go(pilfer::context here, pilfer::pool& pool, pilfer::per_worker<int>& all) {
  const auto one = [] { return 1L; };
  const auto wants_int = [](int n) { return 1L * n; };
  const no_callable none;

  // refused: pilfer: fork_join needs a callable: fork_join(f, g)
  pilfer::fork_join();
  // refused: pilfer: fork_join calls each argument as f() or f(context), and cannot call one of these so; write fork_join([&] {
  pilfer::fork_join(1, 2);
  // refused: pilfer: fork_join calls each argument
  const auto [a, b] = pilfer::fork_join(fib(1), fib(2));
  static_cast<void>(a + b);
  // refused: pilfer: fork_join calls each argument
  const auto [a, b] = pilfer::fork_join(fib, one);
  static_cast<void>(a + b);
  // refused: pilfer: fork_join calls each argument
  const auto [a, b] = pilfer::fork_join(one, wants_int);
  static_cast<void>(a + b);
  // refused: pilfer: fork_join calls each argument
  const auto [a, b, c] = pilfer::fork_join(one, none, one);
  static_cast<void>(a + c);
  // refused: pilfer: fork_join calls each argument
  pilfer::fork_join("text");
  // refused: pilfer: fork_join calls each argument
  pilfer::fork_join(one, here);
  // refused: pilfer: fork_join needs a callable after the context
  pilfer::fork_join(here);
  // refused: pilfer: fork_join calls each argument
  pilfer::fork_join(here, 1, 2);
  // refused: pilfer: fork_join calls each argument
  const auto [a, b] = pilfer::fork_join(here, one, wants_int);
  static_cast<void>(a + b);
  // refused: pilfer: fork_join calls each argument
  const auto [a, b] = pilfer::fork_join(here, [](pilfer::context, int) { return 1; }, one);
  static_cast<void>(a + b);

  // refused: pilfer: parallel_invoke needs a callable
  pilfer::parallel_invoke();
  // refused: pilfer: parallel_invoke calls each argument as f() or f(context)
  pilfer::parallel_invoke(one, 2);
  // refused: pilfer: parallel_invoke calls each argument
  pilfer::parallel_invoke(one, wants_int, none);

  // refused: pilfer: pool.run calls f() or f(context), and this f cannot be called so
  const long n = pool.run(fib(1));
  // refused: pilfer: pool.run calls f() or f(context)
  const auto n = pool.run(fib);
  static_cast<void>(n + 1);
  // refused: pilfer: pool.run calls f() or f(context)
  const auto n = pool.run(wants_int);
  static_cast<void>(n + 1);
  // refused: pilfer: pool.run calls f() or f(context)
  pool.run(none);

  // refused: pilfer: with_priority calls f(), and this f cannot be called so
  pilfer::with_priority(pilfer::priority::high, fib);
  // refused: pilfer: with_priority calls f()
  const auto n = pilfer::with_priority(pilfer::priority::high, wants_int);
  static_cast<void>(n + 1);
  // refused: pilfer: with_priority calls f()
  pilfer::with_priority(pilfer::priority::high, 7);

  // refused: pilfer: per_worker::for_each calls f(value) with each worker's, and this f cannot be called so
  all.for_each([](no_callable) {});
  // refused: pilfer: per_worker::for_each calls f(value)
  all.for_each(none);
  // refused: pilfer: per_worker::combine goes on by start = op(start, value)
  const auto n = all.combine(1, [](int) { return 1; });
  static_cast<void>(n + 1);
  // refused: pilfer: per_worker::combine goes on by start = op(start, value)
  static_cast<void>(all.combine(1, [](int, int) { return no_callable(); }));
  // refused: pilfer: per_worker::combine goes on by start = op(start, value)
  static_cast<void>(all.combine(1, 2));

  pilfer::fork_join(one, one);
  pilfer::fork_join(here, [](pilfer::context) {}, one);
  pilfer::fork_join([&] { return fib(1); }, one);
}

}  // namespace

int main() {
  pilfer::pool pool;
  pilfer::per_worker<int> all(pool);
  pool.run([&](pilfer::context here) { go(here, pool, all); });
  return 0;
}
