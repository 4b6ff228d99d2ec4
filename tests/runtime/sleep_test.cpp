// A worker without work: how long it looks, when it sleeps, and which sleeper it calls. The queues and the events are
// stand-ins. The crew, the search and the parking are real ones, because they are classes without virtual functions; only
// the test's thread and one sleeper use them.
#include <chrono>
#include <functional>
#include <thread>

#include <gtest/gtest.h>

#include "runtime/bare_pool.hpp"
#include "runtime/lone_task.hpp"
#include "src/runtime/sleep.hpp"
#include "support/watchdog.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;
using detail::activity;
using detail::idle;

class sleep_alone : public ::testing::Test {
 protected:
  // Until it has slept, or has another reason to look no longer.
  static void look_to_the_end(idle& now) {
    now.begin();
    while (now.look_again()) {
    }
  }
  void await_sleeper() {
    while (self_.what_it_does() != activity::parked) std::this_thread::yield();
  }
  // The test's thread counts itself as a sleeper, and learns later whether it was called.
  void pretend_to_sleep() {
    static_cast<void>(pool_->sleepers.prepare([] {}));
  }
  bool was_called() { return pool_->sleepers.sleep(1us); }

  bare_pool pool_{{.places = 1}};
  detail::worker& self_ = pool_.add_worker();
  detail::worker& other_ = pool_.add_worker();
  detail::sleep_room room_{{.workers = pool_->workers,
                            .thieves = pool_->thieves,
                            .ready = pool_.ready(),
                            .members = pool_->crew,
                            .completions = pool_->events,
                            .sleepers = pool_->sleepers}};
  lone_task work_{0, 1000};

 private:
  watchdog dog_{std::chrono::seconds(60), "a sleep"};
};

TEST_F(sleep_alone, what_a_worker_that_sleeps_would_miss) {
  EXPECT_FALSE(room_.anything_to_do(self_));
  forks_of(self_).jobs.push_back(&work_);
  EXPECT_FALSE(room_.anything_to_do(self_)) << "its own forks it has at its joins";
  EXPECT_TRUE(room_.anything_to_do(other_));
  forks_of(self_).jobs.clear();
  pool_.ready().inject(nullptr, work_);
  EXPECT_TRUE(room_.anything_to_do(self_));
  static_cast<void>(pool_.ready().find(self_));
  EXPECT_FALSE(room_.anything_to_do(self_));
  pool_->crew.stop();
  EXPECT_TRUE(room_.anything_to_do(self_)) << "the end of the pool";
}

TEST_F(sleep_alone, a_look_begins_with_the_events) {
  counting_source& from = pool_.attach_source();
  self_.hunt->asked = &other_;
  idle now(room_, self_);
  now.begin();
  EXPECT_EQ(from.reaps, 1);
  EXPECT_EQ(self_.hunt->asked, nullptr) << "a request of an earlier look is not this one's";
}

TEST_F(sleep_alone, a_look_goes_on_for_a_while) {
  idle now(room_, self_);
  now.begin();
  for (int i = 0; i < 15; ++i) EXPECT_TRUE(now.look_again());
  EXPECT_EQ(self_.counts.parks.value(), 0U);
}

TEST_F(sleep_alone, a_look_ends_with_the_pool) {
  idle now(room_, self_);
  now.begin();
  pool_->crew.stop();
  EXPECT_FALSE(now.look_again());
  EXPECT_EQ(self_.counts.parks.value(), 0U);
}

TEST_F(sleep_alone, a_surplus_worker_looks_no_longer) {
  idle now(room_, self_);
  now.begin();
  ASSERT_NE(pool_->crew.take_seat(true), nullptr);
  EXPECT_TRUE(now.look_again());
  ASSERT_NE(pool_->crew.take_seat(true), nullptr);
  EXPECT_FALSE(now.look_again());
  EXPECT_EQ(self_.counts.parks.value(), 0U);
}

TEST_F(sleep_alone, a_worker_that_finds_nothing_sleeps_until_it_is_called) {
  std::thread sleeper([&] {
    idle now(room_, self_);
    look_to_the_end(now);
  });
  await_sleeper();
  EXPECT_TRUE(pool_->sleepers.notify());
  sleeper.join();
  EXPECT_EQ(self_.counts.parks.value(), 1U);
  EXPECT_EQ(self_.what_it_does(), activity::looks);
  EXPECT_EQ(forks_of(other_).requests, 1) << "it has asked to be called for new work";
  EXPECT_FALSE(pool_->sleepers.anyone_sleeps());
}

TEST_F(sleep_alone, a_worker_does_not_sleep_beside_work) {
  pool_.ready().inject(nullptr, work_);
  idle now(room_, self_);
  look_to_the_end(now);
  EXPECT_EQ(self_.counts.parks.value(), 0U);
  EXPECT_FALSE(pool_->sleepers.anyone_sleeps());
}

TEST_F(sleep_alone, a_worker_sleeps_for_a_moment_beside_work_that_it_has_asked_for_in_vain) {
  forks_of(other_).jobs.push_back(&work_);
  idle now(room_, self_);
  now.begin();
  self_.hunt->asked = &other_;
  while (now.look_again()) {
  }
  EXPECT_EQ(self_.counts.parks.value(), 1U);
  EXPECT_FALSE(pool_->sleepers.anyone_sleeps()) << "it has come back by itself";
}

TEST_F(sleep_alone, events_that_have_come_are_worth_another_look) {
  counting_source& from = pool_.attach_source();
  from.is_waited_for = true;
  idle now(room_, self_);
  now.begin();
  from.comes_for_others = 1;
  EXPECT_TRUE(now.look_again());
  EXPECT_EQ(from.sleeps, 0);
}

TEST_F(sleep_alone, a_worker_that_waits_for_events_sleeps_in_their_source_at_once) {
  counting_source& from = pool_.attach_source();
  from.is_waited_for = true;
  idle now(room_, self_);
  now.begin();
  EXPECT_FALSE(now.look_again());
  EXPECT_EQ(from.sleeps, 1);
  EXPECT_EQ(self_.counts.parks.value(), 1U);
}

TEST_F(sleep_alone, it_looks_on_beside_work_and_submits_first) {
  counting_source& from = pool_.attach_source();
  from.is_waited_for = true;
  forks_of(other_).jobs.push_back(&work_);
  idle now(room_, self_);
  now.begin();
  from.flushes = 0;
  EXPECT_TRUE(now.look_again());
  EXPECT_EQ(from.flushes, 1);
  EXPECT_EQ(from.sleeps, 0);
}

TEST_F(sleep_alone, a_worker_does_not_sleep_beside_events_that_it_could_take) {
  counting_source& from = pool_.attach_source();
  from.shows_more = true;
  idle now(room_, self_);
  look_to_the_end(now);
  EXPECT_EQ(self_.counts.parks.value(), 0U);
  EXPECT_FALSE(pool_->sleepers.anyone_sleeps());
}

TEST_F(sleep_alone, a_worker_wakes_by_itself_to_look_at_the_events_of_others) {
  pool_.attach_source().of_others = detail::event_source::others::unattended;
  idle now(room_, self_);
  look_to_the_end(now);
  EXPECT_EQ(self_.counts.parks.value(), 1U);
}

// Two jobs came while two workers slept, and one of them was called.
TEST_F(sleep_alone, a_worker_that_was_called_and_has_found_a_job_calls_the_next) {
  std::thread sleeper([&] {
    idle now(room_, self_);
    look_to_the_end(now);
    now.end_with_job();
  });
  await_sleeper();
  pretend_to_sleep();
  static_cast<void>(pool_->ready->outside().append(work_, 0));  // wakes no sleeper
  EXPECT_TRUE(pool_->sleepers.notify());
  sleeper.join();
  EXPECT_EQ(self_.counts.wakes.value(), 1U);
  EXPECT_EQ(forks_of(other_).requests, 2) << "the first request was answered by its own call";
  EXPECT_TRUE(was_called());
}

TEST_F(sleep_alone, it_calls_no_other_if_there_is_no_more_work) {
  std::thread sleeper([&] {
    idle now(room_, self_);
    look_to_the_end(now);
    now.end_with_job();
  });
  await_sleeper();
  pretend_to_sleep();
  EXPECT_TRUE(pool_->sleepers.notify());
  sleeper.join();
  EXPECT_EQ(forks_of(other_).requests, 2) << "so that the next task calls those that still sleep";
  EXPECT_FALSE(was_called());
}

TEST_F(sleep_alone, a_worker_that_was_not_called_owes_no_call) {
  idle now(room_, self_);
  now.begin();
  pretend_to_sleep();
  forks_of(other_).jobs.push_back(&work_);
  now.end_with_job();
  EXPECT_EQ(forks_of(other_).requests, 0);
  EXPECT_FALSE(was_called());
}

TEST_F(sleep_alone, a_call_is_owed_once) {
  std::thread sleeper([&] {
    idle now(room_, self_);
    look_to_the_end(now);
    now.end_with_job();
    now.begin();
    now.end_with_job();
  });
  await_sleeper();
  pretend_to_sleep();
  EXPECT_TRUE(pool_->sleepers.notify());
  sleeper.join();
  EXPECT_EQ(forks_of(other_).requests, 2);
  EXPECT_FALSE(was_called());
}

TEST_F(sleep_alone, a_worker_that_becomes_spare_leaves_its_call_to_another) {
  idle now(room_, self_);
  now.begin();
  pretend_to_sleep();
  forks_of(other_).jobs.push_back(&work_);
  now.end_as_spare();
  EXPECT_TRUE(was_called());
}

TEST_F(sleep_alone, what_a_job_may_have_prepared_is_submitted_before_the_next) {
  counting_source& from = pool_.attach_source();
  idle now(room_, self_);
  now.begin();
  from.flushes = 0;
  now.end_with_job();
  EXPECT_EQ(from.flushes, 1);
}

TEST_F(sleep_alone, a_kick_wakes_one_sleeper_of_the_events_or_all) {
  counting_source& from = pool_.attach_source();
  from.is_waited_for = true;
  for (const bool all : {false, true}) {
    from.kicks = 0;
    from.sleeps = 0;
    from.kicks_until_awake = 2;
    const auto sleep = [&](detail::worker& self) {
      static_cast<void>(pool_->sleepers.prepare([] {}));
      static_cast<void>(pool_->events.sleep(self, -1ns, false));
    };
    std::thread first(sleep, std::ref(self_));
    std::thread second(sleep, std::ref(other_));
    while (from.sleeps != 2) std::this_thread::yield();
    room_.kick(all);
    EXPECT_EQ(from.kicks, all ? 2 : 1);
    room_.kick(false);  // the second one, if it still sleeps
    EXPECT_EQ(from.kicks, 2);
    first.join();
    second.join();
  }
}

}  // namespace
}  // namespace pilfer::test
