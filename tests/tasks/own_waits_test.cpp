// Waits that can never end, because what is awaited waits for the caller: they throw. And waits that look like them, but end.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/blocking_region.hpp>
#include <pilfer/fork_join.hpp>
#include <pilfer/future.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/task_group.hpp>

#include "support/environment.hpp"
#include "tasks/task_checks.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;

[[nodiscard]] bool is_own_wait(const std::logic_error& error) {
  return std::string(error.what()).find("this wait would never end") != std::string::npos;
}

class own_waits : public on_scheduler {
 protected:
  // Counts a wait that throws as it should; any other exception, or none, is a failure.
  template <class Wait>
  void expect_own(Wait&& wait) {
    try {
      wait();
      ADD_FAILURE() << "the wait returned";
    } catch (const std::logic_error& error) {
      EXPECT_TRUE(is_own_wait(error)) << error.what();
      ++thrown_;
    }
  }
  // Waits, and counts what a wait in a circle throws: the other waits of that circle return then.
  template <class Wait>
  void wait_in_circle(Wait&& wait) {
    try {
      wait();
      ++returned_;
    } catch (const std::logic_error& error) {
      EXPECT_TRUE(is_own_wait(error)) << error.what();
      ++thrown_;
    }
  }
  // Calls f with a pool of each size, outside and inside of it.
  static void with_pools(const std::function<void(pool&)>& f) {
    for (const std::size_t size : {1U, 2U, 3U}) {
      SCOPED_TRACE(std::to_string(size) + " workers");
      pool home(options(size));
      for (std::size_t round = 0; more_stress(round, 10); ++round) {
        f(home);
        home.run([&] { f(home); });
      }
    }
  }
  void expect_counts(std::size_t thrown, std::size_t returned = 0) {
    EXPECT_EQ(thrown_.exchange(0), thrown);
    EXPECT_EQ(returned_.exchange(0), returned);
  }

  // So many waits in all. A group that is left by an exception waits once more, in its destructor, and so the other wait of its
  // circle throws, too.
  void expect_ended(std::size_t waits, std::size_t least_thrown) {
    EXPECT_GE(thrown_, least_thrown);
    EXPECT_EQ(thrown_ + returned_, waits);
    thrown_ = 0;
    returned_ = 0;
  }

  std::atomic<std::size_t> thrown_ = 0;
  std::atomic<std::size_t> returned_ = 0;
};

void spin_until_set(const std::atomic<bool>& flag) {
  while (!flag) std::this_thread::yield();
}

// --- A task's own group.

TEST_P(own_waits, of_a_group_in_its_task) {
  with_pools([&](pool& home) {
    task_group group(home);
    for (int i = 0; i < 3; ++i) {
      group.spawn([&] {
        expect_own([&] { group.wait(); });
        expect_own([&] { group.wait(); });
      });
    }
    group.wait();
    expect_counts(6);
  });
}

TEST_P(own_waits, of_a_group_in_its_submitted_task) {
  with_pools([&](pool& home) {
    task_group group(home);
    auto answer = group.submit([&] {
      expect_own([&] { group.wait(); });
      return 3;
    });
    EXPECT_EQ(answer.get(), 3);
    group.wait();
    expect_counts(1);
  });
}

TEST_P(own_waits, of_a_group_whose_task_does_not_catch_it) {
  with_pools([&](pool& home) {
    task_group group(home);
    group.spawn([&] { group.wait(); });
    EXPECT_THROW(group.wait(), std::logic_error);
    EXPECT_EQ(group.outcome().failed, 1U);
    group.spawn([] {});
    group.wait();
  });
}

TEST_P(own_waits, of_a_group_in_both_halves_of_a_fork) {
  with_pools([&](pool& home) {
    task_group group(home);
    group.spawn([&] {
      fork_join(
          [&] { expect_own([&] { group.wait(); }); },
          [&] { fork_join([&] { expect_own([&] { group.wait(); }); }, [&] { expect_own([&] { group.wait(); }); }); });
    });
    group.wait();
    expect_counts(3);
  });
}

TEST_P(own_waits, of_a_group_in_a_half_that_was_stolen) {
  for (const std::size_t size : {2U, 3U}) {
    pool home(options(size));
    task_group group(home);
    group.spawn([&] {
      std::atomic<bool> stolen = false;
      fork_join([&] { wait_until_true([&] { return stolen.load(); }); },
                [&] {
                  stolen = true;
                  expect_own([&] { group.wait(); });
                });
    });
    group.wait();
    expect_counts(1);
  }
}

TEST_P(own_waits, of_a_group_in_a_region) {
  with_pools([&](pool& home) {
    task_group group(home);
    group.spawn([&] {
      const blocking_region region;
      expect_own([&] { group.wait(); });
    });
    group.wait();
    expect_counts(1);
  });
}

TEST_P(own_waits, of_a_group_in_a_task_of_a_subgroup) {
  with_pools([&](pool& home) {
    task_group group(home);
    group.spawn([&] {
      task_group inner;
      for (int i = 0; i < 3; ++i) inner.spawn([&] { expect_own([&] { group.wait(); }); });
      inner.wait();
      ++returned_;
    });
    group.wait();
    expect_counts(3, 1);
  });
}

TEST_P(own_waits, of_a_group_in_a_task_that_its_task_waits_for) {
  with_pools([&](pool& home) {
    task_group group(home);
    future<int> inner;
    group.spawn([&] {
      inner = home.submit([&] {
        wait_in_circle([&] { group.wait(); });
        return 1;
      });
      wait_in_circle([&] { inner.wait(); });
    });
    group.wait();
    EXPECT_EQ(inner.get(), 1);
    expect_counts(1, 1);
  });
}

TEST_P(own_waits, of_a_group_two_subgroups_below) {
  with_pools([&](pool& home) {
    task_group group(home);
    group.spawn([&] {
      task_group middle;
      middle.spawn([&] {
        task_group inner;
        inner.spawn([&] {
          expect_own([&] { group.wait(); });
          expect_own([&] { middle.wait(); });
          expect_own([&] { inner.wait(); });
        });
        inner.wait();
        ++returned_;
      });
      middle.wait();
      ++returned_;
    });
    group.wait();
    expect_counts(3, 2);
  });
}

TEST_P(own_waits, of_a_group_in_another_pool) {
  pool other(options(1));
  with_pools([&](pool& home) {
    task_group group(home);
    group.spawn([&] {
      other.run([&] {
        expect_own([&] { group.wait(); });
        task_group inner(other);
        inner.spawn([&] { wait_in_circle([&] { group.wait(); }); });
        wait_in_circle([&] { inner.wait(); });
      });
    });
    group.wait();
    expect_ended(3, 2);
  });
}

TEST_P(own_waits, of_a_group_back_in_its_pool) {
  pool other(options(2));
  with_pools([&](pool& home) {
    task_group group(home);
    group.spawn([&] {
      other.run([&] { home.run([&] { expect_own([&] { group.wait(); }); }); });
      task_group inner(other);
      inner.spawn([&] { home.run([&] { wait_in_circle([&] { group.wait(); }); }); });
      wait_in_circle([&] { inner.wait(); });
    });
    group.wait();
    expect_ended(3, 2);
  });
}

TEST_P(own_waits, limited_ones_return_false) {
  with_pools([&](pool& home) {
    task_group group(home);
    future<int> own;
    std::atomic<bool> is_known = false;
    group.spawn([&] {
      EXPECT_FALSE(group.wait_for(0s));
      EXPECT_FALSE(group.wait_for(200us));
      task_group inner;
      inner.spawn([&] { EXPECT_FALSE(group.wait_for(200us)); });
      inner.wait();
      ++returned_;
    });
    own = group.submit([&] {
      spin_until_set(is_known);
      EXPECT_FALSE(own.wait_for(0s));
      EXPECT_FALSE(own.wait_for(200us));
      EXPECT_FALSE(own.is_ready());
      ++returned_;
      return 3;
    });
    is_known = true;
    group.wait();
    EXPECT_EQ(own.get(), 3);
    expect_counts(0, 2);
  });
}

// --- A task's own future.

TEST_P(own_waits, of_a_future_in_its_task) {
  with_pools([&](pool& home) {
    future<int> own;
    std::atomic<bool> is_known = false;
    own = home.submit([&] {
      spin_until_set(is_known);
      expect_own([&] { own.wait(); });
      expect_own([&] { static_cast<void>(own.get()); });
      fork_join([&] { expect_own([&] { own.wait(); }); }, [&] { expect_own([&] { own.wait(); }); });
      return 3;
    });
    is_known = true;
    EXPECT_EQ(own.get(), 3);
    expect_counts(4);
  });
}

TEST_P(own_waits, of_a_future_in_a_group_of_its_task) {
  pool other(options(1));
  with_pools([&](pool& home) {
    future<int> own;
    std::atomic<bool> is_known = false;
    own = home.submit([&] {
      spin_until_set(is_known);
      for (pool* each : {&home, &other}) {
        task_group inner(*each);
        inner.spawn([&] { wait_in_circle([&] { own.wait(); }); });
        wait_in_circle([&] { inner.wait(); });
      }
      return 3;
    });
    is_known = true;
    EXPECT_EQ(own.get(), 3);
    expect_ended(4, 2);
  });
}

// --- Circles.

TEST_P(own_waits, of_two_tasks_for_one_another) {
  with_pools([&](pool& home) {
    task_group group(home);
    future<int> one;
    future<int> two;
    std::atomic<bool> are_known = false;
    const auto get_other = [&](future<int>& other) {
      spin_until_set(are_known);
      wait_in_circle([&] { EXPECT_EQ(other.get(), 3); });
      return 3;
    };
    one = group.submit([&] { return get_other(two); });
    two = group.submit([&] { return get_other(one); });
    are_known = true;
    group.wait();
    expect_counts(1, 1);
  });
}

TEST_P(own_waits, of_two_tasks_that_do_not_catch_it) {
  with_pools([&](pool& home) {
    future<int> one;
    future<int> two;
    std::atomic<bool> are_known = false;
    one = home.submit([&] {
      spin_until_set(are_known);
      two.wait();
      return 1;
    });
    two = home.submit([&] {
      spin_until_set(are_known);
      one.wait();
      return 2;
    });
    are_known = true;
    for (future<int>* each : {&one, &two}) each->wait();  // before one of them is gone, for which the other task waits
    for (future<int>* each : {&one, &two}) {
      try {
        static_cast<void>(each->get());
        ++returned_;
      } catch (const std::logic_error& error) {
        EXPECT_TRUE(is_own_wait(error)) << error.what();
        ++thrown_;
      }
    }
    expect_counts(1, 1);
  });
}

TEST_P(own_waits, of_two_groups_for_one_another) {
  with_pools([&](pool& home) {
    task_group one(home);
    task_group two(home);
    std::atomic<int> begun = 0;
    std::atomic<bool> are_known = false;
    one.spawn([&] {
      spin_until_set(are_known);
      ++begun;
      wait_in_circle([&] { two.wait(); });
    });
    two.spawn([&] {
      spin_until_set(are_known);
      ++begun;
      wait_in_circle([&] { one.wait(); });
    });
    are_known = true;
    one.wait();
    two.wait();
    EXPECT_EQ(begun, 2);
    expect_counts(1, 1);
  });
}

TEST_P(own_waits, of_three_tasks_in_two_pools) {
  pool other(options(1));
  with_pools([&](pool& home) {
    std::vector<future<int>> circle(3);
    std::atomic<bool> are_known = false;
    for (std::size_t i = 0; i < circle.size(); ++i) {
      circle[i] = (i == 1 ? other : home).submit([&, i] {
        spin_until_set(are_known);
        wait_in_circle([&] { circle[(i + 1) % circle.size()].wait(); });
        return static_cast<int>(i);
      });
    }
    are_known = true;
    for (const future<int>& each : circle) each.wait();
    for (std::size_t i = 0; i < circle.size(); ++i) EXPECT_EQ(circle[i].get(), static_cast<int>(i));
    expect_counts(1, 2);
  });
}

TEST_P(own_waits, of_a_circle_of_groups_forks_and_futures_in_two_pools) {
  pool other(options(2));
  with_pools([&](pool& home) {
    task_group group(other);
    future<int> first;
    future<int> last;
    std::atomic<bool> are_known = false;
    first = home.submit([&] {
      spin_until_set(are_known);
      fork_join([] {}, [&] { wait_in_circle([&] { group.wait(); }); });
      return 1;
    });
    group.spawn([&] {
      spin_until_set(are_known);
      home.run([&] { wait_in_circle([&] { last.wait(); }); });
    });
    last = home.submit([&] {
      spin_until_set(are_known);
      wait_in_circle([&] { first.wait(); });
      return 3;
    });
    are_known = true;
    group.wait();
    first.wait();
    last.wait();
    EXPECT_EQ(first.get(), 1);
    EXPECT_EQ(last.get(), 3);
    expect_counts(1, 2);
  });
}

// --- Waits that end.

TEST_P(own_waits, not_of_a_subgroup_that_outlives_its_task) {
  with_pools([&](pool& home) {
    task_group group(home);
    std::unique_ptr<task_group> inner;
    std::atomic<bool> is_waiting = false;
    group.spawn([&] {
      inner = std::make_unique<task_group>();
      inner->spawn([&] {
        is_waiting = true;
        group.wait();
        ++returned_;
      });
      const blocking_region region;  // so that the inner task waits while this one is unfinished
      spin_until_set(is_waiting);
      std::this_thread::sleep_for(500us);
    });
    group.wait();
    inner->wait();
    inner.reset();
    expect_counts(0, 1);
  });
}

TEST_P(own_waits, not_of_siblings_in_order) {
  with_pools([&](pool& home) {
    constexpr std::size_t tasks = 50;
    task_group group(home);
    std::vector<future<std::size_t>> results(tasks);
    for (std::size_t i = 0; i < tasks; ++i) {
      results[i] = group.submit([&, i] { return i == 0 ? 0 : results[i - 1].get() + 1; });
    }
    EXPECT_EQ(results.back().get(), tasks - 1);
    EXPECT_EQ(group.wait().failed, 0U);
  });
}

// The group that is awaited has a task that sleeps until a sibling of the waiter ends.
TEST_P(own_waits, not_of_a_group_whose_task_needs_a_sibling) {
  with_pools([&](pool& home) {
    task_group outer(home);
    task_group awaited(home);
    std::atomic<bool> are_known = false;
    std::atomic<bool> go_on = false;
    future<int> sibling = outer.submit([&] {
      const blocking_region region;
      spin_until_set(go_on);
      return 3;
    });
    awaited.spawn([&] {
      spin_until_set(are_known);
      EXPECT_EQ(sibling.get(), 3);
      ++returned_;
    });
    outer.spawn([&] {
      spin_until_set(are_known);
      go_on = true;
      awaited.wait();
      ++returned_;
    });
    are_known = true;
    outer.wait();
    awaited.wait();
    expect_counts(0, 2);
  });
}

// A group that is awaited by a task of another one, with tasks that sleep, and that are spawned while it is awaited.
TEST_P(own_waits, not_of_groups_with_tasks_that_sleep) {
  with_pools([&](pool& home) {
    task_group first(home);
    task_group second(home);
    for (int i = 0; i < 4; ++i) {
      first.spawn([&] {
        const blocking_region region;
        std::this_thread::sleep_for(100us);
        ++returned_;
      });
    }
    for (int i = 0; i < 4; ++i) {
      second.spawn([&] {
        first.wait();
        ++returned_;
      });
    }
    second.wait();
    first.wait();
    expect_counts(0, 8);
  });
}

// Each task waits for earlier tasks and for earlier groups, in two pools: never a circle.
TEST_P(own_waits, not_of_random_tasks_without_a_circle) {
  random_source random(base_seed());
  pool first(options(2));
  pool second(options(1));
  constexpr std::size_t layers = 4;
  constexpr std::size_t in_layer = under_tsan || under_asan ? 6 : 15;
  std::atomic<std::size_t> ran = 0;
  std::size_t spawned = 0;
  for (std::size_t round = 0; more_stress(round, 200, 4); ++round) {
    std::vector<std::unique_ptr<task_group>> groups;
    std::vector<future<std::size_t>> results(layers * in_layer);
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (i % in_layer == 0) groups.push_back(std::make_unique<task_group>(random.one_in(2) ? first : second));
      const std::size_t layer = i / in_layer;
      std::vector<std::size_t> needed;
      for (std::size_t k = random.below(3); i != 0 && k != 0; --k) needed.push_back(random.below(i));
      task_group* const group = layer != 0 && random.one_in(3) ? groups[random.below(layer)].get() : nullptr;
      const bool forks = random.one_in(3);
      pool* const entered = random.one_in(4) ? random.one_in(2) ? &first : &second : nullptr;
      results[i] = groups.back()->submit([&results, &ran, i, needed, group, forks, entered] {
        const auto wait = [&] {
          if (group != nullptr) group->wait();
          for (const std::size_t each : needed) results[each].wait();
        };
        const auto fork = [&] {
          if (forks) {
            fork_join(wait, wait);
          } else {
            wait();
          }
        };
        if (entered != nullptr) {
          entered->run(fork);
        } else {
          fork();
        }
        ++ran;
        return i;
      });
      ++spawned;
    }
    for (const auto& each : groups) EXPECT_EQ(each->wait().failed, 0U);
    for (std::size_t i = 0; i < results.size(); ++i) EXPECT_EQ(results[i].get(), i);
  }
  EXPECT_EQ(ran, spawned);
}

PILFER_ON_EVERY_SCHEDULER(own_waits);

// --- The destructor cannot throw.

TEST(own_waits_death, of_a_group_that_its_own_task_destroys) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        pool home(2);
        auto group = std::make_unique<task_group>(home);
        group->spawn([&] { group.reset(); });
        std::this_thread::sleep_for(60s);
      },
      "this wait would never end");
}

}  // namespace
}  // namespace pilfer::test
