// A web page's parts, fetched at a time: coroutines that wait without holding a thread, and one that is stopped when it is late.
#include <chrono>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <pilfer/coro.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/task_group.hpp>

namespace {

using namespace std::chrono_literals;

// Stands for a request to a server that takes its time.
pilfer::task<std::string> fetch(std::string part, std::chrono::milliseconds takes) {
  co_await pilfer::sleep_for(takes);  // throws task_cancelled if nobody wants it any more
  co_return "<" + part + ">";
}

pilfer::task<std::string> page() {
  auto parts = pilfer::when_all(fetch("head", 2ms), fetch("body", 3ms));
  auto footer = co_await pilfer::fork(fetch("foot", 1ms));  // runs beside what follows

  std::vector<pilfer::task<std::string>> mirrors;
  mirrors.push_back(fetch("slow picture", 10min));
  mirrors.push_back(fetch("picture", 1ms));
  const auto first = co_await pilfer::when_any(std::move(mirrors));  // the slow one is stopped, not waited out

  const auto [head, body] = co_await std::move(parts);
  const std::string foot = co_await std::move(footer).join();
  co_return head + body + first.value() + foot;
}

pilfer::task<void> visit(std::string& result) { result = co_await page(); }

}  // namespace

int main() {
  pilfer::pool pool(2);
  std::vector<std::string> pages(100);
  pilfer::task_group visitors(pool);
  for (std::string& each : pages) visitors.spawn(visit(each));  // a hundred at a time, on two threads
  visitors.wait();

  const std::string alone = pilfer::sync_wait(pool, page());
  std::printf("%s\n", alone.c_str());
  for (const std::string& each : pages) {
    if (each != alone) return 1;
  }
  return alone == "<head><body><picture><foot>" ? 0 : 1;
}
