// Whose level a task has: that of who makes it, unless told otherwise; sections, forks, stolen halves, callers and other pools included.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/algorithm/for.hpp>
#include <pilfer/blocking_region.hpp>
#include <pilfer/fork_join.hpp>
#include <pilfer/future.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/priority.hpp>
#include <pilfer/task_group.hpp>

#include "priorities/priority_checks.hpp"

namespace pilfer::test {
namespace {

class inheritance : public on_levels {
 protected:
  // A worker that keeps its last fork to itself keeps it for long.
  static std::size_t rounds_with_steals(std::size_t rounds) {
    return GetParam() == "lcws-conservative" ? 1 : stress_amount(rounds);
  }
  // Calls f(home, levels, workers) for some shapes of pools.
  template <class F>
  static void in_some_pools(F f) {
    for (const std::size_t workers : {1U, 2U, 4U}) {
      for (const unsigned levels : {2U, 3U, 8U}) {
        SCOPED_TRACE(std::to_string(workers) + " workers, " + std::to_string(levels) + " levels");
        pool home(with_levels(levels, workers));
        f(home, levels);
        expect_consistent(home);
      }
    }
  }
};

// --- Names and numbers.

TEST_P(inheritance, names_are_levels_of_the_pool) {
  for (unsigned levels = 1; levels <= most_levels; ++levels) {
    SCOPED_TRACE(levels);
    pool home(with_levels(levels, 2));
    EXPECT_EQ(home.levels(), levels);
    const auto level_of = [&](priority wanted) {
      return home.at(wanted).submit([&] { return level_here(levels); }).get();
    };
    // Outside, a wait may run the task, but changes nothing about it.
    EXPECT_EQ(level_of(priority::high), 0U);
    EXPECT_EQ(level_of(priority::normal), levels / 2);
    EXPECT_EQ(level_of(priority::low), levels - 1);
    for (unsigned level = 0; level < levels; ++level) EXPECT_EQ(level_of(priority(level)), level);
    EXPECT_EQ(home.submit([&] { return level_here(levels); }).get(), levels / 2) << "none given, and no parent";
    EXPECT_EQ(home.run([&] { return level_here(levels); }), levels / 2);
    EXPECT_EQ(current_priority(), priority::normal) << "outside";
  }
}

// --- Children.

// All ways to make a task, each with a check of its level. Returns when they have ended. Takes part of the waiting itself, so that
// `wanted` has to be the level of the calling task: otherwise they would be lifted.
void expect_children_at(pool& home, unsigned levels, unsigned wanted) {
  const auto check = [levels, wanted] { EXPECT_EQ(level_here(levels), wanted); };
  task_group group(home);
  group.spawn(check);
  auto in_group = group.submit(check);
  auto submitted = home.submit(check);
  auto by_pool_of_caller = worker_index() ? submit(check) : home.submit(check);
  auto standard = home.async(check);
  std::atomic<bool> detached = false;
  home.detach([&] {
    check();
    detached = true;
  });
  in_group.get();
  submitted.get();
  by_pool_of_caller.get();
  pilfer::get(standard);
  group.wait();
  if (worker_index()) {
    check();
    fork_join(check, check);
    fork_join(check, check, [&] { fork_join(check, check); });
    home.run(check);
  }
  // With one worker it needs this one's place.
  const blocking_region region;
  while (!detached) std::this_thread::yield();
}

TEST_P(inheritance, by_children_of_all_kinds) {
  in_some_pools([](pool& home, unsigned levels) {
    for (unsigned level = 0; level < levels; ++level) {
      task_group group(home);
      group.at(priority(level)).spawn([&, level] {
        expect_children_at(home, levels, level);
        // And theirs.
        task_group inner;
        inner.spawn([&, level] { expect_children_at(home, levels, level); });
        inner.wait();
      });
      group.wait();
    }
    expect_children_at(home, levels, levels / 2);
    home.run([&] { expect_children_at(home, levels, levels / 2); });
  });
}

TEST_P(inheritance, by_children_of_those_told_otherwise) {
  in_some_pools([](pool& home, unsigned levels) {
    for (unsigned level = 0; level < levels; ++level) {
      const unsigned other = levels - 1 - level;
      countdown left(5);
      const auto check = [&, other] {
        EXPECT_EQ(level_here(levels), other);
        home.detach([&, other] {
          EXPECT_EQ(level_here(levels), other);
          left.down();
        });
      };
      home.at(priority(level)).detach([&, other, level] {
        // Nobody waits for them, so nobody lifts them.
        home.at(priority(other)).detach(check);
        static_cast<void>(home.at(priority(other)).submit(check));
        static_cast<void>(at(priority(other)).submit(check));
        static_cast<void>(home.at(priority(other)).async(check));
        with_priority(priority(other), [&] { home.detach(check); });
        EXPECT_EQ(level_here(levels), level);
      });
      left.wait();
    }
  });
}

// --- Sections.

TEST_P(inheritance, of_a_section) {
  in_some_pools([](pool& home, unsigned levels) {
    const auto all_levels = [&] {
      const unsigned before = level_here(levels);
      for (unsigned level = 0; level < levels; ++level)
        with_priority(priority(level), [&] { expect_children_at(home, levels, level); });
      EXPECT_EQ(level_here(levels), before);
    };
    home.run(all_levels);
    task_group group(home);
    for (unsigned level = 0; level < levels; ++level) group.at(priority(level)).spawn(all_levels);
    group.wait();
    // Outside of all pools.
    for (unsigned level = 0; level < levels; ++level)
      with_priority(priority(level), [&] { expect_children_at(home, levels, level); });
    with_priority(priority::low, [&] { expect_children_at(home, levels, levels - 1); });
    EXPECT_EQ(current_priority(), priority::normal);
  });
}

TEST_P(inheritance, of_nested_sections_and_those_left_by_exceptions) {
  const auto check_in = [](unsigned levels, auto level_now) {
    const unsigned outside = level_now();
    int value = 3;
    int& same = with_priority(priority(1), [&]() -> int& {
      EXPECT_EQ(level_now(), 1U);
      with_priority(priority::high, [&] {
        EXPECT_EQ(level_now(), 0U);
        EXPECT_THROW(with_priority(priority::low,
                                   [&] {
                                     EXPECT_EQ(level_now(), levels - 1);
                                     throw numbered_error(1);
                                   }),
                     numbered_error);
        EXPECT_EQ(level_now(), 0U);
        with_priority(priority(levels - 1), [&] { EXPECT_EQ(level_now(), levels - 1); });
        EXPECT_EQ(level_now(), 0U);
      });
      EXPECT_EQ(level_now(), 1U);
      return value;
    });
    EXPECT_EQ(&same, &value);
    EXPECT_EQ(level_now(), outside);
    const std::unique_ptr<int> moved = with_priority(priority::low, [] { return std::make_unique<int>(4); });
    EXPECT_EQ(*moved, 4);
  };
  constexpr unsigned levels = 4;
  pool home(with_levels(levels, 2));
  const auto inside = [] { return level_here(levels); };
  home.run([&] { check_in(levels, inside); });
  home.at(priority::low).submit([&] { check_in(levels, inside); }).get();
  const auto outside = [&] { return home.submit([] { return level_here(levels); }).get(); };
  check_in(levels, outside);
  std::thread([&] { check_in(levels, outside); }).join();
  // What one thread sets is nothing to the others.
  with_priority(priority::high, [&] {
    std::thread([&] { EXPECT_EQ(outside(), levels / 2); }).join();
    EXPECT_EQ(outside(), 0U);
  });
  EXPECT_EQ(current_priority(), priority::normal);
}

// A section is its task's: what the worker runs meanwhile, or afterwards, does not see it.
TEST_P(inheritance, of_a_section_around_a_wait) {
  constexpr unsigned levels = 3;
  for (const std::size_t workers : {1U, 2U}) {
    pool home(with_levels(levels, workers));
    task_group outer(home);
    outer.at(priority::high).spawn([&] {
      with_priority(priority::low, [&] {
        EXPECT_EQ(level_here(levels), 2U);
        task_group group;
        for (int i = 0; i < 10; ++i) {
          group.at(priority::high).spawn([&] {
            EXPECT_EQ(level_here(levels), 0U);
            fork_join([&] { EXPECT_EQ(level_here(levels), 0U); }, [&] { EXPECT_EQ(level_here(levels), 0U); });
            task_group inner;
            inner.spawn([&] { EXPECT_EQ(level_here(levels), 0U); });
            inner.wait();
          });
        }
        group.wait();
        EXPECT_EQ(level_here(levels), 2U);
        auto one = home.at(priority::high).submit([&] { return level_here(levels); });
        EXPECT_EQ(one.get(), 0U);
        EXPECT_EQ(level_here(levels), 2U);
        {
          const blocking_region region;
          EXPECT_EQ(level_here(levels), 2U);
        }
        EXPECT_EQ(level_here(levels), 2U);
      });
      EXPECT_EQ(level_here(levels), 0U);
    });
    outer.wait();
    // The section of a task that ended by an exception.
    outer.at(priority::high).spawn([&] { with_priority(priority::low, [&] { throw numbered_error(2); }); });
    EXPECT_THROW(outer.wait(), numbered_error);
    for (int i = 0; i < 20; ++i) outer.at(priority(1)).spawn([&] { EXPECT_EQ(level_here(levels), 1U); });
    outer.wait();
    expect_consistent(home);
  }
}

// --- Forks.

TEST_P(inheritance, by_stolen_halves) {
  constexpr unsigned levels = 3;
  pool home(with_levels(levels, 2));
  for (std::size_t round = 0; round < rounds_with_steals(10); ++round) {
    const auto level = static_cast<unsigned>(round % levels);
    task_group group(home);
    group.at(priority(level)).spawn([&, level] {
      const std::thread::id here = std::this_thread::get_id();
      std::atomic<bool> stolen = false;
      fork_join([&] { wait_until_true([&] { return stolen.load(); }); },
                [&] {
                  EXPECT_NE(here, std::this_thread::get_id());
                  EXPECT_EQ(level_here(levels), level);
                  with_priority(priority(2), [&] { EXPECT_EQ(level_here(levels), 2U); });
                  expect_children_at(home, levels, level);
                  EXPECT_EQ(level_here(levels), level);
                  stolen = true;
                });
      EXPECT_EQ(level_here(levels), level);
    });
    group.wait();
  }
  expect_consistent(home);
}

// The level of the place where it was forked: not of the task around it, and not of where its worker is by now.
TEST_P(inheritance, by_halves_stolen_from_sections) {
  constexpr unsigned levels = 4;
  pool home(with_levels(levels, 3));
  for (std::size_t round = 0; round < rounds_with_steals(8); ++round) {
    task_group group(home);
    group.at(priority(1)).spawn([&] {
      std::atomic<bool> outer_stolen = false;
      std::atomic<bool> inner_stolen = false;
      fork_join(
          [&] {
            with_priority(priority(0), [&] {
              fork_join(
                  [&] {
                    with_priority(priority(3), [&] {
                      EXPECT_EQ(level_here(levels), 3U);
                      wait_until_true([&] { return outer_stolen && inner_stolen; });
                      EXPECT_EQ(level_here(levels), 3U);
                    });
                    EXPECT_EQ(level_here(levels), 0U);
                  },
                  [&] {
                    EXPECT_EQ(level_here(levels), 0U);
                    task_group inner;
                    inner.spawn([&] { EXPECT_EQ(level_here(levels), 0U); });
                    inner.wait();
                    inner_stolen = true;
                  });
              EXPECT_EQ(level_here(levels), 0U);
            });
            EXPECT_EQ(level_here(levels), 1U);
          },
          [&] {
            EXPECT_EQ(level_here(levels), 1U);
            fork_join([&] { EXPECT_EQ(level_here(levels), 1U); }, [&] { EXPECT_EQ(level_here(levels), 1U); });
            outer_stolen = true;
          });
    });
    group.wait();
  }
  expect_consistent(home);
}

// A tree of forks, each with its own level where it says so; four workers steal what they can get.
void grow_forks(unsigned levels, unsigned level, unsigned depth, std::uint64_t seed, std::atomic<std::size_t>& wrong) {
  if (level_here(levels) != level) ++wrong;
  if (depth == 0) return;
  random_source random(seed);
  const auto half = [&, a = random()] { grow_forks(levels, level, depth - 1, a, wrong); };
  const auto other = static_cast<unsigned>(random.below(levels));
  const auto section = [&, a = random()] {
    with_priority(priority(other), [&] {
      grow_forks(levels, other, depth - 1, a, wrong);
      fork_join([&] { pause_at_random(random); },
                [&] {
                  if (level_here(levels) != other) ++wrong;
                });
    });
    if (level_here(levels) != level) ++wrong;
  };
  if (random.one_in(2)) {
    fork_join(half, section);
  } else {
    fork_join(section, half);
  }
  if (level_here(levels) != level) ++wrong;
}

TEST_P(inheritance, by_trees_of_forks) {
  constexpr unsigned levels = 5;
  pool home(with_levels(levels, 4));
  random_source random(base_seed());
  std::atomic<std::size_t> wrong = 0;
  for (std::size_t round = 0; more_stress(round, 10); ++round) {
    task_group group(home);
    for (unsigned level = 0; level < levels; ++level)
      group.at(priority(level)).spawn([&, level, seed = random()] { grow_forks(levels, level, 6, seed, wrong); });
    group.wait();
  }
  EXPECT_EQ(wrong, 0U);
  expect_consistent(home);
}

TEST_P(inheritance, by_algorithms) {
  constexpr unsigned levels = 3;
  pool home(with_levels(levels, 4));
  std::atomic<std::size_t> wrong = 0;
  std::vector<int> values(2000, 1);
  task_group group(home);
  for (unsigned level = 0; level < levels; ++level) {
    group.at(priority(level)).spawn([&, level] {
      parallel_for_each(values, [&](const int&) {
        if (level_here(levels) != level) ++wrong;
      });
    });
  }
  group.wait();
  EXPECT_EQ(wrong, 0U);
}

// --- Callers.

TEST_P(inheritance, of_callers) {
  constexpr unsigned levels = 3;
  for (const std::size_t workers : {1U, 2U}) {
    pool home(with_levels(levels, workers));
    for (unsigned level = 0; level < levels; ++level) {
      with_priority(priority(level), [&] {
        home.run([&] { expect_children_at(home, levels, level); });
        EXPECT_EQ(home.run([&] { return with_priority(priority::low, [&] { return level_here(levels); }); }), 2U);
        EXPECT_EQ(home.submit([&] { return level_here(levels); }).get(), level);
      });
      // By a worker at once, at the level of its task.
      EXPECT_EQ(home.at(priority(level)).submit([&] { return home.run([&] { return level_here(levels); }); }).get(),
                level);
    }
    EXPECT_EQ(current_priority(), priority::normal);
    EXPECT_EQ(home.run([&] { return level_here(levels); }), 1U);
    // When no place is free, a worker does it, at the caller's level.
    for (std::size_t round = 0; more_stress(round, 10); ++round) {
      const auto level = static_cast<unsigned>(round % levels);
      countdown here(workers);
      gate go;
      countdown gone(workers);
      for (std::size_t i = 0; i < workers; ++i) {
        home.at(priority(2 - level)).detach([&] {
          here.down();
          go.wait();
          gone.down();
        });
      }
      here.wait();
      std::thread caller([&] {
        with_priority(priority(level), [&] {
          EXPECT_EQ(home.run([&] {
            task_group group;
            group.spawn([&] { EXPECT_EQ(level_here(levels), level); });
            group.wait();
            return level_here(levels);
          }),
                    level);
        });
      });
      go.open();
      caller.join();
      gone.wait();
    }
    expect_consistent(home);
  }
}

// Each pool has its own levels; who comes back has its old one.
TEST_P(inheritance, across_pools) {
  pool a(with_levels(3, 1));
  pool b(with_levels(8, 1));
  pool c(with_levels(1, 1));
  ledger all(3 * 4);
  task_group group(a);
  for (unsigned level = 0; level < 3; ++level) {
    group.at(priority(level)).spawn([&, level] {
      EXPECT_EQ(level_here(3), level);
      b.run([&] {
        EXPECT_LT(level_here(8), 8U);
        with_priority(priority(7), [&] {
          EXPECT_EQ(level_here(8), 7U);
          EXPECT_EQ(b.submit([] { return level_here(8); }).get(), 7U);
        });
        all.mark(4 * level);
      });
      EXPECT_EQ(level_here(3), level);
      // A wait from another pool may lift them.
      EXPECT_LE(b.at(priority(5)).submit([] { return level_here(8); }).get(), 5U);
      EXPECT_LE(b.at(priority::low).submit([] { return level_here(8); }).get(), 7U);
      EXPECT_EQ(b.at(priority::high).submit([] { return level_here(8); }).get(), 0U);
      EXPECT_LT(b.submit([] { return level_here(8); }).get(), 8U);
      EXPECT_EQ(c.submit([] { return level_here(1); }).get(), 0U);
      EXPECT_EQ(c.run([] { return level_here(1); }), 0U);
      EXPECT_EQ(level_here(3), level);
      task_group in_b(b);
      in_b.spawn([&, level] { all.mark(4 * level + 1); });
      in_b.at(priority(6)).spawn([&, level] {
        const unsigned here = level_here(8);
        EXPECT_LE(here, 6U);
        // And back.
        a.submit([&, level] { all.mark(4 * level + 2); }).get();
        EXPECT_EQ(level_here(8), here);
      });
      in_b.wait();
      all.mark(4 * level + 3);
      EXPECT_EQ(level_here(3), level);
    });
  }
  group.wait();
  all.expect_each_once();
}

TEST_P(inheritance, in_the_pool_of_one_level) {
  pool home(with_levels(1, 2));
  for (const priority each : {priority::high, priority::normal, priority::low, priority(0)}) {
    EXPECT_EQ(home.at(each).submit([] { return level_here(1); }).get(), 0U);
    with_priority(each, [&] { EXPECT_EQ(home.submit([] { return level_here(1); }).get(), 0U); });
    home.run([&] {
      with_priority(each, [&] { expect_children_at(home, 1, 0); });
      task_group group;
      group.at(each).spawn([&] { expect_children_at(home, 1, 0); });
      group.wait();
    });
  }
  // The default pool has one.
  EXPECT_EQ(default_pool().levels(), 1U);
  with_priority(priority::low, [] {
    fork_join([] { EXPECT_EQ(level_here(1), 0U); }, [] { EXPECT_EQ(level_here(1), 0U); });
    EXPECT_EQ(at(priority::high).submit([] { return level_here(1); }).get(), 0U);
  });
}

PILFER_ON_EVERY_SCHEDULER(inheritance);

}  // namespace
}  // namespace pilfer::test
