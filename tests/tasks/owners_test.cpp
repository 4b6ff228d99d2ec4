// Groups whose workers count and list what they spawn without a lock, while thieves run and spawn tasks, and others wait, look, stop and spawn.
// Each task is known by a number.
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/pool.hpp>
#include <pilfer/task_group.hpp>

#include "tasks/task_checks.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;

class owners : public on_scheduler {
 protected:
  static constexpr std::array<std::size_t, 4> workers{1, 2, 4, 16};
};

TEST_P(owners, many_rounds_with_thieves) {
  for (const std::size_t n : workers) {
    SCOPED_TRACE(std::to_string(n) + " workers");
    pool home(options(n));
    home.run([&] {
      random_source random(base_seed() + n);
      task_group group;
      for (std::size_t round = 0; more_stress(round, 60); ++round) {
        ledger all(1 + random.below(300));
        for (std::size_t i = 0; i < all.size(); ++i) {
          group.spawn([&all, i] { all.mark(i); });
          if (random.below(50) == 0) std::this_thread::yield();
        }
        group.wait();
        all.expect_each_once();
        EXPECT_EQ(group.unfinished(), 0U);
      }
    });
  }
}

// The owner goes on with something else: the waiter takes over what it had, and destroys the group at once.
TEST_P(owners, waited_for_and_destroyed_by_others) {
  for (const std::size_t n : workers) {
    SCOPED_TRACE(std::to_string(n) + " workers");
    pool home(options(n));
    for (std::size_t round = 0; more_stress(round, 40); ++round) {
      ledger all(40);
      auto group = std::make_unique<task_group>(home);
      std::atomic<bool> spawned = false;
      std::atomic<bool> over = false;
      auto owner = home.submit([&] {
        for (std::size_t i = 0; i < all.size(); ++i) group->spawn([&all, i] { all.mark(i); });
        spawned.store(true, std::memory_order_release);
        if (n == 1 || round % 2 == 0) {  // what it spawned is older than these
          task_group another;
          for (int i = 0; i < 10; ++i) another.spawn([] { std::this_thread::yield(); });
          another.wait();
        } else {
          wait_until_true([&] { return over.load(); });
        }
      });
      const auto wait = [&] {
        wait_until_true([&] { return spawned.load(std::memory_order_acquire); });
        if (round % 3 == 0) {
          while (!group->wait_for(100us)) {
          }
        } else if (round % 3 == 1) {
          while (!group->wait_for(0s)) std::this_thread::yield();
        } else {
          group->wait();
        }
        group.reset();
        all.expect_each_once();
        over = true;
      };
      // The owner and a waiter that only looks take two workers, and the tasks need one.
      if (n > 2 && round % 5 < 2) {
        home.run(wait);
      } else {
        std::thread(wait).join();
      }
      owner.get();
    }
  }
}

// Looks with a limit take the tasks out of the owner's list while they lie in its queue: it runs them all the same.
TEST_P(owners, looks_between_spawns) {
  for (const std::size_t n : workers) {
    SCOPED_TRACE(std::to_string(n) + " workers");
    pool home(options(n));
    home.run([&] {
      task_group group;
      for (std::size_t round = 0; more_stress(round, 60); ++round) {
        ledger all(60);
        for (std::size_t i = 0; i < all.size(); ++i) {
          group.spawn([&all, i] { all.mark(i); });
          if (i % 7 == 0) static_cast<void>(group.wait_for(0s));
          if (i % 20 == 0) static_cast<void>(group.wait_for(1us));
        }
        group.wait();
        all.expect_each_once();
      }
    });
  }
}

TEST_P(owners, looks_from_other_threads) {
  for (const std::size_t n : workers) {
    SCOPED_TRACE(std::to_string(n) + " workers");
    pool home(options(n));
    std::atomic<bool> over = false;
    std::optional<task_group> group(std::in_place, home);
    std::thread looks([&] {
      random_source random(base_seed());
      while (!over) {
        static_cast<void>(group->wait_for(std::chrono::microseconds(random.below(30))));
        static_cast<void>(group->unfinished());
        pause_at_random(random);
      }
    });
    home.run([&] {
      for (std::size_t round = 0; more_stress(round, 40); ++round) {
        ledger all(100);
        for (std::size_t i = 0; i < all.size(); ++i) group->spawn([&all, i] { all.mark(i); });
        group->wait();
        all.expect_each_once();
      }
    });
    over = true;
    looks.join();
  }
}

// The tasks of a tree spawn into the one group, on whatever worker they run; others do so from outside.
TEST_P(owners, spawns_from_everywhere) {
  for (const std::size_t n : workers) {
    SCOPED_TRACE(std::to_string(n) + " workers");
    pool home(options(n));
    for (std::size_t round = 0; more_stress(round, 20); ++round) {
      constexpr std::size_t depth = 6;
      constexpr std::size_t tree = (std::size_t{2} << depth) - 1;
      constexpr std::size_t outside = 50;
      ledger all(tree + outside);
      task_group group(home);
      const std::function<void(std::size_t)> grow = [&](std::size_t node) {
        all.mark(node - 1);
        if (2 * node > tree) return;
        group.spawn(grow, 2 * node);
        group.spawn(grow, 2 * node + 1);
      };
      std::thread others([&] {
        for (std::size_t i = 0; i < outside; ++i) group.spawn([&all, i] { all.mark(tree + i); });
      });
      home.run([&] {
        group.spawn(grow, 1);
        group.wait();
      });
      others.join();
      group.wait();
      all.expect_each_once();
    }
  }
}

TEST_P(owners, stopped_meanwhile) {
  for (const std::size_t n : workers) {
    SCOPED_TRACE(std::to_string(n) + " workers");
    pool home(options(n));
    for (std::size_t round = 0; more_stress(round, 40); ++round) {
      ledger all(200);
      task_group group(home);
      std::thread stops([&] { group.request_stop(); });
      const group_outcome outcome = home.run([&] {
        for (std::size_t i = 0; i < all.size(); ++i) group.spawn([&all, i] { all.mark(i); });
        return group.wait();
      });
      stops.join();
      all.expect_each_at_most_once();
      EXPECT_EQ(all.marked() + outcome.cancelled, all.size());
    }
  }
}

// Tasks that were stolen stay in the owner's list until it comes across them: not for ever.
TEST_P(owners, captures_are_gone_when_the_task_has_ended) {
  pool home(options(2));
  const long before = counted_object::alive;
  home.run([&] {
    task_group group;
    for (int i = 0; i < 500; ++i) group.spawn([held = counted_object()] { static_cast<void>(held); });
    wait_until_true([&] { return group.wait_for(0s) || group.unfinished() == 0 || group.wait_for(1ms); });
    EXPECT_EQ(counted_object::alive, before);
  });
}

// A tree whose tasks spawn into the one group, on whatever worker they run: thieves do so, too.
class tree {
 public:
  tree(task_group& group, std::size_t depth) : group_(group), all_((std::size_t{2} << depth) - 1) {}
  void grow() {
    ++spawned_;
    group_.spawn([this] { run(1); });
  }
  [[nodiscard]] ledger& all() { return all_; }
  [[nodiscard]] std::size_t spawned() const { return spawned_; }

 private:
  void run(std::size_t node) {
    all_.mark(node - 1);
    if (node % 37 == 0) std::this_thread::yield();
    if (2 * node > all_.size()) return;
    for (const std::size_t child : {2 * node, 2 * node + 1}) {
      ++spawned_;
      group_.spawn([this, child] { run(child); });
    }
  }
  task_group& group_;
  ledger all_;
  std::atomic<std::size_t> spawned_ = 0;
};
constexpr std::size_t tree_depth = 8;

TEST_P(owners, thieves_spawn_and_others_wait) {
  for (const std::size_t n : workers) {
    SCOPED_TRACE(std::to_string(n) + " workers");
    pool home(options(n));
    for (std::size_t round = 0; more_stress(round, 24); ++round) {
      auto group = std::make_unique<task_group>(home);
      tree all(*group, tree_depth);
      const auto wait = [&] {
        switch (round % 4) {
          case 0: group->wait(); break;
          case 1:
            // A lone worker gives its place away.
            wait_until_true([&] { return group->wait_for(n == 1 ? 1us : 0us); });
            break;
          case 2:
            while (!group->wait_for(50us)) {
            }
            break;
          default: break;  // the destructor waits
        }
        group.reset();
        all.all().expect_each_once();
      };
      switch (round % 3) {
        case 0:
          home.run([&] {
            all.grow();
            wait();
          });
          break;
        case 1:
          all.grow();
          wait();
          break;
        default:
          home.submit([&] { all.grow(); }).get();
          std::thread(wait).join();
          break;
      }
    }
  }
}

TEST_P(owners, several_wait_for_a_group_that_thieves_spawn_into) {
  for (const std::size_t n : workers) {
    SCOPED_TRACE(std::to_string(n) + " workers");
    pool home(options(n));
    for (std::size_t round = 0; more_stress(round, 8); ++round) {
      task_group group(home);
      tree all(group, tree_depth);
      home.run([&] {
        all.grow();
        std::thread outside([&] { group.wait(); });
        std::thread looks([&] {
          while (!group.wait_for(20us)) {
          }
        });
        auto inside = home.submit([&] { group.wait(); });
        group.wait();
        all.all().expect_each_once();
        inside.get();
        outside.join();
        looks.join();
      });
    }
  }
}

TEST_P(owners, thieves_spawn_and_are_stopped) {
  for (const std::size_t n : workers) {
    SCOPED_TRACE(std::to_string(n) + " workers");
    pool home(options(n));
    for (std::size_t round = 0; more_stress(round, 16); ++round) {
      task_group group(home);
      tree all(group, tree_depth);
      std::thread stops([&] {
        random_source random(base_seed() + round);
        pause_at_random(random);
        group.request_stop();
      });
      const group_outcome outcome = home.run([&] {
        all.grow();
        return group.wait();
      });
      stops.join();
      all.all().expect_each_at_most_once();
      EXPECT_EQ(all.all().marked() + outcome.cancelled, all.spawned());
    }
  }
}

// Workers end and begin while they have tasks and counts of the group.
TEST_P(owners, resized_while_thieves_spawn) {
  pool home(options(4));
  std::atomic<bool> over = false;
  std::thread resizer([&] {
    random_source random(base_seed());
    while (!over) {
      home.resize(1 + random.below(6));
      pause_at_random(random);
    }
  });
  for (std::size_t round = 0; more_stress(round, 20); ++round) {
    task_group group(home);
    tree all(group, tree_depth);
    if (round % 2 == 0) {
      home.run([&] {
        all.grow();
        group.wait();
      });
    } else {
      all.grow();
      group.wait();
    }
    all.all().expect_each_once();
  }
  over = true;
  resizer.join();
}

// What a worker has spawned and cannot run itself, its waiter runs.
TEST_P(owners, a_waiter_runs_what_a_busy_worker_has_spawned) {
  pool home(options(2));
  constexpr std::size_t each = 100;
  for (std::size_t round = 0; more_stress(round, 5); ++round) {
    ledger all(each);
    home.run([&] {
      const auto waiter = worker_index();
      task_group group;
      std::atomic<bool> begun = false;
      group.spawn([&] {
        for (std::size_t i = 0; i < each; ++i) group.spawn([&all, i] { all.mark(i, std::memory_order_release); });
        begun = true;
        // On the waiter's stack, if no other worker has taken it: then it cannot wait for that one.
        if (worker_index() != waiter) wait_until_true([&] { return all.marked() == each; });
      });
      wait_until_true([&] { return begun.load(); });
      group.wait();
      all.expect_each_once();
    });
  }
}

PILFER_ON_EVERY_SCHEDULER(owners);

}  // namespace
}  // namespace pilfer::test
