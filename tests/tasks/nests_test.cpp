// Chains of tasks, newest first: each task makes the next one and waits for it, so that every one that has begun needs a stack.
// At some depth a wait throws, and nothing is lost.
#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include <pthread.h>

#include <gtest/gtest.h>

#include <pilfer/future.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/statistics.hpp>
#include <pilfer/task_group.hpp>

#include "scheduler/deep_thread.hpp"
#include "support/environment.hpp"
#include "tasks/task_checks.hpp"

namespace pilfer::test {
namespace {

// While it lives, new threads have stacks of 2 MB under a sanitizer, which takes seconds to fill stacks of the usual size. They
// overflow in the same way. ./test --full keeps the usual size everywhere.
class stacks_of_new_threads {
 public:
  stacks_of_new_threads() {
    pthread_getattr_default_np(&before_);
    if ((!under_tsan && !under_asan) || stress_factor() > 1) return;
    pthread_attr_t smaller;
    pthread_getattr_default_np(&smaller);
    pthread_attr_setstacksize(&smaller, std::size_t{2} << 20U);
    pthread_setattr_default_np(&smaller);
    pthread_attr_destroy(&smaller);
  }
  ~stacks_of_new_threads() {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }
  stacks_of_new_threads(const stacks_of_new_threads&) = delete;
  stacks_of_new_threads& operator=(const stacks_of_new_threads&) = delete;

 private:
  pthread_attr_t before_{};
};

[[nodiscard]] bool is_nested_too_deeply(const std::runtime_error& error) {
  return std::string(error.what()).find("nested too deeply") != std::string::npos;
}

class nests : public on_scheduler {
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

 private:
  stacks_of_new_threads stacks_;
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
