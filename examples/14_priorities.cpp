// Requests that are answered at once, while a pool works off a heap of background work.
#include <atomic>
#include <cstdio>

#include <pilfer/pilfer.hpp>

namespace {

// Some 20 microseconds.
long work() {
  volatile long sum = 0;
  for (int i = 0; i < 20000; ++i) sum = sum + i % 3;
  return sum > 0 ? 1 : 0;
}

}  // namespace

int main() {
  std::atomic<long> cleaned{0};
  int answered = 0;

  pilfer::pool pool({.workers = 2, .levels = 3});
  pilfer::task_group background(pool);
  for (int i = 0; i < 1000; ++i) background.at(pilfer::priority::low).spawn([&] { cleaned += work(); });

  // Requests come in while the pool is busy: none waits for more than the task that a worker is in.
  for (int i = 0; i < 10; ++i) {
    auto answer = pool.at(pilfer::priority::high).submit([i] { return i * i; });
    if (answer.get() == i * i) ++answered;
  }
  const long meanwhile = cleaned;
  background.wait();

  std::printf("%d requests answered while %ld of 1000 background tasks were done, %ld in the end\n", answered,
              meanwhile, cleaned.load());
  return answered == 10 && cleaned == 1000 ? 0 : 1;
}
