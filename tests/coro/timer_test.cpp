// Timers: never early, in order, taken back at any moment; with_deadline.
#include <pilfer/coro/timer.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <deque>
#include <iterator>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/coro.hpp>
#include <pilfer/pool.hpp>

#include "coro/begun.hpp"
#include "tasks/task_checks.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

// --- The heap.

struct heap_entry : detail::timer_heap::entry {
  heap_entry(steady_clock::time_point at, std::size_t number) noexcept : entry(at), name(number) {}
  std::size_t name;
};

TEST(timer_heap, gives_out_the_earliest_and_of_the_same_time_the_first) {
  random_source random(base_seed());
  SCOPED_TRACE(describe_seed());
  for (int round = 0; round < 50; ++round) {
    detail::timer_heap heap;
    std::list<heap_entry> memory;
    std::multimap<steady_clock::time_point, heap_entry*> model;  // keeps the order of equal keys
    std::vector<heap_entry*> inside;
    const auto forget = [&](heap_entry* gone) {
      for (auto [at, end] = model.equal_range(gone->when()); at != end; ++at) {
        if (at->second != gone) continue;
        model.erase(at);
        break;
      }
      std::erase(inside, gone);
    };
    for (std::size_t i = 0; i < 300; ++i) {
      const auto what = random.below(8);
      if (what < 4) {
        heap_entry& fresh = memory.emplace_back(steady_clock::time_point(1ns * random.below(20)), i);
        heap.add(fresh);
        model.emplace(fresh.when(), &fresh);
        inside.push_back(&fresh);
      } else if (what < 6 && !inside.empty()) {
        heap_entry* const gone = inside[random.below(inside.size())];
        heap.remove(*gone);
        forget(gone);
      } else if (!inside.empty()) {
        ASSERT_EQ(heap.front(), model.begin()->second);
        heap.remove(*heap.front());
        forget(model.begin()->second);
      }
      ASSERT_EQ(heap.is_empty(), inside.empty());
    }
    while (!heap.is_empty()) {
      ASSERT_EQ(heap.front(), model.begin()->second);
      heap.remove(*heap.front());
      forget(model.begin()->second);
    }
    EXPECT_TRUE(model.empty());
  }
}

// --- Sleeping.

class timer_test : public ::testing::Test {
 protected:
  watchdog dog_{std::chrono::seconds(100),
                std::string(::testing::UnitTest::GetInstance()->current_test_info()->name())};
};

task<void> sleep_at_least(steady_clock::duration limit) {
  const auto before = steady_clock::now();
  co_await sleep_for(limit);
  EXPECT_GE(steady_clock::now() - before, limit);
}

TEST_F(timer_test, never_wakes_early) {
  std::deque<begun> all;
  for (int i = 0; i < 200; ++i) all.emplace_back(sleep_at_least(i * 37us));
  for (begun& each : all) EXPECT_EQ(each.wait(), ending::normal);
}

task<void> sleep_until_then(steady_clock::time_point when) {
  co_await sleep_until(when);
  EXPECT_GE(steady_clock::now(), when);
}

TEST_F(timer_test, does_not_wait_for_what_has_passed) {
  begun now(sleep_at_least(0ns));
  EXPECT_TRUE(now.has_ended());
  begun past(sleep_until_then(steady_clock::now() - 1h));
  EXPECT_TRUE(past.has_ended());
  begun long_ago([]() -> task<void> {
    co_await sleep_for(-5s);
    co_await sleep_for(std::chrono::hours::min());
    co_await sleep_until(steady_clock::time_point::min());
    co_await sleep_until(std::chrono::system_clock::time_point::min());
    co_await sleep_until(std::chrono::time_point<std::chrono::system_clock, std::chrono::hours>::min());
  }());
  EXPECT_TRUE(long_ago.has_ended());
}

TEST_F(timer_test, knows_other_clocks_and_units) {
  using std::chrono::system_clock;
  begun one([]() -> task<void> {
    const auto when = system_clock::now() + 3ms;
    co_await sleep_until(when);
    EXPECT_GE(system_clock::now(), when);
    const auto whole = std::chrono::ceil<std::chrono::milliseconds>(steady_clock::now() + 2ms);
    co_await sleep_until(whole);
    EXPECT_GE(steady_clock::now(), whole);
    co_await sleep_for(std::chrono::duration<double>(0.001));
  }());
  EXPECT_EQ(one.wait(), ending::normal);
}

// Far away is never: such a sleep ends by a stop alone, and holds up nobody.
TEST_F(timer_test, an_earlier_one_does_not_wait_for_a_later_one) {
  std::stop_source source;
  const std::stop_token stop = source.get_token();
  const auto sleep = [](auto limit) -> task<void> { co_await sleep_for(limit); };
  std::deque<begun> far;
  far.emplace_back(sleep(std::chrono::hours::max()), stop);
  far.emplace_back(sleep(std::chrono::nanoseconds::max()), stop);
  far.emplace_back(sleep(std::chrono::duration<double>(std::numeric_limits<double>::infinity())), stop);
  far.emplace_back(sleep(1h), stop);
  far.emplace_back([]() -> task<void> { co_await sleep_until(steady_clock::time_point::max()); }(), stop);
  far.emplace_back([]() -> task<void> { co_await sleep_until(std::chrono::system_clock::time_point::max()); }(), stop);
  for (int i = 0; i < 5; ++i) {
    begun near(sleep_at_least(1ms), stop);
    EXPECT_EQ(near.wait(), ending::normal);
  }
  for (begun& each : far) EXPECT_FALSE(each.has_ended());
  source.request_stop();
  for (begun& each : far) EXPECT_EQ(each.wait(), ending::cancelled);
  begun late(sleep_at_least(0ns), stop);
  EXPECT_EQ(late.wait(), ending::cancelled);
}

TEST_F(timer_test, a_stop_and_a_deadline_at_the_same_time) {
  std::size_t cancelled = 0;
  for (int round = 0; round < 500; ++round) {
    std::stop_source source;
    begun sleeping([](int us) -> task<void> { co_await sleep_for(us * 1us); }(round % 100), source.get_token());
    std::this_thread::sleep_for(std::chrono::microseconds(round % 10));
    source.request_stop();
    const ending how = sleeping.wait();
    EXPECT_TRUE(how == ending::normal || how == ending::cancelled);
    cancelled += how == ending::cancelled ? 1 : 0;
  }
  RecordProperty("cancelled", static_cast<int>(cancelled));
}

TEST_F(timer_test, thousands_come_and_go) {
  constexpr std::size_t many = 3000;
  std::vector<std::stop_source> sources(many);
  std::deque<begun> all;
  for (std::size_t i = 0; i < many; ++i) {
    all.emplace_back(sleep_at_least(i % 3 == 0 ? steady_clock::duration(1h) : steady_clock::duration(i % 50 * 100us)),
                     sources[i].get_token());
  }
  for (std::size_t i = 0; i < many; i += 3) sources[i].request_stop();
  for (std::size_t i = 0; i < many; ++i) {
    EXPECT_EQ(all[i].wait(), i % 3 == 0 ? ending::cancelled : ending::normal) << i;
  }
}

TEST_F(timer_test, a_coroutine_destroyed_asleep_has_no_timer_any_more) {
  for (int i = 0; i < 100; ++i) {
    begun gone([]() -> task<void> { co_await sleep_for(1h); }());
    gone.destroy();
  }
  begun other(sleep_at_least(1ms));
  EXPECT_EQ(other.wait(), ending::normal);
}

TEST_F(timer_test, a_program_may_end_while_some_sleep) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        auto* const sleeping = new begun(sleep_at_least(1h));  // never ends
        begun woken(sleep_at_least(1ms));
        static_cast<void>(woken.wait());
        std::exit(sleeping->has_ended() ? 1 : 3);
      },
      ::testing::ExitedWithCode(3), "");
}

class timer_everywhere : public on_scheduler {};

TEST_P(timer_everywhere, wakes_in_the_pool_that_it_was_awaited_in) {
  for (const std::size_t workers : {1U, 3U}) {
    pool home(options(workers));
    ledger woken(100);
    task_group group(home);
    for (std::size_t i = 0; i < woken.size(); ++i) {
      group.spawn([](pool& mine, ledger& all, std::size_t name) -> task<void> {
        co_await sleep_for(name % 10 * 100us);
        EXPECT_TRUE(detail::is_in(detail::access::of(mine)));
        all.mark(name);
      }(home, woken, i));
    }
    group.wait();
    woken.expect_each_once();
  }
}

// --- Deadlines.

task<int> answer_after(steady_clock::duration limit, int value) {
  co_await sleep_for(limit);
  co_return value;
}
task<int> fail_after(steady_clock::duration limit) {
  co_await sleep_for(limit);
  throw numbered_error(5);
}
task<std::string> go_on_when_stopped(std::string text) {
  try {
    co_await sleep_for(1h);
  } catch (const task_cancelled&) {  // it has what it wanted
  }
  co_return text;
}

// A result as those of I/O are.
struct io_like {
  std::error_code code;
  [[nodiscard]] std::error_code error() const { return code; }
};
task<io_like> report_when_stopped(std::errc what) {
  try {
    co_await sleep_for(1h);
  } catch (const task_cancelled&) {
    co_return io_like{std::make_error_code(what)};
  }
  co_return io_like{};
}

auto soon() { return steady_clock::now() + 2ms; }
auto in_an_hour() { return steady_clock::now() + 1h; }

TEST_P(timer_everywhere, with_deadline_gives_the_result_or_none) {
  pool home(options(2));
  EXPECT_EQ(sync_wait(home, with_deadline(in_an_hour(), answer_after(1ms, 7))), 7);
  EXPECT_EQ(sync_wait(home, with_deadline(soon(), answer_after(1h, 7))), std::nullopt);
  EXPECT_EQ(sync_wait(home, with_deadline(std::chrono::system_clock::now() + 1h, answer_after(0s, 8))), 8);
  EXPECT_EQ(sync_wait(home, with_deadline(steady_clock::time_point::max(), answer_after(0s, 9))), 9);
  // The time has passed: the task is asked to stop before its first wait.
  EXPECT_EQ(sync_wait(home, with_deadline(steady_clock::now() - 1s, answer_after(0s, 7))), std::nullopt);
  EXPECT_THROW(sync_wait(home, with_deadline(in_an_hour(), fail_after(1ms))), numbered_error);
  EXPECT_TRUE(sync_wait(home, with_deadline(in_an_hour(), sleep_at_least(1ms))));
  EXPECT_FALSE(sync_wait(home, with_deadline(soon(), sleep_at_least(1h))));
  EXPECT_THROW(sync_wait(home, with_deadline(soon(), task<int>())), std::future_error);
}

TEST_P(timer_everywhere, with_deadline_loses_nothing_that_was_got) {
  pool home(options(2));
  EXPECT_EQ(sync_wait(home, with_deadline(soon(), go_on_when_stopped("got"))), "got");
  EXPECT_FALSE(sync_wait(home, with_deadline(soon(), report_when_stopped(std::errc::operation_canceled))));
  const auto other = sync_wait(home, with_deadline(soon(), report_when_stopped(std::errc::io_error)));
  ASSERT_TRUE(other);
  EXPECT_EQ(other->error(), std::errc::io_error);
}

TEST_P(timer_everywhere, deadlines_within_deadlines) {
  pool home(options(2));
  const auto inner = sync_wait(home, with_deadline(in_an_hour(), with_deadline(soon(), answer_after(1h, 1))));
  ASSERT_TRUE(inner);
  EXPECT_EQ(*inner, std::nullopt);  // the inner one's time ran out
  EXPECT_EQ(sync_wait(home, with_deadline(soon(), with_deadline(in_an_hour(), answer_after(1h, 1)))), std::nullopt);
}

TEST_P(timer_everywhere, a_stop_from_above_is_no_deadline) {
  pool home(options(2));
  std::stop_source source;
  std::thread other([&] {
    std::this_thread::sleep_for(2ms);
    source.request_stop();
  });
  EXPECT_THROW(sync_wait(home, with_stop(source.get_token(), with_deadline(in_an_hour(), answer_after(1h, 1)))),
               task_cancelled);
  other.join();
}

// The deadline and the end of the task meet: one of the two results, and nothing is left behind.
TEST_P(timer_everywhere, ends_at_its_deadline) {
  pool home(options(2));
  for (int i = 0; i < 100; ++i) {
    const auto limit = std::chrono::microseconds(20 + i);
    const auto got = sync_wait(home, with_deadline(steady_clock::now() + limit, answer_after(limit, i)));
    if (got) {
      EXPECT_EQ(*got, i);
    }
  }
}

PILFER_ON_EVERY_SCHEDULER(timer_everywhere);

}  // namespace
}  // namespace pilfer::test
