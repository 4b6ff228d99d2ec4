// Several tasks at a time: all of them, or the first.
#include <atomic>
#include <cstddef>
#include <future>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/coro/sync_wait.hpp>
#include <pilfer/coro/when_all.hpp>
#include <pilfer/coro/when_any.hpp>

#include "coro/coro_checks.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;

class coro_when : public on_scheduler {};

task<std::unique_ptr<std::string>> text_after(std::string text, std::size_t turns) {
  for (std::size_t i = 0; i < turns; ++i) co_await yield();
  co_return std::make_unique<std::string>(std::move(text));
}
task<void> marks_after(ledger& all, std::size_t number, std::size_t turns) {
  for (std::size_t i = 0; i < turns; ++i) co_await yield();
  all.mark(number);
}
task<void> fails_after(ledger& all, std::size_t number, std::size_t turns) {
  co_await marks_after(all, number, turns);
  throw numbered_error(number);
}

// --- All.

TEST_P(coro_when, all_gives_each_result_in_its_place) {
  for (const std::size_t workers : {1U, 2U, 4U}) {
    pool home(options(workers));
    ledger marked(1);
    auto [number, text, nothing] =
        sync_wait(home, when_all(number_after(7, 3), text_after("seven", 0), marks_after(marked, 0, 5)));
    EXPECT_EQ(number, 7U);
    EXPECT_EQ(*text, "seven");
    EXPECT_EQ(nothing, std::monostate());
    marked.expect_each_once();

    const std::size_t count = stress_amount(300);
    std::vector<task<std::size_t>> many;
    for (std::size_t i = 0; i < count; ++i) many.push_back(number_after(i, i % 4));
    const std::vector<std::size_t> results = sync_wait(home, when_all(std::move(many)));
    ASSERT_EQ(results.size(), count);
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(results[i], i);
  }
}

task<std::size_t> stops(std::size_t number) {
  const std::stop_token stop = co_await this_stop_token();
  while (!stop.stop_requested()) co_await yield();
  throw numbered_error(number);
}
task<std::size_t> fails(std::size_t number) {
  co_await yield();
  throw numbered_error(number);
}

// The first in time, not in the order of the arguments.
TEST_P(coro_when, all_are_stopped_by_the_first_error) {
  for (const std::size_t workers : {1U, 2U, 4U}) {
    pool home(options(workers));
    const auto number_thrown = [&](auto work) -> std::size_t {
      try {
        static_cast<void>(sync_wait(home, std::move(work)));
      } catch (const numbered_error& error) {
        return error.number;
      }
      return 0;
    };
    EXPECT_EQ(number_thrown(when_all({.stop_on_error = true}, stops(1), fails(2), stops(3))), 2U);
    std::vector<task<std::size_t>> many;
    for (std::size_t i = 1; i < 10; ++i) many.push_back(i == 7 ? fails(i) : stops(i));
    EXPECT_EQ(number_thrown(when_all({.stop_on_error = true}, std::move(many))), 7U);
    ledger marked(3);
    std::vector<task<void>> none_fails;
    for (std::size_t i = 0; i < 3; ++i) none_fails.push_back(marks_after(marked, i, i));
    sync_wait(home, when_all({.stop_on_error = true}, std::move(none_fails)));
    marked.expect_each_once();
    EXPECT_EQ(sync_wait(home, when_all({.stop_on_error = true}, number_after(4, 1))), std::tuple<std::size_t>(4));
  }
}

TEST_P(coro_when, all_of_none_and_of_one) {
  pool home(options(2));
  EXPECT_TRUE(sync_wait(home, when_all(std::vector<task<std::size_t>>())).empty());
  sync_wait(home, when_all(std::vector<task<void>>()));
  EXPECT_EQ(std::get<0>(sync_wait(home, when_all(number_after(3, 2)))), 3U);
  std::vector<task<std::size_t>> empty_ones(2);
  EXPECT_THROW(sync_wait(home, when_all(std::move(empty_ones))), std::future_error);
  EXPECT_THROW(static_cast<void>(when_all(number_after(1, 0), task<void>())), std::future_error);
}

// Each waits for the other: so both must have begun.
task<void> meets(std::atomic<int>& here, int wanted) {
  ++here;
  co_await until_true([&] { return here >= wanted; });
}
TEST_P(coro_when, all_begin) {
  for (const std::size_t workers : {1U, 2U}) {
    pool home(options(workers));
    std::atomic<int> here = 0;
    sync_wait(home, when_all(meets(here, 3), meets(here, 3), meets(here, 3)));
    EXPECT_EQ(here, 3);
  }
}

TEST_P(coro_when, all_have_ended_when_one_has_failed) {
  pool home(options(2));
  for (std::size_t round = 0; round < 10; ++round) {
    ledger all(6);
    std::vector<task<void>> some;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::size_t turns = (i * 7 + round) % 5;
      some.push_back(i == 2 || i == 4 ? fails_after(all, i, turns) : marks_after(all, i, turns));
    }
    try {
      sync_wait(home, when_all(std::move(some)));
      ADD_FAILURE() << "nothing was thrown";
    } catch (const numbered_error& error) {
      EXPECT_EQ(error.number, 2U);  // the first in order, not in time
    }
    all.expect_each_once();
  }
}

task<std::size_t> tree(std::size_t depth) {
  if (depth == 0) co_return 1;
  const auto [left, right] = co_await when_all(tree(depth - 1), tree(depth - 1));
  co_return left + right;
}
TEST_P(coro_when, nested) {
  pool home(options(2));
  EXPECT_EQ(sync_wait(home, tree(9)), 512U);
}

task<std::size_t> serial_loop(std::size_t rounds, stack_depth& depth) {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < rounds; ++i) {
    if (i % 16 == 0) depth.look();
    const auto one = co_await when_all(number_after(i, 0));
    sum += std::get<0>(one);
  }
  co_return sum;
}
TEST_P(coro_when, all_in_a_loop_needs_no_stack) {
  pool home(options(1));
  stack_depth depth;
  constexpr std::size_t rounds = 5000;
  EXPECT_EQ(sync_wait(home, serial_loop(rounds, depth)), rounds * (rounds - 1) / 2);
  EXPECT_LT(depth.bytes(), 64U * 1024U);
}

// --- The first.

task<std::size_t> never(std::atomic<bool>& ended) {
  co_await until_stopped(ended);
  co_return 0;
}

TEST_P(coro_when, any_stops_and_awaits_the_others) {
  for (const std::size_t workers : {1U, 2U}) {
    pool home(options(workers));
    for (std::size_t winner = 0; winner < 5; ++winner) {
      std::vector<std::atomic<bool>> ended(5);
      std::vector<task<std::size_t>> some;
      for (std::size_t i = 0; i < ended.size(); ++i) {
        some.push_back(i == winner ? number_after(100 + i, 3) : never(ended[i]));
      }
      const auto [index, value] = sync_wait(home, when_any(std::move(some)));
      EXPECT_EQ(index, winner);
      EXPECT_EQ(value, 100 + winner);
      for (std::size_t i = 0; i < ended.size(); ++i) EXPECT_EQ(ended[i], i != winner) << i;
      EXPECT_EQ(counted_object::alive, 0);
    }
  }
}

TEST_P(coro_when, any_of_several_types) {
  pool home(options(2));
  std::atomic<bool> ended = false;
  auto first = sync_wait(home, when_any(never(ended), text_after("won", 2)));
  EXPECT_EQ(first.index(), 1U);
  EXPECT_EQ(*std::get<1>(first.value()), "won");
  EXPECT_TRUE(ended);
  ledger all(1);
  ended = false;
  const auto second = sync_wait(home, when_any(marks_after(all, 0, 1), never(ended)));
  EXPECT_EQ(second.index(), 0U);
  EXPECT_EQ(std::get<0>(second.value()), std::monostate());
  EXPECT_TRUE(ended);
}

TEST_P(coro_when, any_throws_what_the_first_has_thrown) {
  pool home(options(2));
  ledger all(1);
  std::atomic<bool> ended = false;
  std::vector<task<void>> some;
  some.push_back(until_stopped(ended));
  some.push_back(fails_after(all, 0, 2));
  EXPECT_THROW(static_cast<void>(sync_wait(home, when_any(std::move(some)))), numbered_error);
  EXPECT_TRUE(ended);
  EXPECT_THROW(static_cast<void>(when_any(std::vector<task<void>>())), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(when_any(number_after(1, 0), task<void>())), std::future_error);
}

// What a loser throws is kept: here it is another error than that it was stopped.
task<void> fails_when_stopped() {
  try {
    for (;;) co_await yield();
  } catch (const task_cancelled&) {
    throw numbered_error(1);
  }
}
TEST_P(coro_when, errors_of_losers_are_kept) {
  pool home(options(2));
  const auto first = sync_wait(home, when_any(fails_when_stopped(), number_after(5, 4)));
  EXPECT_EQ(first.index(), 1U);
  EXPECT_EQ(std::get<1>(first.value()), 5U);
  EXPECT_THROW(static_cast<void>(std::get<0>(first.others()).value()), numbered_error);
}

TEST_P(coro_when, who_awaits_stops_them_all) {
  pool home(options(2));
  std::stop_source source;
  std::vector<std::atomic<bool>> ended(4);
  std::thread stopper([&] {
    std::this_thread::sleep_for(1ms);
    source.request_stop();
  });
  EXPECT_THROW(static_cast<void>(sync_wait(
                   home, with_stop(source.get_token(), when_any(until_stopped(ended[0]), until_stopped(ended[1]))))),
               task_cancelled);
  EXPECT_THROW(
      sync_wait(home, with_stop(source.get_token(), when_all(until_stopped(ended[2]), until_stopped(ended[3])))),
      task_cancelled);
  stopper.join();
  for (const auto& each : ended) EXPECT_TRUE(each);
}

TEST_P(coro_when, many_races_at_a_time) {
  pool home(options(4));
  const std::size_t count = stress_amount(100);
  std::vector<task<std::size_t>> races;
  const auto race = [](std::size_t number) -> task<std::size_t> {
    auto contest = when_any(number_after(number, number % 3), number_after(number + 1, (number + 1) % 3));
    const auto first = co_await std::move(contest);
    const std::size_t value = std::visit([](std::size_t v) { return v; }, first.value());
    co_return value - first.index();
  };
  for (std::size_t i = 0; i < count; ++i) races.push_back(race(10 * i));
  const auto results = sync_wait(home, when_all(std::move(races)));
  for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(results[i], 10 * i);
}

PILFER_ON_EVERY_SCHEDULER(coro_when);

}  // namespace
}  // namespace pilfer::test
