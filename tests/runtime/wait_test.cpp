// What a worker runs while it waits for a group or a future, and how it gives way to more urgent tasks.
#include <array>
#include <chrono>
#include <functional>
#include <thread>

#include <gtest/gtest.h>

#include "runtime/wait_fixture.hpp"
#include "src/runtime/inside_scope.hpp"
#include "src/runtime/wait_graph.hpp"
#include "src/sync/stack_room.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;
using detail::wait_end;

class wait_alone : public wait_fixture {
 protected:
  // On a stack without room for another task.
  static void run_deep(const std::function<void()>& what) {
    std::thread([&] { descend(what); }).join();
  }
  static void descend(const std::function<void()>& what) {
    std::array<char, 4096> frame;
    volatile char* const used = frame.data();
    *used = 1;
    detail::has_stack_room() ? descend(what) : what();
    *used = 2;
  }
};

// --- Groups.

TEST_F(wait_alone, a_group_is_waited_for_by_running_its_tasks) {
  bare_group group(pool_);
  pool_task first(pool_, {}, &*group);
  pool_task second(pool_, [&] { EXPECT_EQ(self_.depth, 0U) << "a part of the task that waits"; }, &*group);
  lone_fork stranger;
  pool_.ready().elsewhere = {&stranger};
  EXPECT_EQ(waits_.for_group(self_, *group, no_limit, false), wait_end::done);
  EXPECT_EQ(first.runs, 1);
  EXPECT_EQ(second.runs, 1);
  EXPECT_EQ(stranger.runs, 0);
  EXPECT_EQ(self_.counts.waits.value(), 0U) << "it had nothing to wait for in the end";
  EXPECT_TRUE(group->left.is_done());
}

TEST_F(wait_alone, a_wait_without_time_only_looks) {
  bare_group group(pool_);
  pool_task work(pool_, {}, &*group);
  EXPECT_EQ(waits_.for_group(self_, *group, 0ns, false), wait_end::time_over);
  EXPECT_EQ(work.runs, 0);
  EXPECT_EQ(self_.counts.sleeps_at_joins.value(), 0U);
  ASSERT_TRUE(work.claim());
  pool_->runs.run_here(self_, work, true);
  EXPECT_EQ(waits_.for_group(self_, *group, 0ns, false), wait_end::done);
}

TEST_F(wait_alone, a_wait_with_a_limit_runs_nothing_and_ends_in_time) {
  bare_group group(pool_);
  pool_task work(pool_, {}, &*group);
  EXPECT_EQ(waits_.for_group(self_, *group, 1ms, false), wait_end::time_over);
  EXPECT_EQ(work.runs, 0);
  EXPECT_GE(self_.counts.sleeps_at_joins.value(), 1U);
  pool_->runs.run(self_, work);
}

TEST_F(wait_alone, a_wait_with_a_limit_ends_when_another_worker_ends_the_group) {
  bare_group group(pool_);
  pool_task work(pool_, {}, &*group);
  std::thread other([&] {
    while (self_.counted().sleeps_at_joins.value() == 0) std::this_thread::yield();
    pool_->runs.run(thief_, work);
  });
  EXPECT_EQ(waits_.for_group(self_, *group, 50s, false), wait_end::done);
  other.join();
}

TEST_F(wait_alone, a_group_whose_tasks_run_elsewhere_is_slept_for) {
  bare_group group(pool_);
  pool_task work(
      pool_,
      [&] {
        while (self_.counted().sleeps_at_joins.value() == 0) std::this_thread::yield();
      },
      &*group);
  std::thread other([&] { pool_->runs.run(thief_, work); });
  while (work.runs == 0) std::this_thread::yield();
  EXPECT_EQ(waits_.for_group(self_, *group, no_limit, false), wait_end::done);
  other.join();
  EXPECT_EQ(self_.counts.waits.value(), 1U);
}

TEST_F(wait_alone, a_wait_for_the_own_group_never_ends_and_says_so) {
  bare_group group(pool_);
  pool_task around(pool_, {}, &*group);
  ASSERT_TRUE(around.claim());
  detail::worker& seat = *pool_->visitors.enter(true);
  {
    const detail::inside_scope in(seat, &around, around.scope, 0, detail::task_level());
    EXPECT_EQ(waits_.for_group(seat, *group, no_limit, false), wait_end::own);
  }
  around.end(true, nullptr);
  pool_->visitors.leave(seat);
}

// --- Futures.

TEST_F(wait_alone, a_future_that_is_done_is_not_waited_for) {
  pool_task work(pool_);
  detail::completion<ext::default_sync> done(0);
  EXPECT_EQ(waits_.for_task(self_, work, done, no_limit), wait_end::done);
  EXPECT_EQ(self_.counts.waits.value(), 0U);
  EXPECT_EQ(work.runs, 0);
}

TEST_F(wait_alone, the_task_of_a_future_is_run_by_its_waiter_if_it_has_not_begun) {
  detail::completion<ext::default_sync> done(1);
  pool_task work(pool_, [&] {
    EXPECT_EQ(self_.depth, 0U);
    done.finish();
  });
  EXPECT_EQ(waits_.for_task(self_, work, done, no_limit), wait_end::done);
  EXPECT_EQ(work.runs, 1);
  EXPECT_EQ(pool_.ready().burials, 1) << "its entry is a tombstone";
  EXPECT_FALSE(work.is_destroyed) << "which lets go of it";
  EXPECT_EQ(pool_.ready().lifts, 0);
}

TEST_F(wait_alone, the_task_of_a_future_that_runs_elsewhere_is_slept_for) {
  detail::completion<ext::default_sync> done(1);
  pool_task work(pool_);
  ASSERT_TRUE(work.claim());
  std::thread other([&] {
    while (self_.counted().sleeps_at_joins.value() == 0) std::this_thread::yield();
    done.finish();
  });
  EXPECT_EQ(waits_.for_task(self_, work, done, no_limit), wait_end::done);
  EXPECT_EQ(work.runs, 0);
  EXPECT_EQ(pool_.ready().burials, 0);
  other.join();
}

TEST_F(wait_alone, with_a_limit_the_task_is_left_to_others_and_lifted_for_them) {
  detail::completion<ext::default_sync> done(1);
  pool_task work(pool_);
  EXPECT_EQ(waits_.for_task(self_, work, done, 1ms), wait_end::time_over);
  EXPECT_EQ(pool_.ready().lifts, 1);
  EXPECT_EQ(work.runs, 0);
  EXPECT_FALSE(work.is_claimed());
}

// Another thread has found that no thread has room for it: here the test says so.
TEST_F(wait_alone, a_task_that_no_thread_has_room_for_is_withdrawn) {
  detail::completion<ext::default_sync> done(1);
  bool is_cancelled = false;
  pool_task work(pool_, [&] { is_cancelled = work.is_cancelled(); });
  std::thread other([&] {
    while (!detail::wait_graph::only().refuse_depth(*pool_)) std::this_thread::yield();
  });
  run_deep([&] { EXPECT_EQ(waits_.for_task(self_, work, done, no_limit), wait_end::too_deep); });
  other.join();
  EXPECT_EQ(work.runs, 1) << "so that it has an end";
  EXPECT_TRUE(is_cancelled);
  EXPECT_EQ(pool_.ready().burials, 1);
}

TEST_F(wait_alone, a_group_that_was_stopped_needs_no_room) {
  bare_group group(pool_);
  pool_task work(pool_, {}, &*group);
  group->request_stop();
  run_deep([&] { EXPECT_EQ(waits_.for_group(self_, *group, no_limit, true), wait_end::done); });
  EXPECT_EQ(work.runs, 1);
}

// --- Giving way.

class giving_way_alone : public wait_fixture {
 protected:
  // Something more urgent waits, for that number of looks.
  void let_others_come_first(int looks) {
    pool_.ready().gives_way = true;
    pool_.ready().looks_until_way_is_free = looks;
  }
};

TEST_F(giving_way_alone, a_waiter_that_no_thread_can_stand_in_for_goes_on) {
  let_others_come_first(1000);
  std::chrono::nanoseconds patience = 50s;
  detail::worker& seat = *pool_->crew.take_seat(true);
  waits_.give_way(seat, 0, patience);
  EXPECT_EQ(seat.counts.gave_way.value(), 0U);
  EXPECT_EQ(pool_.ready().looks_until_way_is_free, 1000);
  EXPECT_EQ(pool_->crew.count().active, 1) << "it has its place again";
  pool_->crew.leave_seat(seat);
}

TEST_F(giving_way_alone, a_waiter_waits_until_its_way_is_free) {
  bare_pool pool({.most_threads = 1, .life = &live_without_work});
  detail::wait_room waits({.home = *pool,
                           .workers = pool->workers,
                           .ready = pool.ready(),
                           .completions = pool->events,
                           .members = pool->crew,
                           .runs = pool->runs,
                           .places = pool->places},
                          waiting::descendants);
  detail::worker& seat = *pool->crew.take_seat(true);
  pool.ready().looks_until_way_is_free = 3;
  std::chrono::nanoseconds patience = 50s;
  waits.give_way(seat, 0, patience);
  EXPECT_EQ(seat.counts.gave_way.value(), 1U);
  EXPECT_EQ(pool.ready().looks_until_way_is_free, -1);
  EXPECT_LT(patience, 50s) << "it has less of it for the next time";
  EXPECT_EQ(pool->crew.count().threads, 1U) << "which had its place";
  pool.ready().looks_until_way_is_free = 1'000'000'000;
  patience = 1ms;
  waits.give_way(seat, 0, patience);
  EXPECT_LT(patience, 0ns) << "it has waited for long enough";
  pool->crew.leave_seat(seat);
}

TEST_F(giving_way_alone, the_tasks_of_a_group_and_of_a_future_begin_all_the_same) {
  let_others_come_first(0);
  bare_group group(pool_);
  pool_task work(pool_, {}, &*group);
  detail::worker& seat = *pool_->crew.take_seat(true);
  EXPECT_EQ(waits_.for_group(seat, *group, no_limit, false), wait_end::done);
  EXPECT_EQ(work.runs, 1);
  detail::completion<ext::default_sync> done(1);
  pool_task of_future(pool_, [&] { done.finish(); });
  EXPECT_EQ(waits_.for_task(seat, of_future, done, no_limit), wait_end::done);
  EXPECT_EQ(of_future.runs, 1);
  pool_->crew.leave_seat(seat);
}

}  // namespace
}  // namespace pilfer::test
