// The options that bound a pool's threads and what its waits may run, and threads that are refused for a while.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <future>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/coro.hpp>
#include <pilfer/pilfer.hpp>

#include "support/environment.hpp"
#include "support/refusals.hpp"
#include "support/schedulers.hpp"
#include "waits/wait_checks.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;

// Groups, futures, coroutines and regions in turns; each wait is for descendants of its own task.
class nest_of_waits {
 public:
  nest_of_waits(pool& home, std::size_t most_threads) : home_(home), most_threads_(most_threads) {}

  std::size_t count(unsigned depth) {
    if (depth == 0) return leaf();
    switch (depth % 4) {
      case 0: return by_group(depth);
      case 1: return home_.submit([this, depth] { return count(depth - 1); }).get() + count(depth - 1);
      case 2: return by_coroutine(depth);
      default: return in_region(depth);
    }
  }

 private:
  std::size_t leaf() {
    EXPECT_LE(home_.statistics().threads, most_threads_);
    return 1;
  }
  std::size_t by_group(unsigned depth) {
    std::atomic<std::size_t> sum = 0;
    task_group group(home_);
    for (int i = 0; i < 3; ++i) group.spawn([&] { sum += count(depth - 1); });
    group.wait();
    return sum;
  }
  std::size_t by_coroutine(unsigned depth) {
    static_cast<void>(sync_wait(home_, depth % 8 < 4 ? sleep_then(100us, 0) : yield_then(0)));
    const auto [left, right] = fork_join([&] { return count(depth - 1); }, [&] { return count(depth - 1); });
    return left + right;
  }
  std::size_t in_region(unsigned depth) {
    auto below = home_.submit([this, depth] { return count(depth - 1); });
    const blocking_region region;
    return below.get();
  }

  pool& home_;
  const std::size_t most_threads_;
};

class bounds : public with_refusals<::testing::Test> {
 protected:
  static task<int> receive_one(channel<int>& from) {
    const std::optional<int> got = co_await from.receive();
    co_return got.value_or(-1);
  }
  // A wait for a coroutine that needs a task which lies in a queue, and is none of what is awaited.
  class wait_for_a_stranger {
   public:
    explicit wait_for_a_stranger(pool& home) : senders_(home), receivers_(home) {}
    // In a task of the pool.
    void operator()() {
      senders_.spawn([this] { EXPECT_TRUE(values_.try_send(3)); });
      receivers_.spawn([](channel<int>& from, std::atomic<int>& result) -> task<void> {
        result = co_await receive_one(from);
      }(values_, got_));
      receivers_.wait();
      EXPECT_EQ(got_, 3);
    }

   private:
    channel<int> values_{1};
    std::atomic<int> got_ = 0;
    task_group senders_;
    task_group receivers_;
  };
};

TEST_F(bounds, no_pool_has_more_threads_than_its_option_says) {
  const std::vector<std::string> schedulers =
      stress_factor() > 1 ? scheduler_names() : std::vector<std::string>{"default", "bwos-fifo", "lcws-half"};
  for (std::size_t most = 1; most <= 20; most += under_tsan || under_asan ? 3 : 1) {
    for (const std::size_t workers : {1U, 2U, 4U}) {
      if (most > 6 && workers != 2) continue;
      const std::string& scheduler = schedulers[(most + workers) % schedulers.size()];
      const std::string what = std::to_string(most) + " threads, " + std::to_string(workers) + " workers, " + scheduler;
      SCOPED_TRACE(what);
      expect_end(what, [&] {
        pool home(pool_options{.workers = workers, .scheduler = scheduler, .max_threads = most});
        nest_of_waits nest(home, most);
        constexpr std::size_t leaves = 12;
        EXPECT_EQ(nest.count(4), leaves);                            // from outside
        EXPECT_EQ(home.run([&] { return nest.count(4); }), leaves);  // inside
        on_callers(3, [&](std::size_t) { EXPECT_EQ(nest.count(4), leaves); });
        const pool_statistics now = home.statistics();
        EXPECT_LE(now.threads, most);
        EXPECT_EQ(home.size(), workers);
      });
    }
  }
}

TEST_F(bounds, too_many_threads_are_an_error) {
  EXPECT_THROW(pool(pool_options{.workers = 1, .max_threads = 769}), std::invalid_argument);
  EXPECT_THROW(pool(pool_options{.workers = 1, .max_threads = ~std::size_t{0}}), std::invalid_argument);
  pool most(pool_options{.workers = 1, .max_threads = 768});
  EXPECT_EQ(most.run([] { return 3; }), 3);
}

TEST_F(bounds, strangers_are_run_where_a_wait_needs_them) {
  for (const std::string& scheduler : tested_schedulers()) {
    expect_end(scheduler, [&] {
      SCOPED_TRACE(scheduler);
      pool home(pool_options{.workers = 1, .scheduler = scheduler, .max_threads = 1});
      wait_for_a_stranger wait(home);
      std::promise<void> ended;  // so that this thread, which is none of the pool's, does not help
      home.detach([&] {
        EXPECT_NO_THROW(wait());
        ended.set_value();
      });
      ended.get_future().wait();
      EXPECT_GT(home.statistics().total().ran_strangers, 0U);
    });
  }
}

// It takes a second until a wait gives up, so that only some schedulers have their turn.
TEST_F(bounds, without_strangers_a_wait_throws) {
  for (const char* scheduler : {"default", "lcws-half"}) {
    expect_end(scheduler, [&] {
      SCOPED_TRACE(scheduler);
      pool home(pool_options{.workers = 1, .scheduler = scheduler, .max_threads = 1, .strangers = false});
      {
        wait_for_a_stranger wait(home);
        std::promise<void> ended;
        home.detach([&] {
          EXPECT_THROW(wait(), std::runtime_error);
          ended.set_value();
        });
        ended.get_future().wait();
      }  // the groups end: the pool's thread is free for their tasks
      EXPECT_EQ(home.statistics().total().ran_strangers, 0U);
      EXPECT_EQ(home.submit([] { return 3; }).get(), 3);
    });
  }
}

// With threads enough nothing is thrown, and no stranger is run.
TEST_F(bounds, without_strangers_other_threads_run_them) {
  expect_end("no strangers, 20 threads", [&] {
    pool home(pool_options{.workers = 1, .max_threads = 20, .strangers = false});
    task_group all(home);
    for (int i = 0; i < 10; ++i) {
      all.spawn([&] {
        wait_for_a_stranger wait(home);
        wait();
      });
    }
    EXPECT_EQ(all.wait().failed, 0U);
    EXPECT_EQ(home.statistics().total().ran_strangers, 0U);
  });
}

// --- Threads that are refused for a while.

TEST_F(bounds, a_refused_thread_is_tried_again) {
  for (const std::size_t workers : {1U, 2U, 4U}) {
    expect_end(std::to_string(workers) + " workers", [&] {
      threads_allowed.allow(0);
      pool home(workers);
      EXPECT_EQ(home.run([&] { return home.submit([] { return 3; }).get(); }), 3);
      EXPECT_EQ(home.statistics().threads, 0U);
      threads_allowed.allow_all();
      // A caller that blocks in a call which the pool cannot see into: only a new thread can run the task.
      home.run([&] {
        std::promise<int> promise;
        home.detach([&] { promise.set_value(3); });
        const blocking_region region;
        EXPECT_EQ(promise.get_future().get(), 3);
      });
      EXPECT_GT(home.statistics().threads, 0U);
    });
  }
}

TEST_F(bounds, a_submission_tries_a_refused_thread_again) {
  for (const std::size_t workers : {2U, 4U}) {
    expect_end(std::to_string(workers) + " workers", [&] {
      threads_allowed.allow(0);
      pool home(workers);
      EXPECT_EQ(home.run([] { return 3; }), 3);
      threads_allowed.allow_all();
      std::promise<int> promise;
      home.detach([&] { promise.set_value(3); });
      EXPECT_EQ(promise.get_future().get(), 3);
    });
  }
}

// The thread sleeps in its wait when threads can be had again: it must not sleep on until it is woken.
TEST_F(bounds, a_thread_that_sleeps_tries_again) {
  expect_end("a wait from before", [&] {
    static_cast<void>(sync_wait(sleep_then(1us, 0)));  // the timers' thread
    threads_allowed.allow(0);
    pool home(2);
    std::atomic<bool> blocks = false;
    std::atomic<bool> allowed = false;
    std::thread caller;
    {
      const thread_limit::exemption exempt;
      caller = std::thread([&] {
        home.run([&] {
          // It is active, but blocked where the pool cannot see it, until a task has run that only another thread can run.
          std::promise<void> ran;
          blocks = true;
          while (!allowed) std::this_thread::yield();
          home.detach([&] { ran.set_value(); });
          ran.get_future().wait();
        });
      });
    }
    home.run([&] {
      while (!blocks) std::this_thread::yield();
      task_group group;
      group.spawn([](std::atomic<bool>& is_allowed) -> task<void> {
        co_await sleep_for(5ms);
        threads_allowed.allow_all();
        is_allowed = true;
        co_await sleep_for(5ms);
      }(allowed));
      group.wait();
    });
    caller.join();
  });
}

}  // namespace
}  // namespace pilfer::test
