// What follows a task: then and on_done, in every order of the first task's end and the call that asks to follow; and groups that move.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/blocking_region.hpp>
#include <pilfer/coro/schedule.hpp>
#include <pilfer/coro/timer.hpp>
#include <pilfer/future.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/task_group.hpp>

#include "tasks/task_checks.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;

class continuations : public on_scheduler {
 protected:
  // From outside, from inside, and in a task.
  template <class Check>
  static void everywhere(Check check) {
    for (const std::size_t workers : {1U, 2U, 4U}) {
      pool home(options(workers));
      check(home);
      home.run([&] { check(home); });
      home.submit([&] { check(home); }).get();
    }
  }
};

TEST_P(continuations, go_on_with_each_kind_of_result) {
  everywhere([](pool& home) {
    int number = 0;
    auto value = home.submit([] { return 20; }).then([](int n) { return n + 1; });
    auto nothing = home.submit([] {}).then([] { return std::string("after nothing"); });
    auto moved = home.submit([] { return std::make_unique<int>(5); }).then([](std::unique_ptr<int> p) { return *p; });
    auto reference = home.submit([&]() -> int& { return number; }).then([](int& n) { n = 7; });
    auto whole = home.submit([] { return 3; }).then([](future<int> done) { return done.is_ready() ? done.get() : -1; });
    auto generic = home.submit([] { return 4; }).then([](auto n) { return n * 2; });
    static_assert(std::is_same_v<decltype(value), future<int>>);
    static_assert(std::is_same_v<decltype(reference), future<void>>);
    static_assert(std::is_same_v<decltype(generic), future<int>>);
    EXPECT_EQ(value.get(), 21);
    EXPECT_EQ(nothing.get(), "after nothing");
    EXPECT_EQ(moved.get(), 5);
    reference.get();
    EXPECT_EQ(number, 7);
    EXPECT_EQ(whole.get(), 3);
    EXPECT_EQ(generic.get(), 8);
  });
}

task<std::size_t> later_length(const std::string& text) {  // refers to what then() keeps for it
  co_await yield();
  co_await yield();
  co_return text.size();
}

TEST_P(continuations, may_be_coroutine_functions) {
  everywhere([](pool& home) {
    auto length =
        home.submit([] { return std::string(100, 'x'); }).then(later_length).then([](std::size_t n) { return n; });
    static_assert(std::is_same_v<decltype(length), future<std::size_t>>);
    EXPECT_EQ(length.get(), 100U);
  });
}

TEST_P(continuations, hand_exceptions_on) {
  everywhere([](pool& home) {
    std::atomic<int> calls = 0;
    auto last = home.submit([]() -> int { throw numbered_error(1); })
                    .then([&](int n) {
                      ++calls;
                      return n;
                    })
                    .then([&](int) { ++calls; });
    EXPECT_THROW(last.get(), numbered_error);
    EXPECT_EQ(calls, 0);
    auto repaired = home.submit([]() -> int { throw numbered_error(2); }).then([](future<int> failed) {
      try {
        return failed.get();
      } catch (const numbered_error& error) {
        return static_cast<int>(error.number) + 40;
      }
    });
    EXPECT_EQ(repaired.get(), 42);
    auto thrown = home.submit([] { return 1; }).then([](int) -> int { throw numbered_error(3); });
    EXPECT_THROW(thrown.get(), numbered_error);
  });
}

TEST_P(continuations, begin_after_the_first_task_and_in_its_pool) {
  pool home(options(2));
  pool other(options(1));
  std::atomic<bool> go = false;
  std::atomic<bool> followed = false;
  auto first = home.submit([&] { wait_until_true([&] { return go.load(); }); });
  auto second = other.run([&] {
    return std::move(first).then([&] {
      followed = true;
      return worker_index().has_value() && detail::is_in(detail::access::of(home));
    });
  });
  EXPECT_FALSE(first.valid());
  EXPECT_THROW(static_cast<void>(std::move(first).then([] {})), std::future_error);
  EXPECT_FALSE(second.wait_for(5ms));
  EXPECT_FALSE(followed);
  go = true;
  EXPECT_TRUE(second.get());
}

// A waiter is in the way: it may claim the second task as soon as that is launched, and not before.
TEST_P(continuations, run_once_each_beside_waiters) {
  for (const std::size_t workers : {1U, 2U, 4U}) {
    pool home(options(workers));
    const std::size_t chains = stress_amount(200);
    constexpr std::size_t links = 5;
    ledger all(chains * links);
    const auto chain = [&](std::size_t number) {
      std::size_t at = number * links;
      auto last = home.submit([&all, at] { all.mark(at); });
      for (std::size_t i = 1; i < links; ++i) {
        last = std::move(last).then([&all, at, i] {
          EXPECT_EQ(all.runs_of(at + i - 1), 1U);
          all.mark(at + i);
        });
      }
      if (number % 3 == 0) last.get();
      if (number % 3 == 1) static_cast<void>(last.wait_for(1h));
    };
    home.run([&] {
      for (std::size_t i = 0; i < chains; i += 2) chain(i);
    });
    for (std::size_t i = 1; i < chains; i += 2) chain(i);
    home.drain();
    all.expect_each_once();
  }
}

TEST_P(continuations, are_cancelled_with_the_pool) {
  pool home(options(1));
  std::atomic<bool> begun = false;
  std::atomic<bool> go = false;
  std::atomic<int> calls = 0;
  auto first = home.submit([&] {
    begun = true;
    while (!go) std::this_thread::yield();
    return 1;
  });
  while (!begun) std::this_thread::yield();
  auto second = std::move(first).then([&](int) { ++calls; });
  auto third = std::move(second).then([&](future<void> failed) {
    ++calls;
    failed.get();
  });
  home.request_stop();
  go = true;
  EXPECT_THROW(third.get(), task_cancelled);
  EXPECT_EQ(calls, 0);
}

TEST_P(continuations, of_tasks_in_groups_outlive_the_group) {
  pool home(options(2));
  future<int> after;
  {
    task_group group(home);
    after = group.submit([] { return 1; }).then([](int n) {
      std::this_thread::sleep_for(1ms);
      return n + 1;
    });
    group.wait();
  }
  EXPECT_EQ(after.get(), 2);
  {
    task_group stopped(home);
    stopped.request_stop();
    auto never = stopped.submit([] { return 1; }).then([](int n) { return n; });
    EXPECT_THROW(never.get(), task_cancelled);
  }
}

TEST_P(continuations, keep_the_level_of_the_caller) {
  auto chosen = options(2);
  chosen.levels = 3;
  pool home(chosen);
  const auto level = [] { return current_priority(); };
  auto normal = home.at(priority::low).submit([] {}).then(level);
  EXPECT_EQ(normal.get(), priority(1));
  const priority inside = with_priority(priority::high, [&] { return home.submit([] {}).then(level).get(); });
  EXPECT_EQ(inside, priority(0));
}

TEST_P(continuations, are_waited_for_by_the_destructor) {
  const std::size_t chains = stress_amount(50);
  ledger all(3 * chains);
  {
    pool home(options(2));
    for (std::size_t i = 0; i < chains; ++i) {
      home.submit([&all, i] { all.mark(3 * i); }).then([&all, i] { all.mark(3 * i + 1); }).on_done([&all, i] {
        all.mark(3 * i + 2);
      });
    }
  }
  all.expect_each_once();
}

// --- on_done.

template <class T>
T wait_and_get(std::promise<T>& from) {
  auto result = from.get_future();
  return pilfer::get(result);
}

TEST_P(continuations, call_back_with_the_future_or_without) {
  everywhere([](pool& home) {
    std::promise<int> value;
    home.submit([] { return 3; }).on_done([&](future<int> done) { value.set_value(done.get()); });
    std::promise<void> told;
    home.submit([] { return 3; }).on_done([&] { told.set_value(); });
    std::promise<bool> thrown;
    home.submit([]() -> int { throw numbered_error(4); }).on_done([&](future<int> done) {
      try {
        done.get();
        thrown.set_value(false);
      } catch (const numbered_error&) {
        thrown.set_value(true);
      }
    });
    EXPECT_EQ(wait_and_get(value), 3);
    wait_and_get(told);
    EXPECT_TRUE(wait_and_get(thrown));
  });
}

TEST_P(continuations, call_back_although_the_pool_stops) {
  std::atomic<int> calls = 0;
  std::atomic<int> cancelled = 0;
  {
    pool home(options(2));
    std::atomic<bool> go = false;
    auto blocked = home.submit([&] { wait_until_true([&] { return go.load(); }); });
    std::vector<future<void>> pending;
    for (int i = 0; i < 20; ++i) pending.push_back(home.submit([] {}));
    home.request_stop();
    pending.push_back(home.submit([] {}));
    for (auto& each : pending) {
      std::move(each).on_done([&](future<void> done) {
        ++calls;
        try {
          done.get();
        } catch (const task_cancelled&) {
          ++cancelled;
        }
      });
    }
    go = true;
    blocked.wait();
  }
  EXPECT_EQ(calls, 21);
  EXPECT_GE(cancelled, 1);
}

TEST_P(continuations, report_what_a_callback_throws) {
  std::atomic<std::size_t> reported = 0;
  auto chosen = options(2);
  chosen.on_error = [&](const std::exception_ptr& error) {
    try {
      std::rethrow_exception(error);
    } catch (const numbered_error& one) {
      reported = one.number;
    }
  };
  {
    pool home(chosen);
    home.submit([] {}).on_done([] { throw numbered_error(9); });
  }
  EXPECT_EQ(reported, 9U);
}

// An executor that copies what it gets, and runs it elsewhere.
class queue_of_calls {
 public:
  void post(std::function<void()> call) {
    const std::lock_guard lock(mutex_);
    calls_.push_back(std::move(call));
  }
  bool run_one() {
    std::function<void()> next;
    {
      const std::lock_guard lock(mutex_);
      if (calls_.empty()) return false;
      next = std::move(calls_.front());
      calls_.erase(calls_.begin());
    }
    next();
    return true;
  }

 private:
  std::mutex mutex_;
  std::vector<std::function<void()>> calls_;
};

TEST_P(continuations, are_given_to_an_executor) {
  queue_of_calls main_loop;
  const auto post = [&](std::function<void()> call) { main_loop.post(std::move(call)); };
  const std::thread::id me = std::this_thread::get_id();
  int sum = 0;
  {
    pool home(options(2));
    for (int i = 1; i <= 20; ++i) {
      home.submit([i] { return std::make_unique<int>(i); })
          .on_done(post, [&sum, me, only_moves = std::make_unique<int>(1)](future<std::unique_ptr<int>> done) {
            EXPECT_EQ(std::this_thread::get_id(), me);
            sum += *done.get() * *only_moves;
          });
    }
    home.submit([] {}).on_done(post, [&sum] { sum += 1000; });
    for (int left = 21; left != 0;) {
      if (main_loop.run_one()) --left;
    }
  }
  EXPECT_EQ(sum, 1210);
}

// --- Groups.

TEST_P(continuations, follow_groups) {
  for (const std::size_t workers : {1U, 2U, 4U}) {
    pool home(options(workers));
    const std::size_t groups = stress_amount(30);
    constexpr std::size_t tasks = 20;
    ledger all(groups * tasks);
    std::atomic<std::size_t> calls = 0;
    std::vector<task_group> kept;
    const auto make = [&](std::size_t number) {
      task_group group(home);
      const auto part = [&all, number](std::size_t i) { all.mark(number * tasks + i); };
      for (std::size_t i = 0; i < tasks; ++i) group.spawn(part, i);
      group.on_done([&, number] {
        for (std::size_t i = 0; i < tasks; ++i) EXPECT_EQ(all.runs_of(number * tasks + i), 1U);
        ++calls;
      });
      return group;
    };
    home.run([&] {
      for (std::size_t i = 0; i < groups; i += 2) kept.push_back(make(i));
    });
    for (std::size_t i = 1; i < groups; i += 2) kept.push_back(make(i));
    for (std::size_t i = 0; i < groups; i += 3) kept[i].wait();
    home.drain();
    EXPECT_EQ(calls, groups);
    kept.clear();
    all.expect_each_once();
  }
}

TEST_P(continuations, follow_a_group_of_nothing_and_one_that_is_used_again) {
  pool home(options(2));
  queue_of_calls main_loop;
  const auto post = [&](std::function<void()> call) { main_loop.post(std::move(call)); };
  const auto run_one = [&] {
    while (!main_loop.run_one()) std::this_thread::yield();
  };
  task_group group(home);
  int calls = 0;
  group.on_done(post, [&] { ++calls; });
  run_one();
  for (int round = 0; round < 3; ++round) {
    group.spawn([] { throw numbered_error(5); });
    for (int i = 0; i < 10; ++i) group.spawn([] {});
    group.on_done(post, [&] {
      ++calls;
      EXPECT_THROW(group.wait(), numbered_error);
    });
    run_one();
  }
  EXPECT_EQ(calls, 4);
}

// The group may be gone when the call comes.
TEST_P(continuations, outlive_the_group_that_they_follow) {
  const std::size_t rounds = stress_amount(50);
  std::atomic<std::size_t> calls = 0;
  {
    pool home(options(2));
    for (std::size_t i = 0; i < rounds; ++i) {
      task_group group(home);
      for (int k = 0; k < 5; ++k) group.spawn([] { std::this_thread::yield(); });
      group.on_done([&] { ++calls; });
      if (i % 2 == 0) group.request_stop();
    }
  }
  EXPECT_EQ(calls, rounds);
}

TEST_P(continuations, refuse_null_callables) {
  pool home(options(1));
  auto first = home.submit([] { return 1; });
  EXPECT_THROW(static_cast<void>(std::move(first).then(std::function<int(int)>())), std::invalid_argument);
  EXPECT_TRUE(first.valid());
  EXPECT_THROW(std::move(first).on_done(std::function<void()>()), std::invalid_argument);
  EXPECT_EQ(first.get(), 1);
}

PILFER_ON_EVERY_SCHEDULER(continuations);

// --- Groups move.

TEST(moved_groups, keep_their_tasks) {
  pool home(2);
  std::atomic<int> calls = 0;
  task_group first(home);
  for (int i = 0; i < 10; ++i) first.spawn([&] { ++calls; });
  task_group second(std::move(first));
  for (int i = 0; i < 10; ++i) second.spawn([&] { ++calls; });
  second.wait();
  EXPECT_EQ(calls, 20);
  EXPECT_THROW(first.spawn([] {}), std::logic_error);    // NOLINT(bugprone-use-after-move): that is the test
  EXPECT_THROW(first.wait(), std::logic_error);          // NOLINT(bugprone-use-after-move)
  EXPECT_THROW(first.on_done([] {}), std::logic_error);  // NOLINT(bugprone-use-after-move)
  EXPECT_THROW(first.request_stop(), std::logic_error);  // NOLINT(bugprone-use-after-move)
  first = std::move(second);
  first.spawn([&] { ++calls; });
  first.wait();
  EXPECT_EQ(calls, 21);
}

TEST(moved_groups, are_returned_and_kept_in_containers) {
  pool home(2);
  std::atomic<int> calls = 0;
  const auto fill = [&](int tasks) {
    task_group group(home);
    for (int i = 0; i < tasks; ++i) group.spawn([&] { ++calls; });
    return group;
  };
  std::vector<task_group> all;
  for (int i = 1; i <= 10; ++i) all.push_back(fill(i));
  home.run([&] {
    for (task_group& each : all) each.wait();
  });
  EXPECT_EQ(calls, 55);
}

TEST(moved_groups, are_waited_for_when_another_is_assigned) {
  pool home(2);
  std::atomic<int> calls = 0;
  task_group group(home);
  group.spawn([&] {
    std::this_thread::sleep_for(5ms);
    ++calls;
  });
  group = task_group(home);
  EXPECT_EQ(calls, 1);
  task_group& same = group;
  group = std::move(same);
  group.spawn([&] { ++calls; });
  group.wait();
  EXPECT_EQ(calls, 2);
}

// --- The names that at() replaces.

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
TEST(old_names, still_work) {
  pool home({.workers = 2, .levels = 3});
  const auto level = [](int /*unused*/) { return current_priority(); };
  EXPECT_EQ(home.submit(priority::high, level, 1).get(), priority(0));
  EXPECT_EQ(home.async(priority::low, level, 1).get(), priority(2));
  std::promise<priority> seen;
  home.detach(priority::high, [&] { seen.set_value(current_priority()); });
  EXPECT_EQ(seen.get_future().get(), priority(0));
  EXPECT_EQ(home.run([&] { return submit(priority::low, level, 1).get(); }), priority(2));
  task_group group(home);
  std::promise<priority> spawned;
  group.spawn(priority::low, [&] { spawned.set_value(current_priority()); });
  EXPECT_EQ(group.submit(priority::high, level, 1).get(), priority(0));
  group.wait();
  EXPECT_EQ(spawned.get_future().get(), priority(2));
  EXPECT_THROW(group.spawn(priority(3), [] {}), std::invalid_argument);
}
#pragma GCC diagnostic pop

}  // namespace
}  // namespace pilfer::test
