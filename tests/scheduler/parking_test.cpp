// Workers without work sleep, and no fork is overlooked.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <sys/resource.h>

#include <gtest/gtest.h>

#include <pilfer/fork_join.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/statistics.hpp>

#include "scheduler/any_pool.hpp"
#include "scheduler/child.hpp"
#include "scheduler/programs.hpp"
#include "support/environment.hpp"
#include "support/schedulers.hpp"
#include "support/watchdog.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;

[[nodiscard]] double processor_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

// One pool of each kind, all idle at once; the promise, 1 % of a core, is for one of them.
TEST(parking, idle_pools_use_no_processor) {
  const watchdog dog(60s, "idle pools");
  std::vector<std::unique_ptr<any_pool>> pools;
  for (const pool_kind& kind : distinct_kinds()) {
    pools.push_back(kind(4));
    long f = 0;
    pools.back()->run([&] { f = fib(*pools.back(), 10); });
    EXPECT_EQ(f, 55);
  }
  std::this_thread::sleep_for(200ms);
  const double before = processor_seconds();
  const auto start = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(1s);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  const double share = (processor_seconds() - before) / time.count();
  std::cout << pools.size() << " idle pools of 4 use " << 100 * share << " % of a core\n";
  RecordProperty("percent_of_a_core", std::to_string(100 * share));
  EXPECT_LT(share, 0.05);
}

// A caller in a long leaf that never forks, in an idle pool, is idle too but for itself.
TEST(parking, idle_workers_sleep_beside_a_long_leaf) {
  const watchdog dog(60s, "long leaf");
  for (const pool_kind& kind : distinct_kinds()) {
    const auto pool = kind(4);
    double used = 0;
    pool->run([&] {
      std::this_thread::sleep_for(30ms);
      const double before = processor_seconds();
      std::this_thread::sleep_for(50ms);
      used = processor_seconds() - before;
    });
    EXPECT_LT(used, 0.025) << kind.label;
  }
}

// A worker whose place is gone goes to sleep straight from its last task, without another look into its queue. What it says
// of private work must be true all the same, or the others come back again and again to ask for it.
TEST(parking, nobody_asks_a_worker_that_retired) {
  const watchdog dog(60s, "retired worker");
  for (const std::string& name : tested_schedulers()) {
    pool mine(pool_options{.workers = 2, .scheduler = name});
    std::atomic<int> running = 0;
    std::atomic<bool> first_may_end = false;
    std::atomic<bool> second_may_end = false;
    const auto task = [&](std::atomic<bool>& may_end) {
      const auto [a, b] = fork_join([] { return 1; }, [] { return 2; });
      running += a + b;
      while (!may_end) std::this_thread::yield();
    };
    auto first = mine.submit([&] { task(first_may_end); });
    auto second = mine.submit([&] { task(second_may_end); });
    while (running != 6) std::this_thread::yield();
    mine.resize(1);
    first_may_end = true;
    first.get();
    std::this_thread::sleep_for(5ms);
    second_may_end = true;
    second.get();
    std::this_thread::sleep_for(20ms);
    const std::uint64_t before = mine.statistics().total().parks;
    std::this_thread::sleep_for(30ms);
    EXPECT_LE(mine.statistics().total().parks, before + 2) << name;
  }
}

class work_conservation : public ::testing::TestWithParam<pool_kind> {
 protected:
  [[nodiscard]] const pool_kind& kind() const { return GetParam(); }
  [[nodiscard]] bool more(std::size_t round, std::size_t part = 1) const {
    constexpr unsigned shares = 10;
    return more_stress(round, (kind().scheduler == "default" ? 1000U : 60U) / part, shares);
  }
  // Long enough that all workers sleep, or nearly, or not at all.
  static void idle(std::size_t round) {
    if (round % 3 == 0) std::this_thread::sleep_for(std::chrono::microseconds(500));
    if (round % 3 == 1) std::this_thread::sleep_for(std::chrono::microseconds(round % 200));
  }
};

// Both halves wait for each other.
TEST_P(work_conservation, a_fork_reaches_a_sleeping_worker) {
  for (const std::size_t workers : {2U, 4U}) {
    const auto pool = kind()(workers);
    std::atomic<std::size_t> round = 0;
    const watchdog dog(30s, kind().label + ", " + std::to_string(workers) + " workers",
                       [&] { return "round " + std::to_string(round); });
    for (; more(round); ++round) {
      idle(round);
      std::atomic<bool> first = false;
      std::atomic<bool> second = false;
      pool->run([&] {
        pool->fork(
            [&] {
              first = true;
              wait_forking(*pool, [&] { return second.load(); });
            },
            [&] {
              second = true;
              wait_forking(*pool, [&] { return first.load(); });
            });
      });
    }
    EXPECT_GT(pool->total().parks, 0U) << "nobody slept, so nothing was tested";
    EXPECT_GT(pool->total().wakes, 0U);
  }
}

// The owner forks, and then never again.
TEST_P(work_conservation, a_fork_before_a_long_leaf_is_taken) {
  if (kind().polled() || kind().scheduler == "bwos-lifo") GTEST_SKIP() << "its owners answer when they fork";
  for (const std::size_t workers : {2U, 4U}) {
    const auto pool = kind()(workers);
    std::atomic<std::size_t> round = 0;
    const watchdog dog(30s, kind().label + ", " + std::to_string(workers) + " workers",
                       [&] { return "round " + std::to_string(round); });
    for (; more(round); ++round) {
      idle(round);
      std::atomic<bool> second = false;
      const auto leaf = [&] { wait_spinning([&] { return second.load(); }); };
      pool->run([&] {
        pool->fork(
            [&] {
              // One that is never its owner's last: lcws-conservative keeps that.
              if (kind().scheduler == "lcws-conservative") return pool->fork(leaf, [] {});
              leaf();
            },
            [&] { second = true; });
      });
    }
  }
}

// As many forks as workers: all of them get one.
TEST_P(work_conservation, every_worker_is_reached) {
  if (kind().scheduler == "lcws-conservative") GTEST_SKIP() << "keeps its last job";
  constexpr std::size_t workers = 4;
  const auto pool = kind()(workers);
  std::atomic<std::size_t> round = 0;
  const watchdog dog(30s, kind().label, [&] { return "round " + std::to_string(round); });
  for (; more(round, 2); ++round) {
    idle(round);
    std::atomic<std::size_t> here = 0;
    const auto meet = [&] {
      ++here;
      wait_forking(*pool, [&] { return here == workers; });
    };
    pool->run([&] { pool->fork([&] { pool->fork(meet, meet); }, [&] { pool->fork(meet, meet); }); });
  }
}

// Work that comes in bursts, with everybody asleep in between or just about to be.
TEST_P(work_conservation, bursts) {
  const auto pool = kind()(4);
  std::atomic<std::size_t> round = 0;
  const watchdog dog(30s, kind().label, [&] { return "round " + std::to_string(round); });
  for (; more(round); ++round) {
    idle(round);
    numbered_tree tree(2 + round % 40, round);
    pool->run([&] { tree.run(*pool, static_cast<shape>(round % 4)); });
    tree.expect_each_once();
  }
}

INSTANTIATE_TEST_SUITE_P(kinds, work_conservation, ::testing::ValuesIn(distinct_kinds()), kind_label());

TEST(parking, works_without_membarrier) { expect_child_succeeds("no-membarrier"); }

}  // namespace
}  // namespace pilfer::test
