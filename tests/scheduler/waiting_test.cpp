// What a thread does while a join waits for work that was stolen: only descendants of that work, and not much stack.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "scheduler/any_pool.hpp"
#include "scheduler/child.hpp"
#include "scheduler/deep_thread.hpp"
#include "scheduler/programs.hpp"
#include "support/environment.hpp"
#include "support/watchdog.hpp"

namespace pilfer::test {
namespace {

class waiting_at_joins : public ::testing::TestWithParam<pool_kind> {
 protected:
  [[nodiscard]] const pool_kind& kind() const { return GetParam(); }
  watchdog dog_{std::chrono::seconds(100), GetParam().label};
};

// --- A random tree in which every task knows its place, and every thread the tasks it is in.

struct node {
  std::uint64_t root;
  std::uint64_t path;  // bit i: which half it is in at depth i
  unsigned depth;
};

class lineage {
 public:
  explicit lineage(std::uint64_t seed) : seed_(seed) {}

  // One of several trees; a task of one is a stranger to the others.
  void run(any_pool& pool, std::uint64_t root, unsigned depth) { visit(pool, {root, 0, 0}, depth); }

  // Tasks that ran where a thread was waiting for something else.
  [[nodiscard]] std::uint64_t strangers() const { return strangers_; }
  [[nodiscard]] std::uint64_t helped() const { return helped_; }

 private:
  // What the innermost task of this thread is doing.
  struct frame {
    node at;
    bool joining;
    frame* outer;
  };
  static inline thread_local frame* innermost = nullptr;

  void visit(any_pool& pool, const node& me, unsigned depth) {
    // Of the innermost task here this is the first half, or, while that waits, something in its second half.
    if (const frame* f = innermost; f != nullptr) {
      const bool below = me.root == f->at.root && me.depth > f->at.depth && prefix(me, f->at.depth) == f->at.path;
      const unsigned half = static_cast<unsigned>(me.path >> f->at.depth & 1U);
      if (!below || half != (f->joining ? 1U : 0U)) ++strangers_;
      if (below && me.depth > f->at.depth + 1) ++helped_;
    }
    frame mine{me, false, innermost};
    innermost = &mine;
    random_source random(seed_ ^ (me.path * 64 + me.depth) ^ (me.root << 48U));
    if (depth > 0 && !(me.depth > 3 && random.one_in(8))) {
      const unsigned pauses = random.one_in(4) ? static_cast<unsigned>(random.below(4)) : 0;
      pool.fork(
          [&] {
            visit(pool, {me.root, me.path, me.depth + 1}, depth - 1);
            mine.joining = true;
          },
          [&] {
            for (unsigned i = 0; i < pauses; ++i) std::this_thread::yield();
            visit(pool, {me.root, me.path | std::uint64_t{1} << me.depth, me.depth + 1}, depth - 1);
          });
    }
    innermost = mine.outer;
  }
  [[nodiscard]] static std::uint64_t prefix(const node& n, unsigned depth) {
    return n.path & ((std::uint64_t{1} << depth) - 1);
  }

  std::uint64_t seed_;
  std::atomic<std::uint64_t> strangers_ = 0;
  std::atomic<std::uint64_t> helped_ = 0;
};

// Several callers, so that there are always strangers about.
void grow_trees(any_pool& pool, lineage& all, std::uint64_t callers, unsigned depth) {
  std::vector<std::thread> threads;
  for (std::uint64_t root = 0; root < callers; ++root) {
    threads.emplace_back([&, root] { pool.run([&] { all.run(pool, root, depth); }); });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_P(waiting_at_joins, runs_only_descendants) {
  std::uint64_t helped = 0;
  for (const std::size_t workers : {2U, 4U, 16U}) {
    SCOPED_TRACE(std::to_string(workers) + " workers, " + describe_seed());
    const auto pool = kind()(workers);
    for (std::uint64_t round = 0; round < 3; ++round) {
      lineage all(base_seed() + round);
      grow_trees(*pool, all, round == 0 ? 1 : 3, under_tsan ? 7 : 9);
      EXPECT_EQ(all.strangers(), 0U);
      helped += all.helped();
    }
  }
  RecordProperty("tasks_run_while_waiting", std::to_string(helped));
}

// --- A lock that is held at a join (catalogue 41).

thread_local bool holds_the_lock = false;

// One worker waits with a lock, one has what it waits for, and that ends when the strangers in a third one's queue have run.
// So somebody must run them, and it must not be the one that waits. With 3 workers that is a spare one in its place.
void wait_with_a_lock(any_pool& pool, std::size_t strangers) {
  std::atomic<std::size_t> ran = 0;
  std::atomic<std::size_t> ran_under_the_lock = 0;
  std::atomic<bool> held_up = false;
  std::atomic<bool> waiter_done = false;
  const auto stranger = [&] {
    if (holds_the_lock) ++ran_under_the_lock;
    ++ran;
  };
  // Forks strangers, then is busy.
  const std::function<void(std::size_t)> hold_up = [&](std::size_t left) {
    if (left == 0) {
      held_up = true;
      return wait_forking(pool, [&] { return waiter_done.load(); });
    }
    pool.fork([&] { hold_up(left - 1); }, stranger);
  };
  const auto waiter = [&] {
    wait_forking(pool, [&] { return held_up.load(); });
    std::atomic<bool> stolen = false;
    holds_the_lock = true;
    const std::thread::id here = std::this_thread::get_id();
    pool.fork([&] { wait_forking(pool, [&] { return stolen.load(); }); },
              [&] {
                if (std::this_thread::get_id() == here) ADD_FAILURE() << "the second half was not stolen";
                stolen = true;
                wait_forking(pool, [&] { return ran == strangers; });
              });
    holds_the_lock = false;
    waiter_done = true;
  };
  pool.run([&] { pool.fork(waiter, [&] { hold_up(strangers); }); });
  EXPECT_EQ(ran, strangers);
  EXPECT_EQ(ran_under_the_lock, 0U) << "strangers ran on a thread that waited with a lock";
}

TEST_P(waiting_at_joins, never_runs_who_wants_the_waiters_lock) {
  for (const std::size_t workers : {3U, 4U}) {
    SCOPED_TRACE(std::to_string(workers) + " workers");
    const auto pool = kind()(workers);
    for (std::size_t round = 0; more_stress(round, workers == 3 ? 15 : 40); ++round) {
      wait_with_a_lock(*pool, 1 + round % 12);
      if (HasFailure()) return;
    }
  }
}

// The same with a stranger from outside: a caller that found both places taken, and is to be served by somebody inside.
TEST_P(waiting_at_joins, never_runs_an_outside_callers_task) {
  const auto pool = kind()(2);
  const auto for_a_while = [&](std::chrono::microseconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
    wait_forking(*pool, [&] { return std::chrono::steady_clock::now() > end; });
  };
  for (std::size_t round = 0; more_stress(round, 15); ++round) {
    std::atomic<bool> stolen = false;
    std::atomic<bool> full = false;
    std::atomic<bool> calls = false;
    std::atomic<bool> second_done = false;
    std::atomic<int> under_the_lock = -1;
    std::thread other([&] {
      wait_spinning([&] { return stolen.load(); });
      pool->run([&] {
        full = true;
        wait_spinning([&] { return second_done.load(); });
      });
    });
    std::thread outside([&] {
      wait_spinning([&] { return full.load(); });
      calls = true;
      pool->run([&] { under_the_lock = holds_the_lock ? 1 : 0; });
    });
    pool->run([&] {
      pool->fork(
          [&] {
            wait_forking(*pool, [&] { return calls.load(); });
            for_a_while(std::chrono::microseconds(300));  // now it is there, or nearly always so
            holds_the_lock = true;
          },
          [&] {
            stolen = true;
            wait_forking(*pool, [&] { return calls.load(); });
            for_a_while(std::chrono::microseconds(1500));
            second_done = true;
          });
      holds_the_lock = false;
    });
    other.join();
    outside.join();
    ASSERT_EQ(under_the_lock, 0);
  }
}

// Opted in, a waiter may run anything. All programs still work, and it does happen.
TEST_P(waiting_at_joins, runs_anything_when_told_so) {
  std::uint64_t strangers = 0;
  for (std::size_t round = 0; round < 40 && strangers == 0; ++round) {
    const auto pool = kind()(4, waiting::any_work);
    lineage all(base_seed() + round);
    grow_trees(*pool, all, 4, 8);
    strangers += all.strangers();
    numbered_tree tree(300, base_seed() + round);
    tree.let_throw(100);
    EXPECT_EQ(error_of([&] { pool->run([&] { tree.run(*pool, shape::random); }); }), 100);
    tree.expect_each_once();
  }
  EXPECT_GT(strangers, 0U) << "in 40 rounds";
}

// --- Stacks.

// The most stack that any thread used, as seen from tasks that say where they are.
class high_water {
 public:
  void mark() {
    thread_local const std::uintptr_t top = stack_top();
    const char here = 0;
    const std::uintptr_t used = top - reinterpret_cast<std::uintptr_t>(&here);
    std::uintptr_t most = most_;
    while (used > most && !most_.compare_exchange_weak(most, used)) {
    }
  }
  [[nodiscard]] std::size_t bytes() const { return most_; }

 private:
  std::atomic<std::uintptr_t> most_ = 0;
};

// fib, or a random tree with a long thin part like UTS.
void mark_fib(any_pool& pool, high_water& water, int n) {
  water.mark();
  if (n < 2) return;
  pool.fork([&] { mark_fib(pool, water, n - 1); }, [&] { mark_fib(pool, water, n - 2); });
}
void mark_tree(any_pool& pool, high_water& water, std::uint64_t seed, int depth) {
  water.mark();
  if (depth == 0) return;
  random_source random(seed);
  const std::uint64_t left = random();
  const std::uint64_t right = random();
  pool.fork([&] { mark_tree(pool, water, left, depth - 1); },
            [&] { mark_tree(pool, water, right, random.one_in(6) ? depth - 1 : std::min(depth - 1, 2)); });
}

TEST_P(waiting_at_joins, needs_at_most_twice_the_stack) {
  constexpr std::size_t constant = (under_tsan || under_asan ? 64 : 16) * std::size_t{1024};
  const std::uint64_t seed = base_seed();
  const auto measure = [&](std::size_t workers, bool tree) {
    high_water water;
    const auto pool = kind()(workers);
    // A thread of its own: what lies above the call is the same each time.
    deep_thread([&] {
      pool->run([&] {
        if (tree) {
          mark_tree(*pool, water, seed, 40);
        } else {
          mark_fib(*pool, water, under_tsan ? 11 : 15);
        }
      });
    });
    return water.bytes();
  };
  for (const bool tree : {false, true}) {
    SCOPED_TRACE(std::string(tree ? "tree" : "fib") + ", " + describe_seed());
    const std::size_t serial = measure(1, tree);
    for (const std::size_t workers : {2U, 4U, 16U}) {
      for (int round = 0; round < 3; ++round) {
        const std::size_t used = measure(workers, tree);
        EXPECT_LE(used, 2 * serial + constant) << workers << " workers; with 1: " << serial;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(kinds, waiting_at_joins, ::testing::ValuesIn(distinct_kinds()), kind_label());

TEST(small_stacks, suffice_for_long_chains_of_waits) { expect_child_succeeds("small-stack"); }

}  // namespace
}  // namespace pilfer::test
