// A limit for pending tasks: what counts, and what becomes of one more.
#include <atomic>
#include <cstddef>
#include <future>
#include <memory>
#include <optional>
#include <semaphore>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/blocking_region.hpp>
#include <pilfer/coro/schedule.hpp>
#include <pilfer/coro/task.hpp>
#include <pilfer/future.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/statistics.hpp>
#include <pilfer/task_group.hpp>

#include "tasks/task_checks.hpp"

namespace pilfer::test {
namespace {

class pending_limit : public on_scheduler {
 protected:
  [[nodiscard]] static pool_options with_limit(std::size_t workers, std::size_t most, overflow when_full) {
    pool_options wanted = options(workers);
    wanted.max_pending = most;
    wanted.when_full = when_full;
    return wanted;
  }

  // Keeps the one place of a pool busy: nothing that is pending begins.
  class busy_worker {
   public:
    explicit busy_worker(pool& home)
        : done_(home.submit([this] {
            has_begun_ = true;
            while (!may_end_) std::this_thread::yield();
          })) {
      while (!has_begun_) std::this_thread::yield();
    }
    ~busy_worker() { end(); }
    busy_worker(const busy_worker&) = delete;
    busy_worker& operator=(const busy_worker&) = delete;
    void end() {
      may_end_ = true;
      if (done_.valid()) done_.get();
    }

   private:
    std::atomic<bool> has_begun_ = false;
    std::atomic<bool> may_end_ = false;
    future<void> done_;
  };

  static task<int> seven() { co_return 7; }
};

// --- Refused.

TEST_P(pending_limit, what_has_no_room_is_refused_untouched) {
  ledger all(6);
  pool home(with_limit(1, 2, overflow::refuse));
  task_group group(home);
  busy_worker busy(home);
  EXPECT_EQ(home.statistics().pending, 0U) << "it has begun";
  auto first = home.submit([&] { all.mark(0); });
  group.spawn([&] { all.mark(1); });
  EXPECT_EQ(home.statistics().pending, 2U);

  auto held = std::make_unique<int>(1);
  auto call = [&all, held = std::move(held)] { all.mark(2 + static_cast<std::size_t>(*held)); };
  EXPECT_THROW(home.detach(std::move(call)), too_many_tasks);
  EXPECT_THROW(group.spawn(std::move(call)), too_many_tasks);  // NOLINT(bugprone-use-after-move): it was not moved
  EXPECT_THROW(static_cast<void>(home.submit(std::move(call))), too_many_tasks);  // NOLINT(bugprone-use-after-move)
  EXPECT_THROW(static_cast<void>(group.submit([] { return 1; })), too_many_tasks);
  EXPECT_THROW(static_cast<void>(home.async(std::move(call))), too_many_tasks);  // NOLINT(bugprone-use-after-move)
  EXPECT_THROW(static_cast<void>(home.submit(seven)), too_many_tasks);
  EXPECT_THROW(static_cast<void>(home.async(seven)), too_many_tasks);
  EXPECT_EQ(group.unfinished(), 1U) << "nothing was counted";
  EXPECT_EQ(home.statistics().pending, 2U);
  EXPECT_EQ(home.statistics().refused, 7U);

  busy.end();
  group.wait();
  first.get();
  home.detach(std::move(call));  // NOLINT(bugprone-use-after-move)
  home.drain();
  EXPECT_EQ(all.runs_of(0), 1U);
  EXPECT_EQ(all.runs_of(1), 1U);
  EXPECT_EQ(all.runs_of(3), 1U) << "the callable was whole";
  EXPECT_EQ(home.statistics().pending, 0U);
}

// Room that a task has taken before its callable could not be copied is given back.
TEST_P(pending_limit, a_task_that_cannot_be_made_takes_no_room) {
  struct uncopyable {
    uncopyable() = default;
    uncopyable(const uncopyable& /*other*/) { throw std::runtime_error("no copy"); }
    void operator()() const {}
  };
  pool home(with_limit(1, 1, overflow::refuse));
  task_group group(home);
  const busy_worker busy(home);
  const uncopyable call;
  EXPECT_THROW(group.spawn(call), std::runtime_error);
  EXPECT_THROW(static_cast<void>(home.submit(call)), std::runtime_error);
  EXPECT_EQ(home.statistics().pending, 0U);
  home.detach([] {});
  EXPECT_EQ(home.statistics().pending, 1U);
}

// --- Run by the caller.

TEST_P(pending_limit, a_caller_runs_what_has_no_room) {
  pool home(with_limit(1, 1, overflow::run_inline));
  task_group group(home);
  busy_worker busy(home);
  home.detach([] {});
  std::thread::id runner;
  std::optional<std::size_t> index;
  const auto note = [&] {
    runner = std::this_thread::get_id();
    index = worker_index();
    return 7;
  };
  auto result = home.submit(note);
  EXPECT_TRUE(result.is_ready());
  EXPECT_EQ(runner, std::this_thread::get_id());
  EXPECT_TRUE(index) << "as a worker";
  EXPECT_EQ(result.get(), 7);
  runner = {};
  home.async(note).get();
  EXPECT_EQ(runner, std::this_thread::get_id());
  EXPECT_EQ(home.submit(seven).get(), 7);
  group.spawn([] { throw numbered_error(3); });
  EXPECT_EQ(group.unfinished(), 0U);
  EXPECT_THROW(group.wait(), numbered_error);
  EXPECT_EQ(home.statistics().ran_at_once, 4U);
  EXPECT_EQ(home.statistics().pending, 1U);
}

// It never sleeps for room, whatever was said.
TEST_P(pending_limit, a_worker_runs_what_has_no_room) {
  for (const overflow when_full : {overflow::block, overflow::run_inline}) {
    pool home(with_limit(1, 2, when_full));
    home.run([&] {
      ledger all(4);
      task_group group;
      for (std::size_t i = 0; i < 4; ++i) group.spawn([&all, i] { all.mark(i); });
      EXPECT_EQ(all.runs_of(0) + all.runs_of(1), 0U);
      EXPECT_EQ(all.runs_of(2) + all.runs_of(3), 2U);
      group.wait();
      all.expect_each_once();
      EXPECT_EQ(home.statistics().pending, 0U) << "a waiter has begun them";
    });
    EXPECT_EQ(home.statistics().ran_at_once, 2U);
    EXPECT_EQ(home.statistics().blocked, 0U);
  }
}

TEST_P(pending_limit, a_worker_of_another_pool_runs_what_has_no_room) {
  pool home(with_limit(1, 1, overflow::block));
  const busy_worker busy(home);
  home.detach([] {});
  pool other(options(1));
  other.run([&] { EXPECT_EQ(home.submit([] { return 3; }).get(), 3); });
  EXPECT_EQ(home.statistics().ran_at_once, 1U);
}

// Each task spawns the next, and none of them has room.
TEST_P(pending_limit, a_chain_of_tasks_does_not_use_up_the_stack) {
  constexpr std::size_t links = 5'000;
  pool_options wanted = with_limit(1, 1, overflow::run_inline);
  wanted.stack_bytes = std::size_t{256} << 10;
  wanted.callers_work = false;
  ledger all(links);
  pool home(wanted);
  struct link {
    void operator()() const {
      to->mark(number);
      if (number == 0) home->detach([] {});  // has the room as long as this thread is busy
      if (number + 1 != links) home->detach(link{home, to, number + 1});
    }
    pool* home;
    ledger* to;
    std::size_t number;
  };
  home.detach(link{&home, &all, 0});
  home.drain();
  all.expect_each_once();
  EXPECT_GT(home.statistics().ran_at_once, 10U);
}

TEST_P(pending_limit, where_callers_do_not_work_they_sleep_until_their_task_has_run) {
  for (const overflow when_full : {overflow::block, overflow::run_inline}) {
    pool_options wanted = with_limit(1, 1, when_full);
    wanted.callers_work = false;
    pool home(wanted);
    busy_worker busy(home);
    home.detach([] {});
    std::thread::id runner;
    bool was_ready = false;
    std::thread caller([&] {
      auto result = home.submit([&] { runner = std::this_thread::get_id(); });
      was_ready = result.is_ready();
      result.get();
    });
    const std::thread::id of_caller = caller.get_id();
    while (home.statistics().ran_at_once + home.statistics().blocked == 0) std::this_thread::yield();
    busy.end();
    caller.join();
    EXPECT_NE(runner, of_caller);
    if (when_full == overflow::run_inline) {
      EXPECT_TRUE(was_ready);
    }
  }
}

// --- Blocked.

TEST_P(pending_limit, a_caller_sleeps_until_there_is_room) {
  ledger all(3);
  pool home(with_limit(1, 2, overflow::block));
  busy_worker busy(home);
  for (std::size_t i = 0; i < 2; ++i) home.detach([&all, i] { all.mark(i); });
  std::atomic<bool> has_returned = false;
  std::thread caller([&] {
    home.detach([&all] { all.mark(2); });
    has_returned = true;
  });
  while (home.describe().find("waits for room for a task") == std::string::npos) std::this_thread::yield();
  EXPECT_NE(home.describe().find("2 of 2 pending"), std::string::npos) << home.describe();
  EXPECT_FALSE(has_returned);
  EXPECT_EQ(home.statistics().pending, 2U);
  busy.end();
  caller.join();
  home.drain();
  all.expect_each_once();
  EXPECT_EQ(home.statistics().blocked, 1U);
  EXPECT_EQ(home.statistics().ran_at_once, 0U);
}

TEST_P(pending_limit, callers_that_sleep_are_served_in_the_order_of_their_coming) {
  pool home(with_limit(1, 1, overflow::block));
  busy_worker busy(home);
  home.detach([] {});
  std::vector<std::size_t> order;
  std::vector<std::thread> callers;
  for (std::size_t i = 0; i < 4; ++i) {
    callers.emplace_back([&, i] { home.detach([&order, i] { order.push_back(i); }); });  // by the one worker
    while (home.statistics().blocked != i + 1) std::this_thread::yield();
  }
  busy.end();
  for (std::thread& each : callers) each.join();
  home.drain();
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3}));
}

// The place is a caller's, and what is pending lies in that caller's queue.
TEST_P(pending_limit, a_caller_sleeps_until_another_one_has_left) {
  ledger all(2);
  pool home(with_limit(1, 1, overflow::block));
  std::thread second;
  home.run([&] {
    home.detach([&all] { all.mark(0); });
    second = std::thread([&] { home.detach([&all] { all.mark(1); }); });
    while (home.statistics().blocked == 0) std::this_thread::yield();
  });
  second.join();
  home.drain();
  all.expect_each_once();
}

TEST_P(pending_limit, a_stop_wakes_callers_and_their_tasks_are_cancelled) {
  for (const bool callers_work : {true, false}) {
    pool_options wanted = with_limit(1, 1, overflow::block);
    wanted.callers_work = callers_work;
    pool home(wanted);
    ledger all(4);
    task_group group(home);
    busy_worker busy(home);
    home.detach([&] { all.mark(0); });
    std::atomic<int> cancelled = 0;
    std::vector<std::thread> callers;
    callers.emplace_back([&] {
      auto never = home.submit([&] { all.mark(1); });
      EXPECT_THROW(never.get(), task_cancelled);
      ++cancelled;
    });
    callers.emplace_back([&] {
      group.spawn([&] { all.mark(2); });
      ++cancelled;
    });
    while (home.statistics().blocked != 2) std::this_thread::yield();
    EXPECT_EQ(cancelled, 0);
    EXPECT_TRUE(home.request_stop());
    for (std::thread& each : callers) each.join();  // although the worker is still busy
    EXPECT_EQ(cancelled, 2);
    EXPECT_EQ(group.wait().cancelled, 1U);
    EXPECT_THROW(home.submit([&] { all.mark(3); }).get(), task_cancelled) << "none waits any more";
    busy.end();
    home.drain();
    EXPECT_EQ(all.marked(), 0U);
  }
}

// --- What counts.

TEST_P(pending_limit, a_coroutine_is_pending_until_it_begins) {
  pool home(with_limit(1, 1, overflow::refuse));
  std::atomic<bool> has_begun = false;
  std::binary_semaphore go(0);
  const auto wait_once = [&]() -> task<void> {
    has_begun = true;
    co_await home.schedule();  // goes to the end of the line
    go.acquire();
  };
  std::optional<future<void>> begun;
  {
    const busy_worker busy(home);
    begun = home.submit(wait_once);
    EXPECT_EQ(home.statistics().pending, 1U);
    EXPECT_THROW(static_cast<void>(home.submit(wait_once)), too_many_tasks);
  }
  while (!has_begun) std::this_thread::yield();
  EXPECT_EQ(home.statistics().pending, 0U);
  EXPECT_FALSE(begun->is_ready());
  home.detach([] {});  // there is room
  EXPECT_LE(home.statistics().pending, 1U);
  go.release();
  begun->get();
}

TEST_P(pending_limit, a_task_that_its_waiter_claims_gives_back_its_room) {
  pool home(with_limit(1, 1, overflow::refuse));
  const busy_worker busy(home);
  auto result = home.submit([] { return 5; });
  EXPECT_EQ(home.statistics().pending, 1U);
  EXPECT_EQ(result.get(), 5) << "this thread has run it";
  EXPECT_EQ(home.statistics().pending, 0U) << "a tombstone is none";
  home.detach([] {});
  EXPECT_THROW(home.detach([] {}), too_many_tasks);
}

TEST_P(pending_limit, a_pool_without_one_counts_nothing) {
  pool home(options(2));
  for (int i = 0; i < 100; ++i) home.detach([] {});
  home.drain();
  EXPECT_EQ(home.statistics().pending, 0U);
  EXPECT_EQ(home.statistics().ran_at_once, 0U);
}

// --- All of it at a time.

// By several threads, in every way, also out of tasks. A task that is refused is marked by its spawner.
void spawn_in_every_way(pool& home, const pool_options& how) {
  constexpr std::size_t threads = 3;
  const std::size_t rounds = stress_factor() > 1 ? 200 : 20;
  constexpr std::size_t per_round = 6;
  ledger all(threads * rounds * per_round);
  std::atomic<std::size_t> too_many = 0;
  const auto run = [&](std::size_t number) {
    if (home.statistics().pending > how.max_pending) ++too_many;
    all.mark(number);
  };
  const auto run_as_coroutine = [&run](std::size_t number) -> task<void> {
    run(number);
    co_return;
  };
  const auto unless_refused = [&](std::size_t number, auto&& spawn) {
    try {
      spawn();
    } catch (const too_many_tasks&) {
      all.mark(number);
    }
  };
  const auto body = [&](std::size_t thread) {
    random_source random(base_seed() + thread);
    for (std::size_t round = 0; round < rounds; ++round) {
      const std::size_t from = (thread * rounds + round) * per_round;
      task_group group(home);
      std::optional<future<void>> submitted;
      std::optional<std::future<void>> promised;
      unless_refused(from, [&] { group.spawn(run, from); });
      unless_refused(from + 1, [&] { submitted = home.submit(run, from + 1); });
      unless_refused(from + 2, [&] { promised = home.async(run, from + 2); });
      unless_refused(from + 3, [&] { home.detach(run, from + 3); });
      try {
        group.spawn([&, from] {
          run(from + 4);
          task_group inner;
          unless_refused(from + 5, [&] { inner.spawn(run_as_coroutine, from + 5); });
          inner.wait();
        });
      } catch (const too_many_tasks&) {
        all.mark(from + 4);
        all.mark(from + 5);
      }
      pause_at_random(random);
      group.wait();
      if (submitted) submitted->get();
      if (promised) pilfer::get(*promised);
    }
  };
  std::vector<std::thread> outside;
  for (std::size_t i = 0; i + 1 < threads; ++i) outside.emplace_back(body, i);
  home.run([&] { body(threads - 1); });
  for (std::thread& each : outside) each.join();
  home.drain();
  EXPECT_EQ(too_many, 0U) << "more than " << how.max_pending << " were pending";
  EXPECT_EQ(home.statistics().pending, 0U);
  all.expect_each_once();
}

TEST_P(pending_limit, is_kept_by_all_threads_and_each_task_runs_once) {
  for (const std::size_t most : {1U, 5U}) {
    for (const overflow when_full : {overflow::block, overflow::run_inline, overflow::refuse}) {
      for (const unsigned levels : {1U, 3U}) {
        for (const std::size_t workers : {1U, 3U}) {
          pool_options wanted = with_limit(workers, most, when_full);
          wanted.levels = levels;
          wanted.callers_work = workers == 3 || most == 1;
          pool home(wanted);
          spawn_in_every_way(home, wanted);
          if (when_full != overflow::refuse) expect_usable(home);
        }
      }
    }
  }
}

PILFER_ON_EVERY_SCHEDULER(pending_limit);

}  // namespace
}  // namespace pilfer::test
