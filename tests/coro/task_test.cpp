// Tasks by themselves: laziness, results, errors, frames, the stack, tokens.
#include <array>
#include <atomic>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <future>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/coro/stop.hpp>
#include <pilfer/coro/sync_wait.hpp>
#include <pilfer/coro/task.hpp>

#include "coro/coro_checks.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;

class coro_task : public ::testing::Test {
 protected:
  watchdog dog_{100s, "a task"};
  pool home_{2};
};

task<int> plus_one(int value) { co_return value + 1; }
task<void> noted(bool& begun, counted_object /*kept in the frame*/) {
  begun = true;
  co_return;
}

TEST_F(coro_task, begins_when_it_is_awaited) {
  bool begun = false;
  auto lazy = noted(begun, {});
  EXPECT_FALSE(begun);
  sync_wait(home_, std::move(lazy));
  EXPECT_TRUE(begun);
  EXPECT_EQ(counted_object::alive, 0);
}

TEST_F(coro_task, that_nobody_awaits_frees_its_frame) {
  bool begun = false;
  {
    const auto dropped = noted(begun, {});
    auto moved = noted(begun, {});
    EXPECT_EQ(counted_object::alive, 2);
    moved = noted(begun, {});
    EXPECT_EQ(counted_object::alive, 2);
    const task<void> target = std::move(moved);
    EXPECT_EQ(counted_object::alive, 2);
  }
  EXPECT_FALSE(begun);
  EXPECT_EQ(counted_object::alive, 0);
}

// --- Results.

task<std::unique_ptr<std::string>> move_only() { co_return std::make_unique<std::string>("moved"); }
task<std::string&> referring(std::string& to) { co_return to; }
task<std::string> converting() { co_return "from a literal"; }
struct no_default {
  explicit no_default(int n) : number(n) {}
  int number;
};
task<no_default> without_default() { co_return no_default(7); }

TEST_F(coro_task, results_of_every_kind) {
  EXPECT_EQ(*sync_wait(home_, move_only()), "moved");
  EXPECT_EQ(sync_wait(home_, converting()), "from a literal");
  EXPECT_EQ(sync_wait(home_, without_default()).number, 7);
  std::string text = "here";
  EXPECT_EQ(&sync_wait(home_, referring(text)), &text);
}

task<int> throwing(std::size_t n) {
  if (n != 0) throw numbered_error(n);
  co_return 0;
}
task<std::size_t> catching(std::size_t n) {
  std::size_t caught = 0;
  try {
    static_cast<void>(co_await throwing(n));
  } catch (const numbered_error& error) {
    caught = error.number;
  }
  co_return caught;
}
task<int> through(std::size_t n, counted_object /*kept in the frame*/) {
  const int value = co_await throwing(n);
  co_return value;
}

TEST_F(coro_task, exceptions_come_to_who_awaits) {
  EXPECT_EQ(sync_wait(home_, catching(3)), 3U);
  EXPECT_EQ(sync_wait(home_, catching(0)), 0U);
  EXPECT_THROW(sync_wait(home_, through(4, {})), numbered_error);
  EXPECT_EQ(counted_object::alive, 0);
}

struct throws_when_copied {
  throws_when_copied() = default;
  throws_when_copied(const throws_when_copied& /*from*/) { throw numbered_error(9); }
  throws_when_copied& operator=(const throws_when_copied&) = delete;
  ~throws_when_copied() = default;
};
task<throws_when_copied> bad_result() {
  const throws_when_copied value;
  co_return value;
}
TEST_F(coro_task, an_exception_of_the_results_constructor_is_kept) {
  EXPECT_THROW(static_cast<void>(sync_wait(home_, bad_result())), numbered_error);
}

task<bool> awaits_twice() {
  task<int> once = plus_one(1);
  const int first = co_await std::move(once);
  bool refused = false;
  try {
    static_cast<void>(co_await std::move(once));  // NOLINT(bugprone-use-after-move): that is the test
  } catch (const std::future_error& error) {
    refused = error.code() == std::future_errc::no_state;
  }
  co_return refused&& first == 2;
}
TEST_F(coro_task, can_be_awaited_once) {
  EXPECT_TRUE(sync_wait(home_, awaits_twice()));
  EXPECT_THROW(sync_wait(home_, task<void>()), std::future_error);
}

// --- The stack.

[[gnu::noinline]] task<long> ready(long value, stack_depth& depth) {
  if (value % 64 == 0) depth.look();
  co_return value;
}
task<long> sum_of(long count, stack_depth& depth) {
  long sum = 0;
  for (long i = 0; i < count; ++i) sum += co_await ready(i, depth);
  co_return sum;
}
task<long> nested(long depth_left, stack_depth& depth) {
  depth.look();
  if (depth_left == 0) co_return 0;
  const long below = co_await nested(depth_left - 1, depth);
  depth.look();
  co_return below + 1;
}
constexpr std::size_t much_stack_bytes = 64 * 1024;

TEST_F(coro_task, a_million_awaits_need_no_stack) {
  stack_depth depth;
  constexpr long count = 1'000'000;
  EXPECT_EQ(sync_wait(home_, sum_of(count, depth)), count * (count - 1) / 2);
  EXPECT_LT(depth.bytes(), much_stack_bytes);
}

TEST_F(coro_task, neither_does_a_deep_chain) {
  stack_depth depth;
  EXPECT_EQ(sync_wait(home_, nested(100'000, depth)), 100'000);
  EXPECT_LT(depth.bytes(), much_stack_bytes);
}

// --- Coroutines and awaitables of others.

// Keeps who awaits it, for somebody to resume by himself.
struct parking_lot {
  [[nodiscard]] static bool await_ready() noexcept { return false; }
  void await_suspend(std::coroutine_handle<> who) noexcept { parked = who; }
  static void await_resume() noexcept {}
  std::coroutine_handle<> parked;
};

// A coroutine that is not ours: begins at once, ends by itself.
struct foreign {
  struct promise_type {
    static foreign get_return_object() noexcept { return {}; }
    static std::suspend_never initial_suspend() noexcept { return {}; }
    static std::suspend_never final_suspend() noexcept { return {}; }
    static void return_void() noexcept {}
    static void unhandled_exception() noexcept { std::terminate(); }
  };
};
task<int> parks(parking_lot& lot) {
  co_await lot;
  const int value = co_await plus_one(40);
  co_return co_await plus_one(value);
}
foreign keeps_result_of(task<int> work, int& result) { result = co_await std::move(work); }

TEST_F(coro_task, is_awaited_by_coroutines_of_others) {
  int result = 0;
  keeps_result_of(plus_one(1), result);
  EXPECT_EQ(result, 2);
  parking_lot lot;
  keeps_result_of(parks(lot), result);
  EXPECT_EQ(result, 2);
  lot.parked.resume();
  EXPECT_EQ(result, 42);
}

task<int> resumes_others(std::vector<parking_lot>& lots, std::atomic<int>& results) {
  for (parking_lot& each : lots) each.parked.resume();  // each hands over to tasks of its own
  const int before = co_await plus_one(1);
  co_await until_true([&] { return results == 42 * static_cast<int>(lots.size()); });
  co_return before;
}
foreign adds_result_of(task<int> work, std::atomic<int>& sum) {
  const int value = co_await std::move(work);
  sum += value;
}

TEST_F(coro_task, none_is_lost_if_somebody_resumes_by_himself) {
  std::vector<parking_lot> lots(20);
  std::atomic<int> sum = 0;
  for (parking_lot& each : lots) adds_result_of(parks(each), sum);
  EXPECT_EQ(sync_wait(home_, resumes_others(lots, sum)), 2);
  EXPECT_EQ(sum, 42 * 20);
}

// --- Frames.

TEST_F(coro_task, frames_of_every_size) {
  std::vector<std::thread> threads;
  threads.reserve(3);
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([] {
      for (int round = 0; round < 3; ++round) {
        std::vector<std::pair<unsigned char*, std::size_t>> blocks;
        for (std::size_t bytes = 1; bytes < 5000; bytes += 37) {
          auto* const block = static_cast<unsigned char*>(detail::coro_frames::allocate(bytes));
          for (std::size_t i = 0; i < bytes; ++i) block[i] = static_cast<unsigned char>(bytes);
          blocks.emplace_back(block, bytes);
        }
        for (const auto& [block, bytes] : blocks) {
          std::size_t changed = 0;
          for (std::size_t i = 0; i < bytes; ++i) changed += block[i] != static_cast<unsigned char>(bytes) ? 1U : 0U;
          EXPECT_EQ(changed, 0U) << bytes;
          detail::coro_frames::free(block, bytes);
        }
      }
    });
  }
  for (std::thread& each : threads) each.join();
}

TEST_F(coro_task, frames_freed_by_another_thread) {
  for (int round = 0; round < 4; ++round) {
    std::vector<task<int>> waiting;
    for (int i = 0; i < 3000; ++i) waiting.push_back(plus_one(i));
    std::thread([dropped = std::move(waiting)]() mutable { dropped.clear(); }).join();
  }
}

// --- Tokens.

task<std::stop_token> token_below(int levels) {
  if (levels == 0) co_return co_await this_stop_token();
  co_return co_await token_below(levels - 1);
}

TEST_F(coro_task, tokens_are_handed_down) {
  EXPECT_TRUE(sync_wait(home_, token_below(3)).stop_possible()) << "the pool's";
  EXPECT_FALSE(sync_wait(home_, token_below(3)).stop_requested());
  std::stop_source source;
  source.request_stop();
  EXPECT_TRUE(sync_wait(home_, with_stop(source.get_token(), token_below(3))).stop_requested());
}

task<std::array<bool, 3>> follows(std::stop_source& first, std::stop_source& second) {
  std::array<bool, 3> seen{};
  const std::stop_token mine = co_await this_stop_token();
  seen[0] = mine.stop_requested();
  first.request_stop();
  seen[1] = mine.stop_requested();
  second.request_stop();
  seen[2] = mine.stop_requested();
  co_return seen;
}

TEST_F(coro_task, follows_its_own_token_and_its_parents) {
  for (const bool outer_first : {false, true}) {
    std::stop_source inner;
    std::stop_source outer;
    auto work = outer_first ? follows(outer, inner) : follows(inner, outer);
    const auto seen = sync_wait(home_, with_stop(outer.get_token(), with_stop(inner.get_token(), std::move(work))));
    EXPECT_FALSE(seen[0]);
    EXPECT_TRUE(seen[1]);
    EXPECT_TRUE(seen[2]);
  }
}

// Who is not below with_stop does not hear of it.
task<bool> sibling_is_stopped(std::stop_source& source) {
  static_cast<void>(co_await with_stop(source.get_token(), plus_one(1)));
  source.request_stop();
  const std::stop_token mine = co_await this_stop_token();
  co_return mine.stop_requested();
}
TEST_F(coro_task, a_token_is_for_its_task_only) {
  std::stop_source source;
  EXPECT_FALSE(sync_wait(home_, sibling_is_stopped(source)));
}

}  // namespace
}  // namespace pilfer::test
