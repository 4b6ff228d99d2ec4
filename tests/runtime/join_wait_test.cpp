// What a worker runs while it waits at a join, and what it passes on. Thieves are workers without threads: the test writes
// their records and fills their queues.
#include <cstdint>
#include <thread>

#include <gtest/gtest.h>

#include "runtime/wait_fixture.hpp"

namespace pilfer::test {
namespace {

using detail::latch_of;
using detail::run_id;

class join_wait_alone : public wait_fixture {
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
};

TEST_F(join_wait_alone, a_fork_that_is_done_is_not_waited_for) {
  lone_fork work;
  latch_of(work).finish();
  waits_.for_fork(self_, work);
  EXPECT_EQ(self_.counts.waits.value(), 0U);
}

TEST_F(join_wait_alone, a_fork_that_was_passed_on_is_run_by_its_waiter) {
  lone_fork work([&] { EXPECT_EQ(self_.depth, 1U); });
  pool_.ready().inject(nullptr, work);
  waits_.for_fork(self_, work);
  EXPECT_EQ(work.runs, 1);
  EXPECT_EQ(self_.counts.waits.value(), 1U);
  EXPECT_EQ(pool_.ready().nested, 1);
  EXPECT_FALSE(pool_.ready().has_injected());
}

TEST_F(join_wait_alone, a_fork_that_runs_elsewhere_is_slept_for) {
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

TEST_F(join_wait_alone, a_waiter_runs_what_its_thief_has_forked) {
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

TEST_F(join_wait_alone, what_a_thief_has_forked_after_the_stolen_job_is_passed_on) {
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

TEST_F(join_wait_alone, nothing_is_stolen_from_a_thief_whose_job_has_ended) {
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

TEST_F(join_wait_alone, a_waiter_goes_on_to_what_its_thief_waits_for) {
  stolen fork(thief_, 5);
  running awaited_by_thief(third_, 8);
  thief_.runs[0].wait_for(awaited_by_thief.id());
  lone_fork descendant([&] { fork.end(); });
  forks_of(third_).jobs.push_back(&descendant);
  waits_.for_fork(self_, fork.work);
  EXPECT_EQ(descendant.runs, 1);
  EXPECT_EQ(forks_of(third_).robbed_from, 8U);
}

TEST_F(join_wait_alone, a_waiter_goes_on_to_what_its_thief_runs_on_top) {
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

TEST_F(join_wait_alone, others_learn_what_a_waiter_waits_for) {
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

TEST_F(join_wait_alone, tasks_are_descendants_if_the_stolen_job_has_made_their_group) {
  stolen fork(thief_, 0, 7 * most_levels + 2);  // at level 2
  pool_task descendant(pool_, [&] { fork.end(); });
  descendant.maker = fork.run.id();
  tasks_of(thief_, 2).jobs.push_back(&descendant);
  waits_.for_fork(self_, fork.work);
  EXPECT_EQ(descendant.runs, 1);
  EXPECT_EQ(tasks_of(thief_, 2).robbed_from, 7U);
  EXPECT_EQ(self_.counts.leapfrogged.value(), 1U);
}

TEST_F(join_wait_alone, tasks_of_other_groups_are_passed_on) {
  stolen fork(thief_, 0, 2);
  pool_task stranger(pool_);
  stranger.maker = detail::run_id();
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

TEST_F(join_wait_alone, tasks_are_left_alone_if_the_ready_set_forbids_it) {
  pool_.ready().leapfrogs = false;
  stolen fork(thief_, 0, 2);
  pool_task work(pool_);
  work.maker = fork.run.id();
  tasks_of(thief_, 2).jobs.push_back(&work);
  std::thread runner([&] {
    while (self_.counted().sleeps_at_joins.value() == 0) std::this_thread::yield();
    fork.end();
  });
  waits_.for_fork(self_, fork.work);
  runner.join();
  EXPECT_EQ(tasks_of(thief_, 2).jobs.size(), 1U);
}

TEST_F(join_wait_alone, strangers_are_run_by_those_who_may_run_any_work_only) {
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

}  // namespace
}  // namespace pilfer::test
