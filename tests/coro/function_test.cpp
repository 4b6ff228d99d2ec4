// Coroutine functions given to spawn, submit, async and detach: each runs to its end, with what it was given.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/coro/schedule.hpp>
#include <pilfer/coro/semaphore.hpp>
#include <pilfer/coro/stop.hpp>
#include <pilfer/coro/sync_wait.hpp>
#include <pilfer/coro/timer.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/statistics.hpp>
#include <pilfer/task_group.hpp>

#include "coro/coro_checks.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;

class coro_function : public on_scheduler {};

// Lets others go first, and so is resumed from outside of the call.
task<void> some_turns(std::size_t turns) {
  for (std::size_t i = 0; i < turns; ++i) co_await yield();
}

task<void> function_marks(ledger& all, std::size_t number, std::size_t turns) {
  co_await some_turns(turns);
  all.mark(number);
}
task<std::string> function_text(std::string text, std::size_t turns) {
  co_await some_turns(turns);
  co_return text + "!";
}
task<std::unique_ptr<std::size_t>> function_moves(std::unique_ptr<std::size_t> value, std::size_t turns) {
  co_await some_turns(turns);
  co_return std::move(value);
}
task<int&> function_refers(int& value) {
  co_await yield();
  co_return value;
}
task<std::size_t> function_fails(std::size_t number, std::size_t turns) {
  co_await some_turns(turns);
  throw numbered_error(number);
}
// A function that returns a task and is no coroutine: its exception comes before there is one.
task<void> throws_at_once(std::size_t number) { throw numbered_error(number); }

// --- Each entry, from outside and from inside.

TEST_P(coro_function, each_runs_to_its_end_once) {
  for (const std::size_t workers : {1U, 2U, 4U}) {
    pool home(options(workers));
    ledger all(stress_amount(200));
    task_group group(home);
    const auto spawn_half = [&](std::size_t parity) {
      for (std::size_t i = parity; i < all.size(); i += 2) group.spawn(function_marks, std::ref(all), i, i % 4);
    };
    spawn_half(0);
    home.run([&] {
      spawn_half(1);
      group.wait();
    });
    group.wait();
    all.expect_each_once();
  }
}

TEST_P(coro_function, a_future_has_what_the_coroutine_returns) {
  for (const std::size_t workers : {1U, 2U}) {
    pool home(options(workers));
    static_assert(std::is_same_v<decltype(home.submit(function_text, "a", 1U)), future<std::string>>);
    static_assert(std::is_same_v<decltype(home.submit(some_turns, 1U)), future<void>>);
    static_assert(std::is_same_v<decltype(home.submit(function_refers, std::declval<std::reference_wrapper<int>>())),
                                 future<int&>>);
    const auto check = [&] {
      for (std::size_t turns = 0; turns < 3; ++turns) {
        future<std::string> text = home.submit(function_text, "text", turns);
        future<std::unique_ptr<std::size_t>> moved =
            home.submit(function_moves, std::make_unique<std::size_t>(turns), turns);
        int value = 0;
        future<int&> reference = home.submit(function_refers, std::ref(value));
        future<void> nothing = home.submit(some_turns, turns);
        EXPECT_EQ(text.get(), "text!");
        EXPECT_EQ(*moved.get(), turns);
        EXPECT_EQ(&reference.get(), &value);
        nothing.get();
        task_group group(home);
        future<std::string> in_group = group.submit(function_text, "group", turns);
        EXPECT_EQ(group.wait().cancelled, 0U);
        EXPECT_TRUE(in_group.is_ready());
        EXPECT_EQ(in_group.get(), "group!");
      }
    };
    check();
    home.run(check);
    EXPECT_EQ(home.run([] { return pilfer::submit(function_text, "here", 2U).get(); }), "here!");
  }
  EXPECT_EQ(pilfer::submit(function_text, "default", 2U).get(), "default!");
}

TEST_P(coro_function, async_gives_a_std_future) {
  pool home(options(2));
  int value = 0;
  std::future<std::string> text = home.async(function_text, "text", 2U);
  std::future<int&> reference = home.async(function_refers, std::ref(value));
  std::future<void> nothing = home.at(priority::normal).async(some_turns, 2U);
  EXPECT_EQ(text.get(), "text!");
  EXPECT_EQ(&reference.get(), &value);
  nothing.get();
  EXPECT_THROW(home.async(function_fails, 3U, 2U).get(), numbered_error);
  EXPECT_THROW(home.async(throws_at_once, 3U).get(), numbered_error);
}

TEST_P(coro_function, the_pool_waits_for_detached_and_forgotten_ones) {
  ledger all(stress_amount(60));
  {
    pool home(options(2));
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i % 2 == 0) {
        home.detach(function_marks, std::ref(all), i, i % 5);
      } else {
        static_cast<void>(home.submit(function_marks, std::ref(all), i, i % 5));
      }
    }
  }
  all.expect_each_once();
}

// The coroutine waits for a permit that is given after all workers were seen at other work: none of them waits with it.
TEST_P(coro_function, a_suspended_one_has_no_worker) {
  pool home(options(1));
  async_semaphore permit(0);
  constexpr std::size_t waiting = 20;
  std::atomic<std::size_t> begun = 0;
  std::atomic<std::size_t> ended = 0;
  task_group group(home);
  for (std::size_t i = 0; i < waiting; ++i) {
    group.spawn([&permit, &begun, &ended]() -> task<void> {
      ++begun;
      co_await permit.acquire();
      ++ended;
    });
  }
  const std::uint64_t spare = home.statistics().total().sleeps_at_joins;
  EXPECT_EQ(home.submit([] { return 1; }).get(), 1);
  wait_until_true([&] { return begun.load() == waiting; });
  EXPECT_EQ(ended, 0U);
  EXPECT_EQ(home.statistics().total().sleeps_at_joins, spare);
  for (std::size_t i = 0; i < waiting; ++i) permit.release();
  group.wait();
  EXPECT_EQ(ended, waiting);
}

TEST_P(coro_function, sleeps_without_a_worker_from_outside_and_inside) {
  for (const std::size_t workers : {1U, 2U}) {
    pool home(options(workers));
    const auto sleeper = [](std::size_t number) -> task<std::size_t> {
      co_await sleep_for(1ms);
      co_return number;
    };
    EXPECT_EQ(home.submit(sleeper, 4U).get(), 4U);
    EXPECT_EQ(home.run([&] { return home.submit(sleeper, 5U).get(); }), 5U);
    EXPECT_EQ(home.async(sleeper, 6U).get(), 6U);
    future<std::size_t> limited = home.submit(sleeper, 7U);
    while (!limited.wait_for(1ms)) {
    }
    EXPECT_EQ(limited.get(), 7U);
  }
}

// --- What it was given lives until it has ended, and not longer than until that is known.

TEST_P(coro_function, captures_and_arguments_live_until_the_end) {
  for (const std::size_t workers : {1U, 2U}) {
    pool home(options(workers));
    task_group group(home);
    std::atomic<std::size_t> right = 0;
    const std::size_t count = stress_amount(40);
    {
      std::vector<future<std::string>> texts;
      for (std::size_t i = 0; i < count; ++i) {
        const std::string captured(100, static_cast<char>('a' + i % 26));
        // Refers to the closure, and to the argument, after it was suspended.
        const auto closure = [captured, &right, kept = counted_object()](const std::string& argument,
                                                                         std::size_t turns) -> task<std::string> {
          co_await some_turns(turns);
          if (argument == captured) ++right;
          co_return captured;
        };
        group.spawn(closure, captured, i % 4 + 1);
        home.detach(closure, captured, i % 3 + 1);
        texts.push_back(home.submit(closure, captured, i % 2 + 1));
      }
      for (std::size_t i = 0; i < count; ++i) {
        EXPECT_EQ(texts[i].get(), std::string(100, static_cast<char>('a' + i % 26)));
      }
    }
    group.wait();
    home.drain();
    EXPECT_EQ(right, 3 * count);
    EXPECT_EQ(counted_object::alive, 0);
  }
}

TEST_P(coro_function, captures_are_gone_when_the_future_is_ready) {
  pool home(options(2));
  future<int> kept = home.submit([object = counted_object()]() -> task<int> {
    co_await yield();
    co_return 1;
  });
  kept.wait();
  EXPECT_EQ(counted_object::alive, 0);  // although the future is not
  EXPECT_EQ(kept.get(), 1);
}

// A callable that only moves, and changes itself.
TEST_P(coro_function, takes_move_only_and_mutable_callables) {
  pool home(options(2));
  auto closure =
      [owned = std::make_unique<std::size_t>(1)](std::unique_ptr<std::size_t> more) mutable -> task<std::size_t> {
    co_await yield();
    *owned += *more;
    co_return *owned;
  };
  EXPECT_EQ(home.submit(std::move(closure), std::make_unique<std::size_t>(2)).get(), 3U);
  std::function<task<std::size_t>(std::size_t)> erased = [](std::size_t number) { return number_after(number, 2); };
  EXPECT_EQ(home.submit(erased, 8U).get(), 8U);
  erased = nullptr;
  EXPECT_THROW(static_cast<void>(home.submit(erased, 8U)), std::invalid_argument);
  EXPECT_THROW(home.detach(erased, 8U), std::invalid_argument);
}

// --- Errors.

TEST_P(coro_function, errors_are_those_of_tasks) {
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
  pool home(chosen);
  task_group group(home);
  for (std::size_t i = 0; i < 9; ++i) group.spawn(function_fails, i, i % 3);
  group.spawn(throws_at_once, 9U);
  EXPECT_THROW(group.wait(), numbered_error);
  EXPECT_EQ(group.outcome().failed, 10U);
  EXPECT_EQ(group.errors().size(), 10U);

  EXPECT_THROW(home.submit(function_fails, 1U, 2U).get(), numbered_error);
  EXPECT_THROW(home.submit(throws_at_once, 1U).get(), numbered_error);
  future<std::size_t> in_group = group.submit(function_fails, 2U, 2U);
  EXPECT_EQ(group.wait().failed, 0U);
  EXPECT_THROW(in_group.get(), numbered_error);
  EXPECT_THROW(home.submit([] { return task<int>(); }).get(), std::future_error);

  home.detach(function_fails, 17U, 3U);
  home.detach(throws_at_once, 18U);
  home.detach([]() -> task<void> {
    co_await yield();
    throw task_cancelled();  // of a coroutine that nobody waits for: no error
  });
  home.drain();
  std::sort(reported.begin(), reported.end());
  EXPECT_EQ(reported, (std::vector<std::size_t>{17, 18}));
}

TEST_P(coro_function, the_first_error_stops_the_others_if_asked) {
  pool home(options(2));
  task_group group(home, {.stop_on_error = true});
  std::vector<std::atomic<bool>> ended(5);
  for (auto& each : ended) group.spawn([&each] { return until_stopped(each); });
  group.spawn(function_fails, 3U, 4U);
  try {
    group.wait();
    ADD_FAILURE() << "no exception";
  } catch (const numbered_error& error) {
    EXPECT_EQ(error.number, 3U);
  }
  EXPECT_EQ(group.outcome().failed, 1U);
  EXPECT_EQ(group.outcome().cancelled, ended.size());
  EXPECT_EQ(counted_object::alive, 0);
}

// --- Stopping.

TEST_P(coro_function, has_its_groups_token) {
  pool home(options(2));
  task_group group(home);
  std::atomic<std::size_t> same = 0;
  const auto look = [&](const std::stop_token& given, std::size_t turns) -> task<void> {
    co_await some_turns(turns);
    if (given == co_await this_stop_token() && given.stop_possible()) ++same;
  };
  for (std::size_t i = 0; i < 4; ++i) group.spawn(look, i);
  future<void> result = group.submit(look, 2U);
  group.wait();
  result.get();
  EXPECT_EQ(same, 5U);
}

TEST_P(coro_function, a_stopped_group_ends_those_that_wait) {
  pool home(options(2));
  task_group group(home);
  std::vector<std::atomic<bool>> ended(10);
  std::vector<future<void>> results;
  std::atomic<std::size_t> begun = 0;
  for (std::size_t i = 0; i < ended.size(); ++i) {
    const auto wait = [&begun, &each = ended[i]]() -> task<void> {
      ++begun;
      co_await until_stopped(each);
    };
    if (i % 2 == 0) {
      group.spawn(wait);
    } else {
      results.push_back(group.submit(wait));
    }
  }
  wait_until_true([&] { return begun.load() == ended.size(); });
  group.request_stop();
  const group_outcome outcome = group.wait();
  EXPECT_EQ(outcome.failed, 0U);
  EXPECT_EQ(outcome.cancelled, ended.size());
  for (const auto& each : ended) EXPECT_TRUE(each);
  for (auto& each : results) EXPECT_THROW(each.get(), task_cancelled);
  EXPECT_EQ(counted_object::alive, 0);
}

TEST_P(coro_function, none_is_called_in_a_stopped_group) {
  pool home(options(2));
  task_group group(home);
  group.request_stop();
  ledger all(5);
  const auto never = [&all, kept = counted_object()](std::size_t i) { return function_marks(all, i, 0); };
  for (std::size_t i = 0; i < all.size(); ++i) group.spawn(never, i);
  future<void> result = group.submit(never, 0U);
  EXPECT_EQ(group.wait().cancelled, all.size() + 1);
  EXPECT_THROW(result.get(), task_cancelled);
  EXPECT_EQ(all.marked(), 0U);
  EXPECT_EQ(counted_object::alive, 1);  // that of `never` itself
}

// --- Levels.

TEST_P(coro_function, runs_at_its_level) {
  auto chosen = options(2);
  chosen.levels = 3;
  pool home(chosen);
  const auto look = []() -> task<std::pair<priority, priority>> {
    const priority before = current_priority();
    co_await yield();
    co_return std::pair(before, current_priority());
  };
  const std::pair low(priority(2), priority(2));
  const std::pair high(priority(0), priority(0));
  task_group group(home);
  // Not by get(), which would lift it.
  const auto level_of = [](future<std::pair<priority, priority>> result) {
    while (!result.is_ready()) std::this_thread::yield();
    return result.get();
  };
  EXPECT_EQ(level_of(home.at(priority::low).submit(look)), low);
  EXPECT_EQ(level_of(group.at(priority::high).submit(look)), high);
  std::atomic<bool> right = false;
  group.at(priority::low).spawn([&]() -> task<void> { right = co_await look() == low; });
  group.wait();
  EXPECT_TRUE(right);
  right = false;
  home.at(priority::high).detach([&]() -> task<void> { right = co_await look() == high; });
  home.drain();
  EXPECT_TRUE(right);
  EXPECT_THROW(group.at(priority(5)).spawn(look), std::invalid_argument);
}

// --- Nested, and many.

task<std::size_t> function_grows(task_group& group, ledger& all, std::size_t number) {
  for (const std::size_t child : {2 * number + 1, 2 * number + 2}) {
    if (child < all.size()) group.spawn(function_grows, std::ref(group), std::ref(all), child);
  }
  co_await yield();
  all.mark(number);
  co_return number;  // dropped, as a plain task's
}

TEST_P(coro_function, spawned_ones_spawn) {
  pool home(options(2));
  ledger all(stress_amount(300));
  task_group group(home);
  group.spawn(function_grows, std::ref(group), std::ref(all), 0U);
  group.wait();
  all.expect_each_once();
}

task<std::size_t> function_fib(pool& home, std::size_t n) {
  if (n < 2) co_return n;
  co_await yield();
  future<std::size_t> left = home.submit(function_fib, std::ref(home), n - 1);
  const std::size_t right = co_await function_fib(home, n - 2);
  while (!left.is_ready()) co_await yield();
  co_return left.get() + right;
}

TEST_P(coro_function, submits_from_coroutines) {
  for (const std::size_t workers : {1U, 2U}) {
    pool home(options(workers));
    EXPECT_EQ(home.submit(function_fib, std::ref(home), 9U).get(), 34U);
  }
}

TEST_P(coro_function, many_from_several_threads) {
  pool home(options(2));
  constexpr std::size_t threads = 3;
  const std::size_t each = stress_amount(100);
  std::vector<std::thread> submitters;
  for (std::size_t t = 0; t < threads; ++t) {
    submitters.emplace_back([&, t] {
      std::vector<future<std::size_t>> results;
      results.reserve(each);
      for (std::size_t i = 0; i < each; ++i) results.push_back(home.submit(number_after, t * each + i, i % 4));
      for (std::size_t i = 0; i < each; ++i) {
        if (i % 3 == 0) {
          results[i] = {};  // dropped while it runs
        } else {
          EXPECT_EQ(results[i].get(), t * each + i);
        }
      }
    });
  }
  for (std::thread& submitter : submitters) submitter.join();
}

PILFER_ON_EVERY_SCHEDULER(coro_function);

}  // namespace
}  // namespace pilfer::test
