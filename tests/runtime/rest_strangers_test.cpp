// What a thread runs instead of sleeping in a wait, where no other thread can be had, and waits that cannot end.
#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "runtime/rest_fixture.hpp"
#include "src/runtime/inside_scope.hpp"
#include "src/runtime/wait_graph.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;
using detail::activity;
using detail::failing;
using detail::rest;
using detail::rest_until_done;
using detail::rested;
using detail::wait_end;
using detail::wait_graph;
using detail::wait_target;

class strangers_alone : public rest_fixture {};

TEST_F(strangers_alone, the_last_thread_runs_a_stranger_instead_of_sleeping) {
  bare_pool pool;
  seated self(pool);
  awaited what(pool);
  lone_fork stranger([&] { EXPECT_EQ(self->what_it_does(), activity::runs) << "it has its place"; });
  pool.ready().strangers = {&stranger};
  show_work_in(pool);
  EXPECT_EQ(rest(what, no_limit), rested::helped);
  EXPECT_EQ(stranger.runs, 1);
  EXPECT_TRUE(what.limits.empty());
  EXPECT_EQ(self->counts.late_waits.value(), 0U);
}

TEST_F(strangers_alone, a_thread_that_sleeps_is_recalled_for_work_that_comes) {
  bare_pool pool;
  seated self(pool);
  awaited what(pool);
  lone_fork stranger;
  what.while_asleep = [&] {
    pool.ready().strangers = {&stranger};
    EXPECT_TRUE(pool->crew.offer_place(detail::crew::vacancy::for_anyone));
  };
  EXPECT_EQ(rest(what, no_limit), rested::helped);
  EXPECT_EQ(stranger.runs, 1);
  EXPECT_EQ(pool->crew.count().active, 1);
}

TEST_F(strangers_alone, one_stranger_is_enough_for_one_sleep) {
  bare_pool pool;
  bare_pool another;
  seated self(pool);
  seated there(another);
  awaited what(pool);
  lone_fork stranger;
  lone_fork second;
  pool.ready().strangers = {&stranger};
  another.ready().strangers = {&second};
  for (bare_pool* const each : {&pool, &another}) show_work_in(*each);
  EXPECT_EQ(rest(what, no_limit), rested::helped);
  EXPECT_EQ(stranger.runs + second.runs, 1);
  EXPECT_EQ(rest(what, no_limit), rested::helped);
  EXPECT_EQ(stranger.runs + second.runs, 2) << "the other pool's comes next";
}

// Private work of a thread that sleeps, for example.
TEST_F(strangers_alone, a_thread_that_has_looked_in_vain_naps) {
  bare_pool pool;
  seated self(pool);
  awaited what(pool);
  show_work_in(pool);
  EXPECT_EQ(rest(what, no_limit), rested::slept);
  EXPECT_TRUE(what.limits.empty()) << "it has looked instead";
  EXPECT_EQ(rest(what, no_limit), rested::slept);
  ASSERT_EQ(what.limits.size(), 1U);
  EXPECT_GT(what.limits[0], 0ns);
}

TEST_F(strangers_alone, a_thread_is_not_recalled_while_others_are_active_but_naps) {
  bare_pool pool({.places = 2});
  seated self(pool);
  static_cast<void>(pool->crew.take_seat(true));
  awaited what(pool);
  lone_fork stranger;
  pool.ready().strangers = {&stranger};
  show_work_in(pool);
  what.while_asleep = [&] { what.bed().wake(); };
  EXPECT_EQ(rest(what, no_limit), rested::slept);
  EXPECT_EQ(stranger.runs, 0);
  ASSERT_EQ(what.limits.size(), 1U);
  EXPECT_GT(what.limits[0], 0ns) << "the others may be blocked";
}

TEST_F(strangers_alone, after_a_nap_beside_workers_that_begin_nothing_it_helps_all_the_same) {
  bare_pool pool({.places = 2});
  seated self(pool);
  static_cast<void>(pool->crew.take_seat(true));
  awaited what(pool);
  lone_fork stranger;
  pool.ready().strangers = {&stranger};
  show_work_in(pool);
  EXPECT_EQ(rest(what, no_limit), rested::helped);
  EXPECT_EQ(what.limits.size(), 1U);
  EXPECT_EQ(stranger.runs, 1);
}

TEST_F(strangers_alone, workers_that_begin_tasks_need_no_help) {
  bare_pool pool({.places = 2});
  seated self(pool);
  detail::worker& other = *pool->crew.take_seat(true);
  awaited what(pool);
  lone_fork stranger;
  pool.ready().strangers = {&stranger};
  show_work_in(pool);
  what.while_asleep = [&] { other.counts.tasks.add(); };
  EXPECT_EQ(rest(what, no_limit), rested::slept);
  EXPECT_EQ(stranger.runs, 0);
}

// A loop around a wait with a short limit: its thread is active for moments, so that it never happens that none is.
TEST_F(strangers_alone, a_thread_that_polls_helps_after_a_while) {
  bare_pool pool({.places = 2});
  seated self(pool);
  static_cast<void>(pool->crew.take_seat(true));
  awaited what(pool);
  lone_fork stranger;
  pool.ready().strangers = {&stranger};
  show_work_in(pool);
  EXPECT_EQ(rest(what, 1ms), rested::slept);
  EXPECT_EQ(stranger.runs, 0) << "not at once";
  while (rest(what, 1ms) != rested::helped) {
  }
  EXPECT_EQ(stranger.runs, 1);
  EXPECT_EQ(self->counts.late_waits.value(), 1U);
}

TEST_F(strangers_alone, the_last_thread_looks_after_the_events_of_all) {
  bare_pool pool;
  counting_source& from = pool.attach_source();
  from.of_others = detail::event_source::others::unattended;
  seated self(pool);
  awaited what(pool);
  lone_fork stranger;
  what.while_asleep = [&] {
    from.comes_for_others = 1;
    pool.ready().strangers = {&stranger};
  };
  EXPECT_EQ(rest(what, no_limit), rested::helped);
  ASSERT_EQ(what.limits.size(), 1U);
  EXPECT_GT(what.limits[0], 0ns) << "a nap";
  EXPECT_EQ(stranger.runs, 1) << "the event has brought it";
}

// --- Waits that cannot end.

class endless_rest_alone : public rest_fixture {};

TEST_F(endless_rest_alone, a_wait_for_the_own_task_fails_and_is_not_slept_in) {
  bare_pool pool;
  seated self(pool);
  lone_fork work;
  const detail::inside_scope in(*self, &work, work.scope, 0, detail::task_level());
  awaited what(pool);
  what.wait_for(work);
  EXPECT_EQ(rest(what, no_limit), rested::own);
  EXPECT_EQ(rest_until_done(what, no_limit), wait_end::own);
  EXPECT_TRUE(what.limits.empty());
  EXPECT_EQ(rest_until_done(what, 1ms), wait_end::time_over) << "with a limit it ends by itself";
}

TEST_F(endless_rest_alone, a_wait_that_another_thread_has_found_to_be_endless_fails) {
  bare_pool pool;
  seated self(pool);
  lone_fork work;
  lone_fork of_other;
  const detail::inside_scope in(*self, &work, work.scope, 0, detail::task_level());
  detail::worker& other = pool.add_worker();
  const detail::inside_scope in_other(other, &of_other, of_other.scope, 0, detail::task_level());
  awaited what(pool);
  what.wait_for(of_other);
  awaited what_the_other_waits_for(pool);
  detail::sleeping_thread second{.places = &other.place,
                                 .target = {.what = wait_target::kind::fork, .object = &work, .home = &*pool},
                                 .bed = &what_the_other_waits_for.bed(),
                                 .what = &what_the_other_waits_for,
                                 .may_fail = failing::never,
                                 .limited = false};
  what.while_asleep = [&] { EXPECT_TRUE(wait_graph::only().enlist(second)); };
  EXPECT_EQ(rest(what, no_limit), rested::own);
  EXPECT_EQ(what.limits.size(), 1U);
  wait_graph::only().delist(second);
}

TEST_F(endless_rest_alone, a_wait_that_is_refused_room_gives_up_if_it_can) {
  bare_pool pool;
  awaited what(pool);
  what.gives_up = true;
  what.while_asleep = [&] { EXPECT_TRUE(wait_graph::only().refuse_depth(*pool)); };
  EXPECT_EQ(rest(what, no_limit), rested::too_deep);
  what.while_asleep = [&] {
    EXPECT_TRUE(wait_graph::only().refuse_depth(*pool));
    what.gives_up = false;  // the task has begun meanwhile
  };
  EXPECT_EQ(rest(what, no_limit), rested::slept);
}

TEST_F(endless_rest_alone, where_strangers_are_forbidden_a_wait_that_stands_still_fails) {
  bare_pool pool({.strangers = false});
  seated self(pool);
  awaited what(pool);
  lone_fork stranger;
  pool.ready().strangers = {&stranger};
  show_work_in(pool);
  EXPECT_EQ(rest(what, no_limit), rested::slept) << "it may still come free";
  EXPECT_EQ(rest_until_done(what, no_limit), wait_end::too_deep);
  EXPECT_EQ(stranger.runs, 0);
}

TEST_F(endless_rest_alone, a_standstill_is_told_if_no_wait_can_fail) {
  bare_pool pool({.strangers = false});
  seated self(pool);
  awaited what(pool);
  what.fails = failing::never;
  show_work_in(pool);
  std::chrono::steady_clock::time_point since;  // it is stuck from the end of the first sleep at the latest
  bool is_long = false;
  what.while_asleep = [&] {
    if (what.limits.size() == 2) since = std::chrono::steady_clock::now();
    what.done = is_long;
    is_long = what.limits.size() > 2 && std::chrono::steady_clock::now() - since > 1s;
  };
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(rest_until_done(what, no_limit), wait_end::done);
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("all threads of this pool wait"), std::string::npos) << said;
}

}  // namespace
}  // namespace pilfer::test
