// What the thread of a worker does, on the test's thread. The ready set, the queues and the events are stand-ins, which the
// test fills beforehand. The crew and the sleep room are real ones: the loop runs until the crew ends, and a worker that
// finds nothing really sleeps.
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "runtime/bare_pool.hpp"
#include "src/runtime/inside_scope.hpp"
#include "src/runtime/rest.hpp"
#include "src/runtime/worker_loop.hpp"
#include "support/watchdog.hpp"

namespace pilfer::test {
namespace {

using detail::activity;

class worker_loop_alone : public ::testing::Test {
 protected:
  // `meanwhile` is called as soon as the worker does that.
  void run_beside(activity what, const std::function<void()>& meanwhile) {
    std::thread other([&] {
      while (self_.what_it_does() != what) std::this_thread::yield();
      meanwhile();
    });
    loop_.run(self_);
    other.join();
  }

  std::string told_;
  bare_pool pool_{{.places = 1, .levels = 4}};
  detail::worker& self_ = *pool_->crew.take_seat(true);
  detail::worker_loop loop_{
      {.members = pool_->crew,
       .ready = pool_.ready(),
       .completions = pool_->events,
       .runs = pool_->runs,
       .sleep = pool_->sleep,
       .sleepers = pool_->sleepers,
       .on_start = [this](std::size_t worker) { told_ += "start " + std::to_string(worker) + ' '; },
       .on_stop = [this](std::size_t worker) { told_ += "stop " + std::to_string(worker) + ' '; }}};
  lone_fork last_{[this] { pool_->crew.stop(); }};

 private:
  watchdog dog_{std::chrono::seconds(60), "a worker's loop"};
};

TEST_F(worker_loop_alone, its_thread_is_the_worker_until_the_end) {
  lone_fork work([&] {
    told_ += "work ";
    EXPECT_EQ(detail::own_worker_in(*pool_), &self_);
    EXPECT_EQ(forks_of(self_).bound, 1);
    EXPECT_EQ(tasks_of(self_).bound, 1);
    EXPECT_EQ(self_.what_it_does(), activity::runs);
    EXPECT_EQ(self_.run_at(0).serial() % 2, 1U) << "it has a record";
  });
  pool_.ready().to_find = {&work, &last_};
  loop_.run(self_);
  EXPECT_EQ(told_, "start 0 work stop 0 ");
  EXPECT_TRUE(work.is_done());
  EXPECT_EQ(detail::own_worker_in(*pool_), nullptr);
  EXPECT_EQ(forks_of(self_).bound, 0);
  EXPECT_EQ(tasks_of(self_).bound, 0);
  EXPECT_EQ(self_.what_it_does(), activity::looks);
}

TEST_F(worker_loop_alone, the_hooks_may_be_empty) {
  detail::worker_loop quiet({.members = pool_->crew,
                             .ready = pool_.ready(),
                             .completions = pool_->events,
                             .runs = pool_->runs,
                             .sleep = pool_->sleep,
                             .sleepers = pool_->sleepers,
                             .on_start = {},
                             .on_stop = {}});
  pool_.ready().to_find = {&last_};
  quiet.run(self_);
  EXPECT_EQ(last_.runs, 1);
}

TEST_F(worker_loop_alone, its_own_forks_come_first_and_show_their_level) {
  pool_.ready().level = 3;
  lone_fork found([&] { EXPECT_EQ(pool_.ready().nested, 1) << "the ready set shows what it has found"; });
  lone_fork own([&] {
    EXPECT_EQ(found.runs, 0);
    EXPECT_EQ(pool_.ready().last_nested, 3U);
  });
  forks_of(self_).jobs.push_back(&own);
  pool_.ready().to_find = {&found, &last_};
  loop_.run(self_);
  EXPECT_EQ(own.runs, 1);
  EXPECT_EQ(found.runs, 1);
}

// In a pool of plain tasks, where the worker's next job is the newest in its queue.
class worker_loop_with_plain_tasks : public worker_loop_alone {
 protected:
  worker_loop_with_plain_tasks() { self_.plain_tasks = &plain_; }

  void push(detail::job& work) { ASSERT_TRUE(plain_.owner().push(&work)); }
  // A job that leaves another one in the worker's queue, and does that; the loop runs until the pool ends.
  void run_after(const std::function<void()>& what) {
    lone_fork first([&] {
      push(next_);
      what();
    });
    pool_.ready().to_find = {&first, &last_};
    loop_.run(self_);
  }

  detail::task_deque plain_;
  int looks_before_next_ = 0;
  lone_fork next_{[this] { looks_before_next_ = pool_.ready().looks; }};
};

TEST_F(worker_loop_with_plain_tasks, one_job_follows_another_without_a_look) {
  lone_fork older([&] { EXPECT_EQ(next_.runs, 1); });
  run_after([&] {
    static_cast<void>(plain_.owner().pop());
    push(older);
    push(next_);
  });
  EXPECT_EQ(looks_before_next_, 1);
  EXPECT_EQ(older.runs, 1);
  EXPECT_EQ(pool_.ready().looks, 2);
}

TEST_F(worker_loop_with_plain_tasks, coroutines_and_other_jobs_take_turns) {
  lone_resumption second(pool_, [&] { told_ += "second "; });
  lone_fork third([&] { told_ += "third "; });
  lone_resumption fourth(pool_, [&] { told_ += "fourth "; });
  lone_resumption first(pool_, [&] {
    told_ += "first ";
    EXPECT_EQ(self_.depth, 1U);
    EXPECT_EQ(self_.run_at(0).serial() % 2, 0U) << "nothing waits for it";
    ASSERT_NE(self_.innermost_work(), nullptr);
    EXPECT_EQ(self_.innermost_work()->work(), nullptr);
    for (detail::job* const each :
         {static_cast<detail::job*>(&fourth), static_cast<detail::job*>(&third), static_cast<detail::job*>(&second)}) {
      push(*each);
    }
  });
  pool_.ready().to_find = {&first, &last_};
  loop_.run(self_);
  EXPECT_EQ(told_, "start 0 first second third fourth stop 0 ");
  EXPECT_EQ(self_.depth, 0U);
  EXPECT_EQ(self_.innermost_work(), nullptr);
  EXPECT_EQ(self_.counts.tasks.value(), 3U);
}

TEST_F(worker_loop_with_plain_tasks, what_comes_from_outside_is_looked_for) {
  lone_fork outside;
  run_after([&] { pool_.ready().inject(nullptr, outside); });
  EXPECT_EQ(next_.runs, 0) << "the stand-in finds what it was told";
  EXPECT_EQ(pool_.ready().looks, 2);
  EXPECT_EQ(static_cast<detail::job*>(plain_.owner().pop().value_or(nullptr)), &next_);
}

TEST_F(worker_loop_with_plain_tasks, events_are_looked_after) {
  run_after([&] { pool_.attach_source(); });
  EXPECT_EQ(next_.runs, 0);
  EXPECT_EQ(pool_.ready().looks, 2);
}

TEST_F(worker_loop_with_plain_tasks, no_job_begins_once_the_pool_ends) {
  run_after([&] { pool_->crew.stop(); });
  EXPECT_EQ(next_.runs, 0);
  EXPECT_EQ(last_.runs, 0);
}

TEST_F(worker_loop_with_plain_tasks, a_surplus_worker_begins_no_other_job) {
  lone_resumption first(pool_, [&] {
    push(next_);
    static_cast<void>(pool_->crew.take_seat(true));
  });
  pool_.ready().to_find = {&first, &last_};
  run_beside(activity::spare, [&] {
    EXPECT_EQ(next_.runs, 0);
    pool_->crew.stop();
  });
  EXPECT_EQ(next_.runs, 0);
}

TEST_F(worker_loop_alone, a_job_that_ends_the_pool_is_the_last) {
  lone_fork later;
  pool_.ready().to_find = {&last_, &later};
  loop_.run(self_);
  EXPECT_EQ(later.runs, 0);
}

TEST_F(worker_loop_alone, what_was_prepared_is_submitted_before_a_job_begins) {
  counting_source& from = pool_.attach_source();
  lone_fork work([&] { EXPECT_EQ(from.flushes, 1); });
  pool_.ready().to_find = {&work, &last_};
  loop_.run(self_);
  EXPECT_EQ(work.runs, 1);
}

TEST_F(worker_loop_alone, a_worker_that_finds_nothing_sleeps_until_work_comes) {
  run_beside(activity::parked, [&] { pool_.ready().inject(nullptr, last_); });
  EXPECT_EQ(last_.runs, 1);
  EXPECT_GE(self_.counts.parks.value(), 1U);
}

TEST_F(worker_loop_alone, a_thread_that_ends_leaves_no_tombstone_behind) {
  pool_task tombstone(pool_);
  lone_fork before([&] { static_cast<void>(tasks_of(self_).push(tombstone)); });
  pool_.ready().to_find = {&before, &last_};
  loop_.run(self_);
  EXPECT_FALSE(self_.tasks.has_items());
}

// It may have been meant for another, and taken by this thread.
TEST_F(worker_loop_alone, a_thread_that_ends_passes_a_call_on) {
  static_cast<void>(pool_->sleepers.prepare([] {}));  // as one that sleeps
  pool_.ready().to_find = {&last_};
  loop_.run(self_);
  EXPECT_TRUE(pool_->sleepers.sleep(std::chrono::microseconds(1)));
}

TEST_F(worker_loop_alone, a_surplus_worker_becomes_spare_until_it_is_called) {
  counting_source& from = pool_.attach_source();
  detail::worker& caller = *pool_->crew.take_seat(true);
  pool_.ready().to_find = {&last_};
  run_beside(activity::spare, [&] {
    EXPECT_TRUE(pool_->crew.leave_seat(caller).anyone_spare);
    EXPECT_EQ(last_.runs, 0);
    EXPECT_TRUE(pool_->crew.offer_place(detail::crew::vacancy::for_spares));
  });
  EXPECT_EQ(last_.runs, 1);
  EXPECT_EQ(forks_of(self_).rests, 1) << "it says truly that it has nothing";
  EXPECT_GE(from.flushes, 2) << "before it was spare, and before its job";
  EXPECT_EQ(pool_.ready().gifts, 1) << "at the end only";
}

// What no thief could get at meanwhile.
TEST_F(worker_loop_alone, a_spare_worker_hides_nothing) {
  static_cast<void>(pool_->crew.take_seat(true));
  tasks_of(self_).hides = true;
  run_beside(activity::spare, [&] { pool_->crew.stop(); });
  EXPECT_EQ(pool_.ready().gifts, 2);
}

TEST_F(worker_loop_alone, a_spare_worker_that_was_called_looks_once_at_least) {
  static_cast<void>(pool_->crew.take_seat(true));
  pool_.ready().to_find = {&last_};
  run_beside(activity::spare, [&] { pool_->crew.stop(); });
  EXPECT_EQ(last_.runs, 1) << "although the pool has ended";
}

TEST_F(worker_loop_alone, a_worker_that_becomes_spare_calls_another_for_what_it_leaves) {
  static_cast<void>(pool_->crew.take_seat(true));
  static_cast<void>(pool_->sleepers.prepare([] {}));  // as one that sleeps
  lone_fork work;
  static_cast<void>(pool_->ready->outside().append(work, 0));  // wakes no sleeper
  run_beside(activity::spare, [&] { pool_->crew.stop(); });
  EXPECT_EQ(self_.counts.wakes.value(), 1U);
  static_cast<void>(pool_->sleepers.sleep(std::chrono::microseconds(1)));
}

}  // namespace
}  // namespace pilfer::test
