// Groups of tasks: each task once, from everywhere; nested, long-lived, waited for by many; what they throw.
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/fork_join.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/statistics.hpp>
#include <pilfer/task_group.hpp>

#include "tasks/task_checks.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;

class groups : public on_scheduler {};

// --- Each task once.

TEST_P(groups, many_threads_spawn_into_one) {
  for (const std::size_t workers : {1U, 2U, 4U}) {
    pool home(options(workers));
    for (const std::size_t threads : {1U, 3U, 8U}) {
      SCOPED_TRACE(std::to_string(workers) + " workers, " + std::to_string(threads) + " threads");
      const std::size_t each = stress_amount(400);
      ledger all(threads * each);
      std::atomic<std::size_t> ready = 0;
      task_group group(home);
      std::vector<std::thread> spawners;
      for (std::size_t t = 0; t < threads; ++t) {
        spawners.emplace_back([&, t] {
          random_source random(base_seed() + t);
          const auto spawn_all = [&] {
            for (std::size_t i = 0; i < each; ++i) {
              group.spawn([&all, n = t * each + i] { all.mark(n); });
              pause_at_random(random);
            }
          };
          ++ready;
          wait_until_true([&] { return ready == threads; });
          if (t % 2 == 0) {
            spawn_all();
          } else {
            home.run(spawn_all);
          }
          if (t % 3 == 0) group.wait();  // beside those that spawn
        });
      }
      group.wait();
      for (std::thread& spawner : spawners) spawner.join();
      group.wait();
      EXPECT_EQ(group.unfinished(), 0U);
      all.expect_each_once();
    }
  }
}

// What a caller has spawned inside is there when the caller has gone.
TEST_P(groups, spawned_inside_and_awaited_outside) {
  for (const std::size_t workers : {1U, 2U}) {
    pool home(options(workers));
    for (std::size_t round = 0; more_stress(round, 40); ++round) {
      ledger all(50);
      task_group group(home);
      std::thread caller([&] {
        home.run([&] {
          for (std::size_t i = 0; i < all.size(); ++i) group.spawn([&, i] { all.mark(i); });
        });
      });
      if (round % 2 == 0) group.wait();
      caller.join();
      group.wait();
      all.expect_each_once();
    }
  }
}

void grow_nested(ledger& all, std::size_t from, std::size_t to, std::uint64_t seed) {
  if (to - from == 1) return all.mark(from);
  random_source random(seed ^ (from << 20U) ^ to);
  task_group group;
  std::size_t at = from;
  while (at < to) {
    const std::size_t next = std::min(to, at + 1 + random.below((to - from) / 2 + (to - from == 2 ? 0 : 1)));
    group.spawn([&all, at, next, seed] { grow_nested(all, at, next, seed); });
    pause_at_random(random);
    at = next;
  }
  if (random.one_in(3)) return;  // the destructor waits
  group.wait();
}

TEST_P(groups, trees_of_groups) {
  for (const std::size_t workers : {1U, 2U, 4U}) {
    SCOPED_TRACE(std::to_string(workers) + " workers");
    pool home(options(workers));
    for (std::size_t round = 0; round < 3; ++round) {
      // Few: each gives its processor away now and then, which takes milliseconds where others want it.
      ledger all(stress_amount(300));
      if (round == 0) {
        task_group outside(home);
        outside.spawn([&] { grow_nested(all, 0, all.size(), base_seed()); });
        outside.wait();
      } else {
        home.run([&] { grow_nested(all, 0, all.size(), base_seed() + round); });
      }
      all.expect_each_once();
    }
  }
}

// Tasks that spawn into the group they are of: the wait is for all of them.
void grow_flat(task_group& group, ledger& all, std::size_t from, std::size_t to) {
  while (to - from > 1) {
    const std::size_t middle = from + (to - from) / 2;
    group.spawn([&group, &all, middle, to] { grow_flat(group, all, middle, to); });
    to = middle;
  }
  all.mark(from);
}

TEST_P(groups, tasks_spawn_into_their_own_group) {
  for (const std::size_t workers : {1U, 2U, 4U}) {
    pool home(options(workers));
    task_group group(home);
    for (std::size_t round = 0; round < 4; ++round) {
      ledger all(stress_amount(3000));
      if (round % 2 == 0) {
        group.spawn([&] { grow_flat(group, all, 0, all.size()); });
        group.wait();
      } else {
        home.run([&] {
          grow_flat(group, all, 0, all.size());
          group.wait();
        });
      }
      all.expect_each_once();
    }
  }
}

// Tasks among forks: both kinds are taken from the right place.
void fork_and_spawn(task_group& outer, ledger& forked, ledger& spawned, std::size_t from, std::size_t to) {
  if (to - from == 1) {
    forked.mark(from);
    outer.spawn([&spawned, from] { spawned.mark(2 * from); });
    return;
  }
  const std::size_t middle = from + (to - from) / 2;
  fork_join([&] { fork_and_spawn(outer, forked, spawned, from, middle); },
            [&] {
              task_group inner;
              inner.spawn([&] { fork_and_spawn(outer, forked, spawned, middle, to); });
              inner.spawn([&spawned, middle] { spawned.mark(2 * middle + 1); });
              inner.wait();
            });
}

TEST_P(groups, forks_between_spawns) {
  for (const std::size_t workers : {1U, 2U, 4U}) {
    SCOPED_TRACE(std::to_string(workers) + " workers");
    pool home(options(workers));
    for (std::size_t round = 0; round < 4; ++round) {
      const std::size_t leaves = stress_amount(600);
      ledger forked(leaves);
      ledger spawned(2 * leaves);
      spawned.mark(1);  // no second half begins at leaf 0
      task_group group(home);
      home.run([&] {
        fork_and_spawn(group, forked, spawned, 0, leaves);
        if (round % 2 == 0) group.wait();
      });
      group.wait();
      forked.expect_each_once();
      spawned.expect_each_once();
    }
  }
}

// More than any bounded queue has room for.
TEST_P(groups, more_tasks_than_a_queue_holds) {
  for (const std::size_t workers : {1U, 2U}) {
    pool home(options(workers));
    const std::size_t tasks = under_tsan ? 10'000 : 100'000;
    for (const bool inside : {true, false}) {
      SCOPED_TRACE(std::to_string(workers) + (inside ? " workers, inside" : " workers, outside"));
      ledger all(tasks);
      task_group group(home);
      const auto spawn_all = [&] {
        for (std::size_t i = 0; i < tasks; ++i) group.spawn([&all, i] { all.mark(i); });
      };
      if (inside) {
        home.run(spawn_all);
      } else {
        spawn_all();
      }
      group.wait();
      all.expect_each_once();
    }
  }
}

// --- Waiting.

struct long_lived {
  explicit long_lived(pool& home) : group(home) {}
  std::uint64_t sum = 0;
  std::atomic<std::uint64_t> parts = 0;
  task_group group;
};

TEST_P(groups, many_rounds_of_one_member) {
  pool home(options(2));
  long_lived object(home);
  std::uint64_t expected = 0;
  const auto rounds = [&] {
    for (std::uint64_t round = 0; more_stress(round, 300); ++round) {
      for (std::uint64_t i = 0; i < round % 5; ++i) {
        object.group.spawn([&] { object.parts += round; });
        expected += round;
      }
      const bool fails = round % 7 == 3;
      if (fails) object.group.spawn([round] { throw numbered_error(round); });
      try {
        const group_outcome outcome = object.group.wait();
        EXPECT_FALSE(fails);
        EXPECT_EQ(outcome.failed, 0U);
        EXPECT_EQ(object.group.errors().size(), 0U);
      } catch (const numbered_error& error) {
        EXPECT_TRUE(fails);
        EXPECT_EQ(error.number, round);
        EXPECT_EQ(object.group.errors().size(), 1U);
        EXPECT_EQ(object.group.outcome().failed, 1U);
      }
      ASSERT_EQ(object.parts, expected);
    }
  };
  rounds();
  home.run(rounds);
}

TEST_P(groups, several_threads_wait_for_one) {
  for (const std::size_t workers : {1U, 2U, 4U}) {
    pool home(options(workers));
    for (std::size_t round = 0; more_stress(round, 30); ++round) {
      ledger all(60);
      task_group group(home);
      std::atomic<bool> go = false;
      for (std::size_t i = 0; i < all.size(); ++i) {
        group.spawn([&, i] {
          random_source random(base_seed() + i);
          pause_at_random(random);
          all.mark(i);
        });
      }
      std::vector<std::thread> waiters;
      for (std::size_t t = 0; t < 5; ++t) {
        waiters.emplace_back([&, t] {
          wait_until_true([&] { return go.load(); });
          if (t % 2 == 0) {
            group.wait();
          } else {
            home.run([&] { group.wait(); });
          }
          EXPECT_EQ(all.marked(), all.size());
        });
      }
      go = true;
      for (std::thread& waiter : waiters) waiter.join();
      all.expect_each_once();
    }
  }
}

// The last task may not touch what the waiter destroys. What it does, a sanitizer sees.
TEST_P(groups, destroyed_right_after_the_wait) {
  for (const std::size_t workers : {1U, 2U, 4U}) {
    pool home(options(workers));
    random_source random(base_seed());
    const auto rounds = [&] {
      for (std::size_t round = 0; more_stress(round, 400); ++round) {
        auto all = std::make_unique<ledger>(1 + random.below(4));
        auto group = std::make_unique<task_group>(home);
        for (std::size_t i = 0; i < all->size(); ++i) group->spawn([&books = *all, i] { books.mark(i); });
        pause_at_random(random);
        switch (random.below(3)) {
          case 0: group->wait(); break;
          case 1: wait_until_true([&] { return group->wait_for(std::chrono::microseconds(random.below(30))); }); break;
          default: break;
        }
        group.reset();
        all->expect_each_once();
        all.reset();
      }
    };
    rounds();
    home.run(rounds);
  }
}

TEST_P(groups, waits_with_a_limit) {
  pool home(options(2));
  const auto check = [&](auto&& from) {
    std::atomic<bool> started = false;
    std::atomic<bool> go = false;
    task_group group(home);
    EXPECT_TRUE(group.wait_for(0s)) << "nothing to wait for";
    from([&] {
      group.spawn([&] {
        started = true;
        wait_until_true([&] { return go.load(); });
        throw numbered_error(4);
      });
      wait_until_true([&] { return started.load(); });
      EXPECT_FALSE(group.wait_for(1ms));
      EXPECT_FALSE(group.wait_for(0ns));
      EXPECT_FALSE(group.wait_for(-1h));
      EXPECT_FALSE(group.wait_until(std::chrono::steady_clock::now() + 1ms));
      EXPECT_FALSE(group.wait_until(std::chrono::system_clock::now() - 1h));
      EXPECT_EQ(group.unfinished(), 1U);
      go = true;
      EXPECT_THROW(static_cast<void>(group.wait_for(24h)), numbered_error);
      EXPECT_EQ(group.errors().size(), 1U);
      EXPECT_TRUE(group.wait_for(0s));
    });
  };
  check([](auto&& f) { f(); });
  check([&](auto&& f) { home.run(f); });
}

// Two pools, each with tasks that wait for groups of the other.
TEST_P(groups, waited_for_in_another_pool) {
  for (const std::size_t workers : {1U, 2U}) {
    pool a(options(workers));
    pool b(options(workers));
    ledger all(6 * 3 * 3);
    task_group outer(a);
    for (std::size_t i = 0; i < 6; ++i) {
      outer.spawn([&, i] {
        task_group in_b(b);
        for (std::size_t j = 0; j < 3; ++j) {
          in_b.spawn([&, i, j] {
            task_group in_a(a);
            for (std::size_t k = 0; k < 3; ++k) in_a.spawn([&, n = (i * 3 + j) * 3 + k] { all.mark(n); });
            in_a.wait();
          });
        }
        in_b.wait();
      });
    }
    outer.wait();
    all.expect_each_once();
  }
}

// --- Exceptions.

TEST_P(groups, the_first_exception_is_thrown_and_all_are_kept) {
  for (const std::size_t workers : {1U, 2U, 4U}) {
    pool home(options(workers));
    const std::uint64_t before = home.statistics().total().suppressed;
    ledger all(40);
    task_group group(home);
    for (std::size_t i = 0; i < all.size(); ++i) {
      group.spawn([&, i] {
        all.mark(i);
        if (i % 4 == 1) throw numbered_error(i);
        if (i == 20) throw i;  // anything can be thrown
      });
    }
    std::size_t thrown = 0;
    try {
      group.wait();
      ADD_FAILURE() << "nothing thrown";
    } catch (const numbered_error& error) {
      thrown = error.number;
    } catch (std::size_t number) {
      thrown = number;
    }
    all.expect_each_once();
    ledger errors(all.size());
    for (const std::exception_ptr& each : group.errors()) {
      std::size_t number = 0;
      try {
        std::rethrow_exception(each);
      } catch (const numbered_error& error) {
        number = error.number;
      } catch (std::size_t error) {
        number = error;
      }
      if (errors.marked() == 0) {
        EXPECT_EQ(number, thrown);
      }
      EXPECT_TRUE(number % 4 == 1 || number == 20);
      errors.mark(number);
    }
    errors.expect_each_at_most_once();
    EXPECT_EQ(errors.marked(), 11U);
    EXPECT_EQ(group.outcome().failed, 11U);
    EXPECT_EQ(group.outcome().cancelled, 0U);
    EXPECT_EQ(home.statistics().total().suppressed - before, 10U);
    // The next round is a new one.
    group.spawn([] {});
    EXPECT_EQ(group.wait().failed, 0U);
    EXPECT_TRUE(group.errors().empty());
    // What nobody waits for is dropped.
    {
      task_group unwaited(home);
      for (std::size_t i = 0; i < 3; ++i) unwaited.spawn([i] { throw numbered_error(i); });
    }
    EXPECT_EQ(home.statistics().total().suppressed - before, 13U);
  }
}

TEST_P(groups, a_wait_during_unwinding) {
  pool home(options(2));
  ledger all(20);
  const auto leave = [&] {
    task_group group;
    for (std::size_t i = 0; i < all.size(); ++i) {
      group.spawn([&, i] {
        all.mark(i);
        if (i % 5 == 0) throw numbered_error(i);
      });
    }
    throw std::logic_error("mine");
  };
  EXPECT_THROW(home.run(leave), std::logic_error);
  all.expect_each_once();
}

PILFER_ON_EVERY_SCHEDULER(groups);

}  // namespace
}  // namespace pilfer::test
