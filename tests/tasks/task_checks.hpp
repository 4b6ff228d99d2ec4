// What the tests of tasks share: every scheduler as a parameter, and tasks that can be told from one another.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/fork_join.hpp>
#include <pilfer/future.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/task_group.hpp>

#include "support/environment.hpp"
#include "support/schedulers.hpp"
#include "support/watchdog.hpp"

namespace pilfer::test {

// A number for each task, and how often that one ran.
class ledger {
 public:
  explicit ledger(std::size_t tasks) : runs_(tasks) {}
  // No order by itself: that is for the wait to give. Who has nothing to wait for and looks at marked() asks for `release`.
  void mark(std::size_t task, std::memory_order order = std::memory_order_relaxed) noexcept {
    runs_[task].fetch_add(1, order);
  }
  [[nodiscard]] std::uint32_t runs_of(std::size_t task) const { return runs_[task]; }
  [[nodiscard]] std::size_t size() const { return runs_.size(); }
  [[nodiscard]] std::size_t marked() const {
    return static_cast<std::size_t>(std::count_if(runs_.begin(), runs_.end(), [](const auto& n) { return n != 0; }));
  }
  void expect_each_once() const { expect_each(1, 1); }
  void expect_each_at_most_once() const { expect_each(0, 1); }

 private:
  void expect_each(std::uint32_t least, std::uint32_t most) const {
    std::size_t bad = 0;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (runs_[i] >= least && runs_[i] <= most) continue;
      if (++bad <= 3) ADD_FAILURE() << "task " << i << " ran " << runs_[i] << " times";
    }
    EXPECT_EQ(bad, 0U) << "of " << runs_.size();
  }
  std::vector<std::atomic<std::uint32_t>> runs_;
};

struct numbered_error : std::runtime_error {
  explicit numbered_error(std::size_t n) : std::runtime_error("task " + std::to_string(n)), number(n) {}
  std::size_t number;
};

// How many of it there are.
class counted_object {
 public:
  counted_object() { ++alive; }
  counted_object(const counted_object&) { ++alive; }
  counted_object(counted_object&&) noexcept { ++alive; }
  counted_object& operator=(const counted_object&) = default;
  counted_object& operator=(counted_object&&) noexcept = default;
  ~counted_object() { --alive; }
  static inline std::atomic<long> alive = 0;
};

// Sometimes nothing, sometimes a yield, sometimes a short sleep.
inline void pause_at_random(random_source& random) {
  switch (random.below(16)) {
    case 0: std::this_thread::sleep_for(std::chrono::microseconds(random.below(100))); break;
    case 1:
    case 2:
    case 3: std::this_thread::yield(); break;
    default: break;
  }
}

// Inside a pool it forks and spawns meanwhile: some schedulers let others have a busy worker's forks and tasks only then, and
// lcws-conservative only while there is another one. On a busy machine most of this time passes in the yield.
template <class Condition>
void wait_until_true(Condition condition) {
  while (!condition()) {
    if (worker_index()) {
      task_group another;
      another.spawn([] {});
      fork_join([] { std::this_thread::yield(); }, [] {});
    } else {
      std::this_thread::yield();
    }
  }
}

// A pool after a test: forks, groups and waits for futures still work.
inline void expect_usable(pool& home) {
  EXPECT_EQ(home.run([&] {
    const auto [left, right] = fork_join([] { return 1; }, [] { return 2; });
    task_group group;
    std::atomic<int> sum = left + right;
    for (int i = 0; i < 10; ++i) group.spawn([&] { ++sum; });
    group.wait();
    return sum.load();
  }),
            13);
  EXPECT_EQ(home.submit([&] { return home.submit([] { return 3; }).get(); }).get(), 3);
}

// A parameter per scheduler.
class on_scheduler : public ::testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] static pool_options options(std::size_t workers) {
    return pool_options{.workers = workers, .scheduler = GetParam()};
  }
  watchdog dog_{std::chrono::seconds(100), std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()),
                describe_seed};
  ::testing::ScopedTrace seed_{__FILE__, __LINE__, describe_seed()};
};

struct scheduler_label {
  std::string operator()(const ::testing::TestParamInfo<std::string>& info) const {
    std::string label = info.param;
    std::replace(label.begin(), label.end(), '-', '_');
    return label;
  }
};

#define PILFER_ON_EVERY_SCHEDULER(suite) \
  INSTANTIATE_TEST_SUITE_P(schedulers, suite, ::testing::ValuesIn(tested_schedulers()), scheduler_label())

}  // namespace pilfer::test
