// Ends a test that hangs with a message, instead of leaving it to the time-out of whoever runs it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace pilfer {
// In src/runtime/; null in programs without a pool.
[[gnu::weak]] std::string describe_pools();
}  // namespace pilfer

namespace pilfer::test {

// What every worker of every pool does.
[[nodiscard]] inline std::string all_pools() { return &describe_pools != nullptr ? describe_pools() : std::string(); }

// Watches from construction to destruction. When the time is over it prints `what`, the report and all pools, and ends the process:
// threads that hang cannot be joined, so the test cannot go on.
class watchdog {
 public:
  watchdog(std::chrono::seconds limit, std::string what, std::function<std::string()> report = {})
      : thread_([this, limit, what = std::move(what), report = std::move(report)] {
          std::unique_lock lock(mutex_);
          if (wake_.wait_for(lock, limit, [this] { return done_; })) return;
          std::fprintf(stderr, "watchdog: no end after %lld s: %s\n%s\n%s", static_cast<long long>(limit.count()),
                       what.c_str(), report ? report().c_str() : "", all_pools().c_str());
          std::fflush(nullptr);
          std::_Exit(EXIT_FAILURE);
        }) {}
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;
  ~watchdog() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  std::thread thread_;  // last: the thread uses the others
};

}  // namespace pilfer::test
