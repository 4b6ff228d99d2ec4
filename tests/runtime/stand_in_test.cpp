// A worker whose thread sleeps: its place, and what it runs where no other thread can. The ready set and the events are
// stand-ins; the crew is a real one without threads.
#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "runtime/bare_pool.hpp"
#include "src/runtime/rest.hpp"
#include "src/runtime/stand_in.hpp"

namespace pilfer::test {
namespace {

using detail::activity;
using vacated = detail::pool_places::vacated;
using outcome = detail::stand_in::outcome;

class stand_in_alone : public ::testing::Test {
 protected:
  detail::stand_in make(bool is_allowed) {
    return detail::stand_in({.workers = pool_->workers,
                             .ready = pool_.ready(),
                             .completions = pool_->events,
                             .members = pool_->crew,
                             .runs = pool_->runs},
                            is_allowed);
  }

  bare_pool pool_{{.places = 2, .levels = 1}};
  counting_source& from_ = pool_.attach_source();
  detail::worker& self_ = *pool_->crew.take_seat(true);
  detail::stand_in room_ = make(true);
};

TEST_F(stand_in_alone, a_worker_that_sleeps_in_a_wait_gives_its_place_up_and_takes_it_back) {
  detail::latch_sleeper bed;
  EXPECT_EQ(room_.begin_block(self_, {.bed = &bed}), vacated::alone);
  EXPECT_EQ(pool_->crew.count().active, 0);
  EXPECT_EQ(self_.what_it_does(), activity::waits);
  EXPECT_FALSE(room_.end_block(self_)) << "it was not recalled";
  EXPECT_EQ(pool_->crew.count().active, 1);
  EXPECT_EQ(self_.what_it_does(), activity::runs);
}

TEST_F(stand_in_alone, a_worker_that_blocks_cannot_be_recalled) {
  EXPECT_EQ(room_.begin_block(self_, {}), vacated::alone);
  EXPECT_EQ(self_.what_it_does(), activity::blocked);
  EXPECT_FALSE(pool_->crew.offer_place(detail::crew::vacancy::for_anyone));
  EXPECT_FALSE(room_.end_block(self_));
}

TEST_F(stand_in_alone, a_recalled_worker_is_told) {
  detail::latch_sleeper bed;
  static_cast<void>(room_.begin_block(self_, {.bed = &bed}));
  EXPECT_TRUE(pool_->crew.offer_place(detail::crew::vacancy::for_anyone));
  EXPECT_TRUE(room_.end_block(self_));
}

TEST_F(stand_in_alone, the_place_of_one_worker_beside_another_stays_vacant) {
  ASSERT_NE(pool_->crew.take_seat(true), nullptr);
  EXPECT_EQ(room_.begin_block(self_, {}), vacated::refused);
  static_cast<void>(room_.end_block(self_));
}

TEST_F(stand_in_alone, what_only_its_thread_can_get_at_is_not_left_behind) {
  pool_task work(pool_);
  ASSERT_TRUE(tasks_of(self_).push(work));
  static_cast<void>(room_.begin_block(self_, {}));
  static_cast<void>(room_.end_block(self_));
  EXPECT_EQ(from_.flushes, 1) << "no other thread can submit it";
  EXPECT_EQ(pool_.ready().gifts, 0) << "thieves can see the task";
  tasks_of(self_).hides = true;
  static_cast<void>(room_.begin_block(self_, {}));
  static_cast<void>(room_.end_block(self_));
  EXPECT_EQ(pool_.ready().gifts, 1);
  EXPECT_TRUE(pool_.ready().has_injected());
}

TEST_F(stand_in_alone, which_workers_may_run_a_stranger) {
  EXPECT_TRUE(room_.may_run_stranger(self_));
  EXPECT_FALSE(make(false).may_run_stranger(self_)) << "the option forbids it";
  EXPECT_FALSE(room_.may_run_stranger(*make_lone_worker(9))) << "a pool without tasks";
  self_.depth = detail::worker::max_depth - 1;
  EXPECT_TRUE(room_.may_run_stranger(self_));
  self_.depth = detail::worker::max_depth;
  EXPECT_FALSE(room_.may_run_stranger(self_)) << "it is nested too deeply";
  EXPECT_EQ(room_.run_stranger(self_), outcome::no_room);
}

TEST_F(stand_in_alone, one_stranger_is_run_by_the_worker_that_it_is_in_the_pool) {
  lone_fork stranger([&] { EXPECT_EQ(detail::own_worker_in(*pool_), &self_); });
  lone_fork second;
  pool_.ready().strangers = {&stranger, &second};
  EXPECT_EQ(detail::own_worker_in(*pool_), nullptr);
  EXPECT_EQ(room_.run_stranger(self_), outcome::run);
  EXPECT_EQ(stranger.runs, 1);
  EXPECT_EQ(second.runs, 0);
  EXPECT_EQ(pool_.ready().nested, 1) << "on top of what the worker waits in";
  EXPECT_EQ(self_.counts.ran_strangers.value(), 1U);
  EXPECT_EQ(detail::own_worker_in(*pool_), nullptr);
}

TEST_F(stand_in_alone, nothing_is_run_where_nothing_is_found) {
  EXPECT_EQ(room_.run_stranger(self_), outcome::none);
  EXPECT_EQ(self_.counts.ran_strangers.value(), 0U);
}

// It may be what the waits below need, and it returns soon.
TEST_F(stand_in_alone, at_the_last_level_of_nesting_only_a_coroutine_is_resumed) {
  self_.depth = detail::worker::max_depth - 1;
  lone_fork fork;
  pool_task task(pool_);
  lone_resumption resumption(pool_);
  pool_.ready().strangers = {&fork, &task, &resumption};
  EXPECT_EQ(room_.run_stranger(self_), outcome::run);
  EXPECT_EQ(resumption.runs, 1);
  EXPECT_EQ(fork.runs, 0);
  EXPECT_EQ(task.runs, 0);
  EXPECT_EQ(pool_->ready->outside().size(0), 2U) << "the others are passed on";
  lone_fork last;
  pool_.ready().strangers = {&last};
  EXPECT_EQ(room_.run_stranger(self_), outcome::no_room) << "there was something, but not for this thread";
}

TEST_F(stand_in_alone, a_standstill_is_told_once_where_strangers_are_forbidden) {
  EXPECT_FALSE(room_.tells_of_standstill());
  detail::stand_in forbidden = make(false);
  EXPECT_FALSE(forbidden.is_allowed());
  EXPECT_TRUE(forbidden.tells_of_standstill());
  EXPECT_FALSE(forbidden.tells_of_standstill());
}

TEST_F(stand_in_alone, tasks_that_have_begun_are_counted_over_all_workers) {
  self_.counts.tasks.add(2);
  pool_.add_worker().counts.tasks.add(3);
  EXPECT_EQ(room_.count_started(), 5U);
}

}  // namespace
}  // namespace pilfer::test
