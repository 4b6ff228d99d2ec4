// A pool that is to stop: its groups, its submitted and detached tasks; and what a limited shutdown leaves unfinished.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/blocking_region.hpp>
#include <pilfer/fork_join.hpp>
#include <pilfer/future.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/statistics.hpp>
#include <pilfer/task_group.hpp>

#include "tasks/task_checks.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;

class pool_stop : public on_scheduler {};

// By the test's own thread.
template <class Condition>
void sleep_until(Condition condition) {
  while (!condition()) std::this_thread::sleep_for(1ms);
}

// As wait_until_true, for many at a time: it leaves them the processor.
template <class Condition>
void wait_patiently(Condition condition) {
  wait_until_true([&] {
    if (condition()) return true;
    std::this_thread::sleep_for(200us);
    return false;
  });
}

// Runs until its token stops. Without a token that stops it would run for ever.
void loop_until(const std::stop_token& stop) {
  wait_patiently([&] { return stop.stop_requested(); });
}

TEST_P(pool_stop, cancels_what_is_submitted_later) {
  counted_object::alive = 0;
  for (const std::size_t workers : {1U, 2U}) {
    pool home(options(workers));
    EXPECT_FALSE(home.stop_requested());
    EXPECT_TRUE(home.request_stop());
    EXPECT_FALSE(home.request_stop());
    EXPECT_TRUE(home.stop_requested());
    EXPECT_TRUE(home.stop_token().stop_requested());
    ledger all(60);
    const auto check = [&] {
      for (std::size_t i = 0; i < 10; ++i) {
        auto never = home.submit([&, i, held = counted_object()] { all.mark(i); });
        EXPECT_THROW(never.get(), task_cancelled);
      }
      for (std::size_t i = 10; i < 20; ++i) {
        std::future<void> never = home.async([&, i, held = counted_object()] { all.mark(i); });
        EXPECT_THROW(pilfer::get(never), task_cancelled);
      }
      for (std::size_t i = 20; i < 30; ++i) home.detach([&, i, held = counted_object()] { all.mark(i); });
      {
        task_group group(home);
        EXPECT_TRUE(group.stop_requested());
        EXPECT_TRUE(group.stop_token().stop_requested());
        for (std::size_t i = 30; i < 40; ++i) group.spawn([&, i, held = counted_object()] { all.mark(i); });
        EXPECT_EQ(group.wait().cancelled, 10U);
      }
      for (std::size_t i = 40; i < 60; ++i) {
        static_cast<void>(home.submit([&, i, held = counted_object()] { all.mark(i); }));  // its future is dropped
      }
    };
    check();
    home.drain();
    EXPECT_EQ(home.statistics().total().cancelled, 60U);
    home.run(check);
    home.drain();
    EXPECT_EQ(home.statistics().total().cancelled, 120U);
    EXPECT_EQ(all.marked(), 0U);
    EXPECT_EQ(counted_object::alive, 0);
  }
}

// Whatever runs when the stop comes has a token that sees it. Without one of them the pool's destructor would wait for ever.
TEST_P(pool_stop, reaches_what_runs) {
  for (const bool from_inside : {false, true}) {
    std::atomic<std::size_t> begun = 0;
    std::optional<future<int>> submitted;
    std::future<int> as_std;
    {
      pool home(pool_options{.workers = 10, .scheduler = GetParam(), .callers_work = false});
      const auto wait_for_it = [&](const std::stop_token& stop) {
        ++begun;
        loop_until(stop);
      };
      home.detach([&](const std::stop_token& stop) { wait_for_it(stop); });
      submitted = home.submit([&](const std::stop_token& stop, int value) { return wait_for_it(stop), value; }, 7);
      as_std = home.async([&](const std::stop_token& stop, int value) { return wait_for_it(stop), value; }, 8);
      home.detach([&] { wait_for_it(current_stop_token()); });
      home.detach(
          [&] { fork_join([&] { wait_for_it(current_stop_token()); }, [&] { wait_for_it(current_stop_token()); }); });
      home.detach([&] {
        task_group group;  // made in a task without a group
        group.spawn([&](const std::stop_token& stop) { wait_for_it(stop); });
        group.wait();
        EXPECT_TRUE(group.stop_requested());
      });
      home.detach([&] {
        task_group outer;
        outer.spawn([&] {
          task_group inner;
          inner.spawn([&] { wait_for_it(current_stop_token()); });
          inner.wait();
        });
        outer.wait();
      });
      task_group made_outside(home);
      made_outside.spawn([&] {
        ++begun;
        wait_patiently([&] { return made_outside.stop_requested(); });
      });
      sleep_until([&] { return begun == 9; });
      if (from_inside) {
        EXPECT_TRUE(home.run([&] { return home.request_stop(); }));
      } else {
        EXPECT_TRUE(home.request_stop());
      }
      made_outside.wait();
    }
    EXPECT_EQ(submitted->get(), 7) << "what has begun ends with its result";
    EXPECT_EQ(as_std.get(), 8);
  }
}

TEST_P(pool_stop, keeps_what_is_queued_from_beginning) {
  counted_object::alive = 0;
  pool home(pool_options{.workers = 1, .scheduler = GetParam(), .callers_work = false});
  std::atomic<bool> runs = false;
  std::atomic<bool> goes_on = false;
  home.detach([&] {
    runs = true;
    sleep_until([&] { return goes_on.load(); });
  });
  sleep_until([&] { return runs.load(); });
  ledger all(40);
  std::vector<future<void>> futures;
  for (std::size_t i = 0; i < 20; ++i) {
    futures.push_back(home.submit([&, i, held = counted_object()] { all.mark(i); }));
    home.detach([&, i, held = counted_object()] { all.mark(20 + i); });
  }
  EXPECT_TRUE(home.request_stop());
  goes_on = true;
  for (auto& each : futures) EXPECT_THROW(each.get(), task_cancelled);
  home.drain();
  EXPECT_EQ(all.marked(), 0U);
  EXPECT_EQ(home.statistics().total().cancelled, 40U);
  EXPECT_EQ(counted_object::alive, 0);
}

TEST_P(pool_stop, a_shutdown_reports_what_does_not_end) {
  for (const std::size_t workers : {1U, 3U}) {
    pool home(options(workers));
    EXPECT_TRUE(home.shutdown(0s)) << "there is nothing";
    pool second(options(workers));
    std::atomic<bool> goes_on = false;
    std::atomic<int> ended = 0;
    std::atomic<bool> runs = false;
    second.detach([&] {  // does not look at its token
      runs = true;
      wait_patiently([&] { return goes_on.load(); });
      ++ended;
    });
    sleep_until([&] { return runs.load(); });
    std::atomic<int> others = 0;
    second.detach([&] { ++others; });  // may run before the stop, or not
    const shutdown_report looked = second.shutdown(0s);
    EXPECT_FALSE(looked);
    // A second worker ends the other one; with one worker it may stay behind the first.
    const shutdown_report left = second.shutdown(50ms);
    EXPECT_FALSE(left);
    EXPECT_GE(left.tasks, 1U);
    EXPECT_LE(left.tasks, 2U);
    EXPECT_EQ(left.coroutines, 0U);
    EXPECT_EQ(ended, 0);
    // From another pool, too.
    EXPECT_FALSE(home.run([&] { return static_cast<bool>(second.shutdown(1ms)); }));
    EXPECT_THROW(second.run([&] { static_cast<void>(second.shutdown(1ms)); }), std::logic_error);
    goes_on = true;
    const shutdown_report nothing = second.shutdown(24h * 365 * 1000);
    EXPECT_TRUE(nothing);
    EXPECT_EQ(nothing.tasks, 0U);
    EXPECT_EQ(ended, 1);
  }
}

TEST_P(pool_stop, a_refused_shutdown_stops_nothing) {
  pool home(options(2));
  home.run([&] { EXPECT_THROW(static_cast<void>(home.shutdown(1h)), std::logic_error); });
  EXPECT_FALSE(home.stop_requested());
  EXPECT_EQ(home.submit([] { return 3; }).get(), 3);
}

// What a detached task has waited for was cancelled: that is no error of its own, and does not end the program.
TEST_P(pool_stop, a_detached_task_may_end_by_it) {
  std::atomic<int> errors = 0;
  {
    pool home(pool_options{
        .workers = 2, .scheduler = GetParam(), .on_error = [&](const std::exception_ptr& /*error*/) { ++errors; }});
    home.detach([&] {
      loop_until(current_stop_token());
      home.submit([] {}).get();
      ADD_FAILURE() << "was not cancelled";
    });
    home.detach([&] {
      loop_until(current_stop_token());
      throw numbered_error(1);
    });
    home.request_stop();
  }
  EXPECT_LE(errors, 1);
  {
    pool home(pool_options{
        .workers = 2, .scheduler = GetParam(), .on_error = [&](const std::exception_ptr& /*error*/) { ++errors; }});
    errors = 0;
    std::promise<void> ran;
    home.detach([&] {
      ran.set_value();
      throw task_cancelled();  // while nothing stops: an error as any other
    });
    ran.get_future().wait();
    home.drain();
    EXPECT_EQ(errors, 1);
  }
}

TEST_P(pool_stop, another_pool_goes_on) {
  pool stopped(options(2));
  pool other(options(2));
  std::atomic<int> ran = 0;
  task_group of_other(other);
  other.run([&] {
    task_group for_stopped(stopped);  // made in `other`
    stopped.request_stop();
    EXPECT_TRUE(for_stopped.stop_requested());
    EXPECT_FALSE(current_stop_token().stop_requested());
    for_stopped.spawn([&] { ++ran; });
    EXPECT_EQ(for_stopped.wait().cancelled, 1U);
    EXPECT_EQ(ran, 0);
    task_group mine;
    mine.spawn([&] { ++ran; });
    EXPECT_EQ(mine.wait().cancelled, 0U);
    EXPECT_THROW(stopped.submit([&] { ++ran; }).get(), task_cancelled);
    EXPECT_EQ(other.submit([&] { return ++ran; }).get(), 2);
  });
  EXPECT_FALSE(other.stop_requested());
  EXPECT_FALSE(of_other.stop_requested());
  EXPECT_FALSE(of_other.stop_token().stop_requested());
  of_other.spawn([&] { ++ran; });
  EXPECT_EQ(of_other.wait().cancelled, 0U);
  EXPECT_EQ(ran, 3);
}

// A group for one pool that a task of another makes belongs to the work of both.
TEST_P(pool_stop, groups_across_pools_are_stopped_with_either) {
  for (const bool in_group : {false, true}) {
    for (const bool stop_maker : {false, true}) {
      std::unique_ptr<task_group> kept;
      pool home(options(2));
      {
        pool maker(options(2));
        const auto make = [&] { kept = std::make_unique<task_group>(home); };
        if (in_group) {
          task_group outer(maker);
          outer.spawn(make);
          outer.wait();
        } else {
          maker.submit(make).get();
        }
        const std::stop_token token = kept->stop_token();
        EXPECT_FALSE(kept->stop_requested());
        EXPECT_FALSE(token.stop_requested());
        (stop_maker ? maker : home).request_stop();
        EXPECT_TRUE(kept->stop_requested());
        EXPECT_TRUE(token.stop_requested());
      }
      EXPECT_TRUE(kept->stop_requested()) << "its maker's pool is gone";
      kept->spawn([] { ADD_FAILURE() << "was not cancelled"; });
      EXPECT_EQ(kept->wait().cancelled, 1U);
      kept.reset();
    }
  }
}

TEST_P(pool_stop, of_several_requests_one_is_the_first) {
  for (std::size_t round = 0; more_stress(round, 200); ++round) {
    pool home(options(2));
    std::atomic<int> first = 0;
    std::atomic<int> callbacks = 0;
    const std::stop_callback counted(home.stop_token(), [&] { ++callbacks; });
    task_group inside(home);
    const auto request = [&] {
      if (home.request_stop()) ++first;
      // Also if another one was first, and is at it still.
      EXPECT_TRUE(home.stop_token().stop_requested());
      EXPECT_TRUE(inside.stop_requested());
      EXPECT_THROW(home.submit([] {}).get(), task_cancelled);
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) threads.emplace_back(request);
    home.run(request);
    for (std::thread& each : threads) each.join();
    EXPECT_EQ(first, 1);
    EXPECT_EQ(callbacks, 1);
  }
}

// At a random moment, from inside or outside: each task has run once, or was reported as cancelled, by its identity.
TEST_P(pool_stop, while_others_submit) {
  random_source random(base_seed());
  for (std::size_t round = 0; more_stress(round, 100, 2); ++round) {
    constexpr std::size_t submitters = 3;
    constexpr std::size_t of_each = 60;
    constexpr std::size_t tasks = submitters * of_each;
    const std::size_t at = random.below(tasks);
    counted_object::alive = 0;
    ledger ran(tasks);
    ledger reported(tasks);
    std::atomic<std::size_t> in_groups = 0;
    {
      pool home(options(1 + random.below(3)));
      const auto body = [&](std::size_t n) {
        ran.mark(n);
        if (n == at) home.request_stop();
      };
      const auto submit_some = [&](std::size_t first) {
        std::vector<std::pair<std::size_t, future<void>>> futures;
        std::vector<std::pair<std::size_t, std::future<void>>> std_futures;
        task_group group(home);
        for (std::size_t n = first; n < first + of_each; ++n) {
          const auto work = [&body, n, held = counted_object()] { body(n); };
          switch (n % 4) {
            case 0: futures.emplace_back(n, home.submit(work)); break;
            case 1: std_futures.emplace_back(n, home.async(work)); break;
            case 2: home.detach(work); break;
            default: group.spawn(work); break;
          }
        }
        const auto take = [&](std::size_t n, const auto& get) {
          try {
            get();
          } catch (const task_cancelled&) {
            reported.mark(n);
          }
        };
        for (auto& [n, each] : futures) take(n, [&] { each.get(); });
        for (auto& [n, each] : std_futures) take(n, [&] { pilfer::get(each); });
        in_groups += group.wait().cancelled;
      };
      std::vector<std::thread> threads;
      for (std::size_t i = 1; i < submitters; ++i) threads.emplace_back(submit_some, i * of_each);
      if (random.one_in(2)) std::this_thread::yield();
      if (random.one_in(4)) home.request_stop();
      home.run([&] { submit_some(0); });
      for (std::thread& each : threads) each.join();
      home.drain();
      std::size_t not_spawned = 0;
      for (std::size_t n = 0; n < tasks; ++n) {
        if (n % 4 < 2) {
          EXPECT_EQ(ran.runs_of(n) + reported.runs_of(n), 1U) << "task " << n;
        }
        if (n % 4 == 3) not_spawned += 1 - ran.runs_of(n);
      }
      ran.expect_each_at_most_once();
      EXPECT_EQ(in_groups, not_spawned);
      EXPECT_EQ(home.statistics().total().cancelled, tasks - ran.marked());
      EXPECT_EQ(counted_object::alive, 0);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

PILFER_ON_EVERY_SCHEDULER(pool_stop);

}  // namespace
}  // namespace pilfer::test
