// What a machine can refuse: threads, memory, sense in the environment, uninterrupted calls.
//
// This program links support/refusals.cpp.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sys/time.h>

#include <gtest/gtest.h>

#include <pilfer/fork_join.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/statistics.hpp>

#include "scheduler/any_pool.hpp"
#include "scheduler/deep_thread.hpp"
#include "scheduler/programs.hpp"
#include "support/construction.hpp"
#include "support/environment.hpp"
#include "support/refusals.hpp"
#include "support/watchdog.hpp"

namespace pilfer::test {
namespace {

class faults : public ::testing::TestWithParam<pool_kind> {
 protected:
  [[nodiscard]] const pool_kind& kind() const { return GetParam(); }
  watchdog dog_{std::chrono::seconds(100), GetParam().label};
};

void expect_pool_works(any_pool& pool) {
  numbered_tree tree(60, 5);
  pool.run([&] { tree.run(pool, shape::random); });
  tree.expect_each_once();
}

// --- No threads (catalogue 46).

TEST_P(faults, a_thread_that_cannot_be_created_makes_the_pool_smaller) {
  const std::size_t all = kind()(4)->statistics().threads;
  ASSERT_GE(all, 3U);
  for (const bool for_ever : {false, true}) {
    for (std::uint64_t k = 1;; ++k) {
      ASSERT_LT(k, 10U) << "a pool of 4 makes so many threads?";
      SCOPED_TRACE("thread " + std::to_string(k) + " fails" + (for_ever ? ", and all after it" : ""));
      threads_refused.fail_at(k, for_ever);
      const auto pool = kind()(4);
      const std::uint64_t failed = threads_refused.stop();
      const pool_statistics said = pool->statistics();
      EXPECT_EQ(said.threads + said.threads_missing, all);
      EXPECT_EQ(said.threads_missing > 0, failed > 0);
      EXPECT_GE(said.threads + 1, std::min<std::uint64_t>(k, all));
      if (for_ever && failed > 0) {
        EXPECT_EQ(said.threads, k - 1);
      }
      expect_pool_works(*pool);
      // More callers than anything else.
      std::vector<std::thread> callers;
      for (int i = 0; i < 3; ++i) callers.emplace_back([&] { expect_pool_works(*pool); });
      for (std::thread& caller : callers) caller.join();
      if (failed == 0) break;
    }
  }
}

// Nor may a spare one: whoever waits keeps its place, and all the work is still done.
TEST_P(faults, no_spare_threads) {
  const auto pool = kind()(3);
  threads_refused.fail_at(1, true);
  for (std::size_t round = 0; more_stress(round, 10); ++round) {
    std::atomic<bool> stolen = false;
    pool->run([&] {
      pool->fork([&] { wait_forking(*pool, [&] { return stolen.load(); }); },
                 [&] {
                   stolen = true;
                   const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(2);
                   wait_forking(*pool, [&] { return std::chrono::steady_clock::now() > until; });
                 });
      expect_pool_works(*pool);
    });
  }
  threads_refused.stop();
}

TEST(default_pool_faults, no_threads_at_all) {
  const watchdog dog(std::chrono::seconds(60), "no threads");
  threads_refused.fail_at(1, true);
  pool alone(3);
  EXPECT_GT(threads_refused.stop(), 0U);
  EXPECT_EQ(alone.statistics().threads, 0U);
  EXPECT_GT(alone.statistics().threads_missing, 0U);
  const auto [a, b, c] = alone.run([] { return fork_join([] { return 1; }, [] { return 2; }, [] { return 3; }); });
  EXPECT_EQ(a + b + c, 6);
  EXPECT_EQ(error_of([&] { alone.run([] { fork_join([] {}, [] { throw test_error(1); }); }); }), 1);
}

// --- No memory. What is lost, AddressSanitizer says.

TEST_P(faults, construction_without_memory) {
  bool ever = false;
  for (std::uint64_t k = 1;; ++k) {
    ASSERT_LT(k, 2000U) << "so many allocations?";
    SCOPED_TRACE("allocation " + std::to_string(k) + " fails");
    std::unique_ptr<any_pool> pool;
    bool thrown = false;
    memory_refused.fail_at(k, false);
    try {
      pool = kind()(2);
    } catch (const std::bad_alloc&) {
      thrown = true;
    }
    const std::uint64_t failed = memory_refused.stop();
    EXPECT_TRUE(!thrown || failed > 0);
    ever = ever || thrown;
    if (pool != nullptr) expect_pool_works(*pool);
    if (failed == 0) break;
  }
  EXPECT_TRUE(ever) << "this test tests nothing";
}

TEST_P(faults, forks_without_memory) {
  for (const std::size_t workers : {1U, 4U}) {
    SCOPED_TRACE(std::to_string(workers) + " workers");
    const auto pool = kind()(workers);
    deep_thread([&] {
      numbered_tree random(300, base_seed());
      numbered_tree deep(2500);
      pool->run([&] {
        memory_refused.fail_at(1, true);
        random.run(*pool, shape::random);
        deep.run(*pool, shape::left_heavy);
        memory_refused.stop();
      });
      random.expect_each_once();
      deep.expect_each_once();
    });
    // And with memory again.
    expect_pool_works(*pool);
  }
}

// A caller that is to be injected, or to come in without a place.
TEST_P(faults, entering_without_memory) {
  const auto pool = kind()(1);
  std::atomic<bool> is_over = false;
  std::atomic<std::uint64_t> rounds = 0;
  std::thread other;
  pool->run([&] {
    other = std::thread([&] {
      for (std::uint64_t k = 1; k < 50; ++k, ++rounds) {
        memory_refused.fail_at(k, false);
        bool ran = false;
        try {
          pool->run([&] { ran = true; });
        } catch (const std::bad_alloc&) {
          EXPECT_FALSE(ran);
          ran = true;
        }
        const std::uint64_t failed = memory_refused.stop();
        EXPECT_TRUE(ran);
        if (failed == 0) break;
      }
      is_over = true;
    });
    // Holds the only place, until nothing fails any more: then the other caller waits for it.
    for (std::uint64_t before = ~std::uint64_t{0}; !is_over && before != rounds;) {
      before = rounds;
      for (int i = 0; i < 100 && !is_over && before == rounds; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  other.join();
  expect_pool_works(*pool);
}

// Neither a thread that could take a caller's work nor memory for another worker: the caller is told, and nothing ran.
TEST_P(faults, entering_without_threads_and_memory) {
  threads_refused.fail_at(1, true);
  const auto pool = kind()(1);
  pool->run([&] {
    threads_refused.stop();
    std::thread other([&] {
      threads_refused.fail_at(1, true);
      bool ran = false;
      memory_refused.fail_at(1, true);
      EXPECT_THROW(pool->run([&] { ran = true; }), std::bad_alloc);
      EXPECT_GT(memory_refused.stop(), 0U);
      EXPECT_FALSE(ran);
    });
    other.join();
  });
  threads_refused.stop();
  expect_pool_works(*pool);
}

// --- Signals that interrupt everything (catalogue 48).

std::atomic<std::uint64_t> alarms = 0;

TEST_P(faults, interrupted_calls) {
  struct sigaction action{};
  struct sigaction before{};
  action.sa_handler = [](int) { ++alarms; };
  ASSERT_EQ(::sigaction(SIGALRM, &action, &before), 0);  // without SA_RESTART
  const itimerval storm{.it_interval = {0, 1000}, .it_value = {0, 1000}};
  const itimerval calm{};
  alarms = 0;
  ::setitimer(ITIMER_REAL, &storm, nullptr);
  {
    const auto pool = kind()(4);
    while (alarms < 15) {
      expect_pool_works(*pool);
      std::this_thread::yield();
      std::thread caller([&] { expect_pool_works(*pool); });
      caller.join();
      const auto short_lived = kind()(2);
    }
  }
  ::setitimer(ITIMER_REAL, &calm, nullptr);
  ::sigaction(SIGALRM, &before, nullptr);
  EXPECT_GE(alarms, 15U);
}

INSTANTIATE_TEST_SUITE_P(kinds, faults, ::testing::ValuesIn(distinct_kinds()), kind_label());

// --- Nonsense.

TEST(bad_options, say_what_there_is) {
  const std::vector<std::string> schedulers = scheduler_names();
  ASSERT_EQ(schedulers.size(), 13U);
  const std::vector<std::string> victims = {"rand", "seq", "last", "best_of_two", "best_of_many", "numa"};
  const auto with = [](std::vector<std::string> all, const std::string& more) {
    all.push_back(more);
    return all;
  };
  for (const char* name : {"nonsense", "ws_locked", "Default", " default"}) {
    expect_rejected([&] { const pool p(pool_options{.scheduler = name}); }, with(schedulers, name));
    ::setenv("PILFER_SCHEDULER", name, 1);
    expect_rejected([&] { const pool p; }, with(schedulers, name));
    ::unsetenv("PILFER_SCHEDULER");
  }
  for (const char* name : {"nonsense", "probabilistic-nonsense", "probabilistic-", "randx"}) {
    expect_rejected([&] { const pool p(pool_options{.victim = name}); }, with(victims, name));
    ::setenv("PILFER_VICTIM", name, 1);
    expect_rejected([&] { const pool p; }, with(victims, name));
    ::unsetenv("PILFER_VICTIM");
    for (const pool_kind& kind : basic_kinds()) {
      expect_rejected([&] { kind.make(pool_options{.victim = name}); }, with(victims, name));
    }
  }
  for (const char* number : {"many", "-8", "8x", "0", "4", "48", "8192", " 8", "99999999999999999999"}) {
    ::setenv("PILFER_BLOCK_ENTRIES", number, 1);
    for (const char* name : {"bwos-lifo", "bwos-fifo", "default", "ws-locked"}) {
      expect_rejected([&] { const pool p(pool_options{.scheduler = name}); },
                      {"PILFER_BLOCK_ENTRIES", number, "8 to 4096"});
    }
    for (const pool_kind& kind : basic_kinds()) {
      expect_rejected([&] { kind.make(pool_options{}); }, {"PILFER_BLOCK_ENTRIES", number, "8 to 4096"});
    }
    ::unsetenv("PILFER_BLOCK_ENTRIES");
  }
  for (const std::size_t entries :
       {std::size_t{1}, std::size_t{7}, std::size_t{96}, std::size_t{8192}, ~std::size_t{0}}) {
    expect_rejected([&] { const pool p(pool_options{.scheduler = "bwos-lifo", .block_entries = entries}); },
                    {"block_entries", std::to_string(entries), "8 to 4096"});
  }
  const volatile int negative = -1;
  expect_rejected([&] { const pool p(static_cast<int>(negative)); }, {"negative", "1 to 512"});
  for (const std::size_t workers : {std::size_t{100'000}, ~std::size_t{0}}) {
    expect_rejected([&] { const pool p(workers); }, {std::to_string(workers)});
    for (const pool_kind& kind : basic_kinds())
      expect_rejected([&] { static_cast<void>(kind(workers)); }, {std::to_string(workers)});
  }
}

// A user's variable must not end a program at its first loop.
TEST(bad_options, in_the_environment_are_ignored_and_named_once) {
  ::unsetenv("PILFER_WORKERS");
  const std::size_t usual = pool().size();
  ::testing::internal::CaptureStderr();
  for (const char* number : {"many", "-1", "2x", "0x", "1e3", "99999999999999999999"}) {
    ::setenv("PILFER_WORKERS", number, 1);
    EXPECT_EQ(pool().size(), usual) << number;
  }
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("PILFER_WORKERS='many'"), std::string::npos) << said;
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  ::unsetenv("PILFER_WORKERS");
}

// As on a machine with more processors than a pool has places for.
TEST(bad_options, too_many_processors_are_as_many_as_there_may_be) {
  ::setenv("PILFER_WORKERS", "600", 1);
  EXPECT_EQ(pool().size(), 512U);
  ::unsetenv("PILFER_WORKERS");
}

}  // namespace
}  // namespace pilfer::test
