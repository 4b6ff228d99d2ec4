// Tasks of all levels through everything that happens to a pool: callers that come and go, other sizes, blocked workers, stops,
// exceptions, dropped futures, its end. Each task once.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
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

constexpr unsigned lifecycle_levels = 5;
priority lifecycle_level(std::size_t task) { return priority(static_cast<unsigned>(task % lifecycle_levels)); }

class level_lifecycle : public on_levels {};

// Callers leave, with tasks of all levels in their queues.
TEST_P(level_lifecycle, callers_leave_tasks_behind) {
  for (const std::size_t workers : {1U, 2U, 4U}) {
    SCOPED_TRACE(std::to_string(workers) + " workers");
    pool home(with_levels(lifecycle_levels, workers));
    for (std::size_t round = 0; more_stress(round, 15); ++round) {
      constexpr std::size_t callers = 3;
      constexpr std::size_t each = 40;
      ledger all(callers * each);
      countdown left(all.size());
      std::vector<std::thread> threads;
      for (std::size_t c = 0; c < callers; ++c) {
        threads.emplace_back([&, c] {
          for (std::size_t visit = 0; visit < 4; ++visit) {
            home.run([&] {
              for (std::size_t i = 0; i < each / 4; ++i) {
                const std::size_t number = c * each + visit * (each / 4) + i;
                home.at(lifecycle_level(number)).detach([&, number] {
                  all.mark(number);
                  EXPECT_EQ(level_here(lifecycle_levels), number % lifecycle_levels);
                  left.down();
                });
              }
            });
          }
        });
      }
      for (std::thread& thread : threads) thread.join();
      left.wait();
      all.expect_each_once();
    }
    expect_consistent(home);
  }
}

TEST_P(level_lifecycle, resized_under_load) {
  pool home(with_levels(lifecycle_levels, 2));
  const std::size_t rounds = stress_amount(40);
  ledger all(3 * rounds * 25);
  std::atomic<bool> done = false;
  std::vector<std::thread> users;
  for (std::size_t u = 0; u < 3; ++u) {
    users.emplace_back([&, u] {
      for (std::size_t round = 0; round < rounds; ++round) {
        task_group group(home);
        for (std::size_t i = 0; i < 25; ++i) {
          const std::size_t number = (u * rounds + round) * 25 + i;
          group.at(lifecycle_level(i)).spawn([&all, number] { fork_join([] {}, [&] { all.mark(number); }); });
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
      home.resize(1 + random.below(6));
      for (int i = 0; i < 10; ++i) pause_at_random(random);
    }
  });
  for (std::thread& user : users) user.join();
  done = true;
  resizer.join();
  all.expect_each_once();
  expect_consistent(home);
  // Strictness does not depend on how the pool came to its size.
  home.resize(1);
  EXPECT_EQ(home.levels(), lifecycle_levels);
}

// A worker whose place was taken away may still have tasks.
TEST_P(level_lifecycle, made_smaller_with_tasks_in_all_queues) {
  for (std::size_t round = 0; more_stress(round, 15); ++round) {
    pool home(with_levels(lifecycle_levels, 4));
    ledger all(4 * 20);
    countdown here(4);
    countdown left(all.size());
    for (std::size_t who = 0; who < 4; ++who) {
      home.at(priority::high).detach([&, who] {
        here.down();
        here.wait();
        for (std::size_t i = 0; i < 20; ++i) {
          home.at(lifecycle_level(i)).detach([&, number = who * 20 + i] {
            all.mark(number);
            left.down();
          });
        }
        if (who == 0) home.resize(1);
      });
    }
    left.wait();
    all.expect_each_once();
    expect_consistent(home);
  }
}

// N + 1 tasks, of different levels, that wait for one another.
TEST_P(level_lifecycle, blocked_tasks_of_different_levels) {
  for (const std::size_t workers : {1U, 2U}) {
    pool home(with_levels(lifecycle_levels, workers));
    for (std::size_t round = 0; more_stress(round, 10); ++round) {
      const std::size_t tasks = workers + lifecycle_levels;
      ledger all(2 * tasks);
      countdown meeting(tasks);
      task_group group(home);
      for (std::size_t i = 0; i < tasks; ++i) {
        group.at(lifecycle_level(i)).spawn([&, i] {
          home.at(lifecycle_level(i + 2)).detach([&all, number = tasks + i] {
            all.mark(number, std::memory_order_release);
          });
          {
            const blocking_region region;
            meeting.down();
            meeting.wait();
          }
          all.mark(i, std::memory_order_release);
        });
      }
      group.wait();
      while (all.marked() != all.size()) std::this_thread::yield();
      all.expect_each_once();
    }
    expect_consistent(home);
  }
}

TEST_P(level_lifecycle, stopped_at_any_moment) {
  random_source random(base_seed());
  for (const std::size_t workers : {1U, 2U, 4U}) {
    SCOPED_TRACE(std::to_string(workers) + " workers");
    pool home(with_levels(lifecycle_levels, workers));
    for (std::size_t round = 0; more_stress(round, 30); ++round) {
      const std::size_t tasks = 20 + random.below(200);
      const std::size_t at = random.below(tasks);
      ledger all(tasks);
      const auto before = home.statistics().total();
      {
        task_group group(home);
        std::vector<future<void>> futures;
        const auto spawn_all = [&] {
          for (std::size_t i = 0; i < tasks; ++i) {
            const auto body = [&, i] {
              all.mark(i);
              if (i == at) group.request_stop();
            };
            if (i % 3 == 0) {
              futures.push_back(group.at(lifecycle_level(i)).submit(body));
            } else {
              group.at(lifecycle_level(i)).spawn(body);
            }
          }
        };
        std::size_t cancelled = 0;
        switch (round % 3) {
          case 0: spawn_all(); break;
          case 1: home.run(spawn_all); break;
          default:
            home.at(priority::high)
                .submit([&] {
                  spawn_all();
                  cancelled = group.wait().cancelled;  // lifts them
                })
                .wait();
        }
        cancelled += group.wait().cancelled;
        EXPECT_EQ(all.marked() + cancelled, tasks);
        for (std::size_t i = 0; i < futures.size(); ++i) {
          try {
            futures[i].get();
            EXPECT_EQ(all.runs_of(3 * i), 1U);
          } catch (const task_cancelled&) {
            EXPECT_EQ(all.runs_of(3 * i), 0U);
          }
        }
      }
      all.expect_each_at_most_once();
      const auto after = home.statistics().total();
      EXPECT_EQ(after.cancelled - before.cancelled, tasks - all.marked());
    }
    expect_consistent(home);
  }
}

TEST_P(level_lifecycle, exceptions_of_all_levels) {
  for (const std::size_t workers : {1U, 2U, 4U}) {
    std::atomic<std::size_t> reported = 0;
    std::size_t rounds = 0;
    pool_options chosen = with_levels(lifecycle_levels, workers);
    chosen.on_error = [&](const std::exception_ptr&) { ++reported; };
    {
      pool home(chosen);
      for (std::size_t round = 0; more_stress(round, 10); ++round) {
        ledger all(40);
        task_group outer(home);
        outer.at(lifecycle_level(round)).spawn([&] {
          const unsigned here = level_here(lifecycle_levels);
          task_group group;
          for (std::size_t i = 0; i < all.size(); ++i) {
            group.at(lifecycle_level(i)).spawn([&, i] {
              all.mark(i);
              with_priority(priority::low, [&] {
                if (i % 4 == 0) throw numbered_error(i);
              });
            });
          }
          EXPECT_THROW(group.wait(), numbered_error);
          EXPECT_EQ(group.outcome().failed, 10U);
          EXPECT_EQ(level_here(lifecycle_levels), here);
          auto failing = home.at(lifecycle_level(round + 1)).submit([] { throw numbered_error(1); });
          EXPECT_THROW(failing.get(), numbered_error);
          EXPECT_EQ(level_here(lifecycle_levels), here);
          home.at(lifecycle_level(round + 2)).detach([] { throw numbered_error(2); });
        });
        outer.wait();
        all.expect_each_once();
        ++rounds;
      }
      expect_consistent(home);
    }
    EXPECT_EQ(reported, rounds);
  }
}

// Futures that are let go at any moment, and their tasks.
TEST_P(level_lifecycle, dropped_futures) {
  random_source random(base_seed());
  for (const std::size_t workers : {1U, 2U}) {
    const std::size_t tasks = stress_amount(600);
    ledger all(tasks);
    {
      pool home(with_levels(lifecycle_levels, workers));
      const auto rounds = [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) {
          auto value = home.at(lifecycle_level(random.below(lifecycle_levels))).submit([&all, i] {
            all.mark(i);
            return std::make_unique<std::size_t>(i);
          });
          switch (random.below(6)) {
            case 0: EXPECT_EQ(*value.get(), i); break;
            case 1: static_cast<void>(value.wait_for(std::chrono::microseconds(1))); break;
            case 2: std::this_thread::yield(); break;
            default: break;
          }
        }
      };
      rounds(0, tasks / 2);
      home.run([&] { rounds(tasks / 2, tasks); });
    }
    all.expect_each_once();
  }
}

// The end: everything that waits at any level still runs, and what that makes, too.
TEST_P(level_lifecycle, ends_with_tasks_of_all_levels) {
  for (const std::size_t workers : {1U, 2U, 4U}) {
    for (std::size_t round = 0; more_stress(round, 10); ++round) {
      SCOPED_TRACE(std::to_string(workers) + " workers, round " + std::to_string(round));
      constexpr std::size_t tasks = 60;
      ledger all(3 * tasks);
      {
        pool home(with_levels(lifecycle_levels, workers));
        const auto make = [&](std::size_t i) {
          return [&, i] {
            all.mark(i);
            home.at(lifecycle_level(i + 1)).detach([&, i] { all.mark(tasks + i); });
            static_cast<void>(home.at(lifecycle_level(i + 2)).submit([&, i] { all.mark(2 * tasks + i); }));
          };
        };
        for (std::size_t i = 0; i < tasks / 2; ++i) home.at(lifecycle_level(i)).detach(make(i));
        home.run([&] {
          for (std::size_t i = tasks / 2; i < tasks; ++i) home.at(lifecycle_level(i)).detach(make(i));
        });
      }
      all.expect_each_once();
    }
  }
}

// A future of a low level, awaited outside while its pool ends.
TEST_P(level_lifecycle, awaited_while_the_pool_ends) {
  random_source random(base_seed());
  for (std::size_t round = 0; more_stress(round, 30); ++round) {
    std::optional<pool> home(std::in_place, with_levels(lifecycle_levels, 2));
    auto value = home->at(lifecycle_level(round)).submit([round] { return std::make_unique<std::size_t>(round); });
    std::thread other([mine = std::move(value), round]() mutable { EXPECT_EQ(*mine.get(), round); });
    pause_at_random(random);
    home.reset();
    other.join();
  }
}

// More than a queue holds, at each level; from within they run in place then, at their own level.
TEST_P(level_lifecycle, more_than_a_queue_holds) {
  const std::size_t tasks = under_tsan || under_asan ? 20'000 : 30'000;
  for (const std::size_t workers : {1U, 2U}) {
    pool home(with_levels(lifecycle_levels, workers));
    for (const bool inside : {true, false}) {
      ledger all(tasks);
      std::atomic<std::size_t> wrong = 0;
      task_group group(home);
      const auto spawn_all = [&] {
        for (std::size_t i = 0; i < tasks; ++i) {
          // Most of them at one level.
          const priority level = i % 8 == 0 ? lifecycle_level(i / 8) : priority(3);
          group.at(level).spawn([&, i, expected = level.level_in(lifecycle_levels)] {
            if (level_here(lifecycle_levels) != expected) ++wrong;
            all.mark(i);
          });
        }
        EXPECT_EQ(level_here(lifecycle_levels), 2U);
      };
      if (inside) {
        home.run(spawn_all);
      } else {
        with_priority(priority(2), [&] {
          for (std::size_t i = 0; i < tasks; ++i) group.at(lifecycle_level(i)).spawn([&, i] { all.mark(i); });
        });
      }
      group.wait();
      all.expect_each_once();
      EXPECT_EQ(wrong, 0U);
    }
    expect_consistent(home, false);  // who runs in place does not look for more urgent ones
  }
}

PILFER_ON_EVERY_SCHEDULER(level_lifecycle);

}  // namespace
}  // namespace pilfer::test
