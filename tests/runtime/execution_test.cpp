// What surrounds a job while a worker runs it: records, scopes, levels and ends. The ready set and the queues are stand-ins;
// the test's thread is the worker.
#include <cstdint>

#include <gtest/gtest.h>

#include "runtime/bare_pool.hpp"
#include "runtime/lone_task.hpp"
#include "src/runtime/execution.hpp"
#include "src/runtime/inside_scope.hpp"

namespace pilfer::test {
namespace {

using detail::latch_of;
using detail::run_id;
using detail::task_level;

class execution_alone : public ::testing::Test {
 protected:
  bare_pool pool_{{.levels = 3}};
  detail::worker& self_ = pool_.add_worker();
  const detail::execution runs_{pool_.ready()};
};

TEST_F(execution_alone, a_fork_has_a_record_as_long_as_it_runs) {
  pool_.ready().level = 2;
  forks_of(self_).bottom = 7;
  tasks_of(self_, 2).bottom = 5;
  lone_fork work([&] {
    const auto& record = self_.run_at(0);
    EXPECT_EQ(self_.depth, 1U);
    EXPECT_EQ(record.serial() % 2, 1U);
    EXPECT_EQ(record.mark(), 7U);
    EXPECT_EQ(record.task_mark(), 5 * most_levels + 2);
    EXPECT_EQ(latch_of(work).runner(), run_id(self_.index, 0, record.serial()));
    EXPECT_FALSE(work.is_done());
  });
  runs_.run(self_, work);
  EXPECT_EQ(work.runs, 1);
  EXPECT_TRUE(work.is_done());
  EXPECT_EQ(self_.depth, 0U);
  EXPECT_EQ(self_.run_at(0).serial() % 2, 0U);
  EXPECT_EQ(self_.counts.tasks.value(), 0U) << "a fork is not counted as a task";
}

TEST_F(execution_alone, what_a_job_makes_inherits_its_group_and_its_level) {
  bare_group group(pool_);
  const task_level before = self_.level;
  forks_of(self_).bottom = 4;
  lone_fork work([&] {
    EXPECT_EQ(self_.scope, &*group);
    EXPECT_EQ(self_.level.bits(), 1U);
    ASSERT_NE(self_.innermost_work(), nullptr);
    EXPECT_EQ(self_.innermost_work()->work(), &work);
    const auto forked_here = self_.scopes.place_of(4, {.scope = nullptr, .level = 2});
    EXPECT_EQ(forked_here.scope, &*group);
    EXPECT_EQ(forked_here.level, 1U);
    EXPECT_EQ(self_.scopes.place_of(3, {.scope = nullptr, .level = 2}).level, 2U) << "forked before it";
  });
  work.scope = &*group;
  work.level = 1;
  runs_.run(self_, work);
  EXPECT_EQ(self_.scope, nullptr);
  EXPECT_EQ(self_.level.bits(), before.bits());
  EXPECT_EQ(self_.innermost_work(), nullptr);
}

TEST_F(execution_alone, a_worker_without_queues_of_tasks_keeps_no_scopes) {
  const auto forks_only = make_lone_worker(9);
  lone_fork work([&] {
    EXPECT_EQ(forks_only->innermost_work(), nullptr);
    EXPECT_EQ(forks_only->run_at(0).task_mark(), 0U);
  });
  runs_.run(*forks_only, work);
  EXPECT_TRUE(work.is_done());
}

TEST_F(execution_alone, a_nested_job_shows_its_level_and_has_a_record_of_its_own) {
  pool_.ready().level = 2;
  lone_fork inner([&] {
    EXPECT_EQ(self_.depth, 2U);
    EXPECT_EQ(latch_of(inner).runner().depth(), 1U);
    EXPECT_EQ(self_.run_at(0).serial() % 2, 1U) << "the outer one goes on";
  });
  lone_fork outer([&] { runs_.run_nested(self_, inner); });
  runs_.run(self_, outer);
  EXPECT_EQ(inner.runs, 1);
  EXPECT_EQ(pool_.ready().nested, 1);
  EXPECT_EQ(pool_.ready().last_nested, 2U);
}

TEST_F(execution_alone, a_task_is_counted_and_its_pool_is_told) {
  pool_task work(pool_, [&] {
    EXPECT_TRUE(work.is_claimed());
    EXPECT_EQ(work.run_latch().runner(), run_id(self_.index, 0, self_.run_at(0).serial()));
    EXPECT_EQ(self_.level.number(), 2U);
    EXPECT_EQ(pool_->loose.unfinished(), 1U);
  });
  work.set_level(2);
  runs_.run(self_, work);
  EXPECT_EQ(work.runs, 1);
  EXPECT_EQ(self_.counts.tasks.value(), 1U);
  EXPECT_EQ(self_.counts.tasks_of_level[2].value(), 1U);
  EXPECT_EQ(self_.run_at(0).serial() % 2, 0U);
  EXPECT_TRUE(pool_->loose.is_done());
  EXPECT_TRUE(work.is_destroyed);
}

TEST_F(execution_alone, a_group_names_a_run_of_one_of_its_tasks) {
  bare_group group(pool_);
  pool_task work(
      pool_, [&] { EXPECT_EQ(group->some_run(0), run_id(self_.index, 0, self_.run_at(0).serial())); }, &*group);
  runs_.run(self_, work);
  EXPECT_EQ(work.runs, 1);
  EXPECT_TRUE(group->left.is_done());
}

TEST_F(execution_alone, a_tombstone_is_let_go_and_not_run) {
  pool_task work(pool_, {}, nullptr, 1);
  ASSERT_TRUE(work.claim());
  runs_.run(self_, work);
  EXPECT_EQ(work.runs, 0);
  EXPECT_TRUE(work.is_destroyed);
  EXPECT_EQ(self_.counts.tasks.value(), 0U);
  EXPECT_EQ(pool_->loose.unfinished(), 1U) << "that is for its runner to tell";
}

// A waiter runs a part of what it waits for, inside of the task that waits.
TEST_F(execution_alone, a_task_that_its_waiter_runs_belongs_to_the_waiters_run) {
  pool_.ready().level_of_waiters = 0;
  const std::uint64_t serial = self_.run_at(0).serial();
  pool_task work(pool_, [&] {
    EXPECT_EQ(self_.depth, 0U);
    EXPECT_EQ(self_.run_at(0).serial(), serial);
    EXPECT_EQ(self_.level.number(), 0U) << "as urgent as its waiter";
    EXPECT_EQ(self_.innermost_work()->work(), &work);
  });
  work.set_level(2);
  ASSERT_TRUE(work.claim());
  runs_.run_here(self_, work, false);
  EXPECT_EQ(work.runs, 1);
  EXPECT_EQ(self_.counts.tasks.value(), 1U);
  EXPECT_EQ(self_.counts.tasks_of_level[0].value(), 1U);
  EXPECT_TRUE(pool_->loose.is_done());
  EXPECT_FALSE(work.is_destroyed) << "its entry is still in a queue";
  work.let_go();
  EXPECT_TRUE(work.is_destroyed);
}

TEST_F(execution_alone, a_task_that_its_waiter_has_taken_out_of_a_queue_ends_at_once) {
  pool_task work(pool_);
  ASSERT_TRUE(work.claim());
  runs_.run_here(self_, work, true);
  EXPECT_TRUE(work.is_destroyed);
}

// What it forks and spawns is found as that of a task.
TEST_F(execution_alone, a_coroutine_is_resumed_at_its_level_and_in_no_group) {
  bare_group group(pool_);
  self_.scope = &*group;
  forks_of(self_).bottom = 7;
  lone_resumption work(
      pool_,
      [&] {
        EXPECT_EQ(self_.depth, 1U);
        EXPECT_EQ(self_.run_at(0).serial() % 2, 1U);
        EXPECT_EQ(self_.run_at(0).mark(), 7U);
        EXPECT_EQ(self_.level.number(), 2U);
        EXPECT_EQ(self_.scope, nullptr);
        EXPECT_EQ(self_.innermost_work()->work(), nullptr);
        work.what = nullptr;  // all of it may be gone by now
        work.where = {};
      },
      2);
  runs_.run(self_, work);
  EXPECT_EQ(work.runs, 1);
  EXPECT_EQ(self_.depth, 0U);
  EXPECT_EQ(self_.scope, &*group);
  EXPECT_EQ(self_.run_at(0).serial() % 2, 0U);
  EXPECT_EQ(self_.counts.tasks_of_level[2].value(), 1U);
  self_.scope = nullptr;
}

TEST_F(execution_alone, completions_are_counted_and_those_of_others) {
  lone_resumption own(pool_);
  own.is_completion = true;
  own.queued_by = self_.index;
  runs_.run(self_, own);
  EXPECT_EQ(self_.counts.io_completed.value(), 1U);
  EXPECT_EQ(self_.counts.io_stolen.value(), 0U);
  lone_resumption stolen(pool_);
  stolen.is_completion = true;
  stolen.queued_by = self_.index + 1;
  runs_.run(self_, stolen);
  lone_resumption from_outside(pool_);
  from_outside.is_completion = true;
  runs_.run(self_, from_outside);
  EXPECT_EQ(self_.counts.io_completed.value(), 3U);
  EXPECT_EQ(self_.counts.io_stolen.value(), 1U);
}

}  // namespace
}  // namespace pilfer::test
