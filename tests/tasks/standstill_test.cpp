// What a pool says of itself, and when it speaks up.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include <unistd.h>

#include <gtest/gtest.h>

#include <pilfer/blocking_region.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/task_group.hpp>

#include "support/watchdog.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;

// Standard error goes to a file until take() is called.
class caught_errors {
 public:
  caught_errors() : file_(std::tmpfile()), before_(::dup(STDERR_FILENO)) {
    std::fflush(stderr);
    ::dup2(::fileno(file_), STDERR_FILENO);
  }
  ~caught_errors() {
    restore();
    std::fclose(file_);
  }
  caught_errors(const caught_errors&) = delete;
  caught_errors& operator=(const caught_errors&) = delete;

  [[nodiscard]] std::string seen() {
    std::string text(1 << 16, '\0');
    const ssize_t length = ::pread(::fileno(file_), text.data(), text.size(), 0);
    text.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
    return text;
  }
  void restore() {
    if (before_ < 0) return;
    std::fflush(stderr);
    ::dup2(before_, STDERR_FILENO);
    ::close(before_);
    before_ = -1;
  }

 private:
  std::FILE* const file_;
  int before_;
};

TEST(standstill, a_pool_describes_its_workers_and_waits) {
  const watchdog dog(60s, "describe");
  pool home(2);
  std::atomic<bool> go = false;
  std::atomic<bool> in_region = false;
  task_group group(home);
  group.spawn([&] {
    const blocking_region region;
    in_region = true;
    while (!go) std::this_thread::sleep_for(1ms);
  });
  std::thread waiter([&] { group.wait(); });
  std::string text;
  // The waiter may have begun the task itself; then it is the one in the region.
  while (!in_region) std::this_thread::sleep_for(1ms);
  while ((text = home.describe()).find("is in a blocking region") == std::string::npos) {
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_NE(text.find("2 workers"), std::string::npos) << text;
  EXPECT_NE(describe_pools().find("is in a blocking region"), std::string::npos);
  go = true;
  waiter.join();
}

TEST(standstill, two_pools_are_described) {
  pool one(1);
  pool two({.workers = 1, .scheduler = "ws-chase-lev"});
  const std::string text = describe_pools();
  EXPECT_NE(text.find("default"), std::string::npos) << text;
  EXPECT_NE(text.find("ws-chase-lev"), std::string::npos) << text;
}

// A wait for a task that does not end is named, once; and the message says what is waited for.
TEST(standstill, the_watchdog_names_the_wait) {
  const watchdog dog(60s, "the message");
  caught_errors errors;
  {
    pool home({.workers = 2, .watchdog = 200ms});
    std::atomic<bool> go = false;
    std::atomic<bool> has_begun = false;
    auto slow = home.submit([&] {
      has_begun = true;
      while (!go) std::this_thread::sleep_for(1ms);
    });
    while (!has_begun) std::this_thread::sleep_for(1ms);
    std::thread waiter([&] { slow.wait(); });
    while (errors.seen().find("the future of task") == std::string::npos) std::this_thread::sleep_for(10ms);
    go = true;
    waiter.join();
  }
  errors.restore();
  const std::string text = errors.seen();
  EXPECT_NE(text.find("nothing has begun or ended in this pool"), std::string::npos) << text;
  EXPECT_NE(text.find("runs a task"), std::string::npos) << text;
}

// The destructor of a pool waits for a detached task.
TEST(standstill, the_watchdog_names_a_destructor_that_waits) {
  const watchdog dog(60s, "the destructor's message");
  caught_errors errors;
  std::atomic<bool> go = false;
  std::thread helper([&] {
    while (errors.seen().find("the tasks of a pool") == std::string::npos) std::this_thread::sleep_for(10ms);
    go = true;
  });
  {
    pool home({.workers = 2, .watchdog = 200ms});
    home.detach([&] {
      while (!go) std::this_thread::sleep_for(1ms);
    });
  }
  helper.join();
  errors.restore();
  EXPECT_NE(errors.seen().find("1 submitted or detached tasks unfinished"), std::string::npos) << errors.seen();
}

}  // namespace
}  // namespace pilfer::test
