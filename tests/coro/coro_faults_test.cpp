// Coroutines where a queue is full, and on a machine that refuses threads or memory: they go on, and as jobs of their pool all the same.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/coro/channel.hpp>
#include <pilfer/coro/mutex.hpp>
#include <pilfer/coro/schedule.hpp>
#include <pilfer/coro/sync_wait.hpp>
#include <pilfer/coro/task.hpp>
#include <pilfer/coro/when_all.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/statistics.hpp>
#include <pilfer/task_group.hpp>

#include "coro/coro_checks.hpp"
#include "support/refusals.hpp"

namespace pilfer::test {
namespace {

class coro_faults : public with_refusals<on_scheduler> {};

// More than a bounded queue holds, each going on several times: none does so inside another one's call.
TEST_P(coro_faults, more_than_a_queue_holds) {
  constexpr std::size_t many = 10'000;
  constexpr std::size_t turns = 3;
  pool home(options(2));
  ledger all(many * turns);
  std::atomic<bool> nested = false;
  const auto child = [&](std::size_t i) -> task<void> {
    static thread_local bool inside = false;
    for (std::size_t turn = 0; turn < turns; ++turn) {
      co_await home.schedule();
      if (inside) nested = true;
      inside = true;
      all.mark(i * turns + turn);
      inside = false;
    }
  };
  // Wakes them from within a task: what it wakes must not run before it has gone on.
  const auto parent = [&]() -> task<void> {
    co_await home.schedule();
    std::vector<task<void>> children;
    for (std::size_t i = 0; i < many; ++i) children.push_back(child(i));
    co_await when_all(std::move(children));
  };
  sync_wait(home, parent());
  EXPECT_FALSE(nested);
  all.expect_each_once();
}

// A coroutine that goes on in turns beside a full queue does not grow the stack by it.
TEST_P(coro_faults, a_full_queue_needs_no_stack) {
  constexpr std::size_t many = 9'000;
  constexpr int turns = 2'000;
  constexpr std::size_t much_stack_bytes = 64 * 1024;
  pool home(options(1));
  stack_depth depth;
  const auto turner = [&]() -> task<void> {
    for (int turn = 0; turn < turns; ++turn) {
      co_await home.schedule();
      depth.look();
    }
  };
  std::atomic<std::size_t> ran = 0;
  home.run([&] {
    task_group group;
    for (std::size_t i = 0; i < many; ++i) {
      group.spawn([&] { ran.fetch_add(1, std::memory_order_relaxed); });
      if (i == many / 2) group.spawn(turner());
    }
    group.wait();
  });
  EXPECT_EQ(ran, many);
  EXPECT_LT(depth.bytes(), much_stack_bytes);
}

// A resumption is a part of what the coroutine waits in: of a channel, a mutex, a turn. Once frames and queues are there, nothing is asked for.
// With one worker: another one may ask for memory of its own when it hears of the first.
TEST_P(coro_faults, resumptions_need_no_memory) {
  constexpr int turns = 500;
  pool home(options(1));
  async_mutex mutex;
  channel<int> there(1);
  channel<int> back(1);
  std::uint64_t refused = ~std::uint64_t{0};
  const auto asker = [&]() -> task<int> {
    int right = 0;
    for (int i = 0; i < 2 * turns; ++i) {
      if (i == turns) memory_refused.fail_at(1, true);
      if (!co_await there.send(i)) break;
      if (co_await back.receive() == i) ++right;
      const auto guard = co_await mutex.lock();
      co_await yield();
    }
    refused = memory_refused.stop();
    co_return right;
  };
  const auto answerer = [&]() -> task<int> {
    int right = 0;
    for (int i = 0; i < 2 * turns; ++i) {
      const std::optional<int> asked = co_await there.receive();
      if (asked == i) ++right;
      if (!co_await back.send(i)) break;
      const auto guard = co_await mutex.lock();
      co_await home.schedule();
    }
    co_return right;
  };
  const auto [asked, answered] = sync_wait(home, when_all(asker(), answerer()));
  EXPECT_EQ(asked, 2 * turns);
  EXPECT_EQ(answered, 2 * turns);
  EXPECT_EQ(refused, 0U) << "that many allocations";
}

// A caller alone has to run what waits in its own queue, although it is nobody's descendant.
TEST_P(coro_faults, no_threads_at_all) {
  threads_refused.fail_at(1, true);
  pool home(options(2));
  EXPECT_EQ(home.statistics().threads, 0U);
  ledger all(20);
  const auto child = [&](std::size_t i) -> task<void> {
    for (int turn = 0; turn < 5; ++turn) co_await home.schedule();
    all.mark(i);
  };
  home.run([&] {
    task_group group;
    for (std::size_t i = 0; i < 10; ++i) group.spawn(child(i));
    group.wait();
    for (std::size_t i = 10; i < 20; ++i) sync_wait(child(i));
  });
  all.expect_each_once();
}

PILFER_ON_EVERY_SCHEDULER(coro_faults);

}  // namespace
}  // namespace pilfer::test
