// Threads that enter two pools in turns, many levels deep, and sleep there: afterwards every place has been given back.
#include <sys/resource.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include <pilfer/pilfer.hpp>

#include "support/environment.hpp"
#include "support/schedulers.hpp"
#include "tasks/task_checks.hpp"
#include "waits/wait_checks.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;

class deep_nests : public ::testing::TestWithParam<std::string> {
 protected:
  static constexpr unsigned depth = 20;
  static constexpr std::size_t size = 2;
  static constexpr std::size_t callers = 4;

  pool_options options() const { return {.workers = size, .scheduler = GetParam(), .levels = 3}; }

  // Each level adds 1, in every way that a wait can be nested.
  std::size_t descend(unsigned left) {
    if (left == 0) return 0;
    pool& here = *pools_[left % 2];
    pool& there = *pools_[(left + 1) % 2];
    switch (left % 5) {
      case 0: return 1 + here.at(priority(left % 3)).submit([this, left] { return descend(left - 1); }).get();
      case 1:
        return 1 + here.run([&] {
          const auto [first, second] = fork_join([&] { return descend(left - 1); },
                                                 [&] { return there.submit([] { return std::size_t{0}; }).get(); });
          return first + second;
        });
      case 2:
        return 1 + here.run([&] {
          task_group group(there);
          std::atomic<std::size_t> below = 0;
          group.at(priority(0)).spawn([&] { below = descend(left - 1); });
          group.wait();
          return below.load();
        });
      case 3: return 1 + here.run([&] { return with_priority(priority(left % 3), [&] { return descend(left - 1); }); });
      default:
        return 1 + here.run([&] {
          auto below = there.submit([this, left] { return descend(left - 1); });
          const blocking_region region;
          return below.get();
        });
    }
  }

  // As many tasks as there are places wait for one another without telling the pool: none of them ends if a place is lost.
  static void expect_every_place_is_free(pool& home) {
    std::atomic<std::size_t> arrived = 0;
    for (std::size_t i = 0; i < size; ++i) {
      home.detach([&] {
        ++arrived;
        while (arrived < size) std::this_thread::yield();
      });
    }
    home.drain();
    EXPECT_EQ(arrived, size);
    EXPECT_EQ(home.run([] {
      const auto [left, right] = fork_join([] { return 1; }, [] { return 2; });
      return left + right;
    }),
              3);
    EXPECT_FALSE(worker_index());
  }

  static double processor_ms() {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    const auto ms = [](const timeval& t) {
      return 1e3 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_usec);
    };
    return ms(used.ru_utime) + ms(used.ru_stime);
  }

  std::array<pool*, 2> pools_{};
};

TEST_P(deep_nests, of_two_pools_give_every_place_back) {
  expect_end(GetParam(), [&] {
    pool even(options());
    pool odd(options());
    pools_ = {&even, &odd};
    for (std::size_t round = 0; more_stress(round, 10); ++round) {
      on_callers(callers, [&](std::size_t i) { EXPECT_EQ(descend(depth + static_cast<unsigned>(i)), depth + i); });
    }
    EXPECT_EQ(even.run([&] { return odd.run([&] { return descend(depth); }); }), depth);
    for (pool* each : pools_) {
      for (int i = 0; i < 5; ++i) expect_every_place_is_free(*each);
      const pool_statistics now = each->statistics();
      EXPECT_EQ(now.workers, size);
      EXPECT_EQ(now.threads_missing, 0U);
      EXPECT_EQ(now.total().ran_strangers, 0U);
      EXPECT_EQ(now.total().cancelled, 0U);
    }
    // All threads fall asleep, also the spare ones.
    double used = 0;
    for (int i = 0; i < 100; ++i) {
      const double before = processor_ms();
      std::this_thread::sleep_for(50ms);
      used = processor_ms() - before;
      if (used < 10) break;
    }
    EXPECT_LT(used, 10) << "ms of 50: an idle pool does not sleep";
  });
}

INSTANTIATE_TEST_SUITE_P(schedulers, deep_nests, ::testing::ValuesIn(tested_schedulers()), scheduler_label());

}  // namespace
}  // namespace pilfer::test
