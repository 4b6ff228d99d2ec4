// Forks of coroutines, help-first and work-first.
#include <atomic>
#include <cstddef>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

// Before the coroutines' header: its detail::forked once stood in the way of theirs.
#include <pilfer/fork_join.hpp>

#include <pilfer/coro/fork.hpp>
#include <pilfer/coro/stop.hpp>
#include <pilfer/coro/sync_wait.hpp>

#include "coro/coro_checks.hpp"

namespace pilfer::test {
namespace {

class coro_fork : public on_scheduler {};

task<long> fib(long n) {
  if (n < 2) co_return n;
  auto left = co_await fork(fib(n - 1));
  const long right = co_await fib(n - 2);
  const long other = co_await std::move(left).join();
  co_return other + right;
}
task<long> fib_now(long n) {
  if (n < 2) co_return n;
  auto left = co_await fork_now(fib_now(n - 1));
  const long right = co_await fib_now(n - 2);
  const long other = co_await std::move(left).join();
  co_return other + right;
}

TEST_P(coro_fork, results) {
  for (const std::size_t workers : {1U, 2U, 4U}) {
    pool home(options(workers));
    EXPECT_EQ(sync_wait(home, fib(14)), 377);
    EXPECT_EQ(sync_wait(home, fib_now(14)), 377);
    EXPECT_EQ(home.run([] { return sync_wait(fib(10)) + sync_wait(fib_now(10)); }), 110);
  }
}

task<std::string> writes(std::string& text) {
  text += "child ";
  co_return text;
}
task<void> parent_first(std::string& text) {
  auto child = co_await fork(writes(text));
  text += "parent ";
  static_cast<void>(co_await std::move(child).join());
}
task<void> child_first(std::string& text) {
  auto child = co_await fork_now(writes(text));
  text += "parent ";
  static_cast<void>(co_await std::move(child).join());
}

// One place: nobody takes the other one meanwhile. A pool for each: in a used one, who did the last step may still be there.
TEST_P(coro_fork, which_one_goes_on) {
  const auto order_of = [&](task<void> (*work)(std::string&)) {
    pool home(options(1));
    std::string text;
    sync_wait(home, work(text));
    return text;
  };
  EXPECT_EQ(order_of(&parent_first), "parent child ");
  EXPECT_EQ(order_of(&child_first), "child parent ");
}

// --- Joining.

task<void> child_fails() {
  co_await yield();
  throw numbered_error(5);
}

task<std::size_t> many_children(std::size_t count) {
  std::vector<forked<std::size_t>> children;
  for (std::size_t i = 0; i < count; ++i) {
    if (i % 2 == 0) {
      children.push_back(co_await fork(number_after(i, i % 3)));
    } else {
      children.push_back(co_await fork_now(number_after(i, i % 3)));
    }
  }
  std::size_t wrong = 0;
  for (std::size_t i = count; i-- > 0;) {
    const std::size_t got = co_await std::move(children[i]).join();
    if (got != i) ++wrong;
  }
  co_return wrong;
}
TEST_P(coro_fork, joins_in_any_order) {
  for (const std::size_t workers : {1U, 2U, 4U}) {
    pool home(options(workers));
    EXPECT_EQ(sync_wait(home, many_children(stress_amount(200))), 0U);
  }
}

task<bool> joins_twice() {
  auto child = co_await fork(number_after(1, 0));
  const std::size_t first = co_await std::move(child).join();
  bool refused = false;
  try {
    static_cast<void>(co_await std::move(child).join());  // NOLINT(bugprone-use-after-move): that is the test
  } catch (const std::future_error&) {
    refused = true;
  }
  co_return refused&& first == 1;
}
task<std::size_t> joins_failed() {
  auto child = co_await fork(child_fails());
  auto other = co_await fork_now(child_fails());
  std::size_t caught = 0;
  try {
    co_await std::move(child).join();
  } catch (const numbered_error& error) {
    caught += error.number;
  }
  try {
    co_await std::move(other).join();
  } catch (const numbered_error& error) {
    caught += error.number;
  }
  co_return caught;
}
TEST_P(coro_fork, joins_once_and_throws_what_the_child_threw) {
  pool home(options(2));
  EXPECT_TRUE(sync_wait(home, joins_twice()));
  EXPECT_EQ(sync_wait(home, joins_failed()), 10U);
  EXPECT_THROW(static_cast<void>(fork(task<void>())), std::future_error);
}

// --- Children that are not joined.

task<void> counted_child(ledger& all, std::size_t number, std::size_t turns, counted_object /*kept in the frame*/) {
  for (std::size_t i = 0; i < turns; ++i) co_await yield();
  all.mark(number);
}
task<std::size_t> drops_children(ledger& all) {
  {
    std::vector<forked<void>> children;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i % 2 == 0) {
        children.push_back(co_await fork(counted_child(all, i, i % 4, {})));
      } else {
        children.push_back(co_await fork_now(counted_child(all, i, i % 4, {})));
      }
    }
  }
  co_return all.marked();
}
task<void> throws_before_join(ledger& all) {
  auto child = co_await fork(counted_child(all, 0, 3, {}));
  throw numbered_error(1);
}

TEST_P(coro_fork, waits_for_children_that_are_not_joined) {
  for (const std::size_t workers : {1U, 2U}) {
    pool home(options(workers));
    ledger all(12);
    EXPECT_EQ(sync_wait(home, drops_children(all)), all.size());
    all.expect_each_once();
    ledger one(1);
    EXPECT_THROW(sync_wait(home, throws_before_join(one)), numbered_error);
    one.expect_each_once();
    EXPECT_EQ(counted_object::alive, 0);
  }
}

// --- Tokens and the stack.

task<bool> child_is_stopped() {
  const std::stop_token mine = co_await this_stop_token();
  co_return mine.stop_requested();
}
task<bool> children_are_stopped() {
  auto first = co_await fork(child_is_stopped());
  auto second = co_await fork_now(child_is_stopped());
  const bool one = co_await std::move(first).join();
  const bool two = co_await std::move(second).join();
  co_return one&& two;
}
TEST_P(coro_fork, children_have_their_parents_token) {
  pool home(options(2));
  EXPECT_FALSE(sync_wait(home, children_are_stopped()));
  std::stop_source source;
  source.request_stop();
  EXPECT_TRUE(sync_wait(home, with_stop(source.get_token(), children_are_stopped())));
}

task<std::size_t> loop_of_forks(std::size_t rounds) {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < rounds; ++i) {
    auto first = co_await fork(number_after(i, 0));
    auto second = co_await fork_now(number_after(i, 0));
    sum += co_await std::move(first).join();
    sum += co_await std::move(second).join();
  }
  co_return sum;
}
TEST_P(coro_fork, in_a_long_loop) {
  pool home(options(2));
  const std::size_t rounds = stress_amount(20000);
  EXPECT_EQ(sync_wait(home, loop_of_forks(rounds)), rounds * (rounds - 1));
}

PILFER_ON_EVERY_SCHEDULER(coro_fork);

}  // namespace
}  // namespace pilfer::test
