// Tasks on a machine that refuses threads and memory: none is lost, none runs twice, and who must know is told.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/blocking_region.hpp>
#include <pilfer/fork_join.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/statistics.hpp>
#include <pilfer/task_group.hpp>

#include "support/refusals.hpp"
#include "tasks/task_checks.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;

class task_faults : public with_refusals<on_scheduler> {};

// All ways to use tasks, once.
void expect_tasks_work(pool& home) {
  ledger all(8 * 5);
  const auto use = [&](std::size_t at) {
    task_group group(home);
    group.spawn([&, at] {
      fork_join([&] { all.mark(at); }, [&] { all.mark(at + 1); });
      task_group inner;
      inner.spawn([&, at] { all.mark(at + 2); });
      inner.wait();
    });
    auto f = home.submit([&, at] { all.mark(at + 3); });
    f.get();
    home.detach([&, at] { all.mark(at + 4, std::memory_order_release); });
    group.wait();
  };
  for (std::size_t i = 0; i < 4; ++i) use(5 * i);
  home.run([&] {
    for (std::size_t i = 4; i < 8; ++i) use(5 * i);
  });
  wait_until_true([&] {
    home.run([] {});
    return all.marked() == all.size();
  });
  all.expect_each_once();
}

// --- No threads.

TEST_P(task_faults, no_threads_at_all) {
  for (const std::size_t workers : {1U, 3U}) {
    threads_refused.fail_at(1, true);
    ledger all(3);
    {
      pool home(options(workers));
      EXPECT_EQ(home.statistics().threads, 0U);
      expect_tasks_work(home);
      // The ones that nobody waits for.
      home.detach([&] { all.mark(0); });
      static_cast<void>(home.submit([&] { all.mark(1); }));
      home.run([&] { home.detach([&] { all.mark(2); }); });
      auto polled = home.submit([] { return 5; });
      wait_until_true([&] { return polled.wait_for(10us); });
      EXPECT_EQ(polled.get(), 5);
      task_group group(home);
      group.spawn([] {});
      wait_until_true([&] { return group.wait_for(10us); });
      EXPECT_NO_THROW(home.resize(4));
      expect_tasks_work(home);
      // Waits with a limit help, or a loop of them would never end; that is counted.
      const std::uint64_t late = home.statistics().total().late_waits;
      home.run([&] {
        task_group inside;
        inside.spawn([] {});
        while (!inside.wait_for(10us)) {
        }
      });
      EXPECT_GT(home.statistics().total().late_waits, late);
      home.run([&] {
        const blocking_region region;
        task_group inside;
        inside.spawn([&] { fork_join([] {}, [] {}); });
        inside.wait();
        EXPECT_EQ(home.submit([] { return 6; }).get(), 6);
      });
    }
    threads_refused.stop();
    all.expect_each_once();
  }
}

// Then no caller waits for room: none would make any.
TEST_P(task_faults, no_threads_and_a_limit) {
  for (const overflow when_full : {overflow::block, overflow::run_inline, overflow::refuse}) {
    for (const bool callers_work : {true, false}) {
      pool_options wanted = options(2);
      wanted.max_pending = 1;
      wanted.when_full = when_full;
      wanted.callers_work = callers_work;
      ledger all(4);
      std::atomic<pool*> full = nullptr;
      bool is_refused = false;
      std::thread another([&] {
        while (full == nullptr) std::this_thread::yield();
        try {
          full.load()->detach([&] { all.mark(2); });
        } catch (const too_many_tasks&) {
          all.mark(2);
          is_refused = true;
        }
      });
      threads_refused.fail_at(1, true);
      pool home(wanted);
      home.detach([&] { all.mark(0); });  // runs it: no other thread ever could
      home.run([&] {
        home.detach([&] { all.mark(1); });
        full = &home;
        another.join();  // although this caller is the only one that could make room
      });
      home.drain();
      threads_refused.stop();
      EXPECT_EQ(is_refused, when_full == overflow::refuse);
      home.submit([&] { all.mark(3); }).get();
      all.expect_each_once();
    }
  }
}

TEST_P(task_faults, no_more_threads) {
  pool home(options(2));
  threads_refused.fail_at(1, true);
  for (std::size_t round = 0; more_stress(round, 10); ++round) {
    task_group group(home);
    ledger all(10);
    for (std::size_t i = 0; i < all.size(); ++i) {
      group.spawn([&, i] {
        const blocking_region region;
        std::this_thread::yield();
        task_group inner;
        inner.spawn([&, i] { all.mark(i); });
        inner.wait();
      });
    }
    group.wait();
    all.expect_each_once();
    home.resize(2 + round % 4);
  }
  threads_refused.stop();
  expect_tasks_work(home);
}

TEST_P(task_faults, every_thread_in_turn) {
  for (std::uint64_t k = 1; k < 6; ++k) {
    threads_refused.fail_at(k, false);
    {
      pool home(options(3));
      expect_tasks_work(home);
    }
    threads_refused.stop();
  }
}

// --- No memory.

// A spawned task needs none.
TEST_P(task_faults, spawning_without_memory) {
  for (const std::size_t workers : {1U, 2U}) {
    pool home(options(workers));
    for (const bool inside : {false, true}) {
      for (std::uint64_t k = 1; k <= 30; ++k) {
        SCOPED_TRACE("allocation " + std::to_string(k) + (inside ? " fails, inside" : " fails"));
        ledger all(120);
        task_group group(home);
        std::size_t thrown = 0;
        const bool for_ever = k % 3 == 0;
        const auto spawn_all = [&] {
          memory_refused.fail_at(k, for_ever);
          for (std::size_t i = 0; i < all.size(); i += 3) {
            try {
              group.spawn([&all, i] { all.mark(i); });
              group.spawn([&all, i, large = large_part()] { all.mark(i + 1 + large.content[7]); });
              home.detach([&all, i] { all.mark(i + 2, std::memory_order_release); });
            } catch (const std::bad_alloc&) {
              ++thrown;
            }
          }
        };
        if (inside) {
          home.run(spawn_all);
        } else {
          spawn_all();
        }
        group.wait();
        memory_refused.stop();
        EXPECT_EQ(thrown, 0U);
        wait_until_true([&] {
          home.run([] {});
          return all.marked() == all.size();
        });
        all.expect_each_once();
      }
    }
    expect_tasks_work(home);
  }
}

// Once a worker has been as busy as this, all memory for its tasks is its own. One worker: with several, threads may be made meanwhile.
// (A queue with a fixed array needs some to tidy it.)
TEST_P(task_faults, no_memory_is_needed_in_the_steady_state) {
  if (GetParam() != "default") GTEST_SKIP();
  pool home(options(1));
  home.run([&] {
    task_group group;
    const auto spawn = [&](ledger& all) {
      for (std::size_t i = 0; i < all.size(); ++i) group.spawn([&all, i] { all.mark(i); });
      group.wait();
    };
    ledger many(4000);
    spawn(many);
    for (int i = 0; i < 50; ++i) {
      ledger all(400);
      memory_refused.fail_at(1, true);
      spawn(all);
      EXPECT_EQ(memory_refused.stop(), 0U) << "in round " << i;
      all.expect_each_once();
    }
  });
}

TEST_P(task_faults, submitting_without_memory) {
  for (const std::size_t workers : {1U, 2U}) {
    pool home(options(workers));
    const auto check = [&] {
      bool ever = false;
      for (std::uint64_t k = 1; k <= 60; ++k) {
        SCOPED_TRACE("allocation " + std::to_string(k) + " fails");
        ledger all(4);
        std::optional<future<int>> small;
        std::optional<future<large_part>> large;
        std::optional<std::future<void>> standard;
        std::size_t refused = 0;
        std::size_t expected = 0;
        const auto attempt = [&](auto&& f) {
          try {
            f();
            ++expected;
          } catch (const std::bad_alloc&) {
            ++refused;
          }
        };
        task_group group(home);
        memory_refused.fail_at(k, k % 2 == 0);
        attempt([&] {
          small = home.submit([&all] {
            all.mark(0);
            return 3;
          });
        });
        attempt([&] {
          large = group.submit([&all, part = large_part()] {
            all.mark(1);
            return part;
          });
        });
        attempt([&] { standard = home.async([&all] { all.mark(2); }); });
        attempt([&] {
          task_group fresh(home);
          fresh.spawn([&all] { all.mark(3); });
          fresh.wait();
        });
        const std::uint64_t failed = memory_refused.stop();
        if (small) {
          EXPECT_EQ(small->get(), 3);
        }
        if (large) {
          EXPECT_EQ(large->get().content[5], 0);
        }
        if (standard) pilfer::get(*standard);
        group.wait();
        EXPECT_EQ(all.runs_of(0), small ? 1U : 0U);
        EXPECT_EQ(all.runs_of(1), large ? 1U : 0U);
        EXPECT_EQ(all.runs_of(2), standard ? 1U : 0U);
        EXPECT_EQ(all.marked(), expected);
        EXPECT_TRUE(refused == 0 || failed > 0);
        ever = ever || refused > 0;
      }
      EXPECT_TRUE(ever) << "this test tests nothing";
    };
    check();
    home.run(check);
    expect_tasks_work(home);
  }
}

// Exceptions that cannot be put into the list are thrown, or counted, all the same.
TEST_P(task_faults, errors_without_memory) {
  pool home(options(2));
  const auto check = [&] {
    for (std::uint64_t k = 1; k <= 12; ++k) {
      SCOPED_TRACE("allocation " + std::to_string(k) + " fails");
      ledger all(10);
      task_group group(home);
      memory_refused.fail_at(k, true);
      for (std::size_t i = 0; i < all.size(); ++i) {
        group.spawn([&all, i] {
          all.mark(i);
          throw i;
        });
      }
      bool thrown = false;
      try {
        group.wait();
      } catch (std::size_t) {
        thrown = true;
      } catch (const std::bad_alloc&) {
        thrown = true;
      }
      memory_refused.stop();
      EXPECT_TRUE(thrown);
      EXPECT_EQ(group.outcome().failed, all.size());
      all.expect_each_once();
      EXPECT_EQ(group.wait().failed, 0U);
    }
  };
  check();
  home.run(check);
}

// A stop is heard without memory; a task that wants a token, and there is none to be had, is told so or runs.
TEST_P(task_faults, stopping_without_memory) {
  pool home(options(2));
  for (std::uint64_t k = 1; k <= 12; ++k) {
    SCOPED_TRACE("allocation " + std::to_string(k) + " fails");
    ledger all(20);
    task_group group(home);
    memory_refused.fail_at(k, true);
    for (std::size_t i = 0; i < 10; ++i) group.spawn([&all, i](std::stop_token) { all.mark(i); });
    std::size_t failed = 0;
    try {
      group.wait();
    } catch (const std::bad_alloc&) {
      failed = group.outcome().failed;
    }
    EXPECT_EQ(all.marked() + failed, 10U);
    group.request_stop();
    for (std::size_t i = 10; i < 20; ++i) group.spawn([&all, i](std::stop_token) { all.mark(i); });
    EXPECT_EQ(group.wait().cancelled, 10U);
    memory_refused.stop();
    all.expect_each_at_most_once();
  }
}

TEST_P(task_faults, blocking_without_memory) {
  pool home(options(2));
  for (std::uint64_t k = 1; k <= 20; ++k) {
    ledger all(12);
    task_group group(home);
    memory_refused.fail_at(k, k % 2 == 0);
    for (std::size_t i = 0; i < all.size(); ++i) {
      group.spawn([&, i] {
        const blocking_region region;
        all.mark(i);
      });
    }
    group.wait();
    memory_refused.stop();
    all.expect_each_once();
  }
  for (std::uint64_t k = 1; k <= 20; ++k) {
    memory_refused.fail_at(k, false);
    try {
      home.resize(2 + k % 5);
    } catch (const std::bad_alloc&) {
      EXPECT_GT(memory_refused.stop(), 0U);
    }
    memory_refused.stop();
    expect_tasks_work(home);
  }
}

// Either something follows, once, or the call has thrown and the future is as it was.
TEST_P(task_faults, following_without_memory) {
  for (const std::size_t workers : {1U, 2U}) {
    pool home(options(workers));
    bool ever = false;
    for (std::uint64_t k = 1; k <= 40; ++k) {
      SCOPED_TRACE("allocation " + std::to_string(k) + " fails");
      ledger all(4);
      auto first = home.submit([&] { all.mark(0); });
      auto second = home.submit([] { return 7; });
      task_group group(home);
      group.spawn([] {});
      std::size_t expected = 1;
      memory_refused.fail_at(k, k % 2 == 0);
      const auto attempt = [&](auto follow) {
        try {
          follow();
          ++expected;
        } catch (const std::bad_alloc&) {
          ever = true;
        }
      };
      future<void> next;
      attempt([&] { next = std::move(first).then([&all, part = large_part()] { all.mark(1 + part.content[3]); }); });
      attempt([&] { std::move(second).on_done([&all] { all.mark(2); }); });
      attempt([&] { group.on_done([&all] { all.mark(3); }); });
      memory_refused.stop();
      EXPECT_NE(first.valid(), next.valid());
      if (first.valid()) first.get();
      const int value = second.valid() ? second.get() : 7;
      EXPECT_EQ(value, 7);
      group.wait();
      home.drain();
      EXPECT_EQ(all.marked(), expected);
      all.expect_each_at_most_once();
    }
    EXPECT_TRUE(ever);
  }
}

TEST_P(task_faults, following_without_threads) {
  threads_refused.fail_at(1, true);
  {
    pool home(options(2));
    std::atomic<int> calls = 0;
    task_group group(home);
    for (int i = 0; i < 20; ++i) {
      group.spawn([&] { ++calls; });
      home.submit([i] { return i; }).then([&](int) { ++calls; }).on_done([&] { ++calls; });
    }
    group.on_done([&] { ++calls; });
    group.wait();
    home.drain();
    EXPECT_EQ(calls, 61);
  }
  threads_refused.stop();
}

PILFER_ON_EVERY_SCHEDULER(task_faults);

}  // namespace
}  // namespace pilfer::test
