// Pools with levels on a machine that refuses threads and memory: no task of any level is lost, none runs twice, no wait is endless.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
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
#include "support/refusals.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;

constexpr unsigned fault_levels = 4;
priority fault_level(std::size_t task) { return priority(static_cast<unsigned>(task % fault_levels)); }

class level_faults : public with_refusals<on_levels> {};

// All ways to use tasks, at each level.
void expect_levels_work(pool& home) {
  ledger all(2 * fault_levels * 6);
  const auto use = [&](std::size_t at, unsigned level) {
    task_group group(home);
    group.at(priority(level)).spawn([&, at] {
      fork_join([&] { all.mark(at); }, [&] { all.mark(at + 1); });
      task_group inner;
      inner.at(priority::low).spawn([&, at] { all.mark(at + 2); });
      inner.wait();
    });
    home.at(priority(level)).submit([&, at] { all.mark(at + 3); }).get();
    home.at(priority(level)).detach([&, at] { all.mark(at + 4, std::memory_order_release); });
    with_priority(priority(level), [&] { group.spawn([&, at] { all.mark(at + 5); }); });
    group.wait();
  };
  for (unsigned level = 0; level < fault_levels; ++level) use(6 * level, level);
  home.run([&] {
    for (unsigned level = 0; level < fault_levels; ++level) use(6 * (fault_levels + level), level);
  });
  wait_until_true([&] {
    home.run([] {});
    return all.marked() == all.size();
  });
  all.expect_each_once();
}

// --- No threads.

TEST_P(level_faults, no_threads_at_all) {
  for (const std::size_t workers : {1U, 3U}) {
    threads_refused.fail_at(1, true);
    ledger all(3 * fault_levels);
    {
      pool home(with_levels(fault_levels, workers));
      EXPECT_EQ(home.statistics().threads, 0U);
      expect_levels_work(home);
      // The ones that nobody waits for.
      for (std::size_t i = 0; i < fault_levels; ++i) {
        home.at(fault_level(i)).detach([&, i] { all.mark(i); });
        static_cast<void>(home.at(fault_level(i)).submit([&, i] { all.mark(fault_levels + i); }));
      }
      home.run([&] {
        for (std::size_t i = 0; i < fault_levels; ++i)
          home.at(fault_level(i)).detach([&, i] { all.mark(2 * fault_levels + i); });
      });
      auto polled = home.at(priority::low).submit([] { return 5; });
      wait_until_true([&] { return polled.wait_for(10us); });
      EXPECT_EQ(polled.get(), 5);
      expect_levels_work(home);
    }
    threads_refused.stop();
    all.expect_each_once();
  }
}

// A waiter that would give way has nobody to give way to: it does its own, then.
TEST_P(level_faults, nobody_to_give_way_to) {
  for (const std::size_t workers : {1U, 2U}) {
    for (const bool any_thread : {true, false}) {
      SCOPED_TRACE(std::to_string(workers) + (any_thread ? " workers" : " workers without threads"));
      threads_refused.fail_at(1, true);
      if (any_thread) threads_refused.stop();
      {
        pool home(with_levels(fault_levels, workers));
        threads_refused.fail_at(1, true);
        for (std::size_t round = 0; more_stress(round, 8); ++round) {
          ledger strange(12);
          ledger own(12);
          task_group strangers(home);
          task_group outer(home);
          const auto waiter = [&] {
            task_group group;
            for (std::size_t i = 0; i < own.size(); ++i) {
              group.at(priority::low).spawn([&, i] {
                own.mark(i);
                strangers.at(fault_level(i % 2)).spawn([&, i] { strange.mark(i); });
              });
            }
            group.wait();
          };
          if (round % 2 == 0) {
            outer.at(priority::low).spawn(waiter);
          } else {
            home.run([&] { with_priority(priority::low, waiter); });
          }
          outer.wait();
          strangers.wait();
          own.expect_each_once();
          strange.expect_each_once();
        }
      }
      threads_refused.stop();
    }
  }
}

// High waits for low, through several levels, with spare workers that cannot be had.
TEST_P(level_faults, lifting_without_threads) {
  for (const std::size_t workers : {1U, 2U}) {
    pool home(with_levels(fault_levels, workers));
    threads_refused.fail_at(1, true);
    for (std::size_t round = 0; more_stress(round, 8); ++round) {
      ledger all(2 * fault_levels);
      task_group middle(home);
      for (std::size_t i = 0; i < fault_levels; ++i)
        middle.at(fault_level(i)).spawn([&, i] { all.mark(fault_levels + i); });
      task_group outer(home);
      outer.at(priority(0)).spawn([&] {
        all.mark(0);
        task_group second;
        second.at(priority(2)).spawn([&] {
          all.mark(1);
          home.at(priority(3))
              .submit([&] {
                all.mark(2);
                task_group last;
                last.at(priority(1)).spawn([&] { all.mark(3); });
                last.wait();
              })
              .get();
        });
        second.wait();
      });
      outer.wait();
      middle.wait();
      all.expect_each_once();
    }
    threads_refused.stop();
    expect_levels_work(home);
  }
}

TEST_P(level_faults, every_thread_in_turn) {
  for (std::uint64_t k = 1; k < 6; ++k) {
    threads_refused.fail_at(k, false);
    {
      pool home(with_levels(fault_levels, 3));
      expect_levels_work(home);
    }
    threads_refused.stop();
  }
}

// --- No memory.

// A pool that cannot be made says so, and leaves nothing behind; one that can works, perhaps with fewer workers.
TEST_P(level_faults, making_a_pool_without_memory) {
  std::size_t refused = 0;
  std::size_t made = 0;
  for (const bool ageing : {false, true}) {
    bool failed = true;
    for (std::uint64_t k = 1; failed; k += k < 40 ? 1 : 7) {
      SCOPED_TRACE("allocation " + std::to_string(k) + " fails");
      ASSERT_LT(k, 2000U) << "there is no end to it";
      pool_options chosen = with_levels(fault_levels, 2);
      if (ageing) chosen.ageing = 1ms;
      memory_refused.fail_at(k, false);
      try {
        pool home(chosen);
        failed = memory_refused.stop() > 0;
        ++made;
        expect_levels_work(home);
      } catch (const std::bad_alloc&) {
        memory_refused.stop();
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 0U) << "this test tests nothing";
  EXPECT_GT(made, 2U) << "fewer workers are better than none";
}

TEST_P(level_faults, spawning_without_memory) {
  for (const std::size_t workers : {1U, 2U}) {
    pool home(with_levels(fault_levels, workers));
    for (const bool inside : {false, true}) {
      for (std::uint64_t k = 1; k <= 24; ++k) {
        SCOPED_TRACE("allocation " + std::to_string(k) + (inside ? " fails, inside" : " fails"));
        ledger all(30 * fault_levels);
        std::atomic<std::size_t> wrong = 0;
        task_group group(home);
        std::size_t thrown = 0;
        const auto check = [&](std::size_t i) {
          if (level_here(fault_levels) != i % fault_levels) ++wrong;
        };
        const auto spawn_all = [&] {
          memory_refused.fail_at(k, k % 3 == 0);
          for (std::size_t i = 0; i < all.size(); ++i) {
            try {
              switch ((i / fault_levels) % 3) {
                case 0:
                  group.at(fault_level(i)).spawn([&, i] {
                    check(i);
                    all.mark(i);
                  });
                  break;
                case 1:
                  group.at(fault_level(i)).spawn([&, i, large = large_part()] { all.mark(i + large.content[7]); });
                  break;
                default:
                  home.at(fault_level(i)).detach([&, i] {
                    check(i);
                    all.mark(i, std::memory_order_release);
                  });
                  break;
              }
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
        EXPECT_EQ(wrong, 0U) << "also who runs at once has its own level";
        wait_until_true([&] {
          home.run([] {});
          return all.marked() == all.size();
        });
        all.expect_each_once();
      }
    }
    expect_levels_work(home);
  }
}

TEST_P(level_faults, submitting_without_memory) {
  pool home(with_levels(fault_levels, 2));
  const auto check = [&] {
    bool ever = false;
    for (std::uint64_t k = 1; k <= 40; ++k) {
      SCOPED_TRACE("allocation " + std::to_string(k) + " fails");
      ledger all(3 * fault_levels);
      std::vector<future<void>> futures;
      futures.reserve(all.size());
      std::vector<bool> accepted(all.size());
      memory_refused.fail_at(k, k % 2 == 0);
      for (std::size_t i = 0; i < all.size(); ++i) {
        try {
          if (i % 3 == 0) {
            futures.push_back(
                home.at(fault_level(i)).submit([&all, i, part = large_part()] { all.mark(i + part.content[3]); }));
          } else {
            futures.push_back(home.at(fault_level(i)).submit([&all, i] { all.mark(i); }));
          }
          accepted[i] = true;
        } catch (const std::bad_alloc&) {
          ever = true;
        }
      }
      memory_refused.stop();
      for (future<void>& each : futures) each.get();
      for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all.runs_of(i), accepted[i] ? 1U : 0U) << i;
    }
    EXPECT_TRUE(ever) << "this test tests nothing";
  };
  check();
  home.run(check);
  home.at(priority::low).submit(check).get();
  expect_levels_work(home);
}

// Lifting, ageing and giving way may want memory: they do without, or are left out. The tasks are not.
TEST_P(level_faults, waiting_without_memory) {
  for (const std::size_t workers : {1U, 2U}) {
    for (const auto age : {0ns, 1000ns}) {
      pool_options chosen = with_levels(fault_levels, workers);
      chosen.ageing = age;
      pool home(chosen);
      for (std::uint64_t k = 1; k <= 20; ++k) {
        SCOPED_TRACE(std::to_string(workers) + " workers, allocation " + std::to_string(k) + " fails");
        constexpr std::size_t each = 20;
        ledger all(3 * each);
        ledger strange(each);
        task_group strangers(home);
        task_group outer(home);
        task_group groups[] = {task_group(home), task_group(home), task_group(home)};
        for (std::size_t t = 0; t < 3; ++t) {
          outer.at(priority(static_cast<unsigned>(t))).spawn([&, t] {
            for (std::size_t i = 0; i < each; ++i) {
              groups[t].at(fault_level(i)).spawn([&, t, i] { all.mark(t * each + i); });
              if (t == 2) strangers.at(fault_level(i)).spawn([&, i] { strange.mark(i); });
            }
            groups[t].wait();
          });
        }
        memory_refused.fail_at(k, k % 2 == 0);
        outer.wait();
        strangers.wait();
        memory_refused.stop();
        all.expect_each_once();
        strange.expect_each_once();
      }
      expect_levels_work(home);
    }
  }
}

TEST_P(level_faults, blocking_and_resizing_without_memory) {
  pool home(with_levels(fault_levels, 2));
  for (std::uint64_t k = 1; k <= 16; ++k) {
    ledger all(12);
    task_group group(home);
    memory_refused.fail_at(k, k % 2 == 0);
    for (std::size_t i = 0; i < all.size(); ++i) {
      group.at(fault_level(i)).spawn([&, i] {
        const blocking_region region;
        all.mark(i);
      });
    }
    try {
      home.resize(1 + k % 5);
    } catch (const std::bad_alloc&) {
    }
    group.wait();
    memory_refused.stop();
    all.expect_each_once();
    expect_levels_work(home);
  }
}

// A caller for whom there is no worker, with tasks of all levels to leave behind.
TEST_P(level_faults, callers_without_memory) {
  pool home(with_levels(fault_levels, 1));
  for (std::uint64_t k = 1; k <= 16; ++k) {
    ledger all(20);
    std::atomic<std::size_t> made = 0;
    memory_refused.fail_at(k, k % 2 == 0);
    try {
      home.run([&] {
        for (std::size_t i = 0; i < all.size(); ++i) {
          ++made;
          home.at(fault_level(i)).detach([&, i] { all.mark(i, std::memory_order_release); });
        }
      });
    } catch (const std::bad_alloc&) {
    }
    memory_refused.stop();
    wait_until_true([&] {
      home.run([] {});
      return all.marked() == made;
    });
    all.expect_each_at_most_once();
  }
  expect_levels_work(home);
}

PILFER_ON_EVERY_SCHEDULER(level_faults);

}  // namespace
}  // namespace pilfer::test
