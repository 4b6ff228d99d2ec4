// A pool's threads: their names and their stacks.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include <pilfer/blocking_region.hpp>
#include <pilfer/coro/sync_wait.hpp>
#include <pilfer/coro/task.hpp>
#include <pilfer/coro/timer.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/statistics.hpp>
#include <pilfer/task_group.hpp>

#include "support/thread_names.hpp"
#include "support/watchdog.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;

// What the threads of such a pool are called, spare ones and those of a larger pool included, as their hooks find it.
std::set<std::string> names_in(pool_options wanted) {
  std::mutex mutex;
  std::set<std::string> names;
  wanted.on_worker_start = [&](std::size_t index) {
    const std::lock_guard lock(mutex);
    names.insert(name_of_this_thread());
    EXPECT_EQ(worker_index(), index);
  };
  {
    pool home(wanted);
    home.resize(3);
    std::atomic<int> inside = 0;
    task_group group(home);
    for (int i = 0; i < 5; ++i) {  // at a time: so there are spare threads
      group.spawn([&] {
        const blocking_region region;
        ++inside;
        while (inside < 5) std::this_thread::sleep_for(1ms);
      });
    }
    group.wait();
  }
  return names;
}

TEST(pool_threads, have_the_name_of_their_pool_and_a_number) {
  const watchdog dog(60s, "names");
  const auto has_names = [](const std::string& given, const std::string& begins) {
    const std::set<std::string> names = names_in({.workers = 2, .name = given});
    EXPECT_GE(names.size(), 3U);
    for (const std::string& each : names) {
      EXPECT_EQ(each.rfind(begins, 0), 0U) << each;
      EXPECT_EQ(each.find_first_not_of("0123456789", begins.size()), std::string::npos) << each;
    }
  };
  has_names("", "pilfer/");
  has_names("server", "server/");
  has_names("a name that is too long", "a name that i/");
}

TEST(pool_threads, callers_keep_their_names) {
  const std::string before = name_of_this_thread();
  pool home({.workers = 2, .name = "mine"});
  home.run([&] { EXPECT_EQ(name_of_this_thread(), before); });
  home.submit([] {}).get();
  EXPECT_EQ(name_of_this_thread(), before);
}

TEST(pool_threads, are_described_by_their_names) {
  const watchdog dog(60s, "a description");
  pool home({.workers = 1, .name = "mine", .callers_work = false});
  home.run([&] {
    const std::string text = home.describe();
    EXPECT_NE(text.find("worker 1 (" + name_of_this_thread() + ") runs a task"), std::string::npos) << text;
    EXPECT_NE(text.find("(mine): "), std::string::npos) << text;
  });
}

TEST(pool_threads, a_name_has_no_control_characters) {
  for (const char* name : {"two\nlines", "\t", "\x7f"})
    EXPECT_THROW(pool({.name = name}), std::invalid_argument) << name;
  EXPECT_THROW(pool({.name = std::string("a\0b", 3)}), std::invalid_argument);
}

TEST(pool_threads, the_librarys_own_have_names_too) {
  const watchdog dog(60s, "own threads");
  pool home({.workers = 1, .watchdog = 1h});
  sync_wait(home, []() -> task<void> { co_await sleep_for(1ms); }());
  const std::set<std::string> names = names_of_all_threads();
  EXPECT_TRUE(names.contains("pilfer-timer"));
  EXPECT_TRUE(names.contains("pilfer-watchdog"));
}

// --- Stacks.

// Uses so much stack, and returns the number of its frames.
[[gnu::noinline]] std::size_t recurse(std::size_t bytes) {
  constexpr std::size_t frame = 4096;
  volatile char used[frame];  // NOLINT(modernize-avoid-c-arrays)
  used[0] = 1;
  used[frame - 1] = 1;
  if (bytes <= frame) return static_cast<std::size_t>(used[0]);
  return recurse(bytes - frame) + static_cast<std::size_t>(used[frame - 1]);
}

TEST(pool_stacks, have_the_size_that_was_asked_for) {
  const watchdog dog(60s, "large stacks");
  pool home({.workers = 1, .stack_bytes = std::size_t{128} << 20, .callers_work = false});
  EXPECT_EQ(home.submit(recurse, std::size_t{64} << 20).get(), (std::size_t{64} << 20) / 4096);
}

TEST(pool_stacks, may_be_too_small) {
  EXPECT_THROW(pool({.stack_bytes = 1}), std::invalid_argument);
  EXPECT_THROW(pool({.stack_bytes = (std::size_t{128} << 10) - 1}), std::invalid_argument);
  pool least({.workers = 2, .stack_bytes = (std::size_t{128} << 10) + 1, .callers_work = false});
  EXPECT_EQ(least.statistics().threads, 2U);
  EXPECT_EQ(least.submit([] { return 1; }).get(), 1);
}

// More than there is: the pool is smaller, as where no thread can be made.
TEST(pool_stacks, may_be_too_large) {
  pool home({.workers = 2, .stack_bytes = std::size_t{1} << 60U});
  EXPECT_EQ(home.statistics().threads, 0U);
  EXPECT_EQ(home.submit([] { return 1; }).get(), 1);
}

// A wait runs tasks on top of others while half of its stack is free, however small that is; then other threads go on. Without that
// rule, or with that of another size, 2 000 of these use up the stack.
TEST(pool_stacks, are_not_used_up_by_waits) {
  const watchdog dog(60s, "small stacks");
  pool home({.workers = 2, .stack_bytes = std::size_t{256} << 10, .callers_work = false});
  const std::function<int(int)> nest = [&](int depth) {
    if (depth == 0) return 0;
    int below = 0;
    task_group group;
    group.spawn([&] { below = nest(depth - 1); });
    group.wait();
    return below + 1;
  };
  EXPECT_EQ(home.submit(nest, 2'000).get(), 2'000);
}

}  // namespace
}  // namespace pilfer::test
