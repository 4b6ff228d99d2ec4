// Tasks that are to stop: which ones are, which ones are not, and that each is accounted for.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/fork_join.hpp>
#include <pilfer/future.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/statistics.hpp>
#include <pilfer/task_group.hpp>

#include "tasks/task_checks.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;

class cancellation : public on_scheduler {};

TEST_P(cancellation, before_anything_is_spawned) {
  counted_object::alive = 0;
  for (const std::size_t workers : {1U, 2U}) {
    pool home(options(workers));
    const auto check = [&] {
      const std::uint64_t before = home.statistics().total().cancelled;
      ledger all(30);
      task_group group(home);
      EXPECT_FALSE(group.stop_requested());
      EXPECT_TRUE(group.request_stop());
      EXPECT_FALSE(group.request_stop());
      EXPECT_TRUE(group.stop_requested());
      EXPECT_TRUE(group.stop_token().stop_requested());
      for (std::size_t i = 0; i < 10; ++i) group.spawn([&, i, held = counted_object()] { all.mark(i); });
      for (std::size_t i = 10; i < 20; ++i) {
        auto never = group.submit([&, i, held = counted_object()] { all.mark(i); });
        EXPECT_THROW(never.get(), task_cancelled);
        EXPECT_FALSE(never.valid());
      }
      for (std::size_t i = 20; i < 30; ++i) {
        auto never = group.submit([&, i, held = counted_object()] { return std::make_unique<ledger>(i); });
        if (i % 2 == 0) never.wait();
      }
      const group_outcome outcome = group.wait();
      EXPECT_EQ(outcome.cancelled, 30U);
      EXPECT_EQ(outcome.failed, 0U);
      EXPECT_EQ(all.marked(), 0U);
      EXPECT_EQ(counted_object::alive, 0);
      EXPECT_EQ(home.statistics().total().cancelled - before, 30U);
      // For good.
      group.spawn([&] { all.mark(0); });
      EXPECT_EQ(group.wait().cancelled, 1U);
      EXPECT_EQ(all.marked(), 0U);
    };
    check();
    home.run(check);
  }
}

// At a random moment: what ran and what did not are all.
TEST_P(cancellation, while_tasks_run) {
  counted_object::alive = 0;
  random_source random(base_seed());
  for (const std::size_t workers : {1U, 2U, 4U}) {
    SCOPED_TRACE(std::to_string(workers) + " workers");
    pool home(options(workers));
    for (std::size_t round = 0; more_stress(round, 40); ++round) {
      const std::size_t tasks = 3 * (20 + random.below(200));
      const std::size_t at = random.below(tasks);
      ledger all(tasks);
      std::atomic<std::size_t> cancelled_futures = 0;
      const auto before = home.statistics().total();
      {
        task_group group(home);
        std::vector<future<std::size_t>> futures;
        const auto body = [&](std::stop_token stop, std::size_t n) {
          all.mark(n);
          if (n == at) group.request_stop();
          if (stop.stop_requested()) return n;
          if (n % 8 == 0) std::this_thread::yield();
          return n;
        };
        const auto spawn_all = [&] {
          for (std::size_t i = 0; i < tasks; ++i) {
            if (i % 3 == 0) {
              futures.push_back(group.submit(
                  [&, held = counted_object()](std::stop_token stop, std::size_t n) { return body(stop, n); }, i));
            } else {
              group.spawn([&, held = counted_object()](std::stop_token stop, std::size_t n) { body(stop, n); }, i);
            }
          }
        };
        if (round % 2 == 0) {
          spawn_all();
        } else {
          home.run(spawn_all);
        }
        for (std::size_t i = 0; i < futures.size(); ++i) {
          try {
            EXPECT_EQ(futures[i].get(), 3 * i);
          } catch (const task_cancelled&) {
            ++cancelled_futures;
            EXPECT_EQ(all.runs_of(3 * i), 0U);
          }
        }
        const group_outcome outcome = group.wait();
        EXPECT_EQ(counted_object::alive, 0) << "captures outlive the wait";
        all.expect_each_at_most_once();
        EXPECT_EQ(all.marked() + outcome.cancelled, tasks);

        EXPECT_GE(outcome.cancelled, cancelled_futures);
      }
      const auto after = home.statistics().total();
      EXPECT_EQ(after.tasks - before.tasks, tasks);
      EXPECT_EQ(after.cancelled - before.cancelled, tasks - all.marked());
    }
  }
}

// --- Who inherits.

struct seen {
  std::atomic<bool> direct = false, in_forks = false, in_stolen = false, grandchild = false, by_token = false;
};

// Waits until it is told to stop; by all ways that there are.
void await_stop(const std::stop_token& token) {
  wait_until_true([&] { return token.stop_requested(); });
}

TEST_P(cancellation, reaches_all_that_is_below) {
  for (const std::size_t workers : {2U, 4U}) {
    SCOPED_TRACE(std::to_string(workers) + " workers");
    pool home(options(workers));
    for (std::size_t round = 0; more_stress(round, 10); ++round) {
      seen saw;
      std::atomic<bool> running = false;
      ledger never(4);
      task_group outer(home);
      outer.spawn([&](std::stop_token given) {
        EXPECT_EQ(given, current_stop_token());
        std::atomic<bool> stolen = false;
        const std::thread::id here = std::this_thread::get_id();
        fork_join(
            [&] {
              task_group beside;
              EXPECT_FALSE(beside.stop_requested());
              wait_until_true([&] { return stolen.load(); });
              running = true;
              await_stop(beside.stop_token());
              saw.in_forks = true;
              EXPECT_TRUE(beside.stop_requested());
              beside.spawn([&] { never.mark(0); });
              EXPECT_EQ(beside.wait().cancelled, 1U);
            },
            [&] {
              EXPECT_NE(here, std::this_thread::get_id());
              stolen = true;
              task_group child;
              child.spawn([&] {
                task_group grandchild;
                // Made in the group of the task, although it is another pool's.
                grandchild.spawn([&](std::stop_token stop) {
                  await_stop(stop);
                  saw.grandchild = true;
                });
                if (grandchild.wait().cancelled == 1) saw.grandchild = true;  // it came too late to begin
                grandchild.spawn([&] { never.mark(1); });
                EXPECT_EQ(grandchild.wait().cancelled, 1U);
              });
              await_stop(current_stop_token());
              saw.in_stolen = true;
              const group_outcome outcome = child.wait();
              if (outcome.cancelled == 1) saw.grandchild = true;  // it came too late to begin
              child.spawn([&] { never.mark(2); });
              EXPECT_EQ(child.wait().cancelled, 1U);
            });
        EXPECT_TRUE(current_stop_token().stop_requested());
        saw.direct = true;
      });
      wait_until_true([&] { return running.load(); });
      EXPECT_TRUE(outer.request_stop());
      outer.wait();
      EXPECT_TRUE(saw.direct && saw.in_forks && saw.in_stolen && saw.grandchild);
      EXPECT_EQ(never.marked(), 0U);
    }
  }
}

TEST_P(cancellation, does_not_reach_up_or_sideways) {
  for (const std::size_t workers : {1U, 2U}) {
    pool home(options(workers));
    pool other(options(workers));
    EXPECT_FALSE(current_stop_token().stop_possible());
    ledger all(40);
    task_group outer(home);
    task_group sibling(home);
    outer.spawn([&] {
      const std::stop_token mine = current_stop_token();
      {
        task_group inner;
        task_group beside;
        inner.spawn([&] {
          all.mark(0);
          EXPECT_NE(mine, current_stop_token());
          inner.request_stop();
          EXPECT_TRUE(current_stop_token().stop_requested());
        });
        inner.wait();
        EXPECT_EQ(mine, current_stop_token());
        for (std::size_t i = 1; i < 10; ++i) beside.spawn([&, i] { all.mark(i); });
        beside.wait();
        EXPECT_FALSE(beside.stop_requested());
      }
      EXPECT_FALSE(mine.stop_requested());
      task_group later;
      for (std::size_t i = 10; i < 20; ++i) later.spawn([&, i] { all.mark(i); });
      later.wait();
      for (std::size_t i = 20; i < 30; ++i) outer.spawn([&, i] { all.mark(i); });
    });
    outer.wait();
    EXPECT_FALSE(outer.stop_requested());
    // What belongs to no group is not stopped with the group whose task submits it, or runs it while it waits.
    outer.spawn([&] {
      outer.request_stop();
      EXPECT_TRUE(current_stop_token().stop_requested());
      for (std::size_t i = 30; i < 35; ++i) {
        home.submit([&, i] {
              EXPECT_FALSE(current_stop_token().stop_requested());
              task_group fresh;
              EXPECT_FALSE(fresh.stop_requested());
              fresh.spawn([&, i] { all.mark(i); });
              EXPECT_EQ(fresh.wait().cancelled, 0U);
            })
            .get();
      }
      EXPECT_TRUE(current_stop_token().stop_requested());
      // A task of a sibling, spawned from here.
      sibling.spawn([&] {
        EXPECT_FALSE(current_stop_token().stop_requested());
        all.mark(35);
      });
      other
          .submit([&] {
            EXPECT_FALSE(current_stop_token().stop_requested());
            all.mark(36);
          })
          .get();
    });
    outer.wait();
    sibling.wait();
    EXPECT_FALSE(sibling.stop_requested());
    for (std::size_t i = 37; i < 40; ++i) sibling.spawn([&, i] { all.mark(i); });
    sibling.wait();
    all.expect_each_once();
    EXPECT_FALSE(current_stop_token().stop_possible());
    EXPECT_FALSE(home.run([] { return current_stop_token().stop_requested(); }));
  }
}

// Tasks that found no room run inside the task that spawns them: under their own group's stop.
TEST_P(cancellation, of_whom_a_full_queue_lets_run_at_once) {
  pool home(options(1));
  const std::size_t tasks = under_tsan ? 9'000 : 20'000;
  ledger all(tasks);
  std::atomic<std::size_t> wrong = 0;
  task_group outer(home);
  outer.spawn([&] {
    task_group made_before(home);
    outer.request_stop();
    const auto inherited = made_before.stop_requested();
    EXPECT_TRUE(inherited);
    for (std::size_t i = 0; i < tasks; ++i) {
      home.detach([&, i] {
        if (current_stop_token().stop_requested()) ++wrong;
        all.mark(i, std::memory_order_release);
      });
    }
    EXPECT_TRUE(current_stop_token().stop_requested());
  });
  outer.wait();
  wait_until_true([&] { return all.marked() == tasks || (home.run([] {}), false); });
  all.expect_each_once();
  EXPECT_EQ(wrong, 0U);
}

// --- Tokens.

TEST_P(cancellation, by_a_token_from_outside) {
  for (const std::size_t workers : {1U, 2U}) {
    pool home(options(workers));
    random_source random(base_seed());
    for (std::size_t round = 0; more_stress(round, 100); ++round) {
      std::stop_source source;
      std::stop_token kept;
      ledger all(20);
      std::thread stopper([&] {
        random_source mine(base_seed() + round);
        for (std::size_t i = 0; i < 3; ++i) pause_at_random(mine);
        source.request_stop();
      });
      std::size_t cancelled = 0;
      {
        task_group group(home, source.get_token());
        kept = group.stop_token();
        for (std::size_t i = 0; i < all.size(); ++i) {
          group.spawn([&, i] {
            all.mark(i);
            task_group inner;
            inner.spawn([] {});
            inner.wait();
          });
          pause_at_random(random);
        }
        cancelled = group.wait().cancelled;
      }
      stopper.join();
      EXPECT_EQ(all.marked() + cancelled, all.size());
      all.expect_each_at_most_once();
      // The token outlives the group.
      static_cast<void>(kept.stop_requested());
    }
    // Stopped already.
    std::stop_source source;
    source.request_stop();
    task_group late(home, source.get_token());
    EXPECT_TRUE(late.stop_requested());
    EXPECT_FALSE(late.request_stop());
    late.spawn([] { ADD_FAILURE(); });
    EXPECT_EQ(late.wait().cancelled, 1U);
  }
}

TEST_P(cancellation, calls_stop_callbacks) {
  pool home(options(2));
  task_group group(home);
  std::atomic<int> calls = 0;
  std::atomic<int> ready = 0;
  for (int i = 0; i < 2; ++i) {
    group.spawn([&](std::stop_token stop) {
      // The task stays until both were called: a callback that is gone by then is not.
      std::atomic<int> mine = 0;
      const auto called = [&] {
        ++calls;
        ++mine;
      };
      const std::stop_callback callback(stop, called);
      task_group inner;
      const std::stop_callback below(inner.stop_token(), called);
      ++ready;
      wait_until_true([&] { return mine == 2; });
    });
  }
  // With one place the second begins only when the first has ended: then it is cancelled.
  wait_until_true([&] { return ready >= 1; });
  group.request_stop();
  const group_outcome outcome = group.wait();
  EXPECT_EQ(calls + 2 * static_cast<int>(outcome.cancelled), 4);
}

// Groups come and go below one that is stopped meanwhile.
TEST_P(cancellation, while_groups_are_made_and_destroyed) {
  for (const std::size_t workers : {2U, 4U}) {
    pool home(options(workers));
    for (std::size_t round = 0; more_stress(round, 30); ++round) {
      std::atomic<std::size_t> spawned = 0;
      std::atomic<std::size_t> ran = 0;
      std::atomic<std::size_t> cancelled = 0;
      std::atomic<std::size_t> made = 0;
      task_group outer(home);
      for (int t = 0; t < 4; ++t) {
        outer.spawn([&](std::stop_token stop) {
          while (!stop.stop_requested()) {
            task_group inner;
            ++made;
            for (int i = 0; i < 3; ++i) {
              ++spawned;
              inner.spawn([&] { ++ran; });
            }
            const group_outcome outcome = inner.wait();
            cancelled += outcome.cancelled;
          }
        });
      }
      wait_until_true([&] { return made > round % 7; });
      outer.request_stop();
      outer.wait();
      EXPECT_EQ(ran + cancelled, spawned);
    }
  }
}

// The others loop until they are stopped: without that the wait would never end.
TEST_P(cancellation, by_the_first_error) {
  for (const std::size_t workers : {2U, 4U}) {
    pool home(options(workers));
    const auto check = [&] {
      task_group group(home, {.stop_on_error = true});
      std::atomic<bool> begun = false;
      group.spawn([&](const std::stop_token& stop) {
        begun = true;
        wait_until_true([&] { return stop.stop_requested(); });
        throw numbered_error(2);  // because of the first: kept, but not thrown
      });
      group.spawn([&] {
        wait_until_true([&] { return begun.load(); });
        throw numbered_error(1);
      });
      try {
        group.wait();
        ADD_FAILURE() << "nothing was thrown";
      } catch (const numbered_error& error) {
        EXPECT_EQ(error.number, 1U);
      }
      EXPECT_TRUE(group.stop_requested());
      group.spawn([] { ADD_FAILURE() << "it is stopped for good"; });
      EXPECT_EQ(group.wait().cancelled, 1U);
      // One that was asked for by a future is its future's.
      task_group other(home, {.stop_on_error = true});
      EXPECT_THROW(other.submit([] { throw numbered_error(3); }).get(), numbered_error);
      EXPECT_FALSE(other.stop_requested());
    };
    check();
    home.run(check);
  }
}

PILFER_ON_EVERY_SCHEDULER(cancellation);

}  // namespace
}  // namespace pilfer::test
