// The ledgers of a group: which worker has one, when it is open, and what a waiter finds there. The test's thread is every worker by turns.
#include <chrono>
#include <cstddef>
#include <deque>

#include <gtest/gtest.h>

#include "runtime/bare_pool.hpp"
#include "src/runtime/task_scope.hpp"
#include "src/runtime/wait.hpp"
#include "support/watchdog.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;
using detail::wait_end;

class ledgers_alone : public ::testing::Test {
 protected:
  static constexpr std::size_t before_open = 16;  // tasks that are spawned under the lock
  static constexpr std::size_t at_once = 1024;    // credits

  pool_task& spawn(detail::worker& by) {
    return tasks_.emplace_back(pool_, nullptr, &*group_, detail::task::uses_without_future, &by);
  }
  void spawn(detail::worker& by, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) spawn(by);
  }
  void run(detail::worker& by, pool_task& work) { pool_->runs.run(by, work); }
  // Out of a list: what lies in a queue is a tombstone then.
  bool run_newest(detail::worker& by) {
    detail::spawned_job* const work = group_->take_newest(by);
    if (work == nullptr) return false;
    pool_->runs.run_here(by, *work, false);
    work->let_go();
    return true;
  }
  [[nodiscard]] std::size_t counted() { return group_->left.unfinished(); }
  void expect_all_ended() {
    for (const pool_task& each : tasks_) {
      EXPECT_EQ(each.runs, 1);
      EXPECT_TRUE(each.is_destroyed);
    }
  }

  bare_pool pool_;
  detail::worker& first_ = pool_.add_worker();
  detail::worker& second_ = pool_.add_worker();
  detail::worker& third_ = pool_.add_worker();
  std::deque<pool_task> tasks_;
  bare_group group_{pool_};
  detail::wait_room waits_{{.home = *pool_,
                            .workers = pool_->workers,
                            .ready = pool_.ready(),
                            .completions = pool_->events,
                            .members = pool_->crew,
                            .runs = pool_->runs,
                            .places = pool_->places},
                           waiting::descendants};
  watchdog dog_{std::chrono::seconds(60), "a group"};
};

TEST_F(ledgers_alone, the_first_worker_has_one_at_once) {
  spawn(first_);  // under the lock: until now the group had no owner
  EXPECT_EQ(counted(), 1U);
  spawn(first_);
  EXPECT_EQ(counted(), 1 + at_once);
  spawn(first_, 100);
  EXPECT_EQ(counted(), 1 + at_once) << "a spawn takes a credit";
  EXPECT_EQ(group_->unfinished(), 102U);
  for (pool_task& each : tasks_) run(first_, each);
  EXPECT_EQ(counted(), 1U)
      << "an end gives a credit, also that of a task from the list; one that were too many are given back";
  EXPECT_EQ(group_->unfinished(), 0U);
  group_->settle(first_);
  EXPECT_TRUE(group_->left.is_done());
  expect_all_ended();
}

TEST_F(ledgers_alone, another_worker_gets_one_when_it_spawns_often) {
  spawn(first_);
  spawn(second_, before_open);
  EXPECT_EQ(counted(), 1 + before_open);
  spawn(second_);
  EXPECT_EQ(counted(), 1 + before_open + at_once);
  spawn(second_, 100);
  EXPECT_EQ(counted(), 1 + before_open + at_once);
  EXPECT_EQ(group_->unfinished(), 1 + before_open + 101);
  spawn(third_);
  EXPECT_EQ(counted(), 1 + before_open + at_once + 1);
  spawn(third_);
  EXPECT_EQ(counted(), 1 + before_open + 2 * at_once + 1)
      << "all workers without one have spawned often enough together";
  for (pool_task& each : tasks_) run(second_, each);
  EXPECT_EQ(group_->unfinished(), 0U);
  EXPECT_EQ(waits_.for_group(third_, *group_, 0ns, false), wait_end::done);
  EXPECT_EQ(third_.counts.sleeps_at_joins.value(), 0U);
  spawn(second_, 2);  // meets those that it has not listed itself; so does its end
  for (std::size_t i = tasks_.size() - 2; i < tasks_.size(); ++i) run(second_, tasks_[i]);
}

TEST_F(ledgers_alone, of_workers_with_large_indices_too) {
  spawn(first_);
  while (pool_->workers.known() < 100) pool_.add_worker();
  for (std::size_t i = 3; i < 100; ++i) spawn(pool_.add_worker(), before_open + 1);
  const std::size_t before = counted();
  for (std::size_t i = 0; i < 10; ++i) spawn(pool_.add_worker(), 2);  // one without a credit
  EXPECT_EQ(counted(), before + 10 * (1 + at_once));
  while (run_newest(first_)) {
  }
  group_->collect(first_);
  while (run_newest(first_)) {
  }
  group_->settle(first_);
  EXPECT_TRUE(group_->left.is_done());
}

TEST_F(ledgers_alone, a_waiter_runs_what_lies_in_those_of_others) {
  spawn(first_, 20);
  spawn(second_, before_open + 20);
  spawn(third_, 20);
  EXPECT_EQ(waits_.for_group(first_, *group_, -1ns, false), wait_end::done);
  EXPECT_EQ(first_.counts.sleeps_at_joins.value(), 0U);
  for (pool_task& each : tasks_) {
    EXPECT_EQ(each.runs, 1);
    each.let_go();  // a tombstone
  }
  expect_all_ended();
}

TEST_F(ledgers_alone, a_waiter_without_one_finds_all_tasks_as_well) {
  spawn(first_, 20);
  spawn(second_, before_open + 20);
  EXPECT_EQ(waits_.for_group(third_, *group_, -1ns, false), wait_end::done);
  for (pool_task& each : tasks_) each.let_go();
  expect_all_ended();
}

TEST_F(ledgers_alone, are_closed_as_long_as_the_group_is_shared) {
  spawn(first_);
  spawn(second_, before_open + 20);
  {
    const detail::task_scope::sharing all(*group_, &first_);
    EXPECT_TRUE(all.has_found_some());
    EXPECT_EQ(counted(), tasks_.size()) << "no credits";
    spawn(first_, 40);
    spawn(second_, 40);
    spawn(third_, 40);
    EXPECT_EQ(counted(), tasks_.size());
    EXPECT_FALSE(group_->has_more_elsewhere(first_));
    run(second_, tasks_[5]);
    run(first_, tasks_.back());
    EXPECT_EQ(counted(), tasks_.size() - 2);
  }
  const std::size_t before = counted();
  spawn(first_);
  EXPECT_EQ(counted(), before + at_once) << "the waiter's own is open again at once";
  spawn(second_);
  EXPECT_EQ(counted(), before + at_once + 1) << "one that has spawned often meanwhile opens its own now";
  spawn(second_);
  EXPECT_EQ(counted(), before + 2 * at_once + 1);
  EXPECT_TRUE(group_->has_more_elsewhere(first_));
  EXPECT_EQ(waits_.for_group(first_, *group_, -1ns, false), wait_end::done);
}

TEST_F(ledgers_alone, an_owner_lets_go_of_what_thieves_have_run) {
  spawn(first_);
  spawn(second_, before_open);
  pool_task& old = spawn(second_);
  pool_task& newer = spawn(second_);
  run(first_, old);
  EXPECT_EQ(old.runs, 1);
  EXPECT_FALSE(old.is_destroyed) << "the list refers to it";
  spawn(second_);
  EXPECT_TRUE(old.is_destroyed);
  run(first_, newer);
  EXPECT_FALSE(newer.is_destroyed);
  group_->tidy(second_);
  EXPECT_FALSE(newer.is_destroyed && tasks_.back().is_destroyed);
  EXPECT_TRUE(newer.is_destroyed);
  EXPECT_EQ(waits_.for_group(third_, *group_, -1ns, false), wait_end::done);
}

TEST_F(ledgers_alone, one_with_tasks_of_a_thief_moves_them_to_the_lists) {
  spawn(first_);
  spawn(second_, before_open);
  pool_task& moved = spawn(second_);
  group_->collect(first_);
  spawn(second_, before_open);  // until it is open again
  pool_task& fresh = spawn(second_);
  run(second_, moved);
  EXPECT_FALSE(moved.is_destroyed) << "not in the ledger: the group's list refers to it";
  run(second_, fresh);
  EXPECT_TRUE(fresh.is_destroyed);
  EXPECT_EQ(waits_.for_group(first_, *group_, -1ns, false), wait_end::done);
  EXPECT_TRUE(moved.is_destroyed);
}

// In a pool with several levels the lists are by level, and nothing lies in a ledger.
TEST_F(ledgers_alone, there_are_none_with_several_levels) {
  bare_pool pool({.levels = 4});
  detail::worker& only = pool.add_worker();
  bare_group group(pool);
  std::deque<pool_task> tasks;
  for (int i = 0; i < 40; ++i) {
    tasks.emplace_back(pool, nullptr, &*group, detail::task::uses_without_future, &only);
    EXPECT_EQ(group->left.unfinished(), tasks.size());
  }
  EXPECT_FALSE(group->has_more_elsewhere(only));
  for (pool_task& each : tasks) pool->runs.run(only, each);
  EXPECT_TRUE(group->left.is_done());
}

}  // namespace
}  // namespace pilfer::test
