// Long chains of tasks that wait for one another: no stack overflows, whatever the length, and nothing is lost.
#include <atomic>
#include <cstddef>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include <pilfer/fork_join.hpp>
#include <pilfer/future.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/task_group.hpp>

#include "scheduler/deep_thread.hpp"
#include "support/environment.hpp"
#include "tasks/task_checks.hpp"

namespace pilfer::test {
namespace {

class chains : public on_scheduler {
 protected:
  static constexpr std::size_t length = under_tsan ? 10'000 : under_asan ? 30'000 : 100'000;

  template <class Maker>
  static future<std::size_t> make_oldest_first(Maker& maker, std::size_t links) {
    future<std::size_t> last = maker.submit([] { return std::size_t{0}; });
    for (std::size_t i = 1; i < links; ++i) {
      last = maker.submit([before = std::move(last)]() mutable { return before.get() + 1; });
    }
    return last;
  }

  static void expect_usable(pool& home) {
    EXPECT_EQ(home.run([&] {
      const auto [left, right] = fork_join([] { return 1; }, [] { return 2; });
      task_group group;
      std::atomic<int> sum = left + right;
      for (int i = 0; i < 10; ++i) group.spawn([&] { ++sum; });
      group.wait();
      return sum.load();
    }),
              13);
    EXPECT_EQ(home.submit([&] { return home.submit([] { return 3; }).get(); }).get(), 3);
  }
};

TEST_P(chains, of_futures_from_outside_oldest_first) {
  for (const std::size_t size : {1U, 2U}) {
    pool home(options(size));
    auto last = make_oldest_first(home, length);
    EXPECT_EQ(last.get(), length - 1);
    expect_usable(home);
  }
}

TEST_P(chains, of_futures_from_inside_oldest_first) {
  for (const std::size_t size : {1U, 2U}) {
    pool home(options(size));
    home.run([&] {
      auto last = make_oldest_first(home, length);
      EXPECT_EQ(last.get(), length - 1);
    });
    expect_usable(home);
  }
}

TEST_P(chains, of_futures_in_a_group_oldest_first) {
  pool home(options(2));
  home.submit([&] {
        task_group group;
        auto last = make_oldest_first(group, length);
        group.wait();
        EXPECT_TRUE(last.is_ready());
        EXPECT_EQ(last.get(), length - 1);
      })
      .get();
  expect_usable(home);
}

// Every task of the chain is begun by a waiter: the other threads of the pool have no part in it.
TEST_P(chains, of_futures_on_a_small_stack) {
  deep_thread(
      [&] {
        pool home(options(1));
        auto last = make_oldest_first(home, length / 10);
        EXPECT_EQ(last.get(), length / 10 - 1);
        home.run([&] {
          auto inner = make_oldest_first(home, length / 10);
          EXPECT_EQ(inner.get(), length / 10 - 1);
        });
      },
      std::size_t{under_tsan || under_asan ? 2048U : 256U} << 10U);
}

// Tasks that were never begun, each of which has captured the future of the one before.
TEST_P(chains, of_futures_that_are_cancelled) {
  pool home(options(2));
  home.run([&] {
    task_group group;
    group.request_stop();
    auto last = make_oldest_first(group, length);
    EXPECT_THROW(static_cast<void>(last.get()), task_cancelled);
    EXPECT_EQ(group.wait().cancelled, length);
  });
  EXPECT_EQ(home.statistics().total().cancelled, length);
  expect_usable(home);
}

// --- Destruction.

struct holder {
  std::unique_ptr<future<holder>> next;
  counted_object count;
};

template <class Maker>
future<holder> make_holders(Maker& maker, std::size_t links) {
  future<holder> last = maker.submit([] { return holder{}; });
  for (std::size_t i = 1; i < links; ++i) {
    last = maker.submit([before = std::make_unique<future<holder>>(std::move(last))]() mutable {
      return holder{std::move(before), {}};
    });
  }
  return last;
}

TEST_P(chains, of_results_that_hold_the_next_future) {
  for (const std::size_t size : {1U, 2U}) {
    {
      pool home(options(size));
      {
        const auto last = make_holders(home, length);
        home.drain();
        EXPECT_TRUE(last.is_ready());
        EXPECT_EQ(counted_object::alive, static_cast<long>(length));
      }
      EXPECT_EQ(counted_object::alive, 0);  // destroyed by a thread that is no worker
      home.run([&] {
        task_group group;
        auto last = make_holders(group, length);
        group.wait();
        EXPECT_EQ(counted_object::alive, static_cast<long>(length));
        last = {};  // by a worker, or later: a task that its waiter ran may still have an entry in a queue
        auto dropped = make_holders(group, length);
        dropped = {};  // by the threads that run them, or here
        group.wait();
      });
      static_cast<void>(make_holders(home, length));
    }
    EXPECT_EQ(counted_object::alive, 0);  // by the end of the pool
  }
}

TEST_P(chains, of_results_on_a_small_stack) {
  deep_thread(
      [&] {
        pool home(options(1));
        {
          const auto last = make_holders(home, length);
          last.wait();
          home.drain();
        }
      },
      std::size_t{under_tsan || under_asan ? 2048U : 256U} << 10U);
  EXPECT_EQ(counted_object::alive, 0);
}

PILFER_ON_EVERY_SCHEDULER(chains);

// --- Newest first: each task makes the next one and waits for it, so that every one that has begun needs a stack.

[[nodiscard]] bool is_nested_too_deeply(const std::runtime_error& error) {
  return std::string(error.what()).find("nested too deeply") != std::string::npos;
}

class nests : public chains {
 protected:
  static constexpr std::size_t depth = 1'000'000;  // more than the threads' stacks have room for

  struct descent {
    pool& home;
    std::atomic<std::size_t> made = 0;
    std::atomic<std::size_t> begun = 0;
    std::atomic<std::size_t> ended = 0;
    std::atomic<std::size_t> refused = 0;
    std::atomic<std::size_t> cancelled = 0;
  };
  static pool_options few_threads(std::size_t size) {
    pool_options some = options(size);
    some.max_threads = 3;
    return some;
  }
  static void expect_nothing_lost(const descent& all) {
    EXPECT_GE(all.refused, 1U);
    EXPECT_LT(all.begun, depth);
    EXPECT_EQ(all.begun, all.ended);
    EXPECT_EQ(all.made - all.begun, all.home.statistics().total().cancelled);
    EXPECT_LE(all.home.statistics().threads, 3U);
  }
};

// The exception is caught where it is thrown: all tasks above have their results.
std::size_t descend_by_futures(auto& all, std::size_t left) {
  ++all.begun;
  std::size_t below = 0;
  if (left != 0) {
    ++all.made;
    try {
      below = all.home.submit([&all, left] { return descend_by_futures(all, left - 1); }).get();
    } catch (const std::runtime_error& error) {
      EXPECT_TRUE(is_nested_too_deeply(error)) << error.what();
      ++all.refused;
    }
  }
  ++all.ended;
  return below + 1;
}

TEST_P(nests, of_futures_throw) {
  pool home(few_threads(2));
  descent all{home};
  all.made = 1;
  EXPECT_EQ(home.submit([&] { return descend_by_futures(all, depth); }).get(), all.begun);
  home.drain();
  EXPECT_EQ(all.refused, 1U);
  expect_nothing_lost(all);
  expect_usable(home);
}

TEST_P(nests, of_futures_from_a_small_stack_throw) {
  deep_thread(
      [&] {
        pool home(few_threads(1));
        descent all{home};
        all.made = 1;
        EXPECT_EQ(home.run([&] { return descend_by_futures(all, depth); }), all.begun);
        home.drain();
        expect_nothing_lost(all);
        expect_usable(home);
      },
      std::size_t{under_tsan || under_asan ? 2048U : 256U} << 10U);
}

// It is not caught before the outermost wait.
void descend_uncaught(auto& all, std::size_t left) {
  ++all.begun;
  ++all.made;
  struct count_at_end {
    std::atomic<std::size_t>& count;
    ~count_at_end() { ++count; }
  };
  const count_at_end at_end{all.ended};
  if (left != 0) all.home.submit([&all, left] { descend_uncaught(all, left - 1); }).get();
}

TEST_P(nests, of_futures_throw_through_all_tasks) {
  pool home(few_threads(2));
  descent all{home};
  auto outermost = home.submit([&] { descend_uncaught(all, depth); });
  try {
    outermost.get();
    ADD_FAILURE() << "the wait returned";
  } catch (const std::runtime_error& error) {
    EXPECT_TRUE(is_nested_too_deeply(error)) << error.what();
  }
  home.drain();
  EXPECT_LT(all.begun, depth);
  EXPECT_EQ(all.begun, all.ended);
  EXPECT_EQ(home.statistics().total().cancelled, 1U);
  expect_usable(home);
}

// Two tasks per group: at the end both are cancelled, or one is.
void descend_by_groups(auto& all, std::size_t left) {
  ++all.begun;
  if (left != 0) {
    task_group group(all.home);
    for (int i = 0; i < 2; ++i) {
      ++all.made;
      group.spawn([&all, left, i] {
        if (i == 0) {
          descend_by_groups(all, left - 1);
        } else {
          ++all.begun;
          ++all.ended;
        }
      });
    }
    try {
      group.wait();
    } catch (const std::runtime_error& error) {
      EXPECT_TRUE(is_nested_too_deeply(error)) << error.what();
      ++all.refused;
      group.wait();
      EXPECT_TRUE(group.stop_requested());
    }
    all.cancelled += group.outcome().cancelled;
  }
  ++all.ended;
}

TEST_P(nests, of_groups_throw) {
  pool home(few_threads(2));
  descent all{home};
  all.made = 1;
  home.submit([&] { descend_by_groups(all, depth); }).get();
  home.drain();
  expect_nothing_lost(all);
  EXPECT_EQ(all.made - all.begun, all.cancelled);
  expect_usable(home);
}

// A pool gives up only after it has been stuck for a second, so that only two schedulers have their turn.
// A queue without a bound, and one with it. Deep stacks are dear under ThreadSanitizer.
std::vector<std::string> schedulers_of_nests() {
  return under_tsan ? std::vector<std::string>{"default"} : std::vector<std::string>{"default", "bwos-fifo"};
}
INSTANTIATE_TEST_SUITE_P(schedulers, nests, ::testing::ValuesIn(schedulers_of_nests()), scheduler_label());

}  // namespace
}  // namespace pilfer::test
