// How a thread sleeps in a wait. The room reaches its neighbours through the pools of the thread's workers, so these are
// bare pools: their threads do nothing, their ready sets and events are stand-ins. What is awaited is a stand-in, too: its
// sleep runs a function of the test on the waiting thread.
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/bare_pool.hpp"
#include "src/runtime/inside_scope.hpp"
#include "src/runtime/rest.hpp"
#include "src/runtime/wait_graph.hpp"
#include "support/watchdog.hpp"

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
using vacancy = detail::crew::vacancy;

constexpr std::chrono::nanoseconds no_limit_of_rests{-1};

class rest_alone : public ::testing::Test {
 protected:
  class awaited final : public detail::sleepable {
   public:
    explicit awaited(bare_pool& home) : target_{.what = wait_target::kind::call, .object = this, .home = &*home} {}
    [[nodiscard]] bool is_done() const noexcept override { return done; }
    [[nodiscard]] detail::latch_sleeper& bed() noexcept override { return bed_; }
    void sleep(std::chrono::nanoseconds limit) noexcept override {
      limits.push_back(limit);
      if (while_asleep) while_asleep();
      if (!done) static_cast<void>(bed_.sleep_once(limit));
    }
    [[nodiscard]] wait_target target() const noexcept override { return target_; }
    [[nodiscard]] failing may_fail() const noexcept override { return fails; }
    void leave() noexcept override { ++leaves; }
    [[nodiscard]] bool can_give_up() const noexcept override { return gives_up; }
    void wait_for(const detail::job& work) {
      target_.what = wait_target::kind::fork;
      target_.object = &work;
    }

    bool done = false;
    bool gives_up = false;
    failing fails = failing::willing;
    int leaves = 0;
    std::vector<std::chrono::nanoseconds> limits;  // of each sleep
    std::function<void()> while_asleep;

   private:
    wait_target target_;
    detail::latch_sleeper bed_;
  };
  // The calling thread is a worker of that pool.
  class seated {
   public:
    explicit seated(bare_pool& home) : home_(home), self_(*home->visitors.enter(true)) {}
    ~seated() { home_->visitors.leave(self_); }
    seated(const seated&) = delete;
    seated& operator=(const seated&) = delete;
    detail::worker& operator*() { return self_; }
    detail::worker* operator->() { return &self_; }

   private:
    bare_pool& home_;
    detail::worker& self_;
  };
  // A worker that could be robbed, if this thread looked there: the ready set decides what it finds.
  void show_work_in(bare_pool& pool) { forks_of(pool.add_worker()).jobs.push_back(&shown_); }

 private:
  lone_fork shown_;
  watchdog dog_{std::chrono::seconds(60), "a rest"};
};

// --- A thread that is no worker.

TEST_F(rest_alone, a_thread_that_is_no_worker_just_sleeps) {
  bare_pool pool;
  awaited what(pool);
  what.while_asleep = [&] {
    EXPECT_TRUE(wait_graph::only().has_waits(*pool));
    what.bed().wake();
  };
  EXPECT_EQ(rest(what, no_limit_of_rests), rested::slept);
  EXPECT_EQ(what.limits, std::vector{no_limit_of_rests});
  EXPECT_FALSE(wait_graph::only().has_waits(*pool));
}

TEST_F(rest_alone, nothing_that_is_done_is_slept_for) {
  bare_pool pool;
  awaited what(pool);
  what.done = true;
  EXPECT_EQ(rest(what, no_limit_of_rests), rested::slept);
  EXPECT_TRUE(what.limits.empty());
}

TEST_F(rest_alone, a_wait_goes_on_until_it_is_done) {
  bare_pool pool;
  awaited what(pool);
  what.while_asleep = [&] {
    what.done = what.limits.size() == 3;
    what.bed().wake();
  };
  EXPECT_EQ(rest_until_done(what, no_limit_of_rests), wait_end::done);
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
  EXPECT_EQ(rest(what, no_limit_of_rests), rested::slept);
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
  EXPECT_EQ(rest(what, no_limit_of_rests), rested::slept);
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
  EXPECT_EQ(rest(what, no_limit_of_rests), rested::slept);
  EXPECT_EQ(what.limits, std::vector{no_limit_of_rests});
  EXPECT_EQ(stranger.runs, 0) << "it is the other thread's";
}

// --- Strangers: where no other thread can be had.

TEST_F(rest_alone, the_last_thread_runs_a_stranger_instead_of_sleeping) {
  bare_pool pool;
  seated self(pool);
  awaited what(pool);
  lone_fork stranger([&] { EXPECT_EQ(self->what_it_does(), activity::runs) << "it has its place"; });
  pool.ready().strangers = {&stranger};
  show_work_in(pool);
  EXPECT_EQ(rest(what, no_limit_of_rests), rested::helped);
  EXPECT_EQ(stranger.runs, 1);
  EXPECT_TRUE(what.limits.empty());
  EXPECT_EQ(self->counts.late_waits.value(), 0U);
}

TEST_F(rest_alone, a_thread_that_sleeps_is_recalled_for_work_that_comes) {
  bare_pool pool;
  seated self(pool);
  awaited what(pool);
  lone_fork stranger;
  what.while_asleep = [&] {
    pool.ready().strangers = {&stranger};
    EXPECT_TRUE(pool->crew.offer_place(vacancy::for_anyone));
  };
  EXPECT_EQ(rest(what, no_limit_of_rests), rested::helped);
  EXPECT_EQ(stranger.runs, 1);
  EXPECT_EQ(pool->crew.count().active, 1);
}

TEST_F(rest_alone, one_stranger_is_enough_for_one_sleep) {
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
  EXPECT_EQ(rest(what, no_limit_of_rests), rested::helped);
  EXPECT_EQ(stranger.runs + second.runs, 1);
  EXPECT_EQ(rest(what, no_limit_of_rests), rested::helped);
  EXPECT_EQ(stranger.runs + second.runs, 2) << "the other pool's comes next";
}

// Private work of a thread that sleeps, for example.
TEST_F(rest_alone, a_thread_that_has_looked_in_vain_naps) {
  bare_pool pool;
  seated self(pool);
  awaited what(pool);
  show_work_in(pool);
  EXPECT_EQ(rest(what, no_limit_of_rests), rested::slept);
  EXPECT_TRUE(what.limits.empty()) << "it has looked instead";
  EXPECT_EQ(rest(what, no_limit_of_rests), rested::slept);
  ASSERT_EQ(what.limits.size(), 1U);
  EXPECT_GT(what.limits[0], 0ns);
}

TEST_F(rest_alone, a_thread_is_not_recalled_while_others_are_active_but_naps) {
  bare_pool pool({.places = 2});
  seated self(pool);
  static_cast<void>(pool->crew.take_seat(true));
  awaited what(pool);
  lone_fork stranger;
  pool.ready().strangers = {&stranger};
  show_work_in(pool);
  what.while_asleep = [&] { what.bed().wake(); };
  EXPECT_EQ(rest(what, no_limit_of_rests), rested::slept);
  EXPECT_EQ(stranger.runs, 0);
  ASSERT_EQ(what.limits.size(), 1U);
  EXPECT_GT(what.limits[0], 0ns) << "the others may be blocked";
}

TEST_F(rest_alone, after_a_nap_beside_workers_that_begin_nothing_it_helps_all_the_same) {
  bare_pool pool({.places = 2});
  seated self(pool);
  static_cast<void>(pool->crew.take_seat(true));
  awaited what(pool);
  lone_fork stranger;
  pool.ready().strangers = {&stranger};
  show_work_in(pool);
  EXPECT_EQ(rest(what, no_limit_of_rests), rested::helped);
  EXPECT_EQ(what.limits.size(), 1U);
  EXPECT_EQ(stranger.runs, 1);
}

TEST_F(rest_alone, workers_that_begin_tasks_need_no_help) {
  bare_pool pool({.places = 2});
  seated self(pool);
  detail::worker& other = *pool->crew.take_seat(true);
  awaited what(pool);
  lone_fork stranger;
  pool.ready().strangers = {&stranger};
  show_work_in(pool);
  what.while_asleep = [&] { other.counts.tasks.add(); };
  EXPECT_EQ(rest(what, no_limit_of_rests), rested::slept);
  EXPECT_EQ(stranger.runs, 0);
}

// A loop around a wait with a short limit: its thread is active for moments, so that it never happens that none is.
TEST_F(rest_alone, a_thread_that_polls_helps_after_a_while) {
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

TEST_F(rest_alone, the_last_thread_looks_after_the_events_of_all) {
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
  EXPECT_EQ(rest(what, no_limit_of_rests), rested::helped);
  ASSERT_EQ(what.limits.size(), 1U);
  EXPECT_GT(what.limits[0], 0ns) << "a nap";
  EXPECT_EQ(stranger.runs, 1) << "the event has brought it";
}

// --- Waits that cannot end.

TEST_F(rest_alone, a_wait_for_the_own_task_fails_and_is_not_slept_in) {
  bare_pool pool;
  seated self(pool);
  lone_fork work;
  const detail::inside_scope in(*self, work, 0, detail::task_level());
  awaited what(pool);
  what.wait_for(work);
  EXPECT_EQ(rest(what, no_limit_of_rests), rested::own);
  EXPECT_EQ(rest_until_done(what, no_limit_of_rests), wait_end::own);
  EXPECT_TRUE(what.limits.empty());
  EXPECT_EQ(rest_until_done(what, 1ms), wait_end::time_over) << "with a limit it ends by itself";
}

TEST_F(rest_alone, a_wait_that_another_thread_has_found_to_be_endless_fails) {
  bare_pool pool;
  seated self(pool);
  lone_fork work;
  lone_fork of_other;
  const detail::inside_scope in(*self, work, 0, detail::task_level());
  detail::worker& other = pool.add_worker();
  const detail::inside_scope in_other(other, of_other, 0, detail::task_level());
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
  EXPECT_EQ(rest(what, no_limit_of_rests), rested::own);
  EXPECT_EQ(what.limits.size(), 1U);
  wait_graph::only().delist(second);
}

TEST_F(rest_alone, a_wait_that_is_refused_room_gives_up_if_it_can) {
  bare_pool pool;
  awaited what(pool);
  what.gives_up = true;
  what.while_asleep = [&] { EXPECT_TRUE(wait_graph::only().refuse_depth(*pool)); };
  EXPECT_EQ(rest(what, no_limit_of_rests), rested::too_deep);
  what.while_asleep = [&] {
    EXPECT_TRUE(wait_graph::only().refuse_depth(*pool));
    what.gives_up = false;  // the task has begun meanwhile
  };
  EXPECT_EQ(rest(what, no_limit_of_rests), rested::slept);
}

TEST_F(rest_alone, where_strangers_are_forbidden_a_wait_that_stands_still_fails) {
  bare_pool pool({.strangers = false});
  seated self(pool);
  awaited what(pool);
  lone_fork stranger;
  pool.ready().strangers = {&stranger};
  show_work_in(pool);
  EXPECT_EQ(rest(what, no_limit_of_rests), rested::slept) << "it may still come free";
  EXPECT_EQ(rest_until_done(what, no_limit_of_rests), wait_end::too_deep);
  EXPECT_EQ(stranger.runs, 0);
}

TEST_F(rest_alone, a_standstill_is_told_if_no_wait_can_fail) {
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
  EXPECT_EQ(rest_until_done(what, no_limit_of_rests), wait_end::done);
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("all threads of this pool wait"), std::string::npos) << said;
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
