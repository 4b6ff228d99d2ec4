// Who begins first: exactly by level with one worker, and as the queue promises within one; with several, none of a lower level while a
// more urgent one can be taken anywhere. And what the statistics say of it.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <semaphore>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/fork_join.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/priority.hpp>
#include <pilfer/statistics.hpp>
#include <pilfer/task_group.hpp>

#include "priorities/priority_checks.hpp"

namespace pilfer::test {
namespace {

class order : public on_levels {};

// --- One worker.

// A program: tasks that make others. The first one is the root.
struct planned_task {
  unsigned level = 0;
  std::vector<std::size_t> children{};
};
using plan = std::vector<planned_task>;

plan random_plan(random_source& random, std::size_t tasks, unsigned levels) {
  plan made(tasks);
  const std::size_t reach = 1 + random.below(12);  // from one flat row to a deep tree
  for (std::size_t i = 1; i < tasks; ++i) {
    const std::size_t parent = i - 1 - random.below(std::min(i, reach));
    made[parent].children.push_back(i);
    made[i].level = random.one_in(3) ? made[parent].level : static_cast<unsigned>(random.below(levels));
  }
  return made;
}

// What one worker has to do.
std::vector<start> expected_order(const plan& tasks, unsigned levels, bool oldest_first) {
  std::vector<std::vector<std::size_t>> waiting(levels);
  waiting[tasks[0].level].push_back(0);
  std::vector<start> order;
  for (unsigned level = 0; level < levels;) {
    std::vector<std::size_t>& queue = waiting[level];
    if (queue.empty()) {
      ++level;
      continue;
    }
    const auto at = oldest_first ? queue.begin() : queue.end() - 1;
    const std::size_t next = *at;
    queue.erase(at);
    order.push_back({level, next});
    for (const std::size_t child : tasks[next].children) waiting[tasks[child].level].push_back(child);
    level = 0;
  }
  return order;
}

// Runs a plan and keeps a journal of it.
class planned_run {
 public:
  planned_run(pool& home, const plan& tasks) : home_(home), tasks_(tasks), left_(tasks.size()) {}
  void make(std::size_t number, unsigned inherited) {
    const auto body = [this, number] { run(number); };
    if (tasks_[number].level == inherited) {
      home_.detach(body);
    } else {
      home_.at(priority(tasks_[number].level)).detach(body);
    }
  }
  std::vector<start> order() {
    left_.wait();
    return record_.entries();
  }

 private:
  void run(std::size_t number) {
    const unsigned level = level_here(home_.levels());
    record_.note(level, number);
    for (const std::size_t child : tasks_[number].children) make(child, level);
    left_.down();
  }
  pool& home_;
  const plan& tasks_;
  journal record_;
  countdown left_;
};

TEST_P(order, of_one_worker_is_exact) {
  random_source random(base_seed());
  for (const unsigned levels : {1U, 2U, 3U, 5U, 8U}) {
    pool home(with_levels(levels, 1));
    level_figures made{};
    for (std::size_t round = 0; more_stress(round, 30); ++round) {
      SCOPED_TRACE(std::to_string(levels) + " levels, round " + std::to_string(round));
      const plan tasks = random_plan(random, 2 + random.below(round % 8 == 0 ? 1000 : 40), levels);
      for (const planned_task& each : tasks) ++made[each.level];
      planned_run run(home, tasks);
      run.make(0, levels);
      EXPECT_EQ(run.order(), expected_order(tasks, levels, oldest_first()));
      if (HasFailure()) return;
    }
    expect_tasks(home, sum_of(made));
    expect_consistent(home);
    if (levels > 1) {
      EXPECT_EQ(home.statistics().total().tasks_of_level, made);
    }
    EXPECT_EQ(home.statistics().total().lifted, 0U);
    EXPECT_EQ(home.statistics().total().aged, 0U);
  }
}

// One worker has nobody to ask: the rule makes no difference to it.
TEST_P(order, of_one_worker_is_exact_with_the_relaxed_rule) {
  random_source random(base_seed());
  pool_options chosen = with_levels(4, 1);
  chosen.rule = priority_rule::relaxed;
  pool home(chosen);
  for (std::size_t round = 0; more_stress(round, 20); ++round) {
    const plan tasks = random_plan(random, 60, 4);
    planned_run run(home, tasks);
    run.make(0, 4);
    EXPECT_EQ(run.order(), expected_order(tasks, 4, oldest_first()));
  }
  expect_consistent(home);
}

// From outside, while the worker is busy: they come before what the worker has of a lower level, and after what it has of a higher one.
TEST_P(order, of_tasks_from_outside_and_inside) {
  random_source random(base_seed());
  constexpr unsigned levels = 4;
  pool home(with_levels(levels, 1));
  for (std::size_t round = 0; more_stress(round, 30); ++round) {
    SCOPED_TRACE(round);
    const std::size_t inside = random.below(30);
    const std::size_t outside = random.below(30);
    std::vector<unsigned> level(inside + outside);
    for (unsigned& each : level) each = static_cast<unsigned>(random.below(levels));
    journal record;
    countdown left(level.size());
    const auto make = [&](std::size_t i) {
      home.at(priority(level[i])).detach([&, i] {
        record.note(level_here(levels), i);
        EXPECT_EQ(level_here(levels), level[i]);
        left.down();
      });
    };
    gate made_inside;
    gate made_outside;
    countdown maker(1);
    home.detach([&] {
      for (std::size_t i = 0; i < inside; ++i) make(i);
      made_inside.open();
      made_outside.wait();
      maker.down();
    });
    made_inside.wait();
    if (round % 3 == 0) {
      std::thread another([&] {
        for (std::size_t i = inside; i < inside + outside; ++i) make(i);
      });
      another.join();
    } else {
      for (std::size_t i = inside; i < inside + outside; ++i) make(i);
    }
    made_outside.open();
    left.wait();
    maker.wait();
    EXPECT_EQ(record.entries().size(), level.size());
    expect_by_level(record.entries());
  }
  expect_consistent(home);
}

// Forks lie in the same queues, perhaps; they belong to the task that runs, and let none begin before its turn.
TEST_P(order, with_forks_between) {
  random_source random(base_seed());
  constexpr unsigned levels = 3;
  pool home(with_levels(levels, 1));
  for (std::size_t round = 0; more_stress(round, 20); ++round) {
    SCOPED_TRACE(round);
    // Of the one worker.
    std::vector<std::size_t> waiting(levels);
    std::size_t too_early = 0;
    std::size_t budget = 200;
    std::atomic<std::size_t> made = 1;
    std::atomic<std::size_t> ended = 0;
    bool at_work = false;
    std::size_t nested = 0;
    std::function<void(unsigned, std::uint64_t)> body;
    const auto make = [&](unsigned level, std::uint64_t seed) {
      if (budget == 0) return;
      --budget;
      ++waiting[level];
      ++made;
      home.at(priority(level)).detach([&, level, seed] { body(level, seed); });
    };
    body = [&](unsigned level, std::uint64_t seed) {
      --waiting[level];
      for (unsigned l = 0; l < level; ++l) too_early += waiting[l] != 0 ? 1U : 0U;
      if (std::exchange(at_work, true)) ++nested;
      random_source mine(seed);
      const auto some = [&] {
        for (std::size_t i = mine.below(3); i != 0; --i) make(static_cast<unsigned>(mine.below(levels)), mine());
      };
      some();
      fork_join(
          [&] {
            some();
            fork_join(some, some);
          },
          [&] { fork_join(some, some); });
      some();
      at_work = false;
      ++ended;
    };
    waiting[0] = 1;
    home.at(priority(0)).detach([&, seed = random()] { body(0, seed); });
    while (ended != made) std::this_thread::yield();
    EXPECT_EQ(too_early, 0U);
    EXPECT_EQ(nested, 0U) << "a task began inside another one's fork_join";
  }
  expect_consistent(home);
}

// What a caller does inside, on the place of the only worker, goes by the same rule; what it leaves behind too.
TEST_P(order, of_a_caller_inside) {
  constexpr unsigned levels = 3;
  pool home(with_levels(levels, 1));
  for (std::size_t round = 0; more_stress(round, 20); ++round) {
    SCOPED_TRACE(round);
    journal record;
    countdown left(30);
    home.run([&] {
      EXPECT_EQ(level_here(levels), 1U);
      for (std::size_t i = 0; i < 30; ++i) {
        home.at(priority(static_cast<unsigned>(i % levels))).detach([&, i] {
          record.note(level_here(levels), i);
          left.down();
        });
      }
    });
    left.wait();
    // The worker may have been looking for work when the caller came: what it begins then goes by what was there when its look began.
    std::vector<start> seen = record.entries();
    seen.erase(seen.begin());
    expect_by_level(seen);
  }
  expect_consistent(home);
}

// --- Several workers: none begins a task while a more urgent one can be taken.

// All workers are held until their queues are full; then one is let go, which has the least urgent tasks. It runs everybody's.
TEST_P(order, own_tasks_wait_for_more_urgent_ones_of_others) {
  constexpr unsigned levels = 4;
  constexpr std::size_t each = 6;
  for (const std::size_t workers : {2U, 3U, 4U}) {
    SCOPED_TRACE(std::to_string(workers) + " workers");
    pool home(with_levels(levels, workers));
    for (std::size_t round = 0; more_stress(round, 10); ++round) {
      journal record;
      countdown left((workers + 1) * each);
      countdown here(workers);
      countdown filled(workers + 1);
      countdown gone(workers);
      const auto fill = [&](std::size_t who, std::size_t shift) {
        for (std::size_t i = 0; i < each; ++i) {
          const auto level = static_cast<unsigned>(who + 1 == workers ? levels - 1 : (who + shift + i) % (levels - 1));
          home.at(priority(level)).detach([&, level, number = who * each + i] {
            EXPECT_EQ(level_here(levels), level);
            record.note(level, number);
            left.down();
          });
        }
        filled.down();
      };
      for (std::size_t who = 0; who < workers; ++who) {
        home.at(priority::high).detach([&, who] {
          here.down();
          here.wait();
          fill(who, round);
          filled.wait();
          // What is hidden cannot be taken while its owner waits here.
          if (who + 1 != workers && !hides_tasks()) left.wait();
          gone.down();
        });
      }
      here.wait();
      fill(workers, round);
      left.wait();
      gone.wait();
      EXPECT_EQ(record.entries().size(), (workers + 1) * each);
      if (!hides_tasks()) expect_by_level(record.entries());
      if (HasFailure()) return;
    }
    expect_consistent(home);
  }
}

// A worker that is among less urgent tasks comes back up with the next one it begins.
TEST_P(order, comes_back_up_at_once) {
  constexpr unsigned levels = 3;
  pool home(with_levels(levels, 2));
  const std::size_t tasks = stress_amount(60);
  journal record;
  std::counting_semaphore<> asked_inside(0);
  std::counting_semaphore<> asked_outside(0);
  std::counting_semaphore<> answered(0);
  std::size_t asking = 0;
  bool finished = false;  // carried by the semaphores
  countdown urgent(2 * tasks);
  const auto answer = [&](std::counting_semaphore<>& asked) {
    while (true) {
      asked.acquire();
      if (finished) return;
      home.at(priority(static_cast<unsigned>(asking % 2))).detach([&, number = asking] {
        record.note(level_here(levels), number);
        urgent.down();
      });
      answered.release();
    }
  };
  gate held;
  countdown gone(2);
  // This one is busy for as long as the test takes, and makes tasks when it is asked to.
  home.at(priority(0)).detach([&] {
    held.open();
    answer(asked_inside);
    gone.down();
  });
  held.wait();
  std::thread outside([&] { answer(asked_outside); });
  home.at(priority(0)).detach([&] {
    for (std::size_t i = tasks; i-- > 0;) {
      home.at(priority(2)).detach([&, i] {
        record.note(level_here(levels), i);
        for (const bool inside : {true, false}) {
          asking = 2 * i + (inside ? 1 : 0);
          // What is hidden cannot be taken while its owner waits for the next question.
          (inside && !hides_tasks() ? asked_inside : asked_outside).release();
          answered.acquire();
        }
      });
    }
    gone.down();
  });
  urgent.wait();
  finished = true;
  asked_inside.release();
  asked_outside.release();
  outside.join();
  gone.wait();
  const std::vector<start> seen = record.entries();
  ASSERT_EQ(seen.size(), 3 * tasks);
  for (std::size_t i = 0; i + 2 < seen.size(); i += 3) {
    ASSERT_EQ(seen[i].level, 2U) << i;
    EXPECT_EQ(seen[i + 1], (start{0, 2 * seen[i].number})) << i;
    EXPECT_EQ(seen[i + 2], (start{1, 2 * seen[i].number + 1})) << i;
  }
  expect_consistent(home);
}

// --- Inversions are counted.

// One of many workers has all the urgent tasks, and the others have less urgent ones of their own. The first one stays in its task
// until another worker has begun a less urgent one: however the threads are scheduled, urgent tasks wait while others look.
std::uint64_t count_inversions_in_scene(pool& home, std::size_t workers, std::size_t each) {
  ledger all(workers * each);
  countdown here(workers);
  countdown filled(workers);
  countdown left(workers * each);
  countdown gone(workers);
  countdown less_urgent(1);
  std::atomic<bool> less_urgent_begun = false;
  for (std::size_t who = 0; who < workers; ++who) {
    home.at(priority::high).detach([&, who] {
      here.down();
      here.wait();
      for (std::size_t i = 0; i < each; ++i) {
        home.at(priority(who == 0 ? 0 : 1)).detach([&, who, number = who * each + i] {
          if (who != 0 && !less_urgent_begun.exchange(true)) less_urgent.down();
          all.mark(number);
          left.down();
        });
      }
      filled.down();
      filled.wait();
      if (who == 0) less_urgent.wait();
      gone.down();
    });
  }
  left.wait();
  gone.wait();
  all.expect_each_once();
  return home.statistics().total().inversions;
}

TEST_P(order, inversions_are_seen_where_there_are_some) {
  constexpr std::size_t workers = 16;
  for (const priority_rule rule : {priority_rule::strict, priority_rule::relaxed, priority_rule::global}) {
    pool_options chosen = with_levels(2, workers);
    chosen.rule = rule;
    pool home(chosen);
    std::uint64_t counted = 0;
    // A look at some of the others has to miss the one that has them, some time.
    const std::size_t rounds = rule == priority_rule::relaxed ? 100 : 3;
    for (std::size_t round = 0; round < rounds && (counted == 0 || rule != priority_rule::relaxed); ++round)
      counted = count_inversions_in_scene(home, workers, 30);
    if (rule == priority_rule::strict) {
      EXPECT_EQ(counted, 0U);
    }
    // One queue for all hides none of them; what is hidden is no inversion.
    if (rule == priority_rule::relaxed && !hides_tasks() && GetParam() != "ws-global") {
      EXPECT_GT(counted, 0U);
    }
    expect_consistent(home, rule == priority_rule::strict);
  }
}

TEST_P(order, inversions_are_counted_on_demand_alone) {
  pool_options chosen = with_levels(2, 8);
  chosen.rule = priority_rule::relaxed;
  chosen.count_inversions = false;
  pool home(chosen);
  EXPECT_EQ(count_inversions_in_scene(home, 8, 20), 0U);
}

// --- Other figures.

TEST_P(order, steals_are_counted_by_level) {
  constexpr unsigned levels = 3;
  pool home(with_levels(levels, 2));
  if (hides_tasks() || GetParam() == "ws-global") GTEST_SKIP() << "who steals what is not known";
  countdown left(40);
  countdown gone(1);
  home.at(priority(0)).detach([&] {
    for (std::size_t i = 0; i < 40; ++i) home.at(priority(i % 4 == 0 ? 1U : 2U)).detach([&] { left.down(); });
    left.wait();
    gone.down();
  });
  gone.wait();
  expect_tasks(home, 41);
  expect_consistent(home);
  const worker_statistics total = home.statistics().total();
  EXPECT_EQ(total.steals_of_level[0], 0U);
  EXPECT_GT(total.steals_of_level[1], 0U);
  EXPECT_LE(total.steals_of_level[1], 10U);
  EXPECT_GT(total.steals_of_level[2], 0U);
  EXPECT_LE(total.steals_of_level[2], 30U);
  EXPECT_EQ(total.tasks_of_level, (level_figures{1, 10, 30}));
}

TEST_P(order, levels_are_drained_one_after_the_other) {
  constexpr unsigned levels = 5;
  pool home(with_levels(levels, 1));
  for (std::size_t round = 0; round < 5; ++round) {
    const level_figures before = home.statistics().total().drained_ns;
    countdown left(levels * 20);
    home.at(priority(0)).detach([&] {
      for (unsigned i = 0; i < levels * 20; ++i) home.at(priority(i % levels)).detach([&] { left.down(); });
    });
    left.wait();
    // The worker has to look once more, after the last task: it may have found the pool empty before the first one came, too.
    level_figures drained{};
    wait_until_true([&] {
      drained = home.statistics().total().drained_ns;
      return drained[levels - 1] > before[levels - 1] && drained[levels - 1] >= drained[levels - 2];
    });
    for (unsigned level = 0; level + 1 < levels; ++level) {
      EXPECT_GT(drained[level], before[level]);
      EXPECT_LE(drained[level], drained[level + 1]) << "level " << level;
    }
  }
}

// With one level, named priorities are accepted and make no difference.
TEST_P(order, one_level_has_one_queue) {
  pool home(with_levels(1, 1));
  EXPECT_EQ(home.levels(), 1U);
  EXPECT_EQ(home.statistics().levels, 1U);
  const std::vector<priority> names{priority::low, priority::high, priority::normal, priority(0)};
  journal record;
  countdown left(40);
  home.at(priority::low).detach([&] {
    for (std::size_t i = 0; i < 40; ++i) {
      home.at(names[i % names.size()]).detach([&, i] {
        record.note(level_here(1), i);
        left.down();
      });
    }
  });
  left.wait();
  std::vector<start> expected;
  for (std::size_t i = 0; i < 40; ++i) expected.push_back({0, oldest_first() ? i : 39 - i});
  EXPECT_EQ(record.entries(), expected);
  expect_consistent(home);
}

PILFER_ON_EVERY_SCHEDULER(order);

}  // namespace
}  // namespace pilfer::test
