// Futures of tasks, detached tasks, and what can be called: results of all kinds, inside and outside, across pools.
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/blocking_region.hpp>
#include <pilfer/fork_join.hpp>
#include <pilfer/future.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/task_group.hpp>

#include "tasks/task_checks.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;

class futures : public on_scheduler {
 protected:
  // The same check by a thread outside, by a caller inside, and by a task.
  template <class Check>
  static void everywhere(std::size_t workers, Check check) {
    pool home(options(workers));
    check(home);
    home.run([&] { check(home); });
    home.submit([&] { check(home); }).get();
    task_group group(home);
    group.spawn([&] { fork_join([&] { check(home); }, [&] { check(home); }); });
    group.wait();
  }
};

template <class F>
[[nodiscard]] bool has_no_state(F&& f) {
  try {
    f();
  } catch (const std::future_error& error) {
    return error.code() == std::future_errc::no_state;
  }
  return false;
}

TEST_P(futures, have_one_result_each) {
  for (const std::size_t workers : {1U, 2U, 4U}) {
    SCOPED_TRACE(std::to_string(workers) + " workers");
    everywhere(workers, [](pool& home) {
      future<int> empty;
      EXPECT_FALSE(empty.valid());
      EXPECT_TRUE(has_no_state([&] { static_cast<void>(empty.is_ready()); }));
      EXPECT_TRUE(has_no_state([&] { empty.wait(); }));
      EXPECT_TRUE(has_no_state([&] { static_cast<void>(empty.wait_for(1ms)); }));
      EXPECT_TRUE(has_no_state([&] { empty.get(); }));
      auto answer = home.submit([](int a, int b) { return a * b; }, 6, 7);
      EXPECT_TRUE(answer.valid());
      auto moved = std::move(answer);
      EXPECT_FALSE(answer.valid());  // NOLINT(bugprone-use-after-move)
      EXPECT_TRUE(has_no_state([&] { answer.get(); }));
      empty = std::move(moved);
      EXPECT_TRUE(has_no_state([&] { moved.wait(); }));  // NOLINT(bugprone-use-after-move)
      empty.wait();
      EXPECT_TRUE(empty.is_ready());
      EXPECT_TRUE(empty.wait_for(0s));
      EXPECT_TRUE(empty.wait_until(std::chrono::system_clock::now() - 1h));
      EXPECT_EQ(empty.get(), 42);
      EXPECT_FALSE(empty.valid());
      EXPECT_TRUE(has_no_state([&] { empty.get(); }));
      empty = home.submit([] { return 5; });
      empty = home.submit([] { return 6; });  // the first one is dropped
      EXPECT_EQ(empty.get(), 6);
    });
  }
}

struct throws_on_move {
  explicit throws_on_move(int value, bool armed_) : id(value), armed(armed_) {}
  throws_on_move(throws_on_move&& other) : id(other.id), armed(other.armed) {  // NOLINT(bugprone-exception-escape)
    if (armed) throw numbered_error(static_cast<std::size_t>(id));
  }
  throws_on_move& operator=(throws_on_move&&) = delete;
  counted_object count;
  int id;
  bool armed;
};

TEST_P(futures, of_all_kinds_of_results) {
  counted_object::alive = 0;
  for (const std::size_t workers : {1U, 2U}) {
    everywhere(workers, [](pool& home) {
      int here = 1;
      auto of_void = home.submit([&here] { here = 2; });
      of_void.get();
      EXPECT_EQ(here, 2);
      int& same = home.submit([&here]() -> int& { return here; }).get();
      EXPECT_EQ(&same, &here);
      const int& constant = home.submit([&here]() -> const int& { return here; }).get();
      EXPECT_EQ(&constant, &here);
      EXPECT_EQ(*home.submit([] { return std::make_unique<int>(9); }).get(), 9);
      EXPECT_EQ(home.submit([] { return throws_on_move(3, false); }).get().id, 3);
      EXPECT_THROW(home.submit([] { return throws_on_move(3, true); }).get(), numbered_error);
      EXPECT_THROW(home.submit([]() -> int { throw numbered_error(1); }).get(), numbered_error);
      EXPECT_THROW(home.submit([]() -> int& { throw numbered_error(1); }).get(), numbered_error);
      EXPECT_THROW(home.submit([] { throw numbered_error(1); }).get(), numbered_error);
      EXPECT_EQ(pilfer::submit([](std::string text) { return text + "!"; }, "text").get(), "text!");
      {
        auto of_object = home.submit([held = counted_object()] { return held; });
        of_object.wait();  // and its result is never asked for
      }
      auto nested = home.submit([&home] { return home.submit([] { return std::string("inner"); }); });
      EXPECT_EQ(nested.get().get(), "inner");
    });
  }
  EXPECT_EQ(counted_object::alive, 0);
}

TEST_P(futures, that_are_dropped) {
  counted_object::alive = 0;
  const std::size_t tasks = stress_amount(300);
  for (const std::size_t workers : {1U, 2U, 4U}) {
    ledger all(2 * tasks);
    {
      pool home(options(workers));
      random_source random(base_seed());
      for (std::size_t i = 0; i < tasks; ++i) {
        auto dropped = home.submit([&all, i, held = counted_object()] {
          all.mark(i);
          if (i % 3 == 0) throw numbered_error(i);
          return held;
        });
        pause_at_random(random);
        if (i % 5 == 0) static_cast<void>(dropped.wait_for(1us));
      }
      home.run([&] {
        for (std::size_t i = tasks; i < 2 * tasks; ++i)
          static_cast<void>(home.submit([&all, i, held = counted_object()] { all.mark(i); }));
      });
    }
    all.expect_each_once();
    EXPECT_EQ(counted_object::alive, 0);
  }
}

TEST_P(futures, as_standard_ones) {
  for (const std::size_t workers : {1U, 2U}) {
    everywhere(workers, [](pool& home) {
      std::future<int> converted = home.submit([] { return 4; });
      EXPECT_EQ(converted.wait_for(0s), std::future_status::deferred);
      EXPECT_EQ(converted.get(), 4);
      int here = 0;
      std::future<int&> reference = home.submit([&here]() -> int& { return here; });
      EXPECT_EQ(&reference.get(), &here);
      std::future<void> nothing = home.submit([] { throw numbered_error(8); });
      EXPECT_THROW(nothing.get(), numbered_error);
      std::future<std::unique_ptr<int>> unused = home.submit([] { return std::make_unique<int>(2); });

      std::future<int> asynchronous =
          home.async([](std::unique_ptr<int> p, int q) { return *p + q; }, std::make_unique<int>(3), 4);
      EXPECT_EQ(pilfer::get(asynchronous), 7);
      auto failing = home.async([]() -> int { throw numbered_error(2); });
      EXPECT_THROW(pilfer::get(failing), numbered_error);
      auto to_here = home.async([&here]() -> int& { return here; });
      EXPECT_EQ(&pilfer::get(to_here), &here);
      auto of_nothing = home.async([&here] { here = 6; });
      pilfer::get(of_nothing);
      EXPECT_EQ(here, 6);

      std::packaged_task<int(int)> packaged([](int n) { return n + 1; });
      std::future<int> result = packaged.get_future();
      task_group group(home);
      group.spawn(std::move(packaged), 11);
      EXPECT_EQ(pilfer::get(result), 12);
      group.wait();
    });
  }
}

// --- Waiting for one another.

long fib_by_futures(pool& home, int n) {
  if (n < 2) return n;
  auto a = home.submit(fib_by_futures, std::ref(home), n - 1);
  const long b = fib_by_futures(home, n - 2);
  return a.get() + b;
}

TEST_P(futures, helping_instead_of_blocking) {
  for (const std::size_t workers : {1U, 2U, 4U}) {
    SCOPED_TRACE(std::to_string(workers) + " workers");
    pool home(options(workers));
    const int n = under_tsan ? 9 : 13;
    const long expected = under_tsan ? 34 : 233;
    EXPECT_EQ(fib_by_futures(home, n), expected);
    EXPECT_EQ(home.run([&] { return fib_by_futures(home, n); }), expected);
    EXPECT_EQ(home.submit(fib_by_futures, std::ref(home), n).get(), expected);
  }
}

// Each waits for the one before it, in both orders of submission.
TEST_P(futures, long_chains) {
  for (const std::size_t workers : {1U, 2U, 4U}) {
    SCOPED_TRACE(std::to_string(workers) + " workers");
    pool home(options(workers));
    const auto chain = [&] {
      future<int> last = home.submit([] { return 0; });
      for (int i = 0; i < 300; ++i)
        last = home.submit([before = std::move(last)]() mutable { return before.get() + 1; });
      EXPECT_EQ(last.get(), 300);
    };
    chain();
    home.run(chain);
    home.submit(chain).get();
    // One that is waited for by many tasks.
    std::atomic<bool> go = false;
    const auto shared = std::make_shared<future<void>>(home.submit([&] {
      while (!go) std::this_thread::yield();
    }));
    task_group group(home);
    ledger all(20);
    for (std::size_t i = 0; i < all.size(); ++i) {
      group.spawn([&, i] {
        shared->wait();
        all.mark(i);
      });
    }
    go = true;
    group.wait();
    all.expect_each_once();
  }
}

TEST_P(futures, of_another_pool) {
  for (const std::size_t workers : {1U, 2U}) {
    SCOPED_TRACE(std::to_string(workers) + " workers");
    pool a(options(workers));
    pool b(options(workers));
    const std::function<long(int, bool)> ping = [&](int depth, bool in_a) -> long {
      if (depth == 0) return 1;
      pool& other = in_a ? b : a;
      auto first = other.submit(ping, depth - 1, !in_a);
      auto second = other.submit(ping, depth - 1, !in_a);
      return first.get() + second.get();
    };
    for (int round = 0; round < 3; ++round) {
      EXPECT_EQ(ping(6, true), 64);
      EXPECT_EQ(a.run([&] { return ping(6, true); }), 64);
    }
  }
}

TEST_P(futures, wait_with_a_limit) {
  pool home(options(2));
  const auto check = [&] {
    std::atomic<bool> started = false;
    std::atomic<bool> go = false;
    auto slow = home.submit([&] {
      started = true;
      wait_until_true([&] { return go.load(); });
      return 1;
    });
    wait_until_true([&] { return started.load(); });
    EXPECT_FALSE(slow.is_ready());
    EXPECT_FALSE(slow.wait_for(1ms));
    EXPECT_FALSE(slow.wait_for(0s));
    EXPECT_FALSE(slow.wait_for(-1s));
    EXPECT_FALSE(slow.wait_until(std::chrono::steady_clock::now() + 1ms));
    go = true;
    EXPECT_TRUE(slow.wait_for(24h));
    EXPECT_EQ(slow.get(), 1);
  };
  for (int round = 0; round < 5; ++round) {
    check();
    // A worker that keeps its last task to itself, and does not wait for it, keeps it for long.
    if (std::string_view(GetParam()) != "lcws-conservative") home.run(check);
  }
  // Polled only, on a pool of one.
  pool one(options(1));
  auto polled = one.submit([] { return 2; });
  wait_until_true([&] { return polled.wait_for(10us); });
  EXPECT_EQ(polled.get(), 2);
}

// The thread that gets a result may be destroying the future while its task ends.
TEST_P(futures, given_up_at_every_moment) {
  pool home(options(2));
  random_source random(base_seed());
  const auto rounds = [&] {
    for (std::size_t round = 0; more_stress(round, 1000); ++round) {
      auto value = home.submit([round] { return std::make_unique<std::size_t>(round); });
      pause_at_random(random);
      switch (random.below(4)) {
        case 0: EXPECT_EQ(*value.get(), round); break;
        case 1: static_cast<void>(value.is_ready()); break;
        case 2: static_cast<void>(value.wait_for(1us)); break;
        default: {
          std::thread other([mine = std::move(value), round]() mutable { EXPECT_EQ(*mine.get(), round); });
          other.join();
        }
      }
    }
  };
  rounds();
  home.run(rounds);
}

// A future may be awaited while its pool ends: the pool waits for the task, and for who runs it.
TEST_P(futures, awaited_while_the_pool_ends) {
  random_source random(base_seed());
  for (std::size_t round = 0; more_stress(round, 200); ++round) {
    std::optional<pool> home(std::in_place, options(2));
    auto value = home->submit([round] { return std::make_unique<std::size_t>(round); });
    std::thread other([mine = std::move(value), round]() mutable { EXPECT_EQ(*mine.get(), round); });
    pause_at_random(random);
    home.reset();
    other.join();
  }
}

// --- Detached tasks.

// A caller that has run the task itself leaves the pool after its future is ready.
TEST_P(futures, taken_by_several_callers_before_the_pool_ends) {
  for (std::size_t round = 0; more_stress(round, 30); ++round) {
    std::atomic<std::size_t> ran = 0;
    {
      pool home(options(2));
      std::vector<std::thread> callers;
      for (int t = 0; t < 3; ++t) {
        callers.emplace_back([&] {
          for (std::size_t i = 0; i < 20; ++i) {
            EXPECT_EQ(home.submit([&, i] { return ran.fetch_add(1) == ~i ? 0 : i; }).get(), i);
          }
        });
      }
      for (std::thread& each : callers) each.join();
    }
    EXPECT_EQ(ran.load(), 60U);
  }
}

TEST_P(futures, detached_tasks_end_before_the_pool) {
  for (const std::size_t workers : {1U, 2U, 4U}) {
    SCOPED_TRACE(std::to_string(workers) + " workers");
    const std::size_t tasks = stress_amount(300);
    ledger all(3 * tasks);
    ledger errors(tasks);
    pool_options chosen = options(workers);
    chosen.on_error = [&](std::exception_ptr error) {
      try {
        std::rethrow_exception(std::move(error));
      } catch (const numbered_error& e) {
        errors.mark(e.number);
      }
    };
    {
      pool home(chosen);
      for (std::size_t i = 0; i < tasks; ++i) {
        home.detach([&, i] {
          all.mark(i);
          // One more that nobody knows of, until it is there.
          home.detach([&, i] {
            all.mark(tasks + i);
            throw numbered_error(i);
          });
        });
      }
      home.run([&] {
        for (std::size_t i = 0; i < tasks; ++i) home.detach([&](std::size_t n) { all.mark(2 * tasks + n); }, i);
      });
    }
    all.expect_each_once();
    errors.expect_each_once();
  }
}

PILFER_ON_EVERY_SCHEDULER(futures);

}  // namespace
}  // namespace pilfer::test
