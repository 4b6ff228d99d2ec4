// When a worker looks for events, without a pool: the source is a stand-in that keeps count.
#include <chrono>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

#include "runtime/counting_source.hpp"
#include "runtime/lone_task.hpp"
#include "src/runtime/events.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;
using detail::event_source;
using detail::events;

class events_alone : public ::testing::Test {
 protected:
  detail::parking<ext::default_sync> parking_;
  detail::worker self_{no_pool(), parking_, detail::task_level(), 0};
  events all_{parking_, true};

  counting_source& attach() { return static_cast<counting_source&>(all_.attach(std::make_unique<counting_source>())); }
};

TEST_F(events_alone, nothing_happens_without_a_source) {
  all_.attend(self_);
  all_.attend_idle(self_);
  all_.look(self_);
  all_.flush(self_);
  all_.begin_job(self_);
  all_.leave(self_);
  EXPECT_EQ(all_.take_all(self_), 0U);
  EXPECT_EQ(all_.look_for_all(self_), 0U);
  EXPECT_FALSE(all_.is_waiting(self_));
  EXPECT_FALSE(all_.are_outstanding(self_));
  EXPECT_FALSE(all_.look_out(self_).has_come);
  EXPECT_FALSE(all_.look_out(self_).watches());
  EXPECT_FALSE(all_.kick(self_));
}

TEST_F(events_alone, the_first_source_stays) {
  const counting_source& first = attach();
  EXPECT_EQ(&attach(), &first);
  EXPECT_EQ(all_.source(), &first);
}

TEST_F(events_alone, as_many_jobs_between_two_looks_as_the_last_one_brought) {
  counting_source& from = attach();
  from.comes = 3;
  all_.attend(self_);
  EXPECT_EQ(from.reaps, 1);
  all_.attend(self_);
  all_.attend(self_);
  EXPECT_EQ(from.reaps, 1);
  all_.attend(self_);
  EXPECT_EQ(from.reaps, 2);
  from.comes = 1000;
  all_.attend(self_);
  for (int job = 0; job < 32; ++job) all_.attend(self_);
  EXPECT_EQ(from.reaps, 4) << "at most 32 jobs";
}

TEST_F(events_alone, the_events_of_others_are_looked_at_now_and_then) {
  counting_source& from = attach();
  for (int job = 0; job < 610; ++job) all_.attend(self_);
  EXPECT_EQ(from.looks_at_others, 10);
}

// What a single job has prepared is submitted by the call that sleeps; what several have prepared, before the next look.
TEST_F(events_alone, an_idle_worker_submits_for_several_jobs_at_once) {
  counting_source& from = attach();
  const auto run_a_job = [&] {
    all_.attend_idle(self_);
    from.flushes = 0;
    all_.begin_job(self_);
  };
  run_a_job();
  EXPECT_EQ(from.flushes, 1) << "the job may be long";
  all_.attend_idle(self_);
  EXPECT_EQ(from.flushes, 1) << "one job is unsent";
  from.comes = 5;
  run_a_job();
  EXPECT_EQ(from.flushes, 0) << "one of five that came together";
  run_a_job();
  EXPECT_EQ(from.flushes, 0);
  for (int job = 0; job < 5; ++job) all_.attend_idle(self_);
  EXPECT_EQ(from.flushes, 1) << "several are unsent, and nothing has come";
}

TEST_F(events_alone, a_worker_that_blocks_submits_first) {
  counting_source& from = attach();
  all_.leave(self_);
  EXPECT_EQ(from.flushes, 1);
}

TEST_F(events_alone, how_long_a_worker_may_sleep) {
  counting_source& from = attach();
  EXPECT_FALSE(all_.look_out(self_).watches());
  from.of_others = event_source::others::attended;
  const auto beside_attended = all_.look_out(self_).nap;
  from.of_others = event_source::others::unattended;
  const auto beside_unattended = all_.look_out(self_).nap;
  EXPECT_GT(beside_unattended, 0ns);
  EXPECT_GT(beside_attended, beside_unattended);
  EXPECT_TRUE(all_.are_outstanding(self_));
  from.comes = 1;
  EXPECT_TRUE(all_.look_out(self_).has_come);
}

TEST_F(events_alone, a_worker_that_waits_for_events_sleeps_in_the_source) {
  counting_source& from = attach();
  EXPECT_FALSE(all_.kick(self_)) << "it does not sleep";
  ASSERT_TRUE(parking_.prepare([] {}) || !parking_.uses_membarrier());
  EXPECT_FALSE(all_.sleep(self_, 1us, false));
  EXPECT_EQ(from.sleeps, 0);
  from.is_waited_for = true;
  static_cast<void>(parking_.prepare([] {}));
  EXPECT_FALSE(all_.sleep(self_, 1us, false)) << "it was not called";
  EXPECT_EQ(from.sleeps, 1);
}

TEST_F(events_alone, a_kick_wakes_a_sleeper_of_the_source) {
  counting_source& from = attach();
  from.is_waited_for = true;
  from.kicks_until_awake = 1;
  std::thread sleeper([&] {
    static_cast<void>(parking_.prepare([] {}));
    static_cast<void>(all_.sleep(self_, -1ns, false));
  });
  while (from.sleeps == 0) std::this_thread::yield();
  EXPECT_TRUE(all_.kick(self_));
  sleeper.join();
  EXPECT_EQ(from.kicks, 1);
}

}  // namespace
}  // namespace pilfer::test
