// Waits of one worker: what it runs while it waits, and what it passes on. Thieves are workers without threads: the test
// writes their records and fills their queues. The calling thread holds no place, so its sleeps give none up (that is in
// rest_test.cpp); one test seats it.
#include <array>
#include <chrono>
#include <functional>
#include <thread>

#include <gtest/gtest.h>

#include "runtime/bare_pool.hpp"
#include "src/runtime/inside_scope.hpp"
#include "src/runtime/wait.hpp"
#include "src/runtime/wait_graph.hpp"
#include "src/sync/stack_room.hpp"
#include "support/watchdog.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;
using detail::latch_of;
using detail::run_id;
using detail::wait_end;

constexpr std::chrono::nanoseconds no_limit_of_waits{-1};

class wait_alone : public ::testing::Test {
 protected:
  // A job that a worker runs, at the depth that is next there.
  class running {
   public:
    running(detail::worker& by, std::uint64_t mark, std::uint64_t task_mark = 0)
        : by_(by), depth_(by.depth++), serial_(by.runs[depth_].start(mark, task_mark)) {}
    [[nodiscard]] run_id id() const { return {by_.index, depth_, serial_}; }
    void end() {
      by_.runs[depth_].end(serial_);
      --by_.depth;
    }

   private:
    detail::worker& by_;
    const unsigned depth_;
    const std::uint64_t serial_;
  };
  // The job that the waiter waits for was stolen, and its thief runs it.
  struct stolen {
    stolen(detail::worker& by, std::uint64_t mark, std::uint64_t task_mark = 0) : run(by, mark, task_mark) {
      latch_of(work).start(run.id());
    }
    void end() {
      run.end();
      latch_of(work).finish();
    }
    lone_fork work;
    running run;
  };

  detail::wait_room make(waiting rule) {
    return detail::wait_room({.home = *pool_,
                              .workers = pool_->workers,
                              .ready = pool_.ready(),
                              .completions = pool_->events,
                              .members = pool_->crew,
                              .runs = pool_->runs,
                              .places = pool_->places},
                             rule);
  }
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

  bare_pool pool_{{.levels = 4}};
  counting_source& from_ = pool_.attach_source();
  detail::worker& self_ = pool_.add_worker();
  detail::worker& thief_ = pool_.add_worker();
  detail::worker& third_ = pool_.add_worker();
  detail::wait_room waits_ = make(waiting::descendants);

 private:
  watchdog dog_{std::chrono::seconds(60), "a wait"};
};

// --- Joins.

TEST_F(wait_alone, a_fork_that_is_done_is_not_waited_for) {
  lone_fork work;
  latch_of(work).finish();
  waits_.for_fork(self_, work);
  EXPECT_EQ(self_.counts.waits.value(), 0U);
}

TEST_F(wait_alone, a_fork_that_was_passed_on_is_run_by_its_waiter) {
  lone_fork work([&] { EXPECT_EQ(self_.depth, 1U); });
  pool_.ready().inject(nullptr, work);
  waits_.for_fork(self_, work);
  EXPECT_EQ(work.runs, 1);
  EXPECT_EQ(self_.counts.waits.value(), 1U);
  EXPECT_EQ(pool_.ready().nested, 1);
  EXPECT_FALSE(pool_.ready().has_injected());
}

TEST_F(wait_alone, a_fork_that_runs_elsewhere_is_slept_for) {
  stolen fork(thief_, 0);
  std::thread runner([&] {
    while (self_.counted().sleeps_at_joins.value() == 0) std::this_thread::yield();
    fork.end();
  });
  waits_.for_fork(self_, fork.work);
  EXPECT_TRUE(fork.work.is_done());
  runner.join();
  EXPECT_GE(from_.flushes, 1) << "what is awaited may wait for events of this worker";
}

TEST_F(wait_alone, a_waiter_runs_what_its_thief_has_forked) {
  stolen fork(thief_, 5);
  lone_fork descendant([&] {
    EXPECT_EQ(self_.depth, 1U);
    fork.end();
  });
  forks_of(thief_).jobs.push_back(&descendant);
  waits_.for_fork(self_, fork.work);
  EXPECT_EQ(descendant.runs, 1);
  EXPECT_EQ(forks_of(thief_).robbed_from, 5U) << "nothing that is older than the stolen job";
  EXPECT_EQ(self_.counts.leapfrogged.value(), 1U);
  EXPECT_EQ(self_.counts.strangers.value(), 0U);
  EXPECT_EQ(pool_.ready().nested, 1);
}

TEST_F(wait_alone, what_a_thief_has_forked_after_the_stolen_job_is_passed_on) {
  stolen fork(thief_, 5);
  lone_fork stranger;
  forks_of(thief_).jobs.push_back(&stranger);
  forks_of(thief_).on_theft = [&] { fork.end(); };
  waits_.for_fork(self_, fork.work);
  EXPECT_EQ(stranger.runs, 0);
  EXPECT_EQ(self_.counts.strangers.value(), 1U);
  EXPECT_EQ(self_.counts.leapfrogged.value(), 0U);
  EXPECT_EQ(pool_->ready->outside().take(self_.counts.injected), &stranger);
}

TEST_F(wait_alone, nothing_is_stolen_from_a_thief_whose_job_has_ended) {
  stolen fork(thief_, 5);
  fork.run.end();
  lone_fork stranger;
  forks_of(thief_).jobs.push_back(&stranger);
  std::thread runner([&] {
    while (self_.counted().sleeps_at_joins.value() == 0) std::this_thread::yield();
    latch_of(fork.work).finish();
  });
  waits_.for_fork(self_, fork.work);
  runner.join();
  EXPECT_EQ(forks_of(thief_).jobs.size(), 1U);
}

TEST_F(wait_alone, a_waiter_goes_on_to_what_its_thief_waits_for) {
  stolen fork(thief_, 5);
  running awaited_by_thief(third_, 8);
  thief_.runs[0].wait_for(awaited_by_thief.id());
  lone_fork descendant([&] { fork.end(); });
  forks_of(third_).jobs.push_back(&descendant);
  waits_.for_fork(self_, fork.work);
  EXPECT_EQ(descendant.runs, 1);
  EXPECT_EQ(forks_of(third_).robbed_from, 8U);
}

TEST_F(wait_alone, a_waiter_goes_on_to_what_its_thief_runs_on_top) {
  stolen fork(thief_, 5);
  const running on_top(thief_, 6);
  running awaited_there(third_, 9);
  thief_.runs[1].wait_for(awaited_there.id());
  lone_fork descendant([&] {
    --thief_.depth;
    fork.end();
  });
  forks_of(third_).jobs.push_back(&descendant);
  waits_.for_fork(self_, fork.work);
  EXPECT_EQ(descendant.runs, 1);
  EXPECT_EQ(forks_of(third_).robbed_from, 9U);
}

TEST_F(wait_alone, others_learn_what_a_waiter_waits_for) {
  running own(self_, 0);
  stolen fork(thief_, 0);
  lone_fork descendant([&] {
    EXPECT_EQ(self_.run_at(0).waits(), fork.run.id());
    fork.end();
  });
  forks_of(thief_).jobs.push_back(&descendant);
  waits_.for_fork(self_, fork.work);
  EXPECT_EQ(descendant.runs, 1);
  EXPECT_EQ(self_.run_at(0).waits(), run_id());
  own.end();
}

TEST_F(wait_alone, tasks_are_descendants_if_the_stolen_job_has_made_their_group) {
  stolen fork(thief_, 0, 7 * most_levels + 2);  // at level 2
  pool_task descendant(pool_, [&] { fork.end(); });
  descendant.ticket = reinterpret_cast<void*>(fork.run.id().word());
  tasks_of(thief_, 2).jobs.push_back(&descendant);
  waits_.for_fork(self_, fork.work);
  EXPECT_EQ(descendant.runs, 1);
  EXPECT_EQ(tasks_of(thief_, 2).robbed_from, 7U);
  EXPECT_EQ(self_.counts.leapfrogged.value(), 1U);
}

TEST_F(wait_alone, tasks_of_other_groups_are_passed_on) {
  stolen fork(thief_, 0, 2);
  pool_task stranger(pool_);
  stranger.ticket = nullptr;
  tasks_of(thief_, 2).jobs.push_back(&stranger);
  std::thread runner([&] {
    while (self_.counted().sleeps_at_joins.value() == 0) std::this_thread::yield();
    fork.end();
  });
  waits_.for_fork(self_, fork.work);
  runner.join();
  EXPECT_EQ(stranger.runs, 0);
  EXPECT_EQ(self_.counts.strangers.value(), 1U);
  EXPECT_EQ(pool_->ready->outside().take(self_.counts.injected), &stranger);
}

TEST_F(wait_alone, tasks_are_left_alone_if_the_ready_set_forbids_it) {
  pool_.ready().leapfrogs = false;
  stolen fork(thief_, 0, 2);
  pool_task work(pool_);
  work.ticket = reinterpret_cast<void*>(fork.run.id().word());
  tasks_of(thief_, 2).jobs.push_back(&work);
  std::thread runner([&] {
    while (self_.counted().sleeps_at_joins.value() == 0) std::this_thread::yield();
    fork.end();
  });
  waits_.for_fork(self_, fork.work);
  runner.join();
  EXPECT_EQ(tasks_of(thief_, 2).jobs.size(), 1U);
}

TEST_F(wait_alone, strangers_are_run_by_those_who_may_run_any_work_only) {
  for (const waiting rule : {waiting::descendants, waiting::any_work}) {
    const bool may = rule == waiting::any_work;
    detail::wait_room waits = make(rule);
    stolen fork(thief_, 0);
    lone_fork stranger([&] { fork.end(); });
    lone_fork descendant([&] { fork.end(); });
    pool_.ready().elsewhere = {&stranger};
    forks_of(thief_).jobs = {&descendant};
    waits.for_fork(self_, fork.work);
    EXPECT_EQ(stranger.runs, may ? 1 : 0);
    EXPECT_EQ(descendant.runs, may ? 0 : 1);
  }
}

// --- Groups.

TEST_F(wait_alone, a_group_is_waited_for_by_running_its_tasks) {
  bare_group group(pool_);
  pool_task first(pool_, {}, &*group);
  pool_task second(pool_, [&] { EXPECT_EQ(self_.depth, 0U) << "a part of the task that waits"; }, &*group);
  lone_fork stranger;
  pool_.ready().elsewhere = {&stranger};
  EXPECT_EQ(waits_.for_group(self_, *group, no_limit_of_waits, false), wait_end::done);
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
  EXPECT_EQ(waits_.for_group(self_, *group, no_limit_of_waits, false), wait_end::done);
  other.join();
  EXPECT_EQ(self_.counts.waits.value(), 1U);
}

TEST_F(wait_alone, a_wait_for_the_own_group_never_ends_and_says_so) {
  bare_group group(pool_);
  pool_task around(pool_, {}, &*group);
  ASSERT_TRUE(around.claim());
  detail::worker& seat = *pool_->visitors.enter(true);
  {
    const detail::inside_scope in(seat, around, 0, detail::task_level());
    EXPECT_EQ(waits_.for_group(seat, *group, no_limit_of_waits, false), wait_end::own);
  }
  around.end(true);
  pool_->visitors.leave(seat);
}

// --- Futures.

TEST_F(wait_alone, a_future_that_is_done_is_not_waited_for) {
  pool_task work(pool_);
  detail::completion<ext::default_sync> done(0);
  EXPECT_EQ(waits_.for_task(self_, work, done, no_limit_of_waits), wait_end::done);
  EXPECT_EQ(self_.counts.waits.value(), 0U);
  EXPECT_EQ(work.runs, 0);
}

TEST_F(wait_alone, the_task_of_a_future_is_run_by_its_waiter_if_it_has_not_begun) {
  detail::completion<ext::default_sync> done(1);
  pool_task work(pool_, [&] {
    EXPECT_EQ(self_.depth, 0U);
    done.finish();
  });
  EXPECT_EQ(waits_.for_task(self_, work, done, no_limit_of_waits), wait_end::done);
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
  EXPECT_EQ(waits_.for_task(self_, work, done, no_limit_of_waits), wait_end::done);
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
  run_deep([&] { EXPECT_EQ(waits_.for_task(self_, work, done, no_limit_of_waits), wait_end::too_deep); });
  other.join();
  EXPECT_EQ(work.runs, 1) << "so that it has an end";
  EXPECT_TRUE(is_cancelled);
  EXPECT_EQ(pool_.ready().burials, 1);
}

TEST_F(wait_alone, a_group_that_was_stopped_needs_no_room) {
  bare_group group(pool_);
  pool_task work(pool_, {}, &*group);
  group->request_stop();
  run_deep([&] { EXPECT_EQ(waits_.for_group(self_, *group, no_limit_of_waits, true), wait_end::done); });
  EXPECT_EQ(work.runs, 1);
}

// --- Giving way.

class giving_way_alone : public wait_alone {
 protected:
  // As if something more urgent waited, for so many looks.
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
  EXPECT_EQ(waits_.for_group(seat, *group, no_limit_of_waits, false), wait_end::done);
  EXPECT_EQ(work.runs, 1);
  detail::completion<ext::default_sync> done(1);
  pool_task of_future(pool_, [&] { done.finish(); });
  EXPECT_EQ(waits_.for_task(seat, of_future, done, no_limit_of_waits), wait_end::done);
  EXPECT_EQ(of_future.runs, 1);
  pool_->crew.leave_seat(seat);
}

}  // namespace
}  // namespace pilfer::test
