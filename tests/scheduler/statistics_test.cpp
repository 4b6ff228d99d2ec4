// What the statistics say when all is done, against what the test has counted itself.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "scheduler/any_pool.hpp"
#include "scheduler/deep_thread.hpp"
#include "scheduler/programs.hpp"
#include "support/environment.hpp"
#include "support/watchdog.hpp"

namespace pilfer::test {
namespace {

class statistics_of : public ::testing::TestWithParam<pool_kind> {
 protected:
  [[nodiscard]] const pool_kind& kind() const { return GetParam(); }
  watchdog dog_{std::chrono::seconds(100), GetParam().label};
};

[[nodiscard]] std::string describe(const worker_statistics& s) {
  return "taken " + std::to_string(s.steals_taken) + ", leapfrogged " + std::to_string(s.leapfrogged) + ", strangers " +
         std::to_string(s.strangers) + ", exposed " + std::to_string(s.exposed) + ", unstolen " +
         std::to_string(s.unstolen) + ", requests " + std::to_string(s.requests) + ", signals " +
         std::to_string(s.signals) + ", barriers " + std::to_string(s.barriers) + ", waits " + std::to_string(s.waits) +
         ", inline " + std::to_string(s.run_inline) + ", injected " + std::to_string(s.injected);
}

// Thieves may count after the task is done: what does not hold yet gets some time.
template <class Holds>
[[nodiscard]] bool soon(Holds holds) {
  for (int i = 0; i < 500; ++i) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return holds();
}

void expect_consistent(const pool_kind& kind, any_pool& pool, std::uint64_t moved, waiting wait) {
  // Where all share one queue, a waiter that runs anything may come by what it forked itself.
  const bool may_take_its_own = kind.scheduler == "ws-global" && wait == waiting::any_work;
  EXPECT_TRUE(soon([&] {
    const std::uint64_t taken = pool.total().steals_taken;
    return taken == moved || (may_take_its_own && taken > moved);
  })) << moved
      << " tasks ran on another thread than the one that forked them; " << describe(pool.total());
  const worker_statistics all = pool.total();
  SCOPED_TRACE(describe(all));
  if (kind.split()) {
    EXPECT_EQ(all.exposed, all.steals_taken + all.unstolen);
  } else {
    EXPECT_EQ(all.unstolen, 0U);
  }
  EXPECT_LE(all.leapfrogged, all.steals_taken);
  EXPECT_LE(all.strangers, all.steals_taken);
  EXPECT_LE(all.waits, all.steals_taken) << "who waits has been robbed";
  if (wait == waiting::any_work) {
    EXPECT_EQ(all.strangers, 0U) << "nobody is a stranger";
  }
  if (!kind.signals()) {
    EXPECT_EQ(all.signals, 0U);
  }
  EXPECT_EQ(all.suppressed, 0U);
  // The sum is the sum of the workers.
  worker_statistics sum;
  const pool_statistics said = pool.statistics();
  for (const worker_statistics& one : said.of_worker) sum += one;
  EXPECT_EQ(sum.steals_taken, said.total().steals_taken);
  EXPECT_EQ(sum.exposed, said.total().exposed);
}

TEST_P(statistics_of, steals_and_exposures_add_up) {
  for (const waiting wait : {waiting::descendants, waiting::any_work}) {
    for (const std::size_t workers : {2U, 4U, 16U}) {
      SCOPED_TRACE(std::to_string(workers) + " workers, " + (wait == waiting::any_work ? "any work, " : "") +
                   describe_seed());
      const auto pool = kind()(workers, wait);
      std::uint64_t moved = 0;
      for (std::size_t round = 0; round < (under_tsan ? 4U : 12U); ++round) {
        numbered_tree tree(under_tsan ? 100 : 500, base_seed() + round);
        pool->run([&] { tree.run(*pool, static_cast<shape>(round % 4)); });
        tree.expect_each_once();
        moved += tree.moved();
      }
      // At least one is stolen for certain.
      std::atomic<bool> stolen = false;
      std::atomic<std::uint64_t> small = 0;
      pool->run([&] {
        const std::thread::id here = std::this_thread::get_id();
        pool->fork(
            [&] {
              while (!stolen) {
                const std::thread::id forker = std::this_thread::get_id();
                pool->fork([] { std::this_thread::yield(); },
                           [&] {
                             if (std::this_thread::get_id() != forker) ++small;
                           });
              }
            },
            [&] {
              if (std::this_thread::get_id() != here) ++small;
              stolen = true;
            });
      });
      moved += small;
      EXPECT_GT(moved, 0U);
      EXPECT_EQ(pool->total().run_inline, 0U) << "no queue was full";
      expect_consistent(kind(), *pool, moved, wait);
    }
  }
}

TEST_P(statistics_of, a_pool_of_one_steals_nothing) {
  const auto pool = kind()(1);
  numbered_tree tree(500, base_seed());
  pool->run([&] { tree.run(*pool, shape::random); });
  const worker_statistics all = pool->total();
  SCOPED_TRACE(describe(all));
  EXPECT_EQ(tree.moved(), 0U);
  EXPECT_EQ(all.steals_taken, 0U);
  EXPECT_EQ(all.exposed, all.unstolen);
  EXPECT_EQ(all.waits, 0U);
  EXPECT_EQ(all.signals, 0U);
  EXPECT_EQ(all.barriers, 0U);
  EXPECT_EQ(all.run_inline, 0U);
}

TEST_P(statistics_of, forks_run_inline_when_a_bounded_queue_is_full) {
  // ThreadSanitizer crashes beyond 65536 frames, of which a fork has seven or more; ws-abp has room for 8192 jobs.
  const bool bounded = kind().is_one_of({"bwos-lifo", "bwos-fifo"}) || (!under_tsan && kind().is_one_of({"ws-abp"}));
  const std::size_t forks = under_tsan ? 2500 : 9500;
  const auto pool = kind()(1);
  deep_thread([&] {
    numbered_tree tree(forks);
    pool->run([&] { tree.run(*pool, shape::left_heavy); });
    tree.expect_each_once();
  });
  const std::uint64_t refused = pool->total().run_inline;
  if (bounded) {
    EXPECT_GT(refused, 0U);
    EXPECT_LT(refused, forks) << "not everything";
  } else if (kind().scheduler != "default") {
    EXPECT_EQ(refused, 0U) << "a queue that grows was full";
  }
}

// Callers that find no place are served by workers; nothing else comes in that way.
TEST_P(statistics_of, injected_jobs_are_those_of_outside_callers) {
  const auto pool = kind()(2);
  pool->run([&] { EXPECT_EQ(fib(*pool, 10), 55); });
  EXPECT_EQ(pool->total().injected, 0U) << "there was a place";
  constexpr std::uint64_t callers = 6;
  std::vector<std::thread> threads;
  for (std::uint64_t i = 0; i < callers; ++i) {
    threads.emplace_back([&] { pool->run([&] { EXPECT_EQ(fib(*pool, 10), 55); }); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(pool->total().injected, callers);
}

TEST_P(statistics_of, threads_and_places) {
  for (const std::size_t workers : worker_counts) {
    const auto pool = kind()(workers);
    const pool_statistics said = pool->statistics();
    EXPECT_EQ(said.workers, workers);
    EXPECT_EQ(said.threads_missing, 0U);
    EXPECT_LE(said.threads, workers) << "no spare ones before anybody waited";
    EXPECT_GE(said.threads + 1, workers);
    EXPECT_EQ(said.scheduler, kind().scheduler);
  }
}

INSTANTIATE_TEST_SUITE_P(kinds, statistics_of, ::testing::ValuesIn(all_kinds()), kind_label());

}  // namespace
}  // namespace pilfer::test
