// How a thread sleeps in a wait or blocks: its places, and which worker it is.
#include <chrono>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/rest_fixture.hpp"
#include "src/runtime/wait_graph.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;
using detail::activity;
using detail::rest;
using detail::rest_until_done;
using detail::rested;
using detail::wait_end;
using detail::wait_graph;

class rest_alone : public rest_fixture {};

// --- A thread that is no worker.

TEST_F(rest_alone, a_thread_that_is_no_worker_just_sleeps) {
  bare_pool pool;
  awaited what(pool);
  what.while_asleep = [&] {
    EXPECT_TRUE(wait_graph::only().has_waits(*pool));
    what.bed().wake();
  };
  EXPECT_EQ(rest(what, no_limit), rested::slept);
  EXPECT_EQ(what.limits, std::vector{no_limit});
  EXPECT_FALSE(wait_graph::only().has_waits(*pool));
}

TEST_F(rest_alone, nothing_that_is_done_is_slept_for) {
  bare_pool pool;
  awaited what(pool);
  what.done = true;
  EXPECT_EQ(rest(what, no_limit), rested::slept);
  EXPECT_TRUE(what.limits.empty());
}

TEST_F(rest_alone, a_wait_goes_on_until_it_is_done) {
  bare_pool pool;
  awaited what(pool);
  what.while_asleep = [&] {
    what.done = what.limits.size() == 3;
    what.bed().wake();
  };
  EXPECT_EQ(rest_until_done(what, no_limit), wait_end::done);
  EXPECT_EQ(what.limits.size(), 3U);
  EXPECT_EQ(what.leaves, 1) << "the thread that has ended it is through with it";
}

TEST_F(rest_alone, a_wait_with_a_limit_ends_in_time) {
  bare_pool pool;
  awaited what(pool);
  EXPECT_EQ(rest_until_done(what, 1ms), wait_end::time_over);
  EXPECT_FALSE(what.limits.empty());
  EXPECT_EQ(what.leaves, 0);
  what.done = true;
  EXPECT_EQ(rest_until_done(what, 0ns), wait_end::done);
}

// --- Places.

TEST_F(rest_alone, a_thread_gives_up_its_places_in_all_pools_and_takes_them_back) {
  bare_pool pool;
  bare_pool another;
  seated self(pool);
  seated there(another);
  awaited what(pool);
  what.while_asleep = [&] {
    for (detail::worker* const each : {&*self, &*there}) EXPECT_EQ(each->what_it_does(), activity::waits);
    EXPECT_EQ(pool->crew.count().active, 0);
    EXPECT_EQ(another->crew.count().active, 0);
    what.done = true;
  };
  EXPECT_EQ(rest(what, no_limit), rested::slept);
  EXPECT_EQ(what.limits.size(), 1U);
  for (detail::worker* const each : {&*self, &*there}) EXPECT_EQ(each->what_it_does(), activity::runs);
  EXPECT_EQ(pool->crew.count().active, 1);
  EXPECT_EQ(another->crew.count().active, 1);
}

TEST_F(rest_alone, a_worker_that_is_entered_twice_has_one_place) {
  bare_pool pool;
  counting_source& from = pool.attach_source();
  seated self(pool);
  const detail::reentry again(*self);
  awaited what(pool);
  what.while_asleep = [&] { what.done = true; };
  from.flushes = 0;
  EXPECT_EQ(rest(what, no_limit), rested::slept);
  EXPECT_EQ(from.flushes, 1);
  EXPECT_EQ(pool->crew.count().active, 1);
}

TEST_F(rest_alone, another_thread_has_the_place_meanwhile) {
  bare_pool pool({.most_threads = 1, .life = &live_without_work});
  seated self(pool);
  awaited what(pool);
  lone_fork stranger;
  pool.ready().strangers = {&stranger};
  show_work_in(pool);
  what.while_asleep = [&] {
    EXPECT_EQ(pool->crew.count().threads, 1U);
    EXPECT_EQ(pool->crew.count().active, 1);
    what.bed().wake();
  };
  EXPECT_EQ(rest(what, no_limit), rested::slept);
  EXPECT_EQ(what.limits, std::vector{no_limit});
  EXPECT_EQ(stranger.runs, 0) << "it is the other thread's";
}

// --- Whose worker the calling thread is.

TEST_F(rest_alone, a_thread_is_one_worker_in_each_of_its_pools) {
  bare_pool pool;
  bare_pool another;
  EXPECT_EQ(detail::own_worker_in(*pool), nullptr);
  seated self(pool);
  EXPECT_EQ(detail::own_worker_in(*another), nullptr);
  seated there(another);
  EXPECT_EQ(detail::own_worker_in(*pool), &*self);
  EXPECT_EQ(detail::own_worker_in(*another), &*there);
  const auto forks_only = make_lone_worker(9);
  detail::hold_place(forks_only->place);
  EXPECT_EQ(detail::own_worker_in(no_pool()), nullptr) << "that pool has no tasks to wait for";
  detail::drop_place(forks_only->place);
}

TEST_F(rest_alone, which_threads_are_seated_for_a_wait) {
  bare_pool pool({.most_threads = 1, .life = &live_without_work});
  EXPECT_TRUE(pool->crew.has_threads());
  EXPECT_EQ(detail::seat_without_threads(*pool), nullptr);
  detail::worker* const seat = detail::seat_for_wait(*pool);
  ASSERT_NE(seat, nullptr) << "a place is free";
  EXPECT_EQ(detail::own_worker_in(*pool), seat);
  pool->visitors.leave(*seat);
  bare_pool another;
  seated there(another);
  EXPECT_EQ(detail::seat_for_wait(*pool), nullptr) << "a worker of another pool";
}

TEST_F(rest_alone, without_threads_every_waiter_is_seated) {
  bare_pool pool;
  bare_pool another;
  EXPECT_FALSE(pool->crew.has_threads());
  seated there(another);
  seated first(pool);
  detail::worker* const seat = detail::seat_for_wait(*pool);
  ASSERT_NE(seat, nullptr);
  pool->visitors.leave(*seat);
  detail::worker* const again = detail::seat_without_threads(*pool);
  ASSERT_NE(again, nullptr);
  pool->visitors.leave(*again);
}

// --- Calls that are not ours.

TEST_F(rest_alone, a_thread_that_blocks_gives_up_its_places_in_all_pools) {
  bare_pool pool;
  bare_pool another;
  seated self(pool);
  seated there(another);
  detail::begin_blocking();
  for (detail::worker* const each : {&*self, &*there}) EXPECT_EQ(each->what_it_does(), activity::blocked);
  EXPECT_EQ(pool->crew.count().active, 0);
  EXPECT_EQ(another->crew.count().active, 0);
  detail::end_blocking();
  for (detail::worker* const each : {&*self, &*there}) EXPECT_EQ(each->what_it_does(), activity::runs);
  EXPECT_EQ(pool->crew.count().active, 1);
  EXPECT_EQ(another->crew.count().active, 1);
}

TEST_F(rest_alone, the_last_thread_that_blocks_recalls_one_that_sleeps_beside_work) {
  for (const bool has_work : {false, true}) {
    bare_pool pool({.places = 2});
    detail::worker& sleeper = *pool->crew.take_seat(true);
    seated self(pool);
    detail::latch_sleeper bed;
    static_cast<void>(pool->crew.begin_block(sleeper, {.bed = &bed}));
    lone_fork own_fork;  // it has been joined when the thread leaves, so this is what a sleeper could steal
    if (has_work) forks_of(*self).jobs.push_back(&own_fork);
    detail::begin_blocking();
    EXPECT_EQ(pool->crew.end_block(sleeper), has_work);
    detail::end_blocking();
    forks_of(*self).jobs.clear();
  }
}

}  // namespace
}  // namespace pilfer::test
