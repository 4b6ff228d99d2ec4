// Coroutines in pools: where they go on, who waits for them, how they are stopped.
#include <atomic>
#include <cstddef>
#include <exception>
#include <future>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/coro/schedule.hpp>
#include <pilfer/coro/stop.hpp>
#include <pilfer/coro/sync_wait.hpp>
#include <pilfer/coro/task.hpp>

#include "coro/coro_checks.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;

class coro_spawn : public on_scheduler {};

bool is_inside(pool& home) { return detail::is_in(detail::access::of(home)); }

// --- Where it goes on.

task<bool> goes_to(pool& first, pool& second) {
  co_await first.schedule();
  const bool in_first = is_inside(first) && !is_inside(second);
  co_await second.schedule();
  const bool in_second = is_inside(second) && !is_inside(first);
  co_await yield();
  co_return in_first&& in_second&& is_inside(second);
}

TEST_P(coro_spawn, goes_where_it_is_told) {
  pool first(options(2));
  pool second(options(1));
  EXPECT_TRUE(sync_wait(goes_to(first, second)));
  EXPECT_TRUE(sync_wait(second, goes_to(first, second)));
  EXPECT_TRUE(first.run([&] { return sync_wait(goes_to(first, second)); }));
  EXPECT_TRUE(first.run([&] { return sync_wait(second, goes_to(first, second)); }));
}

task<std::vector<priority>> levels_of(pool& home) {
  std::vector<priority> seen;
  co_await home.at(priority::high).schedule();
  seen.push_back(current_priority());
  co_await yield();
  seen.push_back(current_priority());
  co_await home.schedule();
  seen.push_back(current_priority());
  co_await home.at(priority(2)).schedule();
  seen.push_back(current_priority());
  co_return seen;
}

TEST_P(coro_spawn, keeps_its_level) {
  auto chosen = options(2);
  chosen.levels = 3;
  pool home(chosen);
  const std::vector<priority> expected{priority(0), priority(0), priority(0), priority(2)};
  EXPECT_EQ(sync_wait(home, levels_of(home)), expected);
  EXPECT_THROW(static_cast<void>(home.at(priority(3)).schedule()), std::invalid_argument);
}

// The one that waits yields; the other one, queued before, gets its turn, on one worker too.
task<void> raise_flag(std::atomic<bool>& flag) {
  co_await yield();
  flag = true;
}
task<void> waits_for_another(task_group& group, std::atomic<bool>& flag) {
  group.spawn(raise_flag(flag));
  co_await until_true([&] { return flag.load(); });
}

TEST_P(coro_spawn, yields_to_others) {
  for (const std::size_t workers : {1U, 2U}) {
    pool home(options(workers));
    std::atomic<bool> flag = false;
    task_group group(home);
    group.spawn(waits_for_another(group, flag));
    group.wait();
    EXPECT_TRUE(flag);
  }
}

// --- Groups.

task<void> marks(ledger& all, std::size_t number, std::size_t turns, counted_object /*kept in the frame*/) {
  for (std::size_t i = 0; i < turns; ++i) co_await yield();
  all.mark(number);
}

TEST_P(coro_spawn, each_ends_once_before_the_wait_does) {
  for (const std::size_t workers : {1U, 2U, 4U}) {
    pool home(options(workers));
    constexpr std::size_t threads = 3;
    const std::size_t each = stress_amount(100);
    ledger all(threads * each);
    {
      task_group group(home);
      std::vector<std::thread> spawners;
      for (std::size_t t = 0; t < threads; ++t) {
        spawners.emplace_back([&, t] {
          const auto spawn_all = [&] {
            for (std::size_t i = 0; i < each; ++i) group.spawn(marks(all, t * each + i, i % 4, {}));
          };
          if (t == 0) {
            home.run([&] {
              spawn_all();
              group.wait();
            });
          } else {
            spawn_all();
          }
        });
      }
      for (std::thread& spawner : spawners) spawner.join();
      group.wait();
      all.expect_each_once();
      EXPECT_EQ(counted_object::alive, 0);
    }
  }
}

task<void> grows(task_group& group, ledger& all, std::size_t number) {
  for (const std::size_t child : {2 * number + 1, 2 * number + 2}) {
    if (child < all.size()) group.spawn(grows(group, all, child));
  }
  co_await yield();
  all.mark(number);
}

TEST_P(coro_spawn, spawned_ones_spawn) {
  pool home(options(2));
  ledger all(stress_amount(300));
  task_group group(home);
  group.spawn(grows(group, all, 0));
  group.wait();
  all.expect_each_once();
}

task<void> spawned_fails(std::size_t number, std::size_t turns) {
  for (std::size_t i = 0; i < turns; ++i) co_await yield();
  throw numbered_error(number);
}

TEST_P(coro_spawn, errors_are_the_groups) {
  pool home(options(2));
  task_group group(home);
  constexpr std::size_t count = 10;
  for (std::size_t i = 0; i < count; ++i) group.spawn(spawned_fails(i, i % 3));
  EXPECT_THROW(group.wait(), numbered_error);
  std::vector<bool> seen(count);
  for (const std::exception_ptr& each : group.errors()) {
    try {
      std::rethrow_exception(each);
    } catch (const numbered_error& error) {
      EXPECT_FALSE(seen[error.number]);
      seen[error.number] = true;
    }
  }
  EXPECT_EQ(seen, std::vector<bool>(count, true));
  EXPECT_EQ(group.outcome().failed, count);
  EXPECT_THROW(group.spawn(task<void>()), std::future_error);
  EXPECT_EQ(group.wait().failed, 0U);
}

TEST_P(coro_spawn, at_a_level_of_its_own) {
  auto chosen = options(2);
  chosen.levels = 3;
  pool home(chosen);
  task_group group(home);
  std::atomic<bool> right = false;
  const auto look = [](std::atomic<bool>& at_level) -> task<void> {
    const bool before = current_priority() == priority(2);
    co_await yield();
    at_level = before && current_priority() == priority(2);
  };
  group.at(priority::low).spawn(look(right));
  group.wait();
  EXPECT_TRUE(right);
  EXPECT_THROW(group.at(priority(5)).spawn(look(right)), std::invalid_argument);
}

// --- Stopping.

TEST_P(coro_spawn, a_stopped_group_ends_those_that_wait) {
  pool home(options(2));
  task_group group(home);
  std::vector<std::atomic<bool>> ended(20);
  for (auto& each : ended) group.spawn(until_stopped(each));
  EXPECT_FALSE(group.wait_for(1ms));
  group.request_stop();
  const group_outcome outcome = group.wait();
  EXPECT_EQ(outcome.failed, 0U);
  EXPECT_EQ(outcome.cancelled, ended.size());
  EXPECT_EQ(counted_object::alive, 0);
}

TEST_P(coro_spawn, none_begins_in_a_stopped_group) {
  pool home(options(2));
  task_group group(home);
  group.request_stop();
  ledger all(5);
  for (std::size_t i = 0; i < all.size(); ++i) group.spawn(marks(all, i, 0, {}));
  EXPECT_EQ(group.wait().cancelled, all.size());
  EXPECT_EQ(all.marked(), 0U);
  EXPECT_EQ(counted_object::alive, 0);
}

// Throws before it is queued, and when it was stopped meanwhile.
TEST_P(coro_spawn, schedule_throws_when_stopped) {
  pool home(options(2));
  std::stop_source source;
  std::atomic<bool> ended = false;
  source.request_stop();
  const auto tries = [](pool& where) -> task<void> { co_await where.schedule(); };
  EXPECT_THROW(sync_wait(home, with_stop(source.get_token(), tries(home))), task_cancelled);
  std::stop_source later;
  std::thread stopper([&] {
    std::this_thread::sleep_for(1ms);
    later.request_stop();
  });
  EXPECT_THROW(sync_wait(home, with_stop(later.get_token(), until_stopped(ended))), task_cancelled);
  stopper.join();
  EXPECT_TRUE(ended);
}

// A task that is no coroutine hands its group's token to the one that it waits for.
TEST_P(coro_spawn, sync_wait_in_a_task_hands_down_its_groups_token) {
  pool home(options(2));
  task_group group(home);
  std::atomic<bool> ended = false;
  std::atomic<bool> cancelled = false;
  std::atomic<bool> begun = false;
  group.spawn([&] {
    begun = true;
    try {
      sync_wait(until_stopped(ended));
    } catch (const task_cancelled&) {
      cancelled = true;
    }
  });
  wait_until_true([&] { return begun.load(); });
  group.request_stop();
  group.wait();
  EXPECT_TRUE(ended);
  EXPECT_TRUE(cancelled);
}

// --- Detached ones.

TEST_P(coro_spawn, the_pool_waits_for_detached_ones) {
  ledger all(stress_amount(50));
  {
    pool home(options(2));
    for (std::size_t i = 0; i < all.size(); ++i) home.detach(marks(all, i, i % 5, {}));
  }
  all.expect_each_once();
  EXPECT_EQ(counted_object::alive, 0);
}

TEST_P(coro_spawn, what_detached_ones_throw_is_reported) {
  std::mutex guard;
  std::vector<std::size_t> reported;
  auto chosen = options(2);
  chosen.on_error = [&](std::exception_ptr error) {
    try {
      std::rethrow_exception(std::move(error));
    } catch (const numbered_error& numbered) {
      const std::lock_guard lock(guard);
      reported.push_back(numbered.number);
    }
  };
  std::atomic<bool> ended = false;
  {
    pool home(chosen);
    home.detach(spawned_fails(17, 3));
    std::stop_source source;
    source.request_stop();
    home.detach(with_stop(source.get_token(), until_stopped(ended)));  // that it was cancelled is no error
  }
  EXPECT_EQ(reported, std::vector<std::size_t>{17});
  EXPECT_TRUE(ended);
}

// --- Many that wait.

task<std::size_t> returns(std::size_t value, std::size_t turns) {
  for (std::size_t i = 0; i < turns; ++i) co_await yield();
  co_return value;
}

TEST_P(coro_spawn, many_threads_sync_wait) {
  for (const std::size_t workers : {1U, 2U}) {
    pool home(options(workers));
    pool other(options(1));
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (std::size_t i = 0; i < stress_amount(30); ++i) {
          const std::size_t turns = i % 3;
          const std::size_t number = t * 1000 + i;
          std::size_t got = 0;
          if (t == 0) got = home.run([&] { return sync_wait(returns(number, turns)); });
          if (t == 1) got = other.run([&] { return sync_wait(home, returns(number, turns)); });
          if (t >= 2) got = sync_wait(home, returns(number, turns));
          EXPECT_EQ(got, number);
        }
      });
    }
    for (std::thread& each : threads) each.join();
  }
}

PILFER_ON_EVERY_SCHEDULER(coro_spawn);

}  // namespace
}  // namespace pilfer::test
