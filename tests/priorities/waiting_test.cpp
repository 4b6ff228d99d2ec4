// Waits inside tasks: for what is less urgent, which is lifted; while something more urgent waits, which is let through; and without end, if
// any of this were wrong.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/blocking_region.hpp>
#include <pilfer/fork_join.hpp>
#include <pilfer/future.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/priority.hpp>
#include <pilfer/statistics.hpp>
#include <pilfer/task_group.hpp>

#include "priorities/priority_checks.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;

class waiting_by_level : public on_levels {};

// --- What a wait runs first.

TEST_P(waiting_by_level, runs_the_most_urgent_of_its_group_first) {
  constexpr unsigned levels = 5;
  random_source random(base_seed());
  pool home(with_levels(levels, 1));
  for (std::size_t round = 0; more_stress(round, 20); ++round) {
    SCOPED_TRACE(round);
    journal record;
    const auto waiter = [&, seed = random()] {
      random_source mine(seed);
      task_group group;
      for (std::size_t i = 0; i < 30; ++i) {
        group.at(priority(static_cast<unsigned>(mine.below(levels)))).spawn([&, i] {
          record.note(level_here(levels), i);
        });
      }
      group.wait();
    };
    run_detached(home, priority::low, waiter);  // low: lifts none of them
    EXPECT_EQ(record.entries().size(), 30U);
    expect_by_level(record.entries());
  }
  EXPECT_EQ(home.statistics().total().lifted, 0U);
  EXPECT_EQ(home.statistics().total().gave_way, 0U) << "nobody was more urgent";
  expect_consistent(home);
}

// --- Lifting.

TEST_P(waiting_by_level, lifts_a_group) {
  constexpr unsigned levels = 4;
  for (const std::size_t workers : {1U, 2U, 4U}) {
    SCOPED_TRACE(std::to_string(workers) + " workers");
    pool home(with_levels(levels, workers));
    for (unsigned waiter = 0; waiter < levels; ++waiter) {
      for (unsigned waited = 0; waited < levels; ++waited) {
        const std::uint64_t before = home.statistics().total().lifted;
        ledger all(20);
        std::atomic<std::size_t> as_spawned = 0;
        std::atomic<std::size_t> lifted = 0;
        run_detached(home, priority(waiter), [&, waiter, waited] {
          task_group group;
          for (std::size_t i = 0; i < all.size(); ++i) {
            group.at(priority(waited)).spawn([&, i, waiter, waited] {
              all.mark(i);
              const unsigned level = level_here(levels);
              EXPECT_TRUE(level == waited || (level == waiter && waiter < waited)) << level;
              ++(level == waited ? as_spawned : lifted);
              // Its children are as urgent as it is now.
              task_group inner;
              inner.spawn([&, level] { EXPECT_EQ(level_here(levels), level); });
              inner.wait();
            });
          }
          group.wait();
          EXPECT_EQ(level_here(levels), waiter);
        });
        all.expect_each_once();
        const std::uint64_t counted = home.statistics().total().lifted - before;
        if (waiter < waited) {
          EXPECT_GE(counted, lifted);
          // With one worker, all of them wait until their maker does.
          if (workers == 1) {
            EXPECT_EQ(lifted, all.size());
          }
        } else {
          EXPECT_EQ(counted, 0U);
          EXPECT_EQ(lifted, 0U);
        }
      }
    }
    expect_consistent(home);
  }
}

TEST_P(waiting_by_level, lifts_a_future) {
  constexpr unsigned levels = 3;
  pool home(with_levels(levels, 1));
  const auto here = [] { return level_here(levels); };
  run_detached(home, priority::high, [&] {
    const std::uint64_t before = home.statistics().total().lifted;
    auto low = home.at(priority::low).submit(here);
    EXPECT_EQ(low.get(), 0U);
    EXPECT_GT(home.statistics().total().lifted, before);
    auto middle = home.at(priority(1)).submit([&] { return home.at(priority::low).submit(here).get(); });
    EXPECT_EQ(middle.get(), 0U) << "and those it waits for";
    EXPECT_EQ(level_here(levels), 0U);
  });
  run_detached(home, priority::low, [&] {
    EXPECT_EQ(home.at(priority::high).submit(here).get(), 0U);
    EXPECT_EQ(level_here(levels), 2U);
  });
  expect_consistent(home);
}

// What came to a group while somebody waits for it is lifted, too.
TEST_P(waiting_by_level, lifts_who_comes_later) {
  constexpr unsigned levels = 3;
  for (const std::size_t workers : {1U, 2U}) {
    pool home(with_levels(levels, workers));
    for (std::size_t round = 0; more_stress(round, 10); ++round) {
      ledger all(30);
      task_group group(home);
      stream middle(home, 1, workers);
      // Each spawns the next one, of the lowest level, into the group that is waited for.
      std::function<void(std::size_t)> next = [&](std::size_t i) {
        all.mark(i);
        if (i + 1 < all.size()) group.at(priority::low).spawn(next, i + 1);
      };
      run_detached(home, priority::high, [&] {
        group.at(priority::low).spawn(next, 0);
        group.wait();
      });
      all.expect_each_once();
    }
    expect_consistent(home);
  }
}

// --- No end, were it not for lifting: an endless stream of tasks of the middle keeps all workers away from the low ones.

struct chain_shape {
  unsigned levels;
  std::size_t depth;
  bool through_groups;
};

// A task of each level waits for one of another level, and so on.
void chain(pool& home, const chain_shape& form, std::size_t depth, std::uint64_t seed, ledger& all) {
  all.mark(depth);
  if (depth + 1 == form.depth) return;
  random_source random(seed);
  const priority other(static_cast<unsigned>(random.below(form.levels)));
  const auto rest = [&, next = random()] { chain(home, form, depth + 1, next, all); };
  switch (form.through_groups ? random.below(3) : 3 + random.below(2)) {
    case 0: {
      task_group group;
      group.at(other).spawn(rest);
      group.wait();
      break;
    }
    case 1: {
      task_group group;
      group.at(other).spawn([&] { fork_join([] {}, rest); });
      while (!group.wait_for(20us)) std::this_thread::yield();
      break;
    }
    case 2: {
      task_group group;  // the destructor waits
      group.at(other).spawn(rest);
      break;
    }
    case 3: home.at(other).submit(rest).get(); break;
    default: {
      auto polled = home.at(other).submit(rest);
      while (!polled.wait_for(20us)) std::this_thread::yield();
      break;
    }
  }
}

TEST_P(waiting_by_level, ends_however_deep) {
  random_source random(base_seed());
  for (const std::size_t workers : {1U, 2U, 4U}) {
    for (const bool through_groups : {true, false}) {
      SCOPED_TRACE(std::to_string(workers) + (through_groups ? " workers, groups" : " workers, futures"));
      pool home(with_levels(3, workers));
      for (std::size_t round = 0; more_stress(round, 5); ++round) {
        const chain_shape form{3, 40, through_groups};
        ledger all(form.depth);
        stream middle(home, 1, workers + 1);
        middle.await(20);
        run_detached(home, priority::high, [&, seed = random()] { chain(home, form, 0, seed, all); });
        all.expect_each_once();
      }
      expect_consistent(home);
    }
  }
}

// High waits for low, which runs and waits for its own low children: these must not stand behind the stream either.
TEST_P(waiting_by_level, ends_when_the_low_one_runs_and_waits_itself) {
  for (const std::size_t workers : {1U, 2U, 3U}) {
    SCOPED_TRACE(std::to_string(workers) + " workers");
    pool home(with_levels(3, workers));
    for (std::size_t round = 0; more_stress(round, 4); ++round) {
      ledger all(10);
      gate begun;
      gate go;
      task_group low(home);
      low.at(priority::low).spawn([&] {
        begun.open();
        {
          const blocking_region region;  // with one worker, another one starts the rest
          go.wait();
        }
        task_group children;
        for (std::size_t i = 0; i < all.size(); ++i) children.spawn([&, i] { all.mark(i); });
        children.wait();
      });
      begun.wait();
      stream middle(home, 1, workers);
      middle.await(5);
      run_detached(home, priority::high, [&] {
        go.open();
        low.wait();
      });
      all.expect_each_once();
    }
    expect_consistent(home);
  }
}

// The low ones lie in the queue of a worker that is busy, and everybody else has the stream.
TEST_P(waiting_by_level, finds_them_in_queues_of_others) {
  if (hides_tasks()) GTEST_SKIP() << "nobody can take what a busy worker hides";
  for (const std::size_t workers : {2U, 4U}) {
    pool home(with_levels(3, workers));
    for (std::size_t round = 0; more_stress(round, 10); ++round) {
      ledger all(20);
      gate go;
      gate filled;
      countdown gone(1);
      task_group low(home);
      stream middle(home, 1, workers);
      home.at(priority::high).detach([&] {
        for (std::size_t i = 0; i < all.size(); ++i) low.at(priority::low).spawn([&, i] { all.mark(i); });
        filled.open();
        go.wait();
        gone.down();
      });
      filled.wait();
      run_detached(home, priority::high, [&] { low.wait(); });
      all.expect_each_once();
      go.open();
      gone.wait();
    }
    expect_consistent(home);
  }
}

// A blocked low task comes back whatever the stream does. What it then waits for by the standard's means is urgent: a low task that
// began before it was awaited keeps its level, and a task that it made at that level could wait as long as the stream lasts.
TEST_P(waiting_by_level, ends_for_low_tasks_that_block) {
  for (const std::size_t workers : {1U, 2U}) {
    pool home(with_levels(3, workers));
    for (std::size_t round = 0; more_stress(round, 5); ++round) {
      ledger all(6);
      stream middle(home, 1, workers);
      run_detached(home, priority::high, [&] {
        task_group low;
        for (std::size_t i = 0; i < all.size(); ++i) {
          low.at(priority::low).spawn([&, i] {
            {
              const blocking_region region;
              std::this_thread::yield();
            }
            auto standard = home.at(priority::high).async([&, i] { all.mark(i); });
            pilfer::get(standard);
          });
        }
        low.wait();
      });
      all.expect_each_once();
    }
    expect_consistent(home);
  }
}

// Several wait for the same, from several levels and from outside.
TEST_P(waiting_by_level, several_waiters) {
  constexpr unsigned levels = 4;
  for (const std::size_t workers : {1U, 2U, 4U}) {
    pool home(with_levels(levels, workers));
    for (std::size_t round = 0; more_stress(round, 5); ++round) {
      ledger all(40);
      task_group low(home);
      for (std::size_t i = 0; i < all.size(); ++i)
        low.at(priority(static_cast<unsigned>(i % levels))).spawn([&, i] { all.mark(i); });
      task_group waiters(home);
      for (unsigned level = 0; level < levels; ++level) {
        waiters.at(priority(level)).spawn([&] {
          low.wait();
          EXPECT_EQ(all.marked(), all.size());
        });
      }
      if (round % 2 == 0) low.wait();
      waiters.wait();
      all.expect_each_once();
    }
    expect_consistent(home);
  }
}

// --- Strangers.

// More urgent strangers are there when a waiter is about to begin a task of its group: another worker begins them first.
TEST_P(waiting_by_level, lets_more_urgent_strangers_through) {
  constexpr unsigned levels = 3;
  pool home(with_levels(levels, 1));
  for (std::size_t round = 0; more_stress(round, 20); ++round) {
    SCOPED_TRACE(round);
    const bool from_outside = round % 2 == 0;
    const std::size_t strangers = 1 + round % 4;
    const std::uint64_t before = home.statistics().total().gave_way;
    journal record;
    std::atomic<std::thread::id> waiting_thread{};
    std::atomic<std::size_t> on_waiter = 0;
    countdown left(strangers);
    gate filled;
    gate made;
    const auto make = [&] {
      for (std::size_t i = 0; i < strangers; ++i) {
        home.at(priority::high).detach([&, i] {
          record.note(level_here(levels), i);
          if (waiting_thread.load() == std::this_thread::get_id()) ++on_waiter;
          left.down();
        });
      }
    };
    countdown end(1);
    home.at(priority::low).detach([&] {
      task_group group;
      for (std::size_t i = 0; i < 5; ++i) group.spawn([&, i] { record.note(level_here(levels), 100 + i); });
      filled.open();
      made.wait();
      if (!from_outside) make();
      waiting_thread = std::this_thread::get_id();
      group.wait();
      waiting_thread = std::thread::id{};
      end.down();
    });
    filled.wait();
    if (from_outside) make();
    made.open();
    end.wait();
    left.wait();
    EXPECT_EQ(on_waiter, 0U) << "a stranger, run by a waiter";
    // The waiter goes on when the last of them was taken: that one may still be on its way to its first line.
    const auto order = record.entries();
    EXPECT_EQ(order.size(), strangers + 5);
    std::size_t first = 0;
    while (first < order.size() && order[first].level == 0) ++first;
    EXPECT_GE(first + 1, strangers);
    EXPECT_GT(home.statistics().total().gave_way, before);
  }
  expect_consistent(home);
}

// Nobody gives way to what is as urgent, or less.
TEST_P(waiting_by_level, gives_no_way_to_others) {
  constexpr unsigned levels = 3;
  pool home(with_levels(levels, 1));
  for (std::size_t round = 0; more_stress(round, 5); ++round) {
    countdown left(5);
    run_detached(home, priority(1), [&] {
      task_group group;
      for (std::size_t i = 0; i < 5; ++i) group.spawn([] {});
      for (std::size_t i = 0; i < 5; ++i)
        home.at(i % 2 == 0 ? priority(1) : priority::low).detach([&] { left.down(); });
      group.wait();
    });
    left.wait();
  }
  EXPECT_EQ(home.statistics().total().gave_way, 0U);
  expect_consistent(home);
}

// Strangers take the lock that is held around the wait: a waiter that runs one never ends. The strangers are of all levels.
TEST_P(waiting_by_level, never_runs_who_wants_its_lock) {
  constexpr unsigned levels = 4;
  random_source random(base_seed());
  for (const std::size_t workers : {1U, 2U, 4U}) {
    SCOPED_TRACE(std::to_string(workers) + " workers");
    pool home(with_levels(levels, workers));
    for (std::size_t round = 0; more_stress(round, 15); ++round) {
      std::mutex lock;
      ledger strange(40);
      ledger own(8 * 3);
      task_group strangers(home);
      task_group waiters(home);
      std::vector<unsigned> level(strange.size() + own.size());
      for (unsigned& each : level) each = static_cast<unsigned>(random.below(levels));
      const auto spawn_strangers = [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) {
          strangers.at(priority(level[i])).spawn([&, i] {
            const blocking_region region;
            const std::lock_guard hold(lock);
            strange.mark(i);
          });
        }
      };
      spawn_strangers(0, 8);
      for (std::size_t t = 0; t < 8; ++t) {
        waiters.at(priority(level[strange.size() + t])).spawn([&, t] {
          std::unique_lock<std::mutex> hold(lock, std::defer_lock);
          {
            const blocking_region region;
            hold.lock();
          }
          spawn_strangers(8 + 4 * t, 12 + 4 * t);
          task_group mine;
          for (std::size_t i = 0; i < 2; ++i) {
            mine.at(priority(level[strange.size() + 8 + 2 * t + i])).spawn([&, i] {
              fork_join([&] { own.mark(3 * t + i); }, [] { std::this_thread::yield(); });
            });
          }
          if (t % 3 != 2) {
            mine.wait();
          } else {
            wait_until_true([&] { return mine.wait_for(50us); });
          }
          home.at(priority::low).submit([&] { own.mark(3 * t + 2); }).get();
        });
      }
      waiters.wait();
      strangers.wait();
      own.expect_each_once();
      strange.expect_each_once();
    }
    expect_consistent(home);
  }
}

// A waiter that gives way comes back, although more urgent strangers never end.
TEST_P(waiting_by_level, comes_back_after_giving_way) {
  for (const std::size_t workers : {1U, 2U}) {
    pool home(with_levels(3, workers));
    for (std::size_t round = 0; more_stress(round, 5); ++round) {
      ledger all(4);
      gate filled;
      gate go;
      countdown end(1);
      home.at(priority(1)).detach([&] {
        task_group group;
        for (std::size_t i = 0; i < all.size(); ++i) group.spawn([&, i] { all.mark(i); });
        filled.open();
        {
          const blocking_region region;
          go.wait();
        }
        group.wait();
        end.down();
      });
      filled.wait();
      // They end when the waiter has got a bit of time, or of themselves: without ageing it has no right to more.
      stream urgent(home, 0, workers);
      urgent.await(10);
      go.open();
      urgent.await(50);
      urgent.end();
      end.wait();
      all.expect_each_once();
    }
    expect_consistent(home);
  }
}

// The same with the other way of waiting.
TEST_P(waiting_by_level, any_work_ends_too) {
  random_source random(base_seed());
  for (const std::size_t workers : {1U, 2U, 4U}) {
    pool_options chosen = with_levels(3, workers);
    chosen.wait = waiting::any_work;
    pool home(chosen);
    for (std::size_t round = 0; more_stress(round, 5); ++round) {
      const chain_shape form{3, 30, round % 2 == 0};
      ledger all(form.depth);
      std::atomic<std::size_t> some = 0;
      task_group others(home);
      for (std::size_t i = 0; i < 50; ++i) others.at(priority(static_cast<unsigned>(i % 3))).spawn([&] { ++some; });
      home.at(priority::high).submit([&, seed = random()] { chain(home, form, 0, seed, all); }).wait();
      others.wait();
      all.expect_each_once();
      EXPECT_EQ(some, 50U);
    }
  }
}

PILFER_ON_EVERY_SCHEDULER(waiting_by_level);

}  // namespace
}  // namespace pilfer::test
