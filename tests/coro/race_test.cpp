// when_any over operations: at most one takes effect, and what the others have come to is not lost.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/coro.hpp>
#include <pilfer/pool.hpp>

#include "coro/begun.hpp"
#include "coro/coro_checks.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;

class race_test : public ::testing::Test {
 protected:
  watchdog dog_{std::chrono::seconds(100),
                std::string(::testing::UnitTest::GetInstance()->current_test_info()->name())};
};

struct outcome_of_race {
  std::size_t index = 99;
  std::optional<int> value;
};
task<void> receive_either(channel<int>& a, channel<int>& b, outcome_of_race& into) {
  auto first = co_await when_any(a.receive(), b.receive());
  into.index = first.index();
  into.value = std::visit([](const std::optional<int>& v) { return v; }, first.value());
}

// Runs it where no other thread resumes a coroutine: what is decided stays decided, and is not resumed before the next co_await.
template <class Body>
void run_alone(Body body) {
  pool home(1);
  sync_wait(home, body());
}
task<void> pass_turns() {
  for (int i = 0; i < 5; ++i) co_await yield();
}

TEST_F(race_test, takes_one_value_and_leaves_the_other) {
  channel<int> a(2);
  channel<int> b(2);
  EXPECT_TRUE(b.try_send(7));
  outcome_of_race got;
  begun second(receive_either(a, b, got));
  EXPECT_EQ(second.wait(), ending::normal);
  EXPECT_EQ(got.index, 1U);
  EXPECT_EQ(got.value, 7);
  EXPECT_TRUE(a.try_send(1));
  EXPECT_TRUE(b.try_send(2));
  begun first(receive_either(a, b, got));  // both are ready: the first argument
  EXPECT_EQ(first.wait(), ending::normal);
  EXPECT_EQ(got.index, 0U);
  EXPECT_EQ(got.value, 1);
  EXPECT_EQ(a.try_receive(), std::nullopt);
  EXPECT_EQ(b.try_receive(), 2);
}

TEST_F(race_test, is_in_no_line_afterwards) {
  channel<int> a(0);
  channel<int> b(0);
  outcome_of_race got;
  begun waits(receive_either(a, b, got));
  EXPECT_FALSE(waits.has_ended());
  EXPECT_TRUE(b.try_send(3));
  EXPECT_EQ(waits.wait(), ending::normal);
  EXPECT_EQ(got.index, 1U);
  EXPECT_EQ(got.value, 3);
  EXPECT_FALSE(a.try_send(4));
  EXPECT_FALSE(b.try_send(4));
}

// The race is decided, and its coroutine has not run yet: its other receive is in line still.
TEST_F(race_test, a_value_passes_over_a_receiver_whose_race_is_decided) {
  run_alone([]() -> task<void> {
    channel<int> a(1);
    channel<int> b(1);
    outcome_of_race got;
    std::optional<int> next;
    auto race = co_await fork(receive_either(a, b, got));
    co_await pass_turns();
    const auto receive_next = [](channel<int>& from, std::optional<int>& into) -> task<void> {
      into = co_await from.receive();
    };
    auto behind = co_await fork(receive_next(b, next));
    co_await pass_turns();
    EXPECT_TRUE(a.try_send(1));
    EXPECT_TRUE(b.try_send(2));  // to the one behind
    EXPECT_EQ(b.size(), 0U);
    EXPECT_TRUE(b.try_send(3));  // to nobody
    EXPECT_EQ(b.size(), 1U);
    co_await std::move(race).join();
    co_await std::move(behind).join();
    EXPECT_EQ(got.index, 0U);
    EXPECT_EQ(got.value, 1);
    EXPECT_EQ(next, 2);
    EXPECT_EQ(b.try_receive(), 3);
  });
}

TEST_F(race_test, a_mutex_and_a_semaphore_pass_over_a_waiter_whose_race_is_decided) {
  run_alone([]() -> task<void> {
    channel<int> wins(1);
    async_mutex mutex;
    async_semaphore units(1);
    EXPECT_TRUE(mutex.try_lock());
    std::size_t index = 99;
    const auto race = [](channel<int>& from, async_mutex& m, async_semaphore& s, std::size_t& into) -> task<void> {
      auto first = co_await when_any(m.lock(), s.hold(3), from.receive());
      into = first.index();
    };
    auto racing = co_await fork(race(wins, mutex, units, index));
    co_await pass_turns();
    EXPECT_FALSE(units.try_acquire());  // one that wants more came first
    EXPECT_TRUE(wins.try_send(1));
    mutex.unlock();
    EXPECT_TRUE(mutex.try_lock()) << "it was handed to a coroutine that does not want it any more";
    EXPECT_TRUE(units.try_acquire());
    units.release(5);
    EXPECT_EQ(units.available(), 5U);
    co_await std::move(racing).join();
    EXPECT_EQ(index, 2U);
    mutex.unlock();
    EXPECT_EQ(units.available(), 5U);
  });
}

TEST_F(race_test, a_lock_that_wins_is_held_and_a_permit_that_wins_is_given_back) {
  async_mutex mutex;
  async_semaphore units(0);
  ASSERT_TRUE(mutex.try_lock());
  std::size_t index = 99;
  std::atomic<bool> go_on = false;
  const auto body = [&]() -> task<void> {
    auto first = co_await when_any(units.hold(2), mutex.lock());
    index = first.index();
    co_await until_true([&] { return go_on.load(); });
  };
  begun locks(body());
  units.release();  // not enough
  mutex.unlock();
  EXPECT_FALSE(mutex.try_lock());
  go_on = true;
  EXPECT_EQ(locks.wait(), ending::normal);
  EXPECT_EQ(index, 1U);
  EXPECT_TRUE(mutex.try_lock());
  EXPECT_EQ(units.available(), 1U);
  begun holds(body());
  units.release();
  EXPECT_EQ(holds.wait(), ending::normal);
  EXPECT_EQ(index, 0U);
  EXPECT_EQ(units.available(), 2U);
  mutex.unlock();
  EXPECT_TRUE(mutex.try_lock());
}

task<void> send_or_receive(channel<int>& by, int value, outcome_of_race& into) {
  auto first = co_await when_any(by.send(value), by.receive());
  into.index = first.index();
  if (into.index == 1) into.value = std::get<1>(first.value());
}

TEST_F(race_test, does_not_serve_itself) {
  for (const std::size_t capacity : {0U, 1U}) {
    channel<int> by(capacity);
    if (capacity == 1) {
      ASSERT_TRUE(by.try_send(0));
      const auto fill = [&]() -> task<void> {
        auto first = co_await when_any(by.receive(), by.send(9));
        EXPECT_EQ(first.index(), 0U);
        first = co_await when_any(by.receive(), by.send(0));
        EXPECT_EQ(first.index(), 1U);  // there is room
      };
      begun both(fill());
      EXPECT_EQ(both.wait(), ending::normal);
      EXPECT_EQ(by.try_receive(), 0);
      continue;
    }
    outcome_of_race got[3];
    begun sends(send_or_receive(by, 1, got[0]));
    EXPECT_FALSE(sends.has_ended());
    EXPECT_EQ(by.try_receive(), 1);
    EXPECT_EQ(sends.wait(), ending::normal);
    EXPECT_EQ(got[0].index, 0U);
    begun receives(send_or_receive(by, 2, got[1]));
    EXPECT_TRUE(by.try_send(5));
    EXPECT_EQ(receives.wait(), ending::normal);
    EXPECT_EQ(got[1].index, 1U);
    EXPECT_EQ(got[1].value, 5);
    // Two of them serve each other: the second sends.
    begun one(send_or_receive(by, 3, got[0]));
    begun other(send_or_receive(by, 4, got[2]));
    EXPECT_EQ(one.wait(), ending::normal);
    EXPECT_EQ(other.wait(), ending::normal);
    EXPECT_EQ(got[0].index, 1U);
    EXPECT_EQ(got[0].value, 4);
    EXPECT_EQ(got[2].index, 0U);
    EXPECT_FALSE(by.try_send(6));
    EXPECT_EQ(by.try_receive(), std::nullopt);
  }
}

TEST_F(race_test, a_closed_channel_wins) {
  channel<int> a(0);
  channel<int> b(0);
  outcome_of_race got{.index = 99, .value = 5};
  begun waits(receive_either(a, b, got));
  b.close();
  EXPECT_EQ(waits.wait(), ending::normal);
  EXPECT_EQ(got.index, 1U);
  EXPECT_EQ(got.value, std::nullopt);
  EXPECT_FALSE(a.try_send(1));
  const auto body = [&]() -> task<void> {
    auto first = co_await when_any(a.receive(), b.send(1));
    EXPECT_EQ(first.index(), 1U);
    EXPECT_FALSE(std::get<1>(first.value()));
  };
  begun late(body());
  EXPECT_EQ(late.wait(), ending::normal);
}

TEST_F(race_test, is_stopped_before_and_while_it_waits) {
  channel<int> a(0);
  channel<int> b(0);
  std::stop_source source;
  outcome_of_race got;
  begun waits(receive_either(a, b, got), source.get_token());
  EXPECT_FALSE(waits.has_ended());
  source.request_stop();
  EXPECT_EQ(waits.wait(), ending::cancelled);
  EXPECT_FALSE(a.try_send(1));
  EXPECT_FALSE(b.try_send(1));
  channel<int> full(1);
  ASSERT_TRUE(full.try_send(3));
  begun late(receive_either(a, full, got), source.get_token());
  EXPECT_EQ(late.wait(), ending::cancelled);
  EXPECT_EQ(full.try_receive(), 3);
  EXPECT_EQ(got.index, 99U);
}

// The value is with the receiver, or in its channel still.
TEST_F(race_test, a_stop_and_a_value_at_the_same_time) {
  for (std::uint64_t round = 0; more_stress(round, 300); ++round) {
    channel<int> a(1);
    channel<int> b(1);
    std::stop_source source;
    outcome_of_race got;
    begun receiver(receive_either(a, b, got), source.get_token());
    std::thread other([&] { source.request_stop(); });
    std::thread sender([&] { EXPECT_TRUE(a.try_send(1)); });
    EXPECT_TRUE(b.try_send(2));
    const ending how = receiver.wait();
    other.join();
    sender.join();
    EXPECT_EQ(got.value.has_value(), how == ending::normal);
    const auto expected = [&](std::size_t index, int value) {
      return got.index == index ? std::optional<int>() : std::optional<int>(value);
    };
    EXPECT_EQ(a.try_receive(), expected(0, 1));
    EXPECT_EQ(b.try_receive(), expected(1, 2));
  }
}

TEST_F(race_test, destroyed_where_it_waits_it_leaves_every_line) {
  channel<int> a(0);
  async_mutex mutex;
  ASSERT_TRUE(mutex.try_lock());
  async_semaphore units(0);
  const auto body = [&]() -> task<void> {
    const auto never_comes = co_await when_any(a.receive(), mutex.lock(), units.acquire(), sleep_for(1h));
    ADD_FAILURE() << never_comes.index();
  };
  begun gone(body());
  begun with_children([](channel<int>& from) -> task<void> {
    const auto receives = [](channel<int>& channel_of_it) -> task<void> {
      static_cast<void>(co_await channel_of_it.receive());
    };
    const auto never_comes = co_await when_any(from.receive(), receives(from));
    ADD_FAILURE() << never_comes.index();
  }(a));
  gone.destroy();
  with_children.destroy();
  EXPECT_FALSE(a.try_send(1));
  mutex.unlock();
  EXPECT_TRUE(mutex.try_lock());
  units.release();
  EXPECT_TRUE(units.try_acquire());
}

TEST_F(race_test, a_timer_ends_the_wait_and_takes_nothing) {
  pool home(2);
  channel<int> a(1);
  sync_wait(home, [](channel<int>& from) -> task<void> {
    auto first = co_await when_any(from.receive(), sleep_for(1ms));
    EXPECT_EQ(first.index(), 1U);
    EXPECT_TRUE(from.try_send(1));
    const auto second =
        co_await when_any(sleep_for(1h), from.receive(), sleep_until(std::chrono::system_clock::now() + 1h));
    EXPECT_EQ(second.index(), 1U);
  }(a));
}

TEST_F(race_test, an_operation_that_is_ready_starts_no_task) {
  pool home(2);
  channel<int> a(1);
  ASSERT_TRUE(a.try_send(1));
  bool begun_at_all = false;
  const auto work = [&](counted_object /*kept in the frame*/) -> task<int> {
    begun_at_all = true;
    co_return 1;
  };
  counted_object::alive = 0;
  const auto first = sync_wait(home, when_any(work({}), a.receive()));
  EXPECT_EQ(first.index(), 1U);
  EXPECT_FALSE(begun_at_all);
  EXPECT_TRUE(std::get<0>(first.others()).is_nothing());
  EXPECT_EQ(counted_object::alive.load(), 0);
}

// An operation that was named can be awaited again, and a send has its value still.
TEST_F(race_test, an_operation_that_lost_can_be_awaited_again) {
  pool home(2);
  channel<std::unique_ptr<int>> to(0);
  sync_wait(home, [](channel<std::unique_ptr<int>>& out) -> task<void> {
    auto sending = out.send(std::make_unique<int>(5));
    for (int i = 0; i < 3; ++i) {
      const auto first = co_await when_any(sending, sleep_for(100us));
      EXPECT_EQ(first.index(), 1U);
    }
    auto both = when_all(
        [](auto& operation) -> task<bool> { co_return co_await operation; }(sending),
        [](auto& from) -> task<std::optional<std::unique_ptr<int>>> { co_return co_await from.receive(); }(out));
    const auto [sent, got] = co_await std::move(both);
    EXPECT_TRUE(sent);
    EXPECT_TRUE(got && *got && **got == 5);
  }(to));
}

TEST_F(race_test, a_vector_of_operations) {
  pool home(2);
  constexpr std::size_t count = 200;
  std::deque<channel<std::size_t>> all;
  for (std::size_t i = 0; i < count; ++i) all.emplace_back(1);
  sync_wait(home, [](std::deque<channel<std::size_t>>& from) -> task<void> {
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<decltype(from[0].receive())> receives;
      for (auto& each : from) receives.push_back(each.receive());
      const std::size_t sender = i * 7 % count;
      auto sends = [](channel<std::size_t>& to, std::size_t value) -> task<void> {
        co_await yield();
        const bool sent = co_await to.send(value);
        EXPECT_TRUE(sent);
      };
      auto beside = co_await fork(sends(from[sender], i));
      const auto [index, value] = co_await when_any(std::move(receives));
      co_await std::move(beside).join();
      EXPECT_EQ(index, sender);
      EXPECT_EQ(value, i);
    }
  }(all));
}

// --- Everything else that can be awaited.

// Resumes at once, on the thread that awaits it.
struct ready_number {
  int number;
  [[nodiscard]] static bool await_ready() noexcept { return true; }
  static void await_suspend(std::coroutine_handle<> /*who*/) noexcept {}
  [[nodiscard]] int await_resume() const noexcept { return number; }
};
struct number_by_operator {
  int number;
  [[nodiscard]] ready_number operator co_await() const noexcept { return {number}; }
};
// Neither copied nor moved.
struct pinned_flag {
  pinned_flag() = default;
  pinned_flag(const pinned_flag&) = delete;
  pinned_flag& operator=(const pinned_flag&) = delete;
  int number = 4;
  [[nodiscard]] static bool await_ready() noexcept { return true; }
  static void await_suspend(std::coroutine_handle<> /*who*/) noexcept {}
  [[nodiscard]] int& await_resume() noexcept { return number; }
};

TEST_F(race_test, awaitables_of_the_users) {
  pool home(2);
  channel<int> never_sends(0);
  auto first = sync_wait(home, when_any(never_sends.receive(), ready_number{3}));
  EXPECT_EQ(first.index(), 1U);
  EXPECT_EQ(std::get<1>(first.value()), 3);
  auto second = sync_wait(home, when_any(number_by_operator{5}, never_sends.receive()));
  EXPECT_EQ(std::get<0>(second.value()), 5);
  pinned_flag here;
  auto third = sync_wait(home, when_any(here, never_sends.receive()));
  EXPECT_EQ(&std::get<0>(third.value()).get(), &here.number);
  std::vector<ready_number> several{{1}, {2}};
  const auto [index, value] = sync_wait(home, when_any(std::move(several)));
  EXPECT_EQ(value, static_cast<int>(index) + 1);
  EXPECT_FALSE(never_sends.try_send(1));
}

// Returns a value, or throws, although it was asked to stop.
task<std::unique_ptr<int>> returns_when_stopped(int value) {
  const std::stop_token stop = co_await this_stop_token();
  while (!stop.stop_requested()) {
    try {
      co_await yield();
    } catch (const task_cancelled&) {
    }
  }
  co_return std::make_unique<int>(value);
}
task<int> throws_when_stopped(std::size_t number) {
  const std::unique_ptr<int> late = co_await returns_when_stopped(0);
  static_cast<void>(late);
  throw numbered_error(number);
}
task<int> ends_when_stopped() {
  for (;;) co_await yield();
}

std::size_t number_of(const std::exception_ptr& error) {
  try {
    if (error != nullptr) std::rethrow_exception(error);
  } catch (const numbered_error& thrown) {
    return thrown.number;
  } catch (...) {
  }
  return 99;
}

TEST_F(race_test, what_others_return_or_throw_is_kept) {
  pool home(2);
  for (const bool by_operation : {false, true}) {
    channel<int> values(1);
    const auto send_later = [&]() -> task<void> {
      co_await pass_turns();
      EXPECT_TRUE(values.try_send(8));
      if (!by_operation) co_return;
      co_await until_true([] { return false; });
    };
    const auto receive_later = [&]() -> task<std::optional<int>> { co_return co_await values.receive(); };
    const auto check = [](auto first) {
      EXPECT_EQ(first.error(), nullptr);
      auto& [returned, threw, cancelled, sender, last] = first.others();
      EXPECT_TRUE(returned.has_value());
      EXPECT_EQ(**returned, 6);
      EXPECT_FALSE(threw.has_value());
      EXPECT_FALSE(threw.is_nothing());
      EXPECT_EQ(number_of(threw.error()), 7U);
      EXPECT_THROW(static_cast<void>(threw.value()), numbered_error);
      EXPECT_TRUE(cancelled.is_nothing());
      EXPECT_THROW(static_cast<void>(cancelled.value()), std::bad_optional_access);
      return first.index();
    };
    if (by_operation) {
      EXPECT_EQ(check(sync_wait(home, when_any(returns_when_stopped(6), throws_when_stopped(7), ends_when_stopped(),
                                               send_later(), values.receive()))),
                4U);
    } else {
      EXPECT_EQ(check(sync_wait(home, when_any(returns_when_stopped(6), throws_when_stopped(7), ends_when_stopped(),
                                               send_later(), receive_later()))) /
                    3,
                1U);  // the sender or the receiver
    }
  }
}

task<int> throws_number(std::size_t number) {
  co_await pass_turns();
  throw numbered_error(number);
}

TEST_F(race_test, an_exception_of_the_first_does_not_drop_what_others_return) {
  pool home(2);
  auto first = sync_wait(home, when_any(throws_number(3), returns_when_stopped(6)));
  EXPECT_EQ(number_of(first.error()), 3U);
  EXPECT_THROW(static_cast<void>(first.index()), numbered_error);
  EXPECT_THROW(static_cast<void>(first.value()), numbered_error);
  EXPECT_TRUE(std::get<0>(first.others()).is_nothing());
  EXPECT_EQ(**std::get<1>(first.others()), 6);
  const auto bind = [&] {
    auto [index, value] = std::move(first);
    ADD_FAILURE() << index;
  };
  EXPECT_THROW(bind(), numbered_error);
  // Where there is nothing to be lost, co_await throws.
  EXPECT_THROW(static_cast<void>(sync_wait(home, when_any(throws_number(3), ends_when_stopped()))), numbered_error);
  std::vector<task<int>> some;
  some.push_back(throws_when_stopped(1));
  some.push_back(throws_number(2));
  some.push_back(ends_when_stopped());
  auto many = sync_wait(home, when_any(std::move(some)));
  EXPECT_EQ(number_of(many.error()), 2U);
  ASSERT_EQ(many.others().size(), 3U);
  EXPECT_EQ(number_of(many.others()[0].error()), 1U);
  EXPECT_TRUE(many.others()[1].is_nothing());
  EXPECT_TRUE(many.others()[2].is_nothing());
}

TEST_F(race_test, a_stop_does_not_drop_what_others_return) {
  pool home(2);
  channel<int> never_sends(0);
  std::stop_source source;
  std::thread stopper([&] {
    std::this_thread::sleep_for(1ms);
    source.request_stop();
  });
  auto first = sync_wait(home, with_stop(source.get_token(), when_any(never_sends.receive(), returns_when_stopped(6))));
  stopper.join();
  EXPECT_THROW(static_cast<void>(first.index()), task_cancelled);
  EXPECT_EQ(**std::get<1>(first.others()), 6);
  EXPECT_FALSE(never_sends.try_send(1));
}

// --- Many at a time.

class race_everywhere : public on_scheduler {};

struct parcel {
  std::size_t number;
};

task<void> send_numbers(pool& home, channel<parcel>& to, std::size_t from, std::size_t end) {
  co_await home.schedule();
  for (std::size_t i = from; i < end; ++i) {
    const bool sent = co_await to.send({i});
    EXPECT_TRUE(sent);
  }
}

// Each value arrives once, and those of a channel in its order.
task<void> receive_from_two(pool& home, channel<parcel>& a, channel<parcel>& b, ledger& got, std::size_t count) {
  co_await home.schedule();
  std::size_t next[2] = {};
  for (std::size_t i = 0; i < count; ++i) {
    auto first = co_await when_any(a.receive(), b.receive());
    const std::size_t index = first.index();
    const std::optional<parcel> one = std::visit([](const auto& v) { return v; }, first.value());
    EXPECT_TRUE(one);
    if (!one) co_return;
    EXPECT_GE(one->number, next[index]) << "out of order";
    next[index] = one->number + 1;
    got.mark(one->number);
  }
}

TEST_P(race_everywhere, two_channels_lose_no_value) {
  for (const std::size_t capacity : {0U, 1U, 16U}) {
    pool home(options(2));
    const std::size_t count = 2 * stress_amount(500);
    channel<parcel> a(capacity);
    channel<parcel> b(capacity);
    ledger got(count);
    sync_wait(home, when_all(send_numbers(home, a, 0, count / 2), send_numbers(home, b, count / 2, count),
                             receive_from_two(home, a, b, got, count)));
    got.expect_each_once();
    EXPECT_EQ(a.size() + b.size(), 0U);
  }
}

TEST_F(race_test, forty_thousand_values_of_two_channels) {
  pool home(3);
  const std::size_t count = 40'000 / (under_tsan || under_asan ? 4 : 1);
  channel<parcel> a(4);
  channel<parcel> b(0);
  ledger got(count);
  // Two producers, and two that receive from both, in opposite orders.
  sync_wait(home, when_all(send_numbers(home, a, 0, count / 2), send_numbers(home, b, count / 2, count),
                           receive_from_two(home, a, b, got, count / 2), receive_from_two(home, b, a, got, count / 2)));
  got.expect_each_once();
}

TEST_F(race_test, a_channel_and_a_short_timer_lose_no_value) {
  pool home(2);
  const std::size_t count = 5000 / (under_tsan || under_asan ? 4 : 1);
  channel<parcel> values(0);
  ledger got(count);
  const auto send_slowly = [&]() -> task<void> {
    co_await home.schedule();
    for (std::size_t i = 0; i < count; ++i) {
      // Around the receiver's limit: many come when the timer has won, and the receiver has not run yet.
      if (i % 4 == 0) co_await sleep_for(std::chrono::microseconds(10 + i / 4 % 20));
      const bool sent = co_await values.send({i});
      EXPECT_TRUE(sent);
    }
  };
  std::size_t timeouts = 0;
  const auto receive = [&]() -> task<void> {
    co_await home.schedule();
    for (std::size_t next = 0; next < count;) {
      auto first = co_await when_any(values.receive(), sleep_for(20us));
      if (first.index() == 1) {
        ++timeouts;
        continue;
      }
      const std::optional<parcel>& one = std::get<0>(first.value());
      EXPECT_TRUE(one && one->number == next) << "out of order";
      got.mark(one->number);
      ++next;
    }
  };
  sync_wait(home, when_all(send_slowly(), receive()));
  got.expect_each_once();
  EXPECT_EQ(values.size(), 0U);
  RecordProperty("timeouts", std::to_string(timeouts));
}

// As tasks they are not claimed: what the loser has received is in others().
TEST_F(race_test, tasks_that_receive_lose_no_value) {
  pool home(2);
  const std::size_t count = 2 * stress_amount(2000);
  channel<parcel> a(1);
  channel<parcel> b(1);
  ledger got(count);
  const auto receive = [](channel<parcel>& from) -> task<std::optional<parcel>> { co_return co_await from.receive(); };
  std::size_t late = 0;
  const auto receive_all = [&]() -> task<void> {
    co_await home.schedule();
    for (std::size_t left = count; left != 0;) {
      auto first = co_await when_any(receive(a), receive(b));
      std::visit([&](const auto& one) { got.mark(one.value().number); }, first.value());
      --left;
      const auto take_late = [&](const late_result<std::optional<parcel>>& other) {
        if (!other || !*other) return;
        got.mark((*other)->number);
        --left;
        ++late;
      };
      std::apply([&](const auto&... each) { (take_late(each), ...); }, first.others());
    }
  };
  sync_wait(home,
            when_all(send_numbers(home, a, 0, count / 2), send_numbers(home, b, count / 2, count), receive_all()));
  got.expect_each_once();
  RecordProperty("late", std::to_string(late));
}

// Both sides race, over the same channels in opposite orders: two races are claimed for each value.
TEST_P(race_everywhere, senders_that_race_meet_receivers_that_race) {
  for (const std::size_t capacity : {0U, 1U}) {
    pool home(options(4));
    const std::size_t each_moves = stress_amount(200);
    constexpr std::size_t pairs = 3;
    const std::size_t count = pairs * each_moves;
    channel<parcel> a(capacity);
    channel<parcel> b(capacity);
    ledger sent(count);
    ledger got(count);
    const auto send_to_either = [&](std::size_t from, bool turned) -> task<void> {
      co_await home.schedule();
      for (std::size_t i = from; i < from + each_moves; ++i) {
        channel<parcel>& first_choice = turned ? b : a;
        channel<parcel>& second_choice = turned ? a : b;
        auto first = co_await when_any(first_choice.send({i}), second_choice.send({i}));
        EXPECT_TRUE(std::visit([](bool done) { return done; }, first.value()));
        sent.mark(i);
      }
    };
    const auto receive_from_either = [&](bool turned) -> task<void> {
      co_await home.schedule();
      for (std::size_t i = 0; i < each_moves; ++i) {
        channel<parcel>& first_choice = turned ? b : a;
        channel<parcel>& second_choice = turned ? a : b;
        auto first = co_await when_any(first_choice.receive(), second_choice.receive());
        std::visit([&](const auto& one) { got.mark(one.value().number); }, first.value());
      }
    };
    std::vector<task<void>> all;
    for (std::size_t i = 0; i < pairs; ++i) {
      all.push_back(send_to_either(i * each_moves, i % 2 == 0));
      all.push_back(receive_from_either(i % 2 != 0));
    }
    sync_wait(home, when_all(std::move(all)));
    sent.expect_each_once();
    got.expect_each_once();
    EXPECT_EQ(a.size() + b.size(), 0U);
  }
}

// Each is a sender and a receiver in the same race: a value goes to another one.
TEST_F(race_test, all_send_and_receive_at_the_same_time) {
  pool home(4);
  const std::size_t each_moves = stress_amount(2000);
  constexpr std::size_t members = 4;
  channel<parcel> by(0);
  channel<parcel> other(0);
  ledger sent(members * each_moves);
  ledger got(members * each_moves);
  std::atomic<std::size_t> moves = 0;
  std::stop_source over;
  const auto member = [&](std::size_t from) -> task<void> {
    co_await home.schedule();
    for (std::size_t mine = from; mine < from + each_moves;) {
      auto race = from % (2 * each_moves) == 0
                      ? when_any(by.send({mine}), other.send({mine}), by.receive(), other.receive())
                      : when_any(other.send({mine}), by.send({mine}), other.receive(), by.receive());
      auto first = co_await std::move(race);
      if (first.index() < 2) {
        sent.mark(mine++);
      } else {
        const auto one = first.index() == 2 ? std::get<2>(first.value()) : std::get<3>(first.value());
        got.mark(one.value().number);
        ++moves;
      }
    }
    // The last one to have sent all of its own has nobody left but those that receive.
    for (;;) {
      auto first = co_await when_any(by.receive(), other.receive());
      std::visit([&](const auto& one) { got.mark(one.value().number); }, first.value());
      ++moves;
    }
  };
  task_group group(home, over.get_token());
  for (std::size_t i = 0; i < members; ++i) group.spawn(member(i * each_moves));
  wait_until_true([&] { return moves == members * each_moves; });
  over.request_stop();
  group.wait();
  sent.expect_each_once();
  got.expect_each_once();
}

task<void> stay_inside(std::atomic<int>& inside) {
  struct leaving {
    std::atomic<int>& inside;
    ~leaving() { --inside; }
  };
  EXPECT_EQ(++inside, 1) << "two have the mutex";
  const leaving at_end{inside};
  co_await yield();
}

TEST_P(race_everywhere, stops_at_any_moment_leak_nothing) {
  pool home(options(3));
  for (int round = 0; round < 8; ++round) {
    channel<std::size_t> a(static_cast<std::size_t>(round % 2));
    channel<std::size_t> b(1);
    async_mutex mutex;
    async_semaphore units(2);
    constexpr std::size_t most = 20'000;
    ledger sent(most);
    ledger got(most);
    std::atomic<std::size_t> names = 0;
    std::atomic<int> inside = 0;
    const auto member = [&](bool turned) -> task<void> {
      co_await home.schedule();
      for (;;) {
        const std::size_t mine = names.fetch_add(1);
        if (mine >= most) co_return;
        // One name may be lost with its send; then it was not sent.
        auto race = turned ? when_any(mutex.lock(), a.receive(), b.send(mine), units.hold(2))
                           : when_any(mutex.lock(), b.receive(), a.send(mine), units.hold(2));
        auto first = co_await std::move(race);
        switch (first.index()) {
          case 0: co_await stay_inside(inside); break;
          case 1: got.mark(std::get<1>(first.value()).value()); break;
          case 2: sent.mark(mine); break;
          default: break;
        }
      }
    };
    {
      task_group group(home);
      for (int i = 0; i < 6; ++i) group.spawn(member(i % 2 == 0));
      std::this_thread::sleep_for(std::chrono::microseconds(200 * round));
      group.request_stop();
      group.wait();
    }
    while (const auto left = a.try_receive()) got.mark(*left);
    while (const auto left = b.try_receive()) got.mark(*left);
    for (std::size_t i = 0; i < most; ++i) {
      ASSERT_EQ(sent.runs_of(i), got.runs_of(i)) << i;
      ASSERT_LE(got.runs_of(i), 1U) << i;
    }
    EXPECT_TRUE(mutex.try_lock());
    EXPECT_EQ(units.available(), 2U);
  }
}

PILFER_ON_EVERY_SCHEDULER(race_everywhere);

}  // namespace
}  // namespace pilfer::test
