// Waits with a limit: they run nothing, so that they end, and let others have their place.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/fork_join.hpp>
#include <pilfer/future.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/priority.hpp>
#include <pilfer/statistics.hpp>
#include <pilfer/task_group.hpp>

#include "support/environment.hpp"
#include "support/watchdog.hpp"
#include "tasks/task_checks.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;

using limits = on_scheduler;

// These end only when they are told to: a waiter that ran one of them would overstay its limit.
void run_until_stopped(const std::stop_token& stop) {
  while (!stop.stop_requested()) std::this_thread::yield();
}
void run_until(const std::atomic<bool>& may_end) {
  while (!may_end) std::this_thread::yield();
}

TEST_P(limits, a_group_from_outside) {
  for (const std::size_t workers : {1U, 2U, 4U}) {
    pool home(options(workers));
    task_group group(home);
    for (int i = 0; i < 3; ++i) group.spawn(run_until_stopped);
    EXPECT_FALSE(group.wait_for(10ms)) << workers;
    group.request_stop();
    group.wait();
    EXPECT_EQ(home.statistics().total().late_waits, 0U) << workers;
  }
}

TEST_P(limits, a_group_inside) {
  for (const std::size_t workers : {1U, 2U, 4U}) {
    pool home(options(workers));
    home.run([&] {
      task_group group;
      for (int i = 0; i < 3; ++i) group.spawn(run_until_stopped);
      EXPECT_FALSE(group.wait_for(10ms)) << workers;
      group.request_stop();
      group.wait();
    });
  }
}

TEST_P(limits, a_future) {
  for (const std::size_t workers : {1U, 2U, 4U}) {
    pool home(options(workers));
    std::atomic<bool> may_end = false;
    const auto check = [&] {
      may_end = false;
      auto result = home.submit([&] {
        run_until(may_end);
        return 7;
      });
      EXPECT_FALSE(result.wait_for(10ms)) << workers;
      may_end = true;
      EXPECT_EQ(result.get(), 7);
    };
    check();
    home.run(check);
    pool other(2);
    other.run(check);
  }
}

TEST_P(limits, of_0_only_look) {
  pool home(options(1));  // no thread of its own
  home.run([&] {
    bool ran = false;
    task_group group;
    group.spawn([&] { ran = true; });
    EXPECT_FALSE(group.wait_for(0s));
    EXPECT_FALSE(group.wait_for(-1s));
    EXPECT_FALSE(ran);
    auto result = home.submit([] {});
    EXPECT_FALSE(result.wait_for(0s));
    EXPECT_FALSE(result.is_ready());
    result.get();
    group.wait();
    EXPECT_TRUE(ran);
  });
}

// However short they are: others have the place for a moment, and do not give it back before they have looked.
TEST_P(limits, a_loop_of_short_waits_ends) {
  for (const auto limit : {1ns, 1'000ns, 100'000ns, 10'000'000ns}) {
    pool home(options(1));
    const auto check = [&] {
      std::atomic<int> ran = 0;
      task_group group(home);
      for (int i = 0; i < 20; ++i) group.spawn([&] { ++ran; });
      while (!group.wait_for(limit)) {
      }
      EXPECT_EQ(ran, 20);
      auto result = home.submit([] { return 3; });
      while (!result.wait_for(limit)) {
      }
      EXPECT_EQ(result.get(), 3);
    };
    check();
    home.run(check);
  }
}

// What a group of one task spawns and waits for with a limit, all of them at a time: places go round.
TEST_P(limits, nests_of_them_end) {
  pool home(options(2));
  std::atomic<int> leaves = 0;
  const auto nest = [&](auto& self, int depth) -> void {
    if (depth == 0) {
      ++leaves;
      return;
    }
    task_group group;
    for (int i = 0; i < 3; ++i) group.spawn([&self, depth] { self(self, depth - 1); });
    while (!group.wait_for(1ms)) {
    }
  };
  home.run([&] { nest(nest, 3); });
  EXPECT_EQ(leaves, 27);
}

// The awaited task goes before others that are more urgent than it was, but not than its waiter.
TEST_P(limits, lift_what_they_wait_for) {
  pool_options wanted = options(1);
  wanted.levels = 3;
  pool home(wanted);
  for (const bool as_group : {false, true}) {
    std::mutex mutex;
    std::vector<std::string> order;
    const auto note = [&](const char* name) {
      const std::lock_guard lock(mutex);
      order.emplace_back(name);
    };
    home.at(priority(0))
        .submit([&] {
          task_group others;
          task_group group;
          std::optional<future<void>> result;
          if (as_group) {
            group.at(priority(2)).spawn(note, "awaited");
          } else {
            result = home.at(priority(2)).submit(note, "awaited");
          }
          // A worker that is about to retire may find one of the others before the wait begins, and holds it back until then.
          const std::uint64_t before = home.statistics().total().waits;
          for (int i = 0; i < 3; ++i) {
            others.at(priority(1)).spawn([&, before] {
              while (home.statistics().total().waits == before) std::this_thread::yield();
              note("other");
            });
          }
          EXPECT_TRUE(as_group ? group.wait_for(1h) : result->wait_for(1h));
          others.wait();
        })
        .get();
    ASSERT_EQ(order.size(), 4U);
    EXPECT_TRUE(order[0] == "awaited" || order[1] == "awaited") << (as_group ? "group" : "future");
  }
}

TEST_P(limits, throw_what_the_tasks_threw) {
  pool home(options(2));
  task_group group(home);
  group.spawn([] { throw std::runtime_error("mine"); });
  EXPECT_THROW(static_cast<void>(group.wait_for(1h)), std::runtime_error);
  EXPECT_TRUE(group.wait_for(1h)) << "once";
}

PILFER_ON_EVERY_SCHEDULER(limits);

// --- Callers that do not work.

using callers = on_scheduler;

thread_local bool is_prepared = false;

TEST_P(callers, sleep_if_they_are_not_to_work) {
  pool_options wanted = options(3);
  wanted.callers_work = false;
  wanted.on_worker_start = [](std::size_t) { is_prepared = true; };
  pool home(wanted);
  EXPECT_EQ(home.statistics().threads, 3U);
  std::atomic<int> unprepared = 0;
  const auto check = [&] {
    if (!is_prepared) ++unprepared;
  };
  const auto check_all = [&] {
    home.submit(check).get();
    home.run(check);
    home.run([&] { fork_join(check, check); });
    task_group group(home);
    for (int i = 0; i < 3; ++i) group.spawn(check);
    group.wait();
  };
  for (std::size_t round = 0; more_stress(round, 200); ++round) check_all();
  pool other(options(1));
  other.run(check_all);
  home.resize(1);
  check_all();
  EXPECT_EQ(unprepared, 0);
}

PILFER_ON_EVERY_SCHEDULER(callers);

// --- Draining.

TEST(draining, waits_for_detached_and_submitted_tasks) {
  const watchdog dog(100s, "draining");
  std::atomic<int> ended = 0;
  pool home(2);
  home.drain();
  for (int i = 0; i < 20; ++i) {
    home.detach([&] {
      std::this_thread::sleep_for(1ms);
      home.detach([&] { ++ended; });
      ++ended;
    });
  }
  home.drain();
  EXPECT_EQ(ended, 40);
  static_cast<void>(home.submit([&] { ++ended; }));
  pool other(1);
  other.run([&] { home.drain(); });
  EXPECT_EQ(ended, 41);
  drain();  // there may be no default pool: nothing happens
  default_pool().detach([&] { ++ended; });
  drain();
  EXPECT_EQ(ended, 42);
}

TEST(draining, is_refused_inside_of_the_pool) {
  pool home(1);
  EXPECT_THROW(home.run([&] { home.drain(); }), std::logic_error);
}

}  // namespace
}  // namespace pilfer::test
