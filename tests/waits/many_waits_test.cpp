// More waits at the same time than a pool can have threads.
#include <atomic>
#include <chrono>
#include <cstddef>

#include <gtest/gtest.h>

#include <pilfer/coro.hpp>
#include <pilfer/pilfer.hpp>

#include "support/environment.hpp"
#include "support/refusals.hpp"
#include "waits/wait_checks.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;

class many_waits : public with_refusals<::testing::Test> {
 protected:
  // A sanitizer's threads are too dear for more than the pool's bound.
  static constexpr bool few = under_tsan || under_asan;
};

TEST_F(many_waits, tasks_that_wait_for_a_coroutine_that_sleeps) {
  constexpr std::size_t tasks = few ? 200 : 1100;
  expect_end("tasks that call sync_wait", [&] {
    pool home(2);
    std::atomic<std::size_t> count = 0;
    task_group all(home);
    for (std::size_t i = 0; i < tasks; ++i) {
      all.spawn([&] { count += static_cast<std::size_t>(sync_wait(sleep_then(100ms, 1))); });
    }
    all.wait();
    EXPECT_EQ(count, tasks);
  });
}

TEST_F(many_waits, coroutines_that_wait_for_a_group) {
  constexpr std::size_t coroutines = few ? 200 : 1030;
  struct steps {
    static task<void> wait_for_group(std::atomic<std::size_t>& count) {
      co_await sleep_for(1ms);
      task_group inner;
      inner.spawn(add(count));
      inner.wait();
    }
    static task<void> add(std::atomic<std::size_t>& count) {
      co_await sleep_for(100ms);
      ++count;
    }
  };
  expect_end("coroutines that call group.wait", [&] {
    pool home(2);
    std::atomic<std::size_t> count = 0;
    task_group all(home);
    for (std::size_t i = 0; i < coroutines; ++i) all.spawn(steps::wait_for_group(count));
    all.wait();
    EXPECT_EQ(count, coroutines);
  });
}

// As under a limit of memory or of processes: threads are refused long before the pool's bound.
TEST_F(many_waits, where_threads_are_refused_early) {
  for (const long limit : {3L, 8L, 40L}) {
    expect_end(std::to_string(limit) + " threads", [&] {
      static_cast<void>(sync_wait(sleep_then(1us, 0)));  // the timers' thread
      threads_allowed.allow(limit);
      constexpr std::size_t tasks = 500;
      std::atomic<std::size_t> count = 0;
      {
        pool home(2);
        task_group all(home);
        for (std::size_t i = 0; i < tasks; ++i) {
          all.spawn([&] { count += static_cast<std::size_t>(sync_wait(sleep_then(1ms, 1))); });
        }
        all.wait();
      }
      threads_allowed.allow_all();
      EXPECT_EQ(count, tasks);
    });
  }
}

// Each task polls the next one, and works between two looks: more of them than the pool has places, and hardly ever are all asleep at the
// same time. On a busy machine every loop of short waits is like this.
TEST_F(many_waits, polling_tasks_that_seldom_sleep) {
  struct steps {
    static std::size_t poll(pool& home, std::size_t left) {
      if (left == 0) return 0;
      future<std::size_t> next = home.submit([&home, left] { return poll(home, left - 1); });
      while (!next.wait_for(20us)) {
        const auto until = std::chrono::steady_clock::now() + 2ms;
        while (std::chrono::steady_clock::now() < until) std::this_thread::yield();
      }
      return 1 + next.get();
    }
  };
  for (const std::size_t workers : {1U, 2U}) {
    expect_end(std::to_string(workers) + " workers", [&] {
      constexpr std::size_t length = 12;
      pool home(workers);
      EXPECT_EQ(home.submit([&] { return steps::poll(home, length); }).get(), length);
      EXPECT_LE(home.statistics().threads, 2 * length);
    });
  }
}

}  // namespace
}  // namespace pilfer::test
