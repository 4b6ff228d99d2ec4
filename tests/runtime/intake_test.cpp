// Where a spawned task goes. The ready set is a stand-in. The crew is a real one, because it is a class without virtual
// functions; its only thread, if it has one, runs nothing.
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "runtime/bare_pool.hpp"
#include "src/runtime/intake.hpp"
#include "support/watchdog.hpp"

namespace pilfer::test {
namespace {

using vacated = detail::pool_places::vacated;

class intake_alone : public ::testing::Test {
 protected:
  struct setting {
    bare_pool pool;
    detail::intake in{{.ready = pool.ready(), .members = pool->crew}};
    detail::worker& self = *pool->crew.take_seat(true);
  };

 private:
  watchdog dog_{std::chrono::seconds(60), "an intake"};
};

TEST_F(intake_alone, a_workers_task_goes_into_its_own_queue) {
  setting its{.pool = bare_pool({.most_threads = 1})};
  pool_task work(its.pool);
  EXPECT_TRUE(its.in.push(its.self, work));
  EXPECT_EQ(tasks_of(its.self).jobs.size(), 1U);
  EXPECT_FALSE(its.pool.ready().has_injected());
  EXPECT_EQ(its.pool->crew.count().threads, 0U) << "no place is offered: the worker is active";
}

TEST_F(intake_alone, a_task_that_finds_the_queue_full_is_left_to_its_caller) {
  setting its{.pool = bare_pool()};
  tasks_of(its.self).most = 0;
  pool_task work(its.pool);
  EXPECT_FALSE(its.in.push(its.self, work));
  EXPECT_EQ(its.self.counts.run_inline.value(), 1U);
  EXPECT_FALSE(its.pool.ready().has_injected());
}

TEST_F(intake_alone, a_blocked_worker_offers_a_place_for_the_task_that_it_spawns) {
  setting its{.pool = bare_pool()};
  detail::latch_sleeper bed;
  ASSERT_EQ(its.pool->crew.begin_block(its.self, {.bed = &bed}), vacated::alone);
  pool_task work(its.pool);
  EXPECT_TRUE(its.in.push(its.self, work));
  EXPECT_EQ(tasks_of(its.self).jobs.size(), 1U);
  EXPECT_TRUE(its.pool->crew.end_block(its.self)) << "it was recalled, as the only one that could be";
}

TEST_F(intake_alone, a_blocked_worker_hides_nothing_from_thieves) {
  setting its{.pool = bare_pool()};
  tasks_of(its.self).hides = true;
  ASSERT_EQ(its.pool->crew.begin_block(its.self, {}), vacated::alone);
  pool_task work(its.pool);
  EXPECT_TRUE(its.in.push(its.self, work));
  EXPECT_TRUE(tasks_of(its.self).jobs.empty());
  EXPECT_TRUE(its.pool.ready().has_injected());
  static_cast<void>(its.pool->crew.end_block(its.self));
}

TEST_F(intake_alone, a_blocked_worker_whose_queue_is_full_offers_nothing) {
  setting its{.pool = bare_pool()};
  tasks_of(its.self).most = 0;
  detail::latch_sleeper bed;
  ASSERT_EQ(its.pool->crew.begin_block(its.self, {.bed = &bed}), vacated::alone);
  pool_task work(its.pool);
  EXPECT_FALSE(its.in.push(its.self, work));
  EXPECT_FALSE(its.pool->crew.end_block(its.self));
}

TEST_F(intake_alone, work_from_outside_calls_a_spare_worker) {
  setting its{.pool = bare_pool({.most_threads = 1, .life = &live_without_work})};
  ASSERT_TRUE(its.pool->crew.has_threads());  // makes it; it is surplus beside the caller
  while (its.pool->crew.count().active != 1) std::this_thread::yield();
  its.pool->crew.leave_seat(its.self);
  ASSERT_EQ(its.pool->crew.count().active, 0);
  pool_task work(its.pool);
  EXPECT_TRUE(its.in.inject(work));
  EXPECT_TRUE(its.pool.ready().has_injected());
  EXPECT_EQ(its.pool->crew.count().active, 1);
}

TEST_F(intake_alone, where_no_thread_can_be_had_a_task_from_outside_is_left_to_its_caller) {
  setting its{.pool = bare_pool()};
  pool_task work(its.pool);
  EXPECT_FALSE(its.in.inject(work));
  EXPECT_FALSE(its.pool.ready().has_injected());
}

// It never goes on inside of the call that resumes it.
TEST_F(intake_alone, a_resumption_that_finds_the_queue_full_waits_in_line) {
  setting its{.pool = bare_pool({.most_threads = 1})};
  lone_resumption first(its.pool);
  its.in.push(its.self, first);
  EXPECT_EQ(tasks_of(its.self).jobs.size(), 1U);
  tasks_of(its.self).most = 1;
  lone_resumption second(its.pool);
  its.in.push(its.self, second);
  EXPECT_EQ(tasks_of(its.self).jobs.size(), 1U);
  EXPECT_TRUE(its.pool.ready().has_injected());
  EXPECT_EQ(its.self.counts.run_inline.value(), 0U);
  EXPECT_EQ(second.runs, 0);
}

// It waits for a caller, now or later: the thread that resumes it may be one that must not block.
TEST_F(intake_alone, a_resumption_from_outside_is_never_refused) {
  setting its{.pool = bare_pool()};
  detail::latch_sleeper bed;
  ASSERT_EQ(its.pool->crew.begin_block(its.self, {.bed = &bed}), vacated::alone);
  lone_resumption work(its.pool);
  its.in.inject(work);
  EXPECT_TRUE(its.pool.ready().has_injected());
  EXPECT_TRUE(its.pool->crew.end_block(its.self)) << "a caller that sleeps is recalled";
}

}  // namespace
}  // namespace pilfer::test
