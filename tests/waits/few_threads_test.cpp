// Tasks that wait, where few threads are to be had: as long as something can run, some thread must run it. Each pattern at every
// limit from 0 to 20 threads. No wait in these needs a task that may be buried under it.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <future>
#include <optional>
#include <semaphore>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/coro.hpp>
#include <pilfer/pilfer.hpp>

#include "support/environment.hpp"
#include "support/refusals.hpp"
#include "waits/wait_checks.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;

class few_threads : public with_refusals<::testing::Test> {
 protected:
  static constexpr std::size_t tasks = under_tsan || under_asan ? 15 : 30;

  // Calls the pattern with a pool that was made under each limit; the pattern counts its `tasks` answers.
  static void check(const std::function<void(pool& home, std::atomic<std::size_t>& count)>& pattern) {
    {
      pool timers(1);  // their thread is one for the process, and without it sleeps throw
      static_cast<void>(sync_wait(timers, sleep_then(1us, 0)));
    }
    for (long limit = 0; limit <= 20; limit += (under_tsan || under_asan) && limit >= 4 ? 4 : 1) {
      for (const std::size_t workers : {1U, 2U, 4U}) {
        if (limit > 5 && workers != 2) continue;  // more threads than workers: the waits decide, not the size
        expect_end(std::to_string(limit) + " threads for " + std::to_string(workers) + " workers", [&] {
          std::atomic<std::size_t> count = 0;
          threads_allowed.allow(limit);
          {
            pool home(workers);
            pattern(home, count);
          }
          threads_allowed.allow_all();
          EXPECT_EQ(count, tasks);
        });
      }
    }
  }
};

TEST_F(few_threads, tasks_that_wait_for_a_coroutine) {
  check([](pool& home, std::atomic<std::size_t>& count) {
    task_group all(home);
    for (std::size_t i = 0; i < tasks; ++i) {
      all.spawn([&] { count += static_cast<std::size_t>(sync_wait(sleep_then(1ms, 1))); });
    }
    all.wait();
  });
}

TEST_F(few_threads, tasks_that_wait_for_a_coroutine_that_yields) {
  check([](pool& home, std::atomic<std::size_t>& count) {
    home.run([&] {
      task_group all;
      for (std::size_t i = 0; i < tasks; ++i) {
        all.spawn([&] { count += static_cast<std::size_t>(sync_wait(yield_then(1))); });
      }
      all.wait();
    });
  });
}

TEST_F(few_threads, coroutines_that_wait_for_a_group) {
  struct steps {
    static task<void> wait_for_group(std::atomic<std::size_t>& count) {
      co_await yield();
      task_group inner;
      inner.spawn([&] { ++count; });
      inner.wait();
    }
  };
  check([](pool& home, std::atomic<std::size_t>& count) {
    task_group all(home);
    for (std::size_t i = 0; i < tasks; ++i) all.spawn(steps::wait_for_group(count));
    all.wait();
  });
}

TEST_F(few_threads, groups_of_coroutines_that_wait_with_their_threads) {
  struct steps {
    static task<void> wait_for_coroutines(std::atomic<std::size_t>& count) {
      co_await sleep_for(100us);
      task_group inner;
      inner.spawn(add(count));
      inner.wait();
    }
    static task<void> add(std::atomic<std::size_t>& count) {
      co_await sleep_for(100us);
      ++count;
    }
  };
  check([](pool& home, std::atomic<std::size_t>& count) {
    task_group all(home);
    for (std::size_t i = 0; i < tasks; ++i) all.spawn(steps::wait_for_coroutines(count));
    all.wait();
  });
}

TEST_F(few_threads, waits_in_regions) {
  check([](pool& home, std::atomic<std::size_t>& count) {
    task_group all(home);
    for (std::size_t i = 0; i < tasks; ++i) {
      all.spawn([&] {
        task_group inner;
        inner.spawn([&] { ++count; });
        const blocking_region region;
        inner.wait();
      });
    }
    all.wait();
  });
}

TEST_F(few_threads, futures_in_regions) {
  check([](pool& home, std::atomic<std::size_t>& count) {
    task_group all(home);
    for (std::size_t i = 0; i < tasks; ++i) {
      all.spawn([&] {
        const blocking_region region;
        count += home.submit([] { return std::size_t{1}; }).get();
      });
    }
    all.wait();
  });
}

TEST_F(few_threads, limited_waits) {
  check([](pool& home, std::atomic<std::size_t>& count) {
    task_group all(home);
    for (std::size_t i = 0; i < tasks; ++i) {
      all.spawn([&] {
        task_group inner;
        inner.spawn([&] { ++count; });
        while (!inner.wait_for(200us)) {
        }
      });
    }
    while (!all.wait_for(200us)) {
    }
  });
}

TEST_F(few_threads, limited_waits_for_nested_futures) {
  check([](pool& home, std::atomic<std::size_t>& count) {
    const auto get_in_time = [](future<std::size_t> one) {
      while (!one.wait_for(200us)) {
      }
      return one.get();
    };
    const auto nested = [&] { return get_in_time(home.submit([] { return std::size_t{1}; })); };
    task_group all(home);
    for (std::size_t i = 0; i < tasks; ++i) all.spawn([&] { count += get_in_time(home.submit(nested)); });
    all.wait();
  });
}

TEST_F(few_threads, limited_waits_in_regions) {
  check([](pool& home, std::atomic<std::size_t>& count) {
    task_group all(home);
    for (std::size_t i = 0; i < tasks; ++i) {
      all.spawn([&] {
        auto one = home.submit([] { return std::size_t{1}; });
        const blocking_region region;
        while (!one.wait_for(200us)) {
        }
        count += one.get();
      });
    }
    all.wait();
  });
}

// The region's thread has given its place away, and runs a task all the same: get() does so for a task that has not begun.
TEST_F(few_threads, limited_waits_of_a_task_that_is_run_in_a_region) {
  check([](pool& home, std::atomic<std::size_t>& count) {
    task_group all(home);
    for (std::size_t i = 0; i < tasks; ++i) {
      all.spawn([&] {
        std::future<std::size_t> outer = home.submit([&] {
          auto inner = home.submit([] { return std::size_t{1}; });
          while (!inner.wait_for(200us)) {
          }
          return inner.get();
        });
        count += get(outer);
      });
    }
    all.wait();
  });
}

TEST_F(few_threads, futures_of_another_pool) {
  check([](pool& home, std::atomic<std::size_t>& count) {
    pool other(2);
    task_group all(home);
    for (std::size_t i = 0; i < tasks; ++i) {
      all.spawn([&] { count += other.submit([&] { return home.submit([] { return std::size_t{1}; }).get(); }).get(); });
    }
    all.wait();
  });
}

TEST_F(few_threads, runs_in_another_pool) {
  check([](pool& home, std::atomic<std::size_t>& count) {
    pool other(2);
    task_group all(home);
    for (std::size_t i = 0; i < tasks; ++i) {
      all.spawn([&] {
        count += other.run([&] { return home.submit([&] { return other.run([] { return std::size_t{1}; }); }).get(); });
      });
    }
    all.wait();
  });
}

TEST_F(few_threads, pools_inside_tasks) {
  check([](pool& home, std::atomic<std::size_t>& count) {
    task_group all(home);
    for (std::size_t i = 0; i < tasks; ++i) {
      all.spawn([&] {
        pool own(2);
        own.detach([&] { count += home.submit([] { return std::size_t{1}; }).get(); });
      });
    }
    all.wait();
  });
}

// Work that comes when every thread sleeps: from a thread that is no worker.
TEST_F(few_threads, values_from_outside) {
  struct steps {
    static task<std::size_t> receive_one(channel<std::size_t>& from) {
      const std::optional<std::size_t> got = co_await from.receive();
      co_return got.value_or(0);
    }
  };
  check([](pool& home, std::atomic<std::size_t>& count) {
    channel<std::size_t> values(tasks);
    std::thread sender;
    {
      const thread_limit::exemption exempt;
      sender = std::thread([&] {
        for (std::size_t i = 0; i < tasks; ++i) {
          std::this_thread::sleep_for(100us);
          std::size_t one = 1;
          EXPECT_TRUE(values.try_send(std::move(one)));
        }
      });
    }
    task_group all(home);
    for (std::size_t i = 0; i < tasks; ++i) all.spawn([&] { count += sync_wait(steps::receive_one(values)); });
    all.wait();
    sender.join();
  });
}

TEST_F(few_threads, submissions_while_all_wait) {
  check([](pool& home, std::atomic<std::size_t>& count) {
    const thread_limit::exemption exempt;
    on_callers(5, [&](std::size_t) {
      for (std::size_t i = 0; i < tasks / 5; ++i) {
        home.submit([&] {
              task_group inner;
              inner.spawn([](std::atomic<std::size_t>& counted) -> task<void> {
                co_await sleep_for(100us);
                ++counted;
              }(count));
              inner.wait();
            })
            .get();
      }
    });
  });
}

task<int> receive_one(channel<int>& from) { co_return (co_await from.receive()).value_or(0); }

// The last thread that is active blocks in a call that is not ours, and what it waits for lies in its own queue: a thread that sleeps in a
// wait must be recalled.
TEST_F(few_threads, a_region_beside_a_wait) {
  expect_end("no threads", [] {
    threads_allowed.allow(0);
    {
      pool home(2);
      channel<int> values(1);
      std::thread sleeper;
      {
        const thread_limit::exemption exempt;
        sleeper = std::thread([&] { EXPECT_EQ(home.run([&] { return sync_wait(receive_one(values)); }), 7); });
      }
      std::this_thread::sleep_for(20ms);  // mostly it sleeps by then; if not, this passes all the same
      home.run([&] {
        std::binary_semaphore ran(0);
        home.detach([&] { ran.release(); });
        const blocking_region region;
        ran.acquire();
      });
      int value = 7;
      EXPECT_TRUE(values.try_send(std::move(value)));
      sleeper.join();
    }
    threads_allowed.allow_all();
  });
}

// A thread that waits is a worker of two pools. In one of them there is work that it cannot have, as long as its owner sleeps; what it
// waits for is in the other.
TEST_F(few_threads, work_out_of_reach_beside_a_wait) {
  expect_end("no threads", [] {
    threads_allowed.allow(0);
    {
      pool forks({.workers = 1, .scheduler = "lcws-conservative"});
      pool home(1);
      channel<int> values(1);
      std::thread owner;
      {
        const thread_limit::exemption exempt;
        owner = std::thread(
            [&] { forks.run([&] { fork_join([&] { EXPECT_EQ(sync_wait(receive_one(values)), 7); }, [] {}); }); });
      }
      while (forks.describe().find("sleeps in a wait, 1 forks queued") == std::string::npos) {
        std::this_thread::sleep_for(1ms);
      }
      EXPECT_EQ(forks.run([&] { return home.run([] { return sync_wait(yield_then(3)); }); }), 3);
      int value = 7;
      EXPECT_TRUE(values.try_send(std::move(value)));
      owner.join();
    }
    threads_allowed.allow_all();
  });
}

// A caller that leaves a pool without threads runs what is left there, and this leaves tasks in the caller's own queue, where only an owner
// sees them.
TEST_F(few_threads, tasks_of_the_last_task_of_a_caller) {
  struct steps {
    static task<int> receive_then_fork(channel<int>& from) {
      const int got = co_await receive_one(from);
      std::vector<task<int>> more;
      for (int i = 0; i < 5; ++i) more.push_back(yield_then(got));
      int sum = 0;
      for (const int each : co_await when_all(std::move(more))) sum += each;
      co_return sum;
    }
  };
  for (const char* const name : {"default", "bwos-lifo", "lcws-user"}) {  // two of them hide tasks
    expect_end(name, [name] {
      threads_allowed.allow(0);
      {
        pool home({.workers = 1, .scheduler = name});
        channel<int> values(1);
        std::thread waiter;
        {
          const thread_limit::exemption exempt;
          waiter = std::thread([&] { EXPECT_EQ(sync_wait(home, steps::receive_then_fork(values)), 35); });
        }
        while (home.describe().find("sleeps in a wait") == std::string::npos) std::this_thread::sleep_for(1ms);
        home.run([&] {
          int value = 7;
          EXPECT_TRUE(values.try_send(std::move(value)));
        });
        waiter.join();
      }
      threads_allowed.allow_all();
    });
  }
}

}  // namespace
}  // namespace pilfer::test
