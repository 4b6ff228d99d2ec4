// What the tests of single patterns of waits share.
#pragma once

#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <pilfer/coro.hpp>
#include <pilfer/pilfer.hpp>

#include "support/watchdog.hpp"

namespace pilfer::test {

// Calls f, and ends the process if f hangs: a pattern takes milliseconds otherwise.
template <class F>
void expect_end(const std::string& what, F&& f) {
  const watchdog watch(std::chrono::seconds(30), what);
  std::forward<F>(f)();
}

// Calls f(i) on so many threads at the same time, none of which is a worker.
template <class F>
void on_callers(std::size_t callers, const F& f) {
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < callers; ++i) threads.emplace_back([&f, i] { f(i); });
  for (std::thread& one : threads) one.join();
}

inline task<int> sleep_then(std::chrono::microseconds time, int result) {
  co_await sleep_for(time);
  co_return result;
}
inline task<int> yield_then(int result) {
  co_await yield();
  co_return result;
}

}  // namespace pilfer::test
