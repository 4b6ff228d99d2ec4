// Coroutines that await futures, alone, in when_all and in when_any; and coroutines that are given away as tasks.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <future>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/coro.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/task_group.hpp>

#include "coro/coro_checks.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;

class coro_future : public on_scheduler {};

task<std::size_t> add_up(pool& home, std::size_t count, std::size_t delays) {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    auto one = home.submit([i, delays] {
      if (delays != 0 && i % delays == 0) std::this_thread::yield();
      return i;
    });
    if (i % 2 == 0) co_await yield();
    sum += co_await std::move(one);
    EXPECT_FALSE(one.valid());
  }
  co_return sum;
}

TEST_P(coro_future, gives_each_result_once) {
  for (const std::size_t workers : {1U, 2U, 4U}) {
    pool home(options(workers));
    const std::size_t count = stress_amount(100);
    task_group group(home);
    std::atomic<std::size_t> sum = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      group.spawn([&, i]() -> task<void> { sum += co_await add_up(home, count, i); });
    }
    group.wait();
    EXPECT_EQ(sum, 8 * (count * (count - 1) / 2));
  }
}

TEST_P(coro_future, throws_what_the_task_threw) {
  pool home(options(2));
  const auto failing = [](pool& in) -> task<std::size_t> {
    try {
      co_await in.submit([] { throw numbered_error(3); });
    } catch (const numbered_error& error) {
      co_return error.number;
    }
    co_return 0;
  };
  EXPECT_EQ(sync_wait(home, failing(home)), 3U);
  const auto empty = []() -> task<void> {
    future<int> none;
    co_await none;
  };
  EXPECT_THROW(sync_wait(home, empty()), std::future_error);
  const auto moves_only = [](pool& in) -> task<int> {
    co_return *co_await in.submit([] { return std::make_unique<int>(5); });
  };
  EXPECT_EQ(sync_wait(home, moves_only(home)), 5);
}

TEST_P(coro_future, is_resumed_in_its_own_pool) {
  pool home(options(1));
  pool other(options(1));
  const auto look = [](pool& mine, pool& there) -> task<bool> {
    co_await mine.schedule();
    co_await there.submit([] { std::this_thread::sleep_for(1ms); });
    co_return detail::is_in(detail::access::of(mine)) && !detail::is_in(detail::access::of(there));
  };
  EXPECT_TRUE(sync_wait(home, look(home, other)));
}

TEST_P(coro_future, is_still_there_when_the_coroutine_was_stopped) {
  pool home(options(2));
  std::atomic<bool> go = false;
  auto slow = home.submit([&] {
    wait_until_true([&] { return go.load(); });
    return 8;
  });
  std::stop_source stop;
  const auto waits = [](future<int>& what) -> task<int> { co_return co_await what; };
  std::thread stopper([&] {
    std::this_thread::sleep_for(2ms);
    stop.request_stop();
  });
  EXPECT_THROW(sync_wait(home, with_stop(stop.get_token(), waits(slow))), task_cancelled);
  stopper.join();
  EXPECT_TRUE(slow.valid());
  go = true;
  EXPECT_EQ(sync_wait(home, waits(slow)), 8);
  EXPECT_FALSE(slow.valid());
}

// The end of the task and the stop of the coroutine come at once: one of them resumes it, and no result is lost.
TEST_P(coro_future, is_decided_once_between_its_end_and_a_stop) {
  pool home(options(2));
  const std::size_t rounds = stress_amount(200);
  std::size_t stopped = 0;
  for (std::size_t i = 0; i < rounds; ++i) {
    std::atomic<bool> go = false;
    auto raced = home.submit([&, i] {
      wait_until_true([&] { return go.load(); });
      return i;
    });
    std::stop_source stop;
    std::thread both([&] {
      go = true;
      stop.request_stop();
    });
    const auto waits = [](future<std::size_t>& what) -> task<std::size_t> { co_return co_await what; };
    try {
      EXPECT_EQ(sync_wait(home, with_stop(stop.get_token(), waits(raced))), i);
      EXPECT_FALSE(raced.valid());
    } catch (const task_cancelled&) {
      ++stopped;
      EXPECT_EQ(raced.get(), i);
    }
    both.join();
  }
  EXPECT_LE(stopped, rounds);
}

TEST_P(coro_future, is_an_alternative_that_takes_nothing_if_it_is_not_first) {
  pool home(options(2));
  const auto choose = [](pool& in) -> task<int> {
    std::atomic<bool> go = false;
    auto slow = in.submit([&] {
      wait_until_true([&] { return go.load(); });
      return 30;
    });
    auto first = co_await when_any(slow, sleep_for(1ms));
    EXPECT_EQ(first.index(), 1U);
    EXPECT_TRUE(std::get<0>(first.others()).is_nothing());
    EXPECT_TRUE(slow.valid());
    go = true;
    auto second = co_await when_any(slow, sleep_for(1h));
    EXPECT_EQ(second.index(), 0U);
    const int value = std::get<0>(std::move(second).value());
    auto given_away = co_await when_any(in.submit([] { return 4; }), sleep_for(1h));
    co_return value + std::get<0>(given_away.value());
  };
  EXPECT_EQ(sync_wait(home, choose(home)), 34);
  const auto of_many = [](pool& in) -> task<std::size_t> {
    std::vector<future<std::size_t>> all;
    for (std::size_t i = 0; i < 10; ++i) all.push_back(in.submit([i] { return i; }));
    auto first = co_await when_any(std::move(all));
    co_return first.index() == first.value() ? 1 : 0;
  };
  EXPECT_EQ(sync_wait(home, of_many(home)), 1U);
}

TEST_P(coro_future, is_one_of_all) {
  pool home(options(2));
  const auto all = [](pool& in) -> task<std::string> {
    auto named = in.submit([] { return std::string("c"); });
    const auto letter = [](std::string text) -> task<std::string> {
      co_await yield();
      co_return text;
    };
    auto [a, b, c, nothing] =
        co_await when_all(letter("a"), in.submit([] { return std::string("b"); }), named, sleep_for(1us));
    static_cast<void>(nothing);
    std::vector<future<std::string>> more;
    for (const char* const each : {"d", "e"}) more.push_back(in.submit([each] { return std::string(each); }));
    std::string text = a + b + c;
    for (const std::string& each : co_await when_all(std::move(more))) text += each;
    co_return text;
  };
  EXPECT_EQ(sync_wait(home, all(home)), "abcde");
  const auto failing = [](pool& in) -> task<void> {
    co_await when_all({.stop_on_error = true}, in.submit([] { throw numbered_error(1); }),
                      until_true([] { return false; }));
  };
  EXPECT_THROW(sync_wait(home, failing(home)), numbered_error);
}

// --- Coroutines as tasks.

task<int> twice(int value) {
  co_await yield();
  co_return 2 * value;
}

TEST_P(coro_future, coroutines_are_spawned_submitted_and_detached) {
  for (const std::size_t workers : {1U, 2U}) {
    auto chosen = options(workers);
    chosen.levels = 2;
    pool home(chosen);
    EXPECT_EQ(home.submit(twice(4)).get(), 8);
    EXPECT_EQ(home.at(priority::high).submit(twice(5)).get(), 10);
    EXPECT_EQ(home.async(twice(6)).get(), 12);
    task_group group(home);
    group.spawn(twice(1));  // a result that is dropped
    auto in_group = group.at(priority::high).submit(twice(7));
    group.wait();
    EXPECT_EQ(in_group.get(), 14);
    EXPECT_EQ(home.submit(twice(3)).then(twice).get(), 12);
    std::promise<int> told;
    home.detach([](std::promise<int>& to) -> task<void> { to.set_value(co_await twice(8)); }(told));
    EXPECT_EQ(told.get_future().get(), 16);
    auto named = twice(9);
    EXPECT_EQ(home.submit(std::move(named)).get(), 18);
    // NOLINTNEXTLINE(bugprone-use-after-move): that is the test
    EXPECT_THROW(static_cast<void>(home.submit(std::move(named))), std::future_error);
    EXPECT_THROW(home.detach(task<void>()), std::future_error);
  }
}

TEST_P(coro_future, coroutines_of_a_stopped_group_free_their_frames) {
  pool home(options(2));
  std::atomic<bool> ended = false;
  {
    task_group group(home);
    group.request_stop();
    group.spawn(until_stopped(ended));
    EXPECT_EQ(group.wait().cancelled, 1U);
  }
  EXPECT_FALSE(ended);
  EXPECT_EQ(counted_object::alive, 0);
}

PILFER_ON_EVERY_SCHEDULER(coro_future);

}  // namespace
}  // namespace pilfer::test
