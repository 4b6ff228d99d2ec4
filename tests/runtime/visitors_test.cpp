// Callers of a pool: seats, what a caller leaves behind, and jobs that are given away. The ready set is a stand-in; the
// crew and the sleep room are real ones, because they are classes without virtual functions. A thread, where a test needs
// one, runs what was injected.
#include <chrono>
#include <new>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "runtime/bare_pool.hpp"
#include "src/runtime/rest.hpp"
#include "src/runtime/visitors.hpp"
#include "support/watchdog.hpp"

namespace pilfer::test {
namespace {

using detail::activity;
using detail::own_worker_in;
using detail::visit;
using place = visit::place;

class visitors_alone : public ::testing::Test {
 protected:
  // The life of a thread that runs what was injected.
  static void run_injected(detail::worker& self) {
    detail::runtime& home = self.home;
    home.crew.begin_life();
    while (!home.crew.has_ended()) {
      if (detail::job* const work = home.ready->outside().take(self.counts.injected)) home.runs.run(self, *work);
      std::this_thread::yield();
    }
  }

 private:
  watchdog dog_{std::chrono::seconds(60), "callers of a pool"};
};

TEST_F(visitors_alone, a_caller_becomes_the_worker_of_its_seat) {
  bare_pool pool;
  detail::worker* const seat = pool->visitors.enter(false);
  ASSERT_NE(seat, nullptr);
  EXPECT_EQ(own_worker_in(*pool), seat);
  EXPECT_EQ(forks_of(*seat).bound, 1);
  EXPECT_EQ(tasks_of(*seat).bound, 1);
  EXPECT_EQ(seat->what_it_does(), activity::runs);
  EXPECT_EQ(pool.ready().enters, 1);
  EXPECT_EQ(pool->crew.count().active, 1);
  pool->visitors.leave(*seat);
  EXPECT_EQ(own_worker_in(*pool), nullptr);
  EXPECT_EQ(forks_of(*seat).bound, 0);
  EXPECT_EQ(tasks_of(*seat).bound, 0);
  EXPECT_EQ(seat->what_it_does(), activity::nothing);
  EXPECT_EQ(pool.ready().leaves, 1);
  EXPECT_EQ(pool->crew.count().active, 0);
}

TEST_F(visitors_alone, a_caller_that_finds_no_place_may_insist_on_one) {
  bare_pool pool({.most_workers = 2});
  detail::worker* const first = pool->visitors.enter(false);
  EXPECT_EQ(pool->visitors.enter(false), nullptr);
  EXPECT_EQ(pool.ready().enters, 1) << "nothing was entered";
  detail::worker* const second = pool->visitors.enter(true);
  ASSERT_NE(second, nullptr);
  EXPECT_NE(second, first);
  EXPECT_EQ(pool->visitors.enter(true), nullptr) << "no memory";
  pool->visitors.leave(*second);
  pool->visitors.leave(*first);
}

TEST_F(visitors_alone, what_a_caller_leaves_behind_any_worker_may_run) {
  bare_pool pool({.most_threads = 1});
  detail::worker& seat = *pool->visitors.enter(true);
  pool_task work(pool);
  ASSERT_TRUE(tasks_of(seat).push(work));
  pool->visitors.leave(seat);
  EXPECT_EQ(work.runs, 0);
  EXPECT_FALSE(seat.tasks.has_items());
  EXPECT_TRUE(pool.ready().has_injected());
  EXPECT_EQ(pool->crew.count().threads, 1U) << "which was made for it";
}

TEST_F(visitors_alone, a_caller_that_leaves_nothing_behind_gives_nothing_away) {
  bare_pool pool({.most_threads = 1});
  detail::worker& seat = *pool->visitors.enter(true);
  pool->visitors.leave(seat);
  EXPECT_EQ(pool.ready().gifts, 0);
  EXPECT_EQ(pool->crew.count().threads, 0U);
}

TEST_F(visitors_alone, what_no_thief_could_see_is_given_away_too) {
  bare_pool pool({.most_threads = 1});
  detail::worker& seat = *pool->visitors.enter(true);
  tasks_of(seat).hides = true;
  pool->visitors.leave(seat);
  EXPECT_EQ(pool.ready().gifts, 1);
}

// And what that leaves behind in turn.
TEST_F(visitors_alone, where_no_thread_can_be_made_a_caller_runs_what_it_leaves_behind) {
  bare_pool pool;
  detail::worker& seat = *pool->visitors.enter(true);
  pool_task last(pool);
  pool_task work(pool, [&] {
    EXPECT_EQ(own_worker_in(*pool), &seat);
    EXPECT_TRUE(tasks_of(seat).push(last));
  });
  ASSERT_TRUE(tasks_of(seat).push(work));
  pool->visitors.leave(seat);
  EXPECT_EQ(work.runs, 1);
  EXPECT_EQ(last.runs, 1);
  EXPECT_EQ(pool.ready().nested, 2) << "on top of what the caller is in";
  EXPECT_EQ(seat.counts.injected.value(), 2U);
}

TEST_F(visitors_alone, where_no_thread_can_be_made_what_comes_late_is_run_all_the_same) {
  bare_pool pool;
  detail::worker& seat = *pool->visitors.enter(true);
  pool_task late(pool);
  pool.ready().on_leave = [&, is_first = true](detail::worker&) mutable {
    if (std::exchange(is_first, false)) pool.ready().inject(nullptr, late);
  };
  pool->visitors.leave(seat);
  EXPECT_EQ(late.runs, 1);
  EXPECT_EQ(pool->crew.count().active, 0);
}

TEST_F(visitors_alone, a_place_that_becomes_vacant_calls_a_spare_worker) {
  bare_pool pool({.most_threads = 1, .life = &live_without_work});
  detail::worker& seat = *pool->visitors.enter(true);
  ASSERT_TRUE(pool->crew.has_threads());  // makes it; it is surplus beside the caller
  while (pool->crew.count().active != 1) std::this_thread::yield();
  pool->visitors.leave(seat);
  EXPECT_EQ(pool->crew.count().active, 1);
}

// It relied on this caller: it could not be recalled before, since the caller was active.
TEST_F(visitors_alone, a_worker_that_sleeps_beside_work_is_recalled_when_the_last_caller_leaves) {
  for (const bool has_work : {false, true}) {
    bare_pool pool({.places = 2});
    detail::worker& sleeper = *pool->crew.take_seat(true);
    detail::worker& seat = *pool->visitors.enter(true);
    detail::latch_sleeper bed;
    static_cast<void>(pool->crew.begin_block(sleeper, {.bed = &bed}));
    lone_fork forked;
    if (has_work) forks_of(sleeper).jobs.push_back(&forked);
    pool->visitors.leave(seat);
    EXPECT_EQ(pool->crew.end_block(sleeper), has_work);
    forks_of(sleeper).jobs.clear();
  }
}

TEST_F(visitors_alone, it_is_recalled_for_events_too) {
  bare_pool pool({.places = 2});
  detail::worker& sleeper = *pool->crew.take_seat(true);
  detail::worker& seat = *pool->visitors.enter(true);
  detail::latch_sleeper bed;
  static_cast<void>(pool->crew.begin_block(sleeper, {.bed = &bed}));
  pool.attach_source().of_others = detail::event_source::others::attended;
  pool->visitors.leave(seat);
  EXPECT_TRUE(pool->crew.end_block(sleeper));
}

TEST_F(visitors_alone, a_job_is_run_elsewhere_while_its_caller_sleeps) {
  bare_pool pool({.most_threads = 1, .callers_work = false, .life = &run_injected});
  std::thread::id runner;
  lone_fork work([&] {
    runner = std::this_thread::get_id();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // so that the caller mostly sleeps
  });
  bare_group group(pool);
  work.scope = &*group;
  EXPECT_TRUE(pool->visitors.run_elsewhere(work));
  EXPECT_EQ(work.runs, 1);
  EXPECT_TRUE(work.is_done());
  EXPECT_NE(runner, std::this_thread::get_id());
  EXPECT_EQ(work.scope, nullptr) << "it is a part of no task of the pool";
}

TEST_F(visitors_alone, a_job_calls_the_thread_that_it_needs) {
  bare_pool pool({.most_threads = 1, .life = &run_injected});
  EXPECT_EQ(pool->crew.count().threads, 0U);
  lone_fork work;
  EXPECT_TRUE(pool->visitors.run_elsewhere(work));
  EXPECT_EQ(work.runs, 1);
}

TEST_F(visitors_alone, without_threads_nothing_is_run_elsewhere) {
  bare_pool pool;
  lone_fork work;
  EXPECT_FALSE(pool->visitors.run_elsewhere(work));
  EXPECT_EQ(work.runs, 0);
  EXPECT_FALSE(pool.ready().has_injected());
}

TEST_F(visitors_alone, a_visit_ends_with_its_block) {
  bare_pool pool;
  {
    const visit inside(*pool, place::if_free);
    EXPECT_TRUE(inside);
    EXPECT_NE(own_worker_in(*pool), nullptr);
  }
  EXPECT_EQ(own_worker_in(*pool), nullptr);
  EXPECT_EQ(pool.ready().leaves, 1);
}

// Further out than another pool, too.
TEST_F(visitors_alone, a_thread_that_is_a_worker_of_the_pool_already_is_that_worker_again) {
  bare_pool pool;
  bare_pool another;
  const visit outer(*pool, place::if_free);
  detail::worker* const seat = own_worker_in(*pool);
  const visit between(*another, place::if_free);
  {
    const visit inner(*pool, place::if_free);
    EXPECT_TRUE(inner) << "although all places are taken";
    EXPECT_EQ(own_worker_in(*pool), seat);
    EXPECT_EQ(pool.ready().enters, 1);
  }
  EXPECT_EQ(pool.ready().leaves, 0);
  EXPECT_EQ(own_worker_in(*pool), seat);
}

TEST_F(visitors_alone, how_much_a_visit_insists) {
  bare_pool pool({.most_workers = 2});
  detail::worker& other = *pool->crew.take_seat(false);
  EXPECT_FALSE(visit(*pool, place::if_free));
  EXPECT_TRUE(visit(*pool, place::additional));
  EXPECT_TRUE(visit(*pool, place::at_any_price));
  detail::worker& last = *pool->crew.take_seat(true);
  EXPECT_FALSE(visit(*pool, place::additional)) << "no memory";
  EXPECT_THROW(visit(*pool, place::at_any_price), std::bad_alloc);
  pool->crew.leave_seat(last);
  pool->crew.leave_seat(other);
}

TEST_F(visitors_alone, where_callers_do_not_work_a_visit_has_its_price) {
  bare_pool pool({.most_threads = 1, .callers_work = false});
  EXPECT_FALSE(visit(*pool, place::if_free));
  EXPECT_FALSE(visit(*pool, place::additional));
  EXPECT_TRUE(visit(*pool, place::at_any_price));
}

TEST(guest_beds_alone, are_used_again) {
  detail::guest_beds all;
  detail::latch_sleeper& a = all.borrow();
  detail::latch_sleeper& b = all.borrow();
  EXPECT_NE(&a, &b);
  all.give_back(b);
  all.give_back(a);
  EXPECT_EQ(&all.borrow(), &a);
}

}  // namespace
}  // namespace pilfer::test
