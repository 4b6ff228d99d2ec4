// pilfer/parlay.hpp without ParlayLib.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <pilfer/parlay.hpp>
#include <pilfer/task_group.hpp>

#include "programs.hpp"

namespace pilfer::test {
namespace {

using parlay_programs::worker_table;

// PILFER_SCHEDULER for as long as it lives.
class scheduler_choice {
 public:
  explicit scheduler_choice(const std::string& name) { setenv("PILFER_SCHEDULER", name.c_str(), 1); }
  ~scheduler_choice() { unsetenv("PILFER_SCHEDULER"); }
  scheduler_choice(const scheduler_choice&) = delete;
  scheduler_choice& operator=(const scheduler_choice&) = delete;
};

class parlay_adapter : public testing::TestWithParam<std::string> {};

TEST_P(parlay_adapter, runs_programs) {
  const scheduler_choice choice(GetParam());
  for (const unsigned workers : {1U, 2U, 4U}) {
    parlay::execute_with_scheduler(workers, [&] {
      EXPECT_EQ(parlay::num_workers(), workers == 1 ? 1 : 2 * workers);
      EXPECT_EQ(parlay::worker_id(), 0U);
      parlay_programs::run_all();
    });
  }
}

// The halves sleep long enough for those who wait to sleep too, and for spare workers to take their places.
void sleepy_tree(worker_table<std::size_t>& leaves, int depth) {
  const std::size_t id = parlay::worker_id();
  if (depth == 0) {
    leaves.use([](std::size_t& n) {
      ++n;
      std::this_thread::sleep_for(std::chrono::microseconds(300));
    });
  } else {
    parlay::par_do([&] { sleepy_tree(leaves, depth - 1); }, [&] { sleepy_tree(leaves, depth - 1); });
  }
  EXPECT_EQ(parlay::worker_id(), id);
}

TEST_P(parlay_adapter, an_id_is_kept_across_a_wait_and_is_nobody_elses) {
  const scheduler_choice choice(GetParam());
  for (const unsigned workers : {2U, 4U}) {
    parlay::execute_with_scheduler(workers, [&] {
      worker_table<std::size_t> leaves;
      sleepy_tree(leaves, 7);
      EXPECT_EQ(leaves.sum(std::size_t{0}), 128U);
      parlay::parallel_for(0, 100, [&](std::size_t) { sleepy_tree(leaves, 0); }, 1);
      EXPECT_EQ(leaves.sum(std::size_t{0}), 228U);
    });
  }
}

INSTANTIATE_TEST_SUITE_P(schedulers, parlay_adapter,
                         testing::Values("default", "ws-chase-lev", "ws-global", "bwos-fifo", "lcws-signal", "lace"),
                         [](const auto& parameter) {
                           std::string name = parameter.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(parlay_ids, without_a_free_one_a_thief_declines_and_the_forker_does_it) {
  pool workers(4);
  detail::parlay_scheduler home(workers);
  std::vector<std::size_t> hoarded;
  for (;;) {
    const std::size_t id = home.ids().take(0);
    if (id == detail::parlay_ids::none) break;
    hoarded.push_back(id);
  }
  ASSERT_EQ(hoarded.size(), 7U);
  home.inside_own_pool([] {
    const auto me = std::this_thread::get_id();
    std::vector<int> times(200);
    parlay::parallel_for(
        0, times.size(),
        [&](std::size_t i) {
          EXPECT_EQ(std::this_thread::get_id(), me);
          EXPECT_EQ(parlay::worker_id(), 0U);
          ++times[i];
          std::this_thread::sleep_for(std::chrono::microseconds(20));
        },
        1);
    EXPECT_EQ(std::ranges::count(times, 1), 200);
    parlay_programs::run_all();
  });
  for (const std::size_t id : hoarded) home.ids().give_back(id);
  home.inside_own_pool([] { parlay_programs::run_all(); });
}

TEST(parlay_ids, schedulers_may_be_nested) {
  parlay::execute_with_scheduler(2, [] {
    worker_table<std::size_t> counts;
    parlay::parallel_for(
        0, 8,
        [&](std::size_t) {
          const std::size_t outer = parlay::worker_id();
          parlay::execute_with_scheduler(3, [] {
            EXPECT_EQ(parlay::num_workers(), 6U);
            EXPECT_EQ(parlay::worker_id(), 0U);
            parlay_programs::run_all();
          });
          EXPECT_EQ(parlay::num_workers(), 4U);
          EXPECT_EQ(parlay::worker_id(), outer);
          counts.use([](std::size_t& n) { ++n; });
        },
        1);
    EXPECT_EQ(counts.sum(std::size_t{0}), 8U);
    parlay::execute_with_scheduler([] { EXPECT_EQ(parlay::num_workers(), 4U); });
  });
  EXPECT_EQ(parlay::worker_id(), 0U);
}

TEST(parlay_ids, threads_and_tasks_from_outside_share_the_programs_scheduler) {
  worker_table<std::size_t> counts;
  const auto count_to_1000 = [&] {
    parlay::parallel_for(0, 1000, [&](std::size_t) { counts.use([](std::size_t& n) { ++n; }); });
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back(count_to_1000);
  }
  task_group group;
  for (int i = 0; i < 4; ++i) group.spawn(count_to_1000);
  group.wait();
  EXPECT_EQ(counts.sum(std::size_t{0}), 8000U);
}

TEST(parlay_functions, empty_and_tiny_loops_need_no_pool) {
  int calls = 0;
  parlay::parallel_for(5, 5, [&](std::size_t) { ++calls; });
  parlay::parallel_for(6, 5, [&](std::size_t) { ++calls; });
  EXPECT_EQ(calls, 0);
  parlay::parallel_for(5, 6, [&](std::size_t i) { calls += static_cast<int>(i); });
  parlay::parallel_for(0, 10, [&](std::size_t) { ++calls; }, 10);
  EXPECT_EQ(calls, 15);
  parlay::blocked_for(0, 0, 4, [&](std::size_t, std::size_t, std::size_t) { ++calls; });
  EXPECT_EQ(calls, 15);
}

#if defined(__cpp_exceptions)
TEST(parlay_functions, an_exception_reaches_the_caller_and_the_id_comes_back) {
  const auto fails = [](std::size_t i) {
    if (i == 700) throw std::runtime_error("700");
  };
  for (int round = 0; round < 20; ++round) {
    EXPECT_THROW(parlay::parallel_for(0, 1000, fails, 10), std::runtime_error);
    EXPECT_THROW(parlay::par_do([] {}, [] { throw std::runtime_error("right"); }), std::runtime_error);
  }
  parlay_programs::run_all();
}
#endif

}  // namespace
}  // namespace pilfer::test
