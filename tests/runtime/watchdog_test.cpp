// The registry of pools, as an object of the test's own. Its thread never ends, so it is not started here: tests/tasks/
// tests what it prints.
#include <chrono>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "runtime/bare_pool.hpp"
#include "src/runtime/watchdog.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;

TEST(pool_registry_alone, it_describes_the_pools_that_live) {
  bare_pool first;
  bare_pool second;
  detail::pool_registry all;
  EXPECT_EQ(all.describe(), "");
  all.add(*first, 0ns);
  all.add(*second, 0ns);
  EXPECT_EQ(all.describe(), first->describe() + second->describe());
  all.remove(*first);
  EXPECT_EQ(all.describe(), second->describe());
  all.remove(*second);
  EXPECT_EQ(all.describe(), "");
}

TEST(pool_registry_alone, a_report_says_what_each_worker_does) {
  bare_pool pool;
  detail::worker& seat = *pool->visitors.enter(true);
  detail::worker& idle = pool.add_worker();
  lone_fork forked;
  forks_of(seat).jobs.push_back(&forked);
  pool_task task(pool);
  ASSERT_TRUE(tasks_of(seat).push(task));
  lone_fork injected;
  pool.ready().inject(nullptr, injected);
  const std::string said = pool->describe();
  EXPECT_NE(said.find("bare, 1 workers, 1 active, 0 threads, 1 submitted or detached tasks unfinished"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("work from outside waits"), std::string::npos) << said;
  EXPECT_NE(said.find("worker 0 (a caller) runs a task, 1 forks queued, tasks queued"), std::string::npos) << said;
  EXPECT_EQ(said.find("worker " + std::to_string(idle.index)), std::string::npos) << said;
  forks_of(seat).jobs.clear();
  pool->visitors.leave(seat);
}

TEST(pool_registry_alone, how_patient_the_watchdog_is) {
  const char* const before = std::getenv("PILFER_WATCHDOG");
  const std::string kept = before != nullptr ? before : "";
  ::setenv("PILFER_WATCHDOG", "7", 1);
  EXPECT_EQ(detail::watchdog_patience(3ms), 3ms) << "the option comes first";
  EXPECT_EQ(detail::watchdog_patience(0ns), 7s);
  ::setenv("PILFER_WATCHDOG", "", 1);
  EXPECT_EQ(detail::watchdog_patience(0ns), 0ns);
  ::setenv("PILFER_WATCHDOG", "soon", 1);
  EXPECT_EQ(detail::watchdog_patience(0ns), 0ns);
  before != nullptr ? ::setenv("PILFER_WATCHDOG", kept.c_str(), 1) : ::unsetenv("PILFER_WATCHDOG");
}

}  // namespace
}  // namespace pilfer::test
