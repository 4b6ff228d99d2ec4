// Long chains of tasks that wait for one another: no stack overflows, whatever the length, and nothing is lost.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>

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

class chains : public on_scheduler {
 protected:
  static constexpr std::size_t length = under_tsan ? 5'000 : under_asan ? 30'000 : 100'000;

  template <class Maker>
  static future<std::size_t> make_oldest_first(Maker& maker, std::size_t links) {
    future<std::size_t> last = maker.submit([] { return std::size_t{0}; });
    for (std::size_t i = 1; i < links; ++i) {
      last = maker.submit([before = std::move(last)]() mutable { return before.get() + 1; });
    }
    return last;
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

// A result whose end runs tasks, and then lets go of the result before it. The wait with a limit takes the task out of the ledger of the group's
// owner, so that its memory is freed by the group's end.
struct busy_result {
  explicit busy_result(std::shared_ptr<void> b) : before(std::move(b)) {}
  busy_result(busy_result&& other) noexcept
      : before(std::move(other.before)), runs(std::exchange(other.runs, nullptr)) {}
  busy_result& operator=(busy_result&&) = delete;
  ~busy_result() {
    if (runs == nullptr) return;
    task_group group;
    group.spawn([count = runs] { ++*count; });
    static_cast<void>(group.wait_for(std::chrono::microseconds(1)));
    group.wait();
  }
  std::shared_ptr<void> before;
  std::atomic<std::size_t>* runs = nullptr;
};

TEST_P(chains, of_results_that_run_tasks_when_they_end) {
  pool home(options(2));
  constexpr std::size_t links = 100;
  std::atomic<std::size_t> runs = 0;
  home.run([&] {
    std::shared_ptr<void> last;
    for (std::size_t i = 0; i < links; ++i) {
      auto next = std::make_shared<future<busy_result>>(home.submit([&runs, before = std::move(last)]() mutable {
        busy_result result(std::move(before));
        result.runs = &runs;
        return result;
      }));
      next->wait();
      last = std::move(next);
    }
  });
  // An entry in a queue may be the last to refer to a task.
  wait_until_true([&] {
    expect_usable(home);
    return runs == links;
  });
}

PILFER_ON_EVERY_SCHEDULER(chains);

}  // namespace
}  // namespace pilfer::test
