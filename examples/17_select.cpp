// A worker that takes jobs from two channels, urgent ones first, until it is told to quit; it would tell if none came for long. No job
// is lost: a receive that does not win takes nothing.
#include <chrono>
#include <cstdio>
#include <optional>
#include <utility>
#include <variant>

#include <pilfer/coro.hpp>
#include <pilfer/pool.hpp>

namespace {

using namespace std::chrono_literals;
using jobs = pilfer::channel<int>;

pilfer::task<int> work(jobs& urgent, jobs& normal, jobs& quit) {
  int sum = 0;
  for (;;) {
    auto [index, value] =
        co_await pilfer::when_any(urgent.receive(), normal.receive(), quit.receive(), pilfer::sleep_for(1min));
    if (index == 2) co_return sum;
    if (index == 3) {
      std::puts("nothing to do");
      continue;
    }
    const std::optional<int> job = index == 0 ? std::get<0>(value) : std::get<1>(value);
    sum += job.value_or(0);
  }
}

pilfer::task<void> produce(jobs& to, int first, int last) {
  for (int i = first; i <= last; ++i) {
    const bool sent = co_await to.send(i);
    if (!sent) co_return;
  }
}

pilfer::task<void> produce_all(jobs& urgent, jobs& normal, jobs& quit) {
  co_await pilfer::when_all(produce(urgent, 1, 500), produce(normal, 501, 1000));
  quit.close();  // the worker looks at its jobs first
}

}  // namespace

int main() {
  pilfer::pool pool(2);
  jobs urgent(4);
  jobs normal(0);
  jobs quit(0);
  auto both = pilfer::when_all(work(urgent, normal, quit), produce_all(urgent, normal, quit));
  const int sum = std::get<0>(pilfer::sync_wait(pool, std::move(both)));
  std::printf("%d\n", sum);
  return sum == 500'500 ? 0 : 1;
}
