// Pools come and go, within one another and in all threads.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/fork_join.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/statistics.hpp>
#include <pilfer/task_group.hpp>

#include "scheduler/any_pool.hpp"
#include "scheduler/child.hpp"
#include "scheduler/programs.hpp"
#include "src/runtime/schedulers.hpp"
#include "support/environment.hpp"
#include "support/watchdog.hpp"

namespace pilfer::test {
namespace {

[[nodiscard]] long fib_of(any_pool& pool, int n) {
  long f = 0;
  pool.run([&] { f = fib(pool, n); });
  return f;
}

class lifecycle : public ::testing::TestWithParam<pool_kind> {
 protected:
  [[nodiscard]] const pool_kind& kind() const { return GetParam(); }
  watchdog dog_{std::chrono::seconds(60), GetParam().label};
};

// More callers than places, all at once.
TEST_P(lifecycle, many_outside_threads) {
  for (const std::size_t workers : {1U, 2U, 4U}) {
    SCOPED_TRACE(std::to_string(workers) + " workers");
    const auto pool = kind()(workers);
    constexpr std::size_t callers = 8;
    std::atomic<std::size_t> ready = 0;
    std::vector<int> errors(callers);
    std::vector<std::unique_ptr<numbered_tree>> trees;
    for (std::size_t i = 0; i < callers; ++i) trees.push_back(std::make_unique<numbered_tree>(40, i));
    trees[3]->let_throw(17);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < callers; ++i) {
      threads.emplace_back([&, i] {
        ++ready;
        wait_spinning([&] { return ready == callers; });
        for (int round = 0; round < 5; ++round) EXPECT_EQ(fib_of(*pool, 8), 21);
        errors[i] = error_of([&] { pool->run([&] { trees[i]->run(*pool, shape::random); }); });
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (std::size_t i = 0; i < callers; ++i) {
      trees[i]->expect_each_once();
      EXPECT_EQ(errors[i], i == 3 ? 17 : -1);
    }
    EXPECT_EQ(fib_of(*pool, 10), 55);
  }
}

// Callers that can only go on together: each has a place or a worker's, or waits for one that has.
TEST_P(lifecycle, callers_come_while_all_places_are_taken) {
  const auto pool = kind()(2);
  for (std::size_t round = 0; more_stress(round, 20); ++round) {
    std::atomic<int> done = 0;
    std::atomic<bool> inside = false;
    std::thread first([&] {
      pool->run([&] {
        inside = true;
        wait_forking(*pool, [&] { return done == 4; });
      });
    });
    wait_spinning([&] { return inside.load(); });
    std::vector<std::thread> others;
    for (int i = 0; i < 4; ++i) {
      others.emplace_back([&] {
        EXPECT_EQ(fib_of(*pool, 6), 8);
        ++done;
      });
    }
    first.join();
    for (std::thread& thread : others) thread.join();
  }
}

TEST_P(lifecycle, run_inside_run) {
  for (const std::size_t workers : {1U, 2U}) {
    const auto pool = kind()(workers);
    long f = 0;
    pool->run([&] {
      pool->fork([&] { pool->run([&] { pool->fork([&] { f = fib_of(*pool, 9); }, [] {}); }); },
                 [&] { EXPECT_EQ(fib_of(*pool, 7), 13); });
    });
    EXPECT_EQ(f, 34);
  }
}

// A in B in A. Every leaf of a tree in A asks B, whose task asks A.
void nest(any_pool& a, any_pool& b) {
  std::atomic<int> done = 0;
  const std::function<void(int)> in_a = [&](int depth) {
    if (depth == 0) {
      b.run([&] {
        b.fork(
            [&] {
              a.run([&] { a.fork([&] { EXPECT_EQ(fib(a, 4), 3); }, [&] { ++done; }); });
              ++done;
            },
            [&] { ++done; });
        EXPECT_EQ(fib(b, 4), 3);
      });
      return;
    }
    a.fork([&] { in_a(depth - 1); }, [&] { in_a(depth - 1); });
  };
  a.run([&] { in_a(3); });
  EXPECT_EQ(done, 8 * 3);
  // The places are free again.
  EXPECT_EQ(fib_of(a, 8), 21);
  EXPECT_EQ(fib_of(b, 8), 21);
}

TEST_P(lifecycle, nested_pools_of_one_kind) {
  for (const std::size_t workers : {1U, 2U, 4U}) {
    SCOPED_TRACE(std::to_string(workers) + " workers");
    const auto a = kind()(workers);
    const auto b = kind()(workers);
    for (std::size_t round = 0; more_stress(round, 5); ++round) nest(*a, *b);
  }
}

TEST_P(lifecycle, nested_pools_of_different_kinds) {
  const auto a = kind()(2);
  for (const pool_kind& other : distinct_kinds()) {
    if (other.label == kind().label) continue;
    SCOPED_TRACE(other.label);
    const auto b = other(2);
    nest(*a, *b);
  }
}

TEST_P(lifecycle, a_pool_inside_a_task) {
  const auto outer = kind()(2);
  std::atomic<int> right = 0;
  outer->run([&] {
    const auto task = [&] {
      const auto inner = kind()(2);
      if (fib_of(*inner, 8) == 21) ++right;
      if (error_of([&] { inner->run([&] { inner->fork([] {}, [] { throw test_error(9); }); }); }) == 9) ++right;
    };
    outer->fork([&] { outer->fork(task, task); }, task);
    EXPECT_EQ(fib(*outer, 8), 21);
  });
  EXPECT_EQ(right, 6);
}

TEST_P(lifecycle, callers_that_exit) {
  const auto pool = kind()(2);
  for (std::size_t round = 0; more_stress(round, 60); ++round) {
    std::thread caller([&] { EXPECT_EQ(fib_of(*pool, 6), 8); });
    const long beside = round % 2 == 0 ? fib_of(*pool, 6) : 8;
    EXPECT_EQ(beside, 8);
    caller.join();
  }
}

// Used and not used, destroyed at once: 1000 rounds over all kinds, with another number of workers each time.
TEST_P(lifecycle, create_use_destroy) {
  for (std::size_t round = 0; more_stress(round, 1000 / 12); ++round) {
    const auto pool = kind()(1 + round % 4);
    if (round % 3 == 0) continue;
    if (round % 3 == 1) {
      EXPECT_EQ(fib_of(*pool, 7), 13);
    } else {
      pool->run([] {});
    }
  }
}

INSTANTIATE_TEST_SUITE_P(kinds, lifecycle, ::testing::ValuesIn(distinct_kinds()), kind_label());

long plain_fib(int n) {
  if (n < 2) return n;
  const auto [a, b] = fork_join([n] { return plain_fib(n - 1); }, [n] { return plain_fib(n - 2); });
  return a + b;
}

TEST(default_pool, serves_who_is_in_no_pool) {
  const watchdog dog(std::chrono::seconds(60), "default pool");
  EXPECT_EQ(plain_fib(12), 144);
  EXPECT_EQ(&default_pool(), &default_pool());
  EXPECT_GE(default_pool().size(), 1U);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([] {
      for (int round = 0; round < 5; ++round) EXPECT_EQ(plain_fib(10), 55);
      EXPECT_EQ(error_of([] { fork_join([] {}, [] { throw test_error(5); }, [] {}); }), 5);
      const auto [a, b, c] = fork_join([](context) { return std::make_unique<int>(1); }, [] {}, [] { return 3; });
      EXPECT_EQ(*a + c, 4);
    });
  }
  for (std::thread& thread : threads) thread.join();
  fork_join([] {});
  tracked::start(tracked::no_throw);
  EXPECT_EQ(std::get<1>(fork_join([] {}, [] { return tracked(6); })).id(), 6);
  tracked::expect_all_ended();
}

TEST(default_pool, is_not_asked_inside_another) {
  const watchdog dog(std::chrono::seconds(60), "default pool");
  pool mine(2);
  const auto before = default_pool().statistics().total();
  mine.run([] { EXPECT_EQ(plain_fib(14), 377); });
  const auto after = default_pool().statistics().total();
  EXPECT_EQ(before.steals_taken, after.steals_taken);
  EXPECT_EQ(before.injected, after.injected);
}

// By option all programs do it; by the environment this is enough.
TEST(environment, chooses_the_scheduler) {
  for (const std::string& name : scheduler_names()) {
    SCOPED_TRACE(name);
    const watchdog dog(std::chrono::seconds(60), name);
    ::setenv("PILFER_SCHEDULER", name.c_str(), 1);
    {
      pool mine(2);
      EXPECT_EQ(mine.statistics().scheduler, name);
      EXPECT_EQ(mine.run([] { return plain_fib(12); }), 144);
      EXPECT_EQ(mine.run([](context here) { return std::get<0>(fork_join(here, [] { return plain_fib(9); }, [] {})); }),
                34);
      // An option is stronger.
      const pool chosen(pool_options{.workers = 1, .scheduler = "ws-locked"});
      EXPECT_EQ(chosen.statistics().scheduler, "ws-locked");
    }
    ::unsetenv("PILFER_SCHEDULER");
  }
  EXPECT_EQ(pool(1).statistics().scheduler, "default");
}

TEST(environment, chooses_the_number_of_workers_and_the_victims) {
  const watchdog dog(std::chrono::seconds(60), "environment");
  ::setenv("PILFER_WORKERS", "1", 1);
  {
    pool one;
    EXPECT_EQ(one.size(), 1U);
    EXPECT_EQ(one.run([] { return plain_fib(10); }), 55);
    EXPECT_EQ(pool(3).size(), 3U) << "an argument is stronger";
  }
  ::setenv("PILFER_WORKERS", "5", 1);
  EXPECT_EQ(pool().size(), 5U);
  ::unsetenv("PILFER_WORKERS");
  for (const char* policy :
       {"rand", "seq", "last", "best_of_two", "best_of_many", "numa", "probabilistic-rand", "probabilistic-seq",
        "probabilistic-last", "probabilistic-best_of_two", "probabilistic-best_of_many", "probabilistic-numa"}) {
    SCOPED_TRACE(policy);
    for (const std::size_t workers : {1U, 3U}) {
      pool chosen(pool_options{.workers = workers, .victim = policy});
      EXPECT_EQ(chosen.run([] { return plain_fib(11); }), 89);
    }
    ::setenv("PILFER_VICTIM", policy, 1);
    EXPECT_EQ(pool(2).run([] { return plain_fib(11); }), 89);
    ::unsetenv("PILFER_VICTIM");
  }
}

// Forks go through one queue, spawned tasks through another: both with blocks of that size.
TEST(environment, chooses_the_size_of_blocks) {
  const watchdog dog(std::chrono::seconds(60), "environment");
  const auto works = [](pool& mine) {
    EXPECT_EQ(mine.run([] { return plain_fib(14); }), 377);
    std::atomic<int> ran{0};
    mine.run([&] {
      task_group all;
      for (int i = 0; i < 5000; ++i) all.spawn([&] { ran.fetch_add(1); });  // more than a queue holds
      all.wait();
    });
    EXPECT_EQ(ran.load(), 5000);
  };
  for (const char* name : {"bwos-lifo", "bwos-fifo", "default", "ws-chase-lev"}) {
    for (const std::size_t entries : {8U, 64U, 256U, 4096U}) {
      SCOPED_TRACE(name + (" " + std::to_string(entries)));
      pool chosen(pool_options{.workers = 3, .scheduler = name, .block_entries = entries});
      works(chosen);
      ::setenv("PILFER_BLOCK_ENTRIES", std::to_string(entries).c_str(), 1);
      pool by_environment(pool_options{.workers = 3, .scheduler = name});
      works(by_environment);
      ::unsetenv("PILFER_BLOCK_ENTRIES");
    }
  }
  ::setenv("PILFER_BLOCK_ENTRIES", "", 1);  // as good as not set
  EXPECT_EQ(pool(1).run([] { return plain_fib(10); }), 55);
  ::setenv("PILFER_BLOCK_ENTRIES", "9", 1);
  EXPECT_NO_THROW(pool(pool_options{.workers = 1, .block_entries = 16})) << "an option is stronger";
  ::unsetenv("PILFER_BLOCK_ENTRIES");
}

TEST(block_shape, keeps_the_capacity) {
  using detail::chosen_shape;
  for (const auto& [entries, blocks] : {std::pair{8U, 64U}, {32U, 64U}, {256U, 8U}, {4096U, 8U}}) {
    EXPECT_EQ(chosen_shape(entries).entries, entries);
    EXPECT_EQ(chosen_shape(entries).blocks, blocks);
  }
  EXPECT_EQ(chosen_shape(128).entries, 128U);
  EXPECT_EQ(chosen_shape(0).entries, 32U);
  ::setenv("PILFER_BLOCK_ENTRIES", "512", 1);
  EXPECT_EQ(chosen_shape(0).entries, 512U);
  EXPECT_EQ(chosen_shape(128).entries, 128U);
  ::unsetenv("PILFER_BLOCK_ENTRIES");
}

// What only a process of its own can show: see child.cpp.
TEST(static_objects, use_the_default_pool_before_and_after_main) { expect_child_succeeds("static-objects"); }
TEST(static_objects, own_a_pool) { expect_child_succeeds("static-pool"); }
TEST(default_pool, caller_calls_exit_while_workers_idle) { expect_child_succeeds("exit"); }

}  // namespace
}  // namespace pilfer::test
