// Starvation: without ageing, a less urgent task waits for as long as there are others; with it, never.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/blocking_region.hpp>
#include <pilfer/coro/schedule.hpp>
#include <pilfer/coro/sync_wait.hpp>
#include <pilfer/coro/when_all.hpp>
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

class ageing : public on_levels {
 protected:
  [[nodiscard]] static pool_options with_ageing(unsigned levels, std::size_t workers, std::chrono::nanoseconds after) {
    pool_options chosen = with_levels(levels, workers);
    chosen.ageing = after;
    return chosen;
  }
};

// Each level has its stream, which ends after so many tasks; the less urgent ones wait all the while.
TEST_P(ageing, without_it_strictness_has_no_end) {
  for (const std::chrono::nanoseconds after : {0ns, std::chrono::nanoseconds(1h)}) {
    constexpr unsigned levels = 4;
    pool home(with_ageing(levels, 1, after));
    const std::size_t tasks = stress_amount(2000);
    std::atomic<std::size_t> begun = 0;
    std::vector<std::size_t> begun_before(levels);
    countdown left(levels - 1);
    gate made;
    countdown end(1);
    // One task makes the next one, so that at each moment there is one that waits.
    struct link {
      pool& home;
      std::atomic<std::size_t>& begun;
      std::size_t tasks;
      countdown& end;
      void operator()() const {
        if (++begun < tasks) {
          home.detach(link(*this));
        } else {
          end.down();
        }
      }
    };
    home.at(priority(0)).detach([&] {
      for (unsigned level = levels - 1; level > 0; --level) {
        home.at(priority(level)).detach([&, level] {
          begun_before[level] = begun;
          left.down();
        });
      }
      made.wait();
      home.detach(link{home, begun, tasks, end});
    });
    home.at(priority::low).detach([] {});  // from outside
    made.open();
    end.wait();
    left.wait();
    for (unsigned level = 1; level < levels; ++level) EXPECT_EQ(begun_before[level], tasks) << "level " << level;
    EXPECT_EQ(home.statistics().total().aged, 0U);
    expect_consistent(home);
  }
}

// Endless: who is not let through makes this test endless, too.
TEST_P(ageing, ends_starvation) {
  for (const std::size_t workers : {1U, 2U, 4U}) {
    for (const unsigned levels : {2U, 8U}) {
      SCOPED_TRACE(std::to_string(workers) + " workers, " + std::to_string(levels) + " levels");
      pool home(with_ageing(levels, workers, 50us));
      for (std::size_t round = 0; more_stress(round, 4); ++round) {
        const bool from_outside = round % 2 == 0;
        stream urgent(home, 0, workers + 2);
        urgent.await(10);
        countdown left(8);
        const auto make = [&] {
          for (unsigned i = 0; i < 8; ++i) {
            home.at(priority(levels - 1 - i % (levels - 1))).detach([&] {
              EXPECT_LT(level_here(levels), levels);
              left.down();
            });
          }
        };
        if (from_outside) {
          make();
        } else {
          home.at(priority(0)).detach(make);
        }
        left.wait();
        urgent.end();
      }
      // One worker cannot have had anything less urgent than the stream. (Several may have, in a moment without.)
      if (workers == 1) {
        EXPECT_GT(home.statistics().total().aged, 0U);
      }
      expect_consistent(home, false);
    }
  }
}

// A coroutine rises in the injection queue: its resumption can lie in one place only.
TEST_P(ageing, lets_coroutines_go_on) {
  for (const std::size_t workers : {1U, 2U, 4U}) {
    for (const unsigned levels : {2U, 8U}) {
      SCOPED_TRACE(std::to_string(workers) + " workers, " + std::to_string(levels) + " levels");
      pool home(with_ageing(levels, workers, 50us));
      constexpr std::size_t turns = 3;
      ledger all(4 * turns);
      const auto turner = [&](std::size_t who) -> task<void> {
        for (std::size_t turn = 0; turn < turns; ++turn) {
          co_await home.at(priority(levels - 1 - static_cast<unsigned>(who) % (levels - 1))).schedule();
          all.mark(who * turns + turn);
        }
      };
      stream urgent(home, 0, workers + 2);
      urgent.await(10);
      sync_wait(home, when_all(turner(0), turner(1), turner(2), turner(3)));
      urgent.end();
      all.expect_each_once();
      if (workers == 1) {
        EXPECT_GT(home.statistics().total().aged, 0U);
      }
      expect_consistent(home, false);
    }
  }
}

// By and by: from the lowest of eight levels it takes seven steps.
TEST_P(ageing, rises_level_by_level) {
  constexpr unsigned levels = 8;
  pool home(with_ageing(levels, 1, 20us));
  stream urgent(home, 0, 2);
  urgent.await(10);
  countdown left(1);
  home.at(priority::low).detach([&] { left.down(); });
  left.wait();
  urgent.end();
  EXPECT_GE(home.statistics().total().aged, levels - 1);
}

// Streams at all levels but the last.
TEST_P(ageing, passes_streams_of_all_levels) {
  constexpr unsigned levels = 4;
  for (const std::size_t workers : {1U, 3U}) {
    pool home(with_ageing(levels, workers, 30us));
    stream a(home, 0, workers);
    stream b(home, 1, workers);
    stream c(home, 2, workers);
    ledger all(20);
    countdown left(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      home.at(priority::low).detach([&, i] {
        all.mark(i);
        left.down();
      });
    }
    left.wait();
    all.expect_each_once();
    b.await(5);  // these, too
    c.await(5);
  }
}

// Six tasks are never too many for a queue, however long they go on and however often they have risen out of it.
TEST_P(ageing, uses_up_no_queue) {
  pool home(with_ageing(2, 3, 1us));
  stream urgent(home, 0, 3);
  stream other(home, 1, 3);
  other.await(stress_amount(30'000));  // more than a queue of fixed size has room for
  EXPECT_FALSE(urgent.was_nested() || other.was_nested());
  EXPECT_EQ(home.statistics().total().run_inline, 0U);
}

// A task that waits is not passed over for ever when its workers give way to more urgent ones.
TEST_P(ageing, ends_a_wait_among_more_urgent_strangers) {
  for (const std::size_t workers : {1U, 2U}) {
    pool home(with_ageing(3, workers, 30us));
    for (std::size_t round = 0; more_stress(round, 5); ++round) {
      ledger all(10);
      stream urgent(home, 0, workers + 1);
      run_detached(home, priority::low, [&] {
        task_group group;
        for (std::size_t i = 0; i < all.size(); ++i) {
          group.spawn([&, i] {
            home.submit([&, i] { all.mark(i); }).get();
            fork_join([] {}, [] {});
          });
        }
        group.wait();
      });
      all.expect_each_once();
    }
  }
}

// Who is to rise may be cancelled, awaited, or stolen at the same moment.
TEST_P(ageing, each_task_once_at_every_age) {
  constexpr unsigned levels = 5;
  random_source random(base_seed());
  for (const std::size_t workers : {1U, 2U, 4U}) {
    pool home(with_ageing(levels, workers, 1ns));  // each look finds everything too old
    for (std::size_t round = 0; more_stress(round, 20); ++round) {
      ledger all(300);
      std::size_t cancelled = 0;
      {
        task_group group(home);
        task_group stopped(home);
        std::vector<future<void>> futures;
        const auto make = [&](std::size_t from, std::size_t to) {
          for (std::size_t i = from; i < to; ++i) {
            const priority level(static_cast<unsigned>(random.below(levels)));
            const auto body = [&all, i] { all.mark(i); };
            switch (i % 3) {
              case 0: group.at(level).spawn(body); break;
              case 1: futures.push_back(home.at(level).submit(body)); break;
              default: stopped.at(level).spawn(body); break;
            }
          }
        };
        make(0, 150);
        home.run([&] {
          make(150, 300);
          for (std::size_t i = 0; i < futures.size(); i += 2) futures[i].get();
          if (round % 2 == 0) group.wait();
        });
        if (round % 3 != 0) stopped.request_stop();
        cancelled = stopped.wait().cancelled;
        group.wait();
        for (future<void>& each : futures) {
          if (each.valid()) each.get();
        }
      }
      all.expect_each_at_most_once();
      EXPECT_EQ(all.marked() + cancelled, all.size());
    }
    const worker_statistics total = home.statistics().total();
    EXPECT_EQ(sum_of(total.tasks_of_level), total.tasks);
  }
}

TEST_P(ageing, of_one_level_makes_no_difference) {
  pool home(with_ageing(1, 2, 1ns));
  ledger all(200);
  task_group group(home);
  for (std::size_t i = 0; i < all.size(); ++i) group.spawn([&, i] { all.mark(i); });
  group.wait();
  all.expect_each_once();
  EXPECT_EQ(home.statistics().total().aged, 0U);
}

PILFER_ON_EVERY_SCHEDULER(ageing);

}  // namespace
}  // namespace pilfer::test
