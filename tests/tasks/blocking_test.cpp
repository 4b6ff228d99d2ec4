// Tasks that block, waiters that may not run just anything, pools that change their size, and who is which worker.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/blocking_region.hpp>
#include <pilfer/fork_join.hpp>
#include <pilfer/per_worker.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/statistics.hpp>
#include <pilfer/task_group.hpp>

#include "tasks/task_checks.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;

// Opens when `expected` threads have come. Blocks, as a library that knows nothing of pools would.
class barrier {
 public:
  explicit barrier(std::size_t expected) : missing_(expected) {}
  void arrive_and_wait() {
    std::unique_lock lock(mutex_);
    if (--missing_ == 0) {
      open_.notify_all();
    } else {
      open_.wait(lock, [&] { return missing_ == 0; });
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable open_;
  std::size_t missing_;
};

class blocking : public on_scheduler {};

TEST_P(blocking, tasks_that_wait_for_one_another) {
  for (const std::size_t workers : {1U, 2U, 4U}) {
    pool home(options(workers));
    for (const std::size_t tasks : {workers + 1, 3 * workers}) {
      SCOPED_TRACE(std::to_string(tasks) + " tasks of " + std::to_string(workers) + " workers");
      for (std::size_t round = 0; more_stress(round, 6); ++round) {
        ledger all(tasks);
        barrier gate(tasks);
        task_group group(home);
        const auto spawn_all = [&] {
          for (std::size_t i = 0; i < tasks; ++i) {
            group.spawn([&, i] {
              {
                const blocking_region region;
                const blocking_region nested;
                gate.arrive_and_wait();
              }
              task_group inner;
              inner.spawn([&, i] { all.mark(i); });
              inner.wait();
            });
          }
        };
        if (round % 2 == 0) {
          spawn_all();
        } else {
          home.run([&] {
            spawn_all();
            group.wait();
          });
        }
        group.wait();
        all.expect_each_once();
      }
    }
  }
}

// A caller inside blocks for a task that nobody else can run if it keeps its place.
TEST_P(blocking, a_caller_inside) {
  for (const std::size_t workers : {1U, 2U}) {
    pool home(options(workers));
    for (std::size_t round = 0; more_stress(round, 30); ++round) {
      home.run([&] {
        std::atomic<bool> ran = false;
        barrier gate(2);
        home.detach([&] {
          gate.arrive_and_wait();
          ran = true;
        });
        {
          const blocking_region region;
          gate.arrive_and_wait();
        }
        wait_until_true([&] {
          const blocking_region region;
          return ran.load();
        });
      });
    }
  }
  const blocking_region outside;
  const blocking_region twice;
}

// Whatever one can do in a pool, one can do in a region.
TEST_P(blocking, work_inside_a_region) {
  for (const std::size_t workers : {1U, 2U}) {
    pool home(options(workers));
    for (std::size_t round = 0; more_stress(round, 20); ++round) {
      ledger all(12 * 5);
      task_group group(home);
      for (std::size_t i = 0; i < 12; ++i) {
        group.spawn([&, i] {
          const blocking_region region;
          fork_join([&] { all.mark(5 * i); }, [&] { all.mark(5 * i + 1); });
          task_group inner;
          inner.spawn([&] {
            const blocking_region nested;
            std::this_thread::yield();
            all.mark(5 * i + 2);
          });
          inner.wait();
          home.submit([&] { all.mark(5 * i + 3); }).get();
          home.run([&] { all.mark(5 * i + 4); });
        });
      }
      group.wait();
      all.expect_each_once();
    }
  }
}

// --- What a waiter may run (the promise of fork_join, for groups and futures).

// Tasks of `strangers` take a lock that is held around waits for other groups: whoever runs one while it waits never ends.
TEST_P(blocking, a_waiter_never_runs_who_wants_its_lock) {
  for (const std::size_t workers : {1U, 2U, 4U}) {
    SCOPED_TRACE(std::to_string(workers) + " workers");
    pool home(options(workers));
    for (std::size_t round = 0; more_stress(round, 20); ++round) {
      std::mutex lock;
      ledger strange(30);
      ledger own(10 * 4);
      task_group strangers(home);
      task_group holders(home);
      const auto spawn_strangers = [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) {
          strangers.spawn([&, i] {
            const blocking_region region;
            const std::lock_guard hold(lock);
            strange.mark(i);
          });
        }
      };
      spawn_strangers(0, 10);
      for (std::size_t t = 0; t < 10; ++t) {
        holders.spawn([&, t] {
          std::unique_lock<std::mutex> hold(lock, std::defer_lock);
          {
            const blocking_region region;
            hold.lock();
          }
          if (t < 10) spawn_strangers(10 + 2 * t, 12 + 2 * t);
          task_group mine;
          for (std::size_t i = 0; i < 2; ++i) {
            mine.spawn([&, i] { fork_join([&] { own.mark(4 * t + i); }, [] { std::this_thread::yield(); }); });
          }
          if (t % 3 != 2) {
            mine.wait();
          } else {
            wait_until_true([&] { return mine.wait_for(50us); });
          }
          fork_join([&] { std::this_thread::yield(); }, [&] { own.mark(4 * t + 2); });
          home.submit([&] { own.mark(4 * t + 3); }).get();
        });
      }
      holders.wait();
      strangers.wait();
      own.expect_each_once();
      strange.expect_each_once();
    }
  }
}

// Each thread knows the groups it waits for: what it runs meanwhile is below the innermost one.
class family {
 public:
  std::atomic<std::size_t> strangers = 0;
  std::atomic<std::size_t> tasks = 0;

  void grow(std::uint64_t path, unsigned depth, std::uint64_t seed) {
    ++tasks;
    // Paths are written with a leading 1: the child of p is 4p + i. What runs here must lie below what is waited for.
    if (!waited.empty() && !is_below(path, waited.back())) ++strangers;
    random_source random(seed ^ (path * 0x9E3779B97F4A7C15ULL));
    if (depth == 0) return pause_at_random(random);
    task_group group;
    for (std::uint64_t i = 0; i < 3; ++i)
      group.spawn([this, child = 4 * path + i, depth, seed] { run(child, depth - 1, seed); });
    const bool forks = random.one_in(2);
    waited.push_back(path);
    if (forks) fork_join([] {}, [&] { run(4 * path + 3, depth - 1, seed); });
    group.wait();
    waited.pop_back();
  }
  void run(std::uint64_t path, unsigned depth, std::uint64_t seed) {
    if (!waited.empty() && !is_below(path, waited.back())) ++strangers;
    waited.push_back(path);
    grow(path, depth, seed);
    waited.pop_back();
  }

 private:
  static bool is_below(std::uint64_t path, std::uint64_t ancestor) {
    while (path > ancestor) path /= 4;
    return path == ancestor;
  }
  static inline thread_local std::vector<std::uint64_t> waited;
};

TEST_P(blocking, a_waiter_runs_only_what_is_below) {
  for (const std::size_t workers : {1U, 2U, 4U}) {
    SCOPED_TRACE(std::to_string(workers) + " workers");
    pool home(options(workers));
    family all;
    for (std::size_t round = 0; more_stress(round, 5); ++round) {
      task_group roots(home);
      for (std::uint64_t root = 0; root < 3; ++root)
        roots.spawn([&, root] { all.run(16 + 4 * root, 4, base_seed() + round); });
      home.run([&] { all.run(16 + 12, 4, base_seed() + round); });
      roots.wait();
    }
    EXPECT_EQ(all.strangers, 0U) << "of " << all.tasks;
  }
}

// --- Size.

TEST_P(blocking, resized_under_load) {
  pool home(options(2));
  std::atomic<bool> done = false;
  const std::size_t rounds = stress_amount(60);
  ledger all(3 * rounds * 20);
  std::vector<std::thread> users;
  for (std::size_t u = 0; u < 3; ++u) {
    users.emplace_back([&, u] {
      for (std::size_t round = 0; round < rounds; ++round) {
        task_group group(home);
        for (std::size_t i = 0; i < 20; ++i) {
          group.spawn([&, n = (u * rounds + round) * 20 + i] { fork_join([] {}, [&] { all.mark(n); }); });
        }
        if (u == 2) {
          home.run([&] { group.wait(); });
        } else {
          group.wait();
        }
      }
    });
  }
  std::thread resizer([&] {
    random_source random(base_seed());
    while (!done) {
      const std::size_t size = 1 + random.below(6);
      home.resize(size);
      EXPECT_EQ(home.size(), size);
      home.resize(size);
      for (int i = 0; i < 10; ++i) pause_at_random(random);
    }
  });
  for (std::thread& user : users) user.join();
  done = true;
  resizer.join();
  all.expect_each_once();
  EXPECT_THROW(home.resize(100'000), std::invalid_argument);
  EXPECT_THROW(home.resize(~std::size_t{0}), std::invalid_argument);
  EXPECT_THROW(home.resize(513), std::invalid_argument);
  const std::size_t before = home.size();
  EXPECT_GE(before, 1U);
  home.resize(0);
  EXPECT_EQ(home.size(), pool().size());
  // From within.
  home.run([&] { home.resize(3); });
  home.submit([&] { home.resize(1); }).get();
  EXPECT_EQ(home.size(), 1U);
  EXPECT_EQ(home.submit([] { return 4; }).get(), 4);
}

// N threads at work, soon after; and N when N is more again.
TEST_P(blocking, a_resized_pool_has_as_many_places) {
  pool home(options(4));
  for (const std::size_t size : {2U, 1U, 3U}) {
    home.resize(size);
    std::size_t most = 0;
    // Threads that were busy fall asleep first.
    for (std::size_t round = 0; round < 1000; ++round) {
      std::atomic<std::size_t> at_work = 0;
      std::atomic<std::size_t> seen = 0;
      task_group group(home);
      for (int i = 0; i < 30; ++i) {
        group.spawn([&] {
          const std::size_t now = ++at_work;
          std::size_t before = seen;
          while (now > before && !seen.compare_exchange_weak(before, now)) {
          }
          std::this_thread::sleep_for(20us);
          --at_work;
        });
      }
      group.wait();
      most = seen;
      if (most <= size) break;
    }
    EXPECT_LE(most, size);
    // All of them can be had: so many tasks meet without blocking regions.
    barrier gate(size);
    task_group meeting(home);
    for (std::size_t i = 0; i < size; ++i) meeting.spawn([&] { gate.arrive_and_wait(); });
    meeting.wait();
  }
}

// --- Who is who.

TEST_P(blocking, hooks_are_called_by_each_thread) {
  for (const std::size_t workers : {1U, 3U}) {
    std::mutex lock;
    std::map<std::thread::id, std::size_t> started;
    std::map<std::thread::id, std::size_t> stopped;
    std::size_t twice = 0;
    std::size_t wrong = 0;
    pool_options chosen = options(workers);
    const auto hook = [&](std::map<std::thread::id, std::size_t>& into) {
      return [&](std::size_t index) {
        const std::lock_guard hold(lock);
        if (!into.emplace(std::this_thread::get_id(), index).second) ++twice;
        if (worker_index() != index) ++wrong;
      };
    };
    chosen.on_worker_start = hook(started);
    chosen.on_worker_stop = hook(stopped);
    std::size_t threads = 0;
    {
      pool home(chosen);
      std::atomic<std::size_t> unknown = 0;
      const std::thread::id caller = std::this_thread::get_id();
      const std::size_t tasks = 3 * workers;
      barrier gate(tasks);
      task_group group(home);
      for (std::size_t i = 0; i < tasks; ++i) {
        group.spawn([&] {
          {
            const std::lock_guard hold(lock);
            if (started.count(std::this_thread::get_id()) == 0 && std::this_thread::get_id() != caller) ++unknown;
          }
          const blocking_region region;
          gate.arrive_and_wait();
        });
      }
      group.wait();
      EXPECT_EQ(unknown, 0U) << "tasks before the hook";
      home.resize(workers + 2);
      home.resize(workers);
      home.run([] {});
      threads = home.statistics().threads;
    }
    EXPECT_EQ(started.size(), threads);
    EXPECT_EQ(started, stopped);
    EXPECT_EQ(twice + wrong, 0U);
    EXPECT_EQ(started.count(std::this_thread::get_id()), 0U) << "not for callers";
  }
}

TEST_P(blocking, no_two_threads_are_the_same_worker) {
  EXPECT_EQ(worker_index(), std::nullopt);
  for (const std::size_t workers : {1U, 2U, 4U}) {
    pool home(options(workers));
    per_worker<std::uint64_t> sums(home);
    per_worker<std::thread::id> owners(home);
    EXPECT_THROW(static_cast<void>(sums.local()), std::logic_error);
    std::vector<std::atomic<std::size_t>> inside(worker_limit);
    std::vector<std::atomic<std::thread::id>> who(worker_limit);
    std::atomic<std::size_t> clashes = 0;
    const auto use = [&](std::uint64_t value) {
      const std::size_t me = worker_index().value();
      // Tasks may be nested on one thread; not so on two.
      if (inside[me]++ > 0 && who[me].load() != std::this_thread::get_id()) ++clashes;
      who[me] = std::this_thread::get_id();
      sums.local() += value;
      if (value % 5 == 0) {
        const blocking_region region;
        std::this_thread::yield();
      }
      if (value % 7 == 0) fork_join([] { std::this_thread::yield(); }, [] {});
      if (worker_index() != me) ++clashes;
      --inside[me];
    };
    const std::uint64_t tasks = stress_amount(1000);
    std::vector<std::thread> callers;
    task_group group(home);
    for (std::uint64_t c = 0; c < 3; ++c) {
      callers.emplace_back([&, c] {
        for (std::uint64_t i = 0; i < tasks; ++i) {
          if (i % 8 == c) {
            home.run([&] { use(i); });
          } else {
            group.spawn(use, i);
          }
        }
      });
    }
    for (std::thread& caller : callers) caller.join();
    group.wait();
    EXPECT_EQ(clashes, 0U);
    EXPECT_EQ(sums.combine(std::uint64_t{0}, std::plus{}), 3 * tasks * (tasks - 1) / 2);
    pool other(options(1));
    other.run([&] { EXPECT_THROW(static_cast<void>(sums.local()), std::logic_error); });
    // A maker that throws has made nothing.
    per_worker<int> failing(home, [n = 0]() mutable -> int { return n++ == 0 ? throw numbered_error(1) : 5; });
    home.run([&] {
      EXPECT_THROW(static_cast<void>(failing.local()), numbered_error);
      EXPECT_EQ(failing.local(), 5);
    });
    EXPECT_EQ(failing.combine(0, std::plus{}), 5);
  }
  EXPECT_EQ(worker_index(), std::nullopt);
}

PILFER_ON_EVERY_SCHEDULER(blocking);

}  // namespace
}  // namespace pilfer::test
