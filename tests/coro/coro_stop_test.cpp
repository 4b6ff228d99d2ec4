// Coroutines of a pool that is to stop: those that wait, those that run, those that come later.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/coro.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/statistics.hpp>
#include <pilfer/task_group.hpp>

#include "coro/coro_checks.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;

class coro_stop : public on_scheduler {};

task<void> sleep_an_hour(counted_object /*kept in the frame*/ = {}) { co_await sleep_for(1h); }

template <class Condition>
void nap_until(Condition condition) {
  while (!condition()) std::this_thread::sleep_for(1ms);
}

// Regression: the pool's destructor waited for it, silently, for the hour.
TEST_P(coro_stop, one_that_sleeps) {
  counted_object::alive = 0;
  for (const bool from_inside : {false, true}) {
    pool home(options(2));
    home.detach(sleep_an_hour());
    const auto stop = [&]() -> task<void> {
      EXPECT_TRUE(home.request_stop());
      co_return;
    };
    if (from_inside) {
      sync_wait(home, stop());
    } else {
      EXPECT_TRUE(home.request_stop());
    }
  }
  EXPECT_EQ(counted_object::alive, 0);
}

// Things to wait for, none of which will come.
struct endless_waits {
  channel<int> empty{1};
  channel<int> full{0};
  async_mutex locked;
  async_semaphore used_up{0};
  const bool held = locked.try_lock();
};

constexpr std::size_t kinds_of_waits = 12;
task<void> wait_for_ever(endless_waits& on, std::size_t kind) {
  switch (kind) {
    case 0: static_cast<void>(co_await on.empty.receive()); break;
    case 1: static_cast<void>(co_await on.full.send(1)); break;
    case 2: static_cast<void>(co_await on.locked.lock()); break;
    case 3: static_cast<void>(co_await on.used_up.acquire()); break;
    case 4: static_cast<void>(co_await on.used_up.hold()); break;
    case 5: co_await sleep_for(1h); break;
    case 6: co_await sleep_until(std::chrono::system_clock::now() + 1h); break;
    case 7: co_await with_deadline(std::chrono::steady_clock::now() + 1h, sleep_an_hour()); break;
    case 8: co_await when_all(sleep_an_hour(), wait_for_ever(on, 0)); break;
    case 9: static_cast<void>(co_await when_any(sleep_an_hour(), wait_for_ever(on, 2))); break;
    case 10: {
      auto child = co_await fork(wait_for_ever(on, 3));
      co_await std::move(child).join();
      break;
    }
    default:
      for (;;) co_await yield();
  }
}

// Notes how it has ended.
task<void> note_end(task<void> work, std::atomic<std::size_t>& begun, ledger& cancelled, std::size_t number) {
  const std::stop_token mine = co_await this_stop_token();
  ++begun;
  try {
    co_await std::move(work);
  } catch (const task_cancelled&) {
    EXPECT_TRUE(mine.stop_requested());
    cancelled.mark(number, std::memory_order_release);
  }
}

TEST_P(coro_stop, every_wait_ends) {
  for (std::size_t round = 0; more_stress(round, 20); ++round) {
    endless_waits on;
    constexpr std::size_t coroutines = 3 * kinds_of_waits;
    std::atomic<std::size_t> begun = 0;
    ledger cancelled(coroutines);
    {
      pool home(options(2));
      task_group group(home);
      for (std::size_t i = 0; i < 2 * kinds_of_waits; ++i) {
        auto work = note_end(wait_for_ever(on, i % kinds_of_waits), begun, cancelled, i);
        if (i < kinds_of_waits) {
          home.detach(std::move(work));
        } else {
          group.spawn(std::move(work));
        }
      }
      std::vector<std::thread> threads;
      for (std::size_t i = 2 * kinds_of_waits; i < coroutines; ++i) {
        threads.emplace_back(
            [&, i] { sync_wait(home, note_end(wait_for_ever(on, i % kinds_of_waits), begun, cancelled, i)); });
      }
      nap_until([&] { return begun == coroutines; });
      if (round % 2 == 0) std::this_thread::sleep_for(1ms);  // most are in line by now
      const shutdown_report left = home.shutdown(1h);
      EXPECT_TRUE(left);
      for (std::thread& each : threads) each.join();
      group.wait();
    }
    cancelled.expect_each_once();
    // Nothing has stayed behind in a line.
    EXPECT_TRUE(on.empty.try_send(1));
    EXPECT_FALSE(on.full.try_receive().has_value());
    EXPECT_TRUE(on.held);
    on.locked.unlock();
    EXPECT_TRUE(on.locked.try_lock());
    on.locked.unlock();
    on.used_up.release(1);
    EXPECT_TRUE(on.used_up.try_acquire(1));
  }
}

// Also one that was queued before the stop.
TEST_P(coro_stop, what_has_not_begun_does_not) {
  counted_object::alive = 0;
  std::atomic<int> begun = 0;
  const auto note = [](std::atomic<int>& count, counted_object /*kept in the frame*/) -> task<void> {
    ++count;
    co_return;
  };
  {
    pool home(pool_options{.workers = 1, .scheduler = GetParam(), .callers_work = false});
    std::atomic<bool> runs = false;
    std::atomic<bool> goes_on = false;
    home.detach([&] {
      runs = true;
      nap_until([&] { return goes_on.load(); });
    });
    nap_until([&] { return runs.load(); });
    for (int i = 0; i < 5; ++i) home.detach(note(begun, {}));
    home.request_stop();
    for (int i = 0; i < 5; ++i) home.detach(note(begun, {}));
    task_group group(home);
    for (int i = 0; i < 5; ++i) group.spawn(note(begun, {}));
    goes_on = true;
    EXPECT_EQ(group.wait().cancelled, 5U);
    home.drain();
    EXPECT_EQ(home.statistics().total().cancelled, 15U);
    // A wait of its own begins what it waits for: it has a result to return, or an exception.
    const auto stopped = []() -> task<bool> {
      const std::stop_token mine = co_await this_stop_token();
      co_return mine.stop_requested();
    };
    EXPECT_TRUE(sync_wait(home, stopped()));
    EXPECT_THROW(sync_wait(home, sleep_an_hour()), task_cancelled);
  }
  EXPECT_EQ(begun, 0);
  EXPECT_EQ(counted_object::alive, 0);
}

// Suspends until the test resumes it; knows nothing of tokens.
struct unstoppable {
  std::atomic<void*>& where;
  [[nodiscard]] static bool await_ready() noexcept { return false; }
  void await_suspend(std::coroutine_handle<> who) const noexcept { where = who.address(); }
  static void await_resume() noexcept {}
};

TEST_P(coro_stop, a_shutdown_reports_coroutines) {
  std::atomic<void*> suspended = nullptr;
  std::atomic<bool> runs = false;
  std::atomic<bool> goes_on = false;
  pool home(options(3));
  const auto suspends = [&]() -> task<void> { co_await unstoppable{suspended}; };
  const auto blocks = [&]() -> task<void> {
    runs = true;
    nap_until([&] { return goes_on.load(); });
    co_return;
  };
  home.detach(suspends());
  home.detach(blocks());
  home.detach(sleep_an_hour());
  nap_until([&] { return suspended != nullptr && runs; });
  shutdown_report left = home.shutdown(0s);
  EXPECT_FALSE(left);
  // In the end only those two, and no task beside them.
  do {
    left = home.shutdown(10ms);
    ASSERT_FALSE(left);
    ASSERT_GE(left.coroutines, 2U);
  } while (left.coroutines != 2 || left.tasks != 0);
  goes_on = true;
  do {
    left = home.shutdown(10ms);
    ASSERT_FALSE(left);
  } while (left.coroutines != 1 || left.tasks != 0);
  std::coroutine_handle<>::from_address(suspended).resume();
  EXPECT_TRUE(home.shutdown(1h));
}

TEST_P(coro_stop, another_pool_goes_on) {
  pool stopped(options(2));
  pool other(options(2));
  channel<int> values(0);
  std::atomic<int> sum = 0;
  const auto receive_all = [&]() -> task<void> {
    while (const auto value = co_await values.receive()) sum += *value;
  };
  const auto send_some = [&]() -> task<void> {
    for (int i = 1; i <= 10; ++i) {
      if (i == 5) stopped.request_stop();
      const bool sent = co_await values.send(i);
      EXPECT_TRUE(sent);
    }
    values.close();
  };
  stopped.detach(sleep_an_hour());
  other.detach(receive_all());
  other.detach(send_some());
  other.drain();
  EXPECT_EQ(sum, 55);
}

// A wait of one pool's task for a coroutine in another ends with either.
TEST_P(coro_stop, a_wait_across_pools) {
  for (const bool in_group : {false, true}) {
    for (const bool stop_caller : {false, true}) {
      pool caller(options(2));
      pool home(options(2));
      std::atomic<bool> begun = false;
      const auto sleeps = [&]() -> task<void> {
        begun = true;
        co_await sleep_for(1h);
      };
      const auto wait = [&] { EXPECT_THROW(sync_wait(home, sleeps()), task_cancelled); };
      task_group group(caller);
      if (in_group) {
        group.spawn(wait);
      } else {
        caller.detach(wait);
      }
      nap_until([&] { return begun.load(); });
      (stop_caller ? caller : home).request_stop();
      group.wait();
      caller.drain();
    }
  }
}

// A plain task whose wait was cancelled ends by the exception, and that ends nothing else.
TEST_P(coro_stop, a_plain_task_that_waits) {
  pool home(options(2));
  std::atomic<bool> begun = false;
  home.detach([&] {
    const auto sleeps = [&]() -> task<void> {
      begun = true;
      co_await sleep_for(1h);
    };
    sync_wait(sleeps());
    ADD_FAILURE() << "was not cancelled";
  });
  nap_until([&] { return begun.load(); });
  EXPECT_TRUE(home.shutdown(1h));
}

// At a random moment of a busy pool. Each coroutine ends, by its work or by the stop; what was sent arrives, or is kept, or was not sent.
TEST_P(coro_stop, at_any_moment) {
  random_source random(base_seed());
  for (std::size_t round = 0; more_stress(round, 200, 2); ++round) {
    counted_object::alive = 0;
    channel<std::size_t> values(random.below(3));
    async_mutex mutex;
    constexpr std::size_t senders = 4;
    constexpr std::size_t of_each = 50;
    ledger sent(senders * of_each);
    ledger received(senders * of_each);
    std::atomic<std::size_t> ended = 0;
    const auto send = [&](std::size_t first, counted_object /*kept in the frame*/) -> task<void> {
      try {
        for (std::size_t i = first; i < first + of_each; ++i) {
          if (co_await values.send(i)) sent.mark(i);
          if (i % 16 == 0) co_await sleep_for(1us);
        }
      } catch (const task_cancelled&) {
      }
      ++ended;
    };
    const auto receive = [&](counted_object /*kept in the frame*/) -> task<void> {
      try {
        while (const auto value = co_await values.receive()) {
          received.mark(*value);
          const auto lock = co_await mutex.lock();
        }
      } catch (const task_cancelled&) {
      }
      ++ended;
    };
    {
      pool home(options(1 + random.below(3)));
      std::thread stopper([&home, wait = random.below(300)] {
        std::this_thread::sleep_for(std::chrono::microseconds(wait));
        home.request_stop();
      });
      for (std::size_t i = 0; i < senders; ++i) {
        home.detach(send(i * of_each, {}));
        home.detach(receive({}));
      }
      stopper.join();
      home.drain();
      // Those that had not begun were freed, and counted.
      EXPECT_EQ(ended + home.statistics().total().cancelled, 2 * senders);
    }
    EXPECT_EQ(counted_object::alive, 0);
    while (const auto kept = values.try_receive()) received.mark(*kept);
    sent.expect_each_at_most_once();
    for (std::size_t i = 0; i < senders * of_each; ++i) {
      ASSERT_EQ(sent.runs_of(i), received.runs_of(i)) << "value " << i;
    }
    EXPECT_TRUE(mutex.try_lock());
    mutex.unlock();
  }
}

PILFER_ON_EVERY_SCHEDULER(coro_stop);

}  // namespace
}  // namespace pilfer::test
