// Every configuration x 1, 2, 4, 16 workers: right results, each task once, exceptions, results of all kinds.
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <pthread.h>

#include <gtest/gtest.h>

#include "scheduler/any_pool.hpp"
#include "scheduler/deep_thread.hpp"
#include "scheduler/programs.hpp"
#include "scheduler/result_checks.hpp"
#include "support/environment.hpp"
#include "support/watchdog.hpp"

namespace pilfer::test {
namespace {

class programs : public ::testing::TestWithParam<pool_kind> {
 protected:
  // Calls f(pool) for each number of workers.
  template <class F>
  void with_pools(F&& f) {
    for (const std::size_t workers : worker_counts) {
      SCOPED_TRACE(std::to_string(workers) + " workers, " + describe_seed());
      const watchdog dog(std::chrono::seconds(60), GetParam().label + ", " + std::to_string(workers) + " workers");
      const auto pool = GetParam()(workers);
      EXPECT_EQ(pool->size(), workers);
      EXPECT_EQ(pool->statistics().scheduler, GetParam().scheduler);
      EXPECT_EQ(pool->statistics().threads_missing, 0U);
      f(*pool);
    }
  }
};

TEST_P(programs, fib_and_queens) {
  with_pools([](any_pool& pool) {
    long f = 0;
    long q = 0;
    pool.run([&] { f = fib(pool, under_tsan ? 12 : 16); });
    EXPECT_EQ(f, under_tsan ? 144 : 987);
    pool.run([&] { q = queens(pool, 6); });
    EXPECT_EQ(q, 4);
    // Both at once.
    pool.run([&] { pool.fork([&] { f = fib(pool, 11); }, [&] { q = queens(pool, under_tsan ? 6 : 7); }); });
    EXPECT_EQ(f, 89);
    EXPECT_EQ(q, under_tsan ? 4 : 40);
  });
}

TEST_P(programs, every_task_once_in_trees_of_any_shape) {
  with_pools([](any_pool& pool) {
    for (const shape form : {shape::even, shape::left_heavy, shape::right_heavy, shape::random}) {
      SCOPED_TRACE(to_string(form));
      numbered_tree tree(under_tsan ? 150 : 700, base_seed());
      pool.run([&] { tree.run(pool, form); });
      tree.expect_each_once();
    }
  });
}

// Every leaf runs, whoever throws; the exception is that of the first thrower in order; the others are counted.
TEST_P(programs, exceptions_anywhere) {
  with_pools([](any_pool& pool) {
    random_source random(base_seed());
    for (int round = 0; round < (under_tsan ? 6 : 12); ++round) {
      const auto form = static_cast<shape>(round % 4);
      constexpr std::size_t leaves = 64;
      numbered_tree tree(leaves, random());
      std::uint64_t throwing = random();
      if (round < 4) throwing = std::uint64_t{1} << random.below(leaves);
      for (std::size_t i = 0; i < leaves; ++i) {
        if ((throwing >> i & 1U) != 0) tree.let_throw(i);
      }
      SCOPED_TRACE(std::string(to_string(form)) + ", throwing " + std::to_string(throwing));
      const std::uint64_t before = pool.total().suppressed;
      EXPECT_EQ(error_of([&] { pool.run([&] { tree.run(pool, form); }); }), std::countr_zero(throwing));
      tree.expect_each_once();
      EXPECT_EQ(pool.total().suppressed - before, static_cast<std::uint64_t>(std::popcount(throwing)) - 1);
      // And the pool is as good as before.
      long f = 0;
      pool.run([&] { f = fib(pool, 8); });
      EXPECT_EQ(f, 21);
    }
  });
}

TEST_P(programs, results_of_all_kinds) {
  with_pools([](any_pool& pool) { pool.check_results(); });
}

// Deeper than any bounded queue (under ThreadSanitizer: than one of blocks). The left-heavy tree stays on the caller's stack, which is large.
TEST_P(programs, deep_recursion) {
  for (const std::size_t workers : {std::size_t{1}, std::size_t{4}}) {
    SCOPED_TRACE(std::to_string(workers) + " workers");
    const watchdog dog(std::chrono::seconds(60), GetParam().label + ", " + std::to_string(workers) + " workers");
    const auto pool = GetParam()(workers);
    deep_thread([&] {
      numbered_tree left(under_tsan ? 2500 : 9000);
      pool->run([&] { left.run(*pool, shape::left_heavy); });
      left.expect_each_once();
    });
    numbered_tree right(1000);
    pool->run([&] { right.run(*pool, shape::right_heavy); });
    right.expect_each_once();
  }
}

INSTANTIATE_TEST_SUITE_P(kinds, programs, ::testing::ValuesIn(all_kinds()), kind_label());

}  // namespace
}  // namespace pilfer::test
