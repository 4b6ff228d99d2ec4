// channel: each value arrives once, in order; closing and stopping lose none that was handed over.
#include <pilfer/coro/channel.hpp>

#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
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

class channel_test : public ::testing::Test {
 protected:
  watchdog dog_{std::chrono::seconds(100),
                std::string(::testing::UnitTest::GetInstance()->current_test_info()->name())};
};

enum class said : unsigned char { nothing, yes, no };

task<void> send_one(channel<int>& to, int value, said& answer) {
  const bool sent = co_await to.send(value);
  answer = sent ? said::yes : said::no;
}
task<void> receive_one(channel<int>& from, std::optional<int>& into) { into = co_await from.receive(); }

TEST_F(channel_test, keeps_as_many_as_it_has_room_for) {
  channel<int> two(2);
  EXPECT_EQ(two.capacity(), 2U);
  EXPECT_EQ(two.try_receive(), std::nullopt);
  for (int lap = 0; lap < 5; ++lap) {  // the ring goes round
    EXPECT_TRUE(two.try_send(10 * lap));
    EXPECT_TRUE(two.try_send(10 * lap + 1));
    EXPECT_FALSE(two.try_send(99));
    EXPECT_EQ(two.size(), 2U);
    EXPECT_EQ(two.try_receive(), 10 * lap);
    EXPECT_TRUE(two.try_send(10 * lap + 2));
    EXPECT_EQ(two.try_receive(), 10 * lap + 1);
    EXPECT_EQ(two.try_receive(), 10 * lap + 2);
    EXPECT_EQ(two.try_receive(), std::nullopt);
  }
}

TEST_F(channel_test, a_full_one_makes_senders_wait_in_order) {
  channel<int> one(1);
  std::vector<said> answers(4, said::nothing);
  std::deque<begun> senders;
  for (int i = 0; i < 4; ++i) senders.emplace_back(send_one(one, i, answers[static_cast<std::size_t>(i)]));
  EXPECT_TRUE(senders[0].has_ended());
  EXPECT_FALSE(senders[1].has_ended());
  EXPECT_FALSE(one.try_send(9));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(one.try_receive(), i);
  EXPECT_EQ(one.try_receive(), std::nullopt);
  for (begun& each : senders) EXPECT_EQ(each.wait(), ending::normal);
  EXPECT_EQ(answers, std::vector<said>(4, said::yes));
}

TEST_F(channel_test, receivers_wait_in_order) {
  for (const std::size_t capacity : {0U, 3U}) {
    channel<int> values(capacity);
    std::vector<std::optional<int>> got(4);
    std::deque<begun> receivers;
    for (auto& each : got) receivers.emplace_back(receive_one(values, each));
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(values.try_send(int{i}));
    for (begun& each : receivers) EXPECT_EQ(each.wait(), ending::normal);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(got[static_cast<std::size_t>(i)], i);
  }
}

TEST_F(channel_test, without_room_values_go_from_hand_to_hand) {
  channel<int> none(0);
  EXPECT_FALSE(none.try_send(1));
  said answer = said::nothing;
  begun sender(send_one(none, 5, answer));
  EXPECT_FALSE(sender.has_ended());
  EXPECT_EQ(none.try_receive(), 5);
  EXPECT_EQ(sender.wait(), ending::normal);
  EXPECT_EQ(answer, said::yes);
  EXPECT_EQ(none.size(), 0U);
}

TEST_F(channel_test, closed_it_gives_out_what_it_keeps_and_takes_nothing) {
  channel<int> two(2);
  EXPECT_TRUE(two.try_send(1));
  EXPECT_TRUE(two.try_send(2));
  said in_line = said::nothing;
  begun sender(send_one(two, 3, in_line));
  EXPECT_FALSE(sender.has_ended());
  EXPECT_FALSE(two.is_closed());
  two.close();
  two.close();
  EXPECT_TRUE(two.is_closed());
  EXPECT_EQ(sender.wait(), ending::normal);
  EXPECT_EQ(in_line, said::no);
  said late = said::nothing;
  begun later(send_one(two, 4, late));
  EXPECT_EQ(later.wait(), ending::normal);
  EXPECT_EQ(late, said::no);
  EXPECT_FALSE(two.try_send(5));
  std::optional<int> first;
  begun receiver(receive_one(two, first));
  EXPECT_EQ(receiver.wait(), ending::normal);
  EXPECT_EQ(first, 1);
  EXPECT_EQ(two.try_receive(), 2);
  std::optional<int> last = 7;
  begun too_late(receive_one(two, last));
  EXPECT_EQ(too_late.wait(), ending::normal);
  EXPECT_EQ(last, std::nullopt);
}

TEST_F(channel_test, closing_ends_the_wait_of_receivers) {
  channel<int> values(1);
  std::vector<std::optional<int>> got(3, 7);
  std::deque<begun> receivers;
  for (auto& each : got) receivers.emplace_back(receive_one(values, each));
  values.close();
  for (begun& each : receivers) EXPECT_EQ(each.wait(), ending::normal);
  for (const auto& each : got) EXPECT_EQ(each, std::nullopt);
}

TEST_F(channel_test, a_send_that_was_stopped_has_sent_nothing) {
  channel<int> one(1);
  std::stop_source source;
  said answers[3] = {};
  begun first(send_one(one, 1, answers[0]), source.get_token());
  begun second(send_one(one, 2, answers[1]), source.get_token());
  begun third(send_one(one, 3, answers[2]));
  source.request_stop();
  EXPECT_EQ(first.wait(), ending::normal);
  EXPECT_EQ(second.wait(), ending::cancelled);
  EXPECT_EQ(answers[1], said::nothing);
  EXPECT_EQ(one.try_receive(), 1);
  EXPECT_EQ(one.try_receive(), 3);
  EXPECT_EQ(third.wait(), ending::normal);
  said late = said::nothing;
  begun refused(send_one(one, 4, late), source.get_token());
  EXPECT_EQ(refused.wait(), ending::cancelled);
  EXPECT_EQ(one.try_receive(), std::nullopt);
}

TEST_F(channel_test, a_receiver_that_was_stopped_takes_nothing) {
  channel<int> one(1);
  std::stop_source source;
  std::optional<int> nothing;
  std::optional<int> something;
  begun first(receive_one(one, nothing), source.get_token());
  begun second(receive_one(one, something));
  source.request_stop();
  EXPECT_EQ(first.wait(), ending::cancelled);
  EXPECT_TRUE(one.try_send(8));
  EXPECT_EQ(second.wait(), ending::normal);
  EXPECT_EQ(something, 8);
}

// The value is with the receiver, or in the channel still.
TEST_F(channel_test, a_stop_and_a_value_at_the_same_time) {
  for (int round = 0; round < 1000; ++round) {
    channel<int> one(1);
    std::stop_source source;
    std::optional<int> got;
    begun receiver(receive_one(one, got), source.get_token());
    std::thread other([&] { source.request_stop(); });
    if (round % 2 == 0) std::this_thread::yield();
    EXPECT_TRUE(one.try_send(int{round}));
    const ending how = receiver.wait();
    other.join();
    EXPECT_EQ(got.has_value(), how == ending::normal);
    EXPECT_EQ(how == ending::normal ? got : one.try_receive(), round);
    EXPECT_EQ(one.try_receive(), std::nullopt);
  }
}

TEST_F(channel_test, moves_what_cannot_be_copied_and_drops_what_is_left) {
  counted_object::alive = 0;
  struct parcel {
    std::unique_ptr<counted_object> content = std::make_unique<counted_object>();
  };
  {
    channel<parcel> three(3);
    parcel mine;
    EXPECT_TRUE(three.try_send(std::move(mine)));
    EXPECT_TRUE(three.try_send(parcel()));
    EXPECT_TRUE(three.try_send(parcel()));
    parcel kept;
    EXPECT_FALSE(three.try_send(std::move(kept)));
    EXPECT_NE(kept.content, nullptr);  // the caller's still
    begun dropped([](channel<parcel>& to) -> task<void> {
      const bool sent = co_await to.send(parcel());
      EXPECT_FALSE(sent);
    }(three));
    three.close();
    EXPECT_EQ(dropped.wait(), ending::normal);
    const std::optional<parcel> first = three.try_receive();
    ASSERT_TRUE(first);
    EXPECT_NE(first->content, nullptr);
  }
  EXPECT_EQ(counted_object::alive.load(), 0);
}

TEST_F(channel_test, a_coroutine_destroyed_in_line_leaves_it) {
  channel<int> none(0);
  said answers[2] = {};
  begun gone(send_one(none, 1, answers[0]));
  begun stays(send_one(none, 2, answers[1]));
  gone.destroy();
  EXPECT_EQ(none.try_receive(), 2);
  EXPECT_EQ(stays.wait(), ending::normal);
  std::optional<int> got;
  begun receiver(receive_one(none, got));
  receiver.destroy();
  EXPECT_FALSE(none.try_send(3));
}

class channel_everywhere : public on_scheduler {};

struct message {
  std::size_t sender;
  std::size_t number;
};
constexpr std::size_t senders = 4;
constexpr std::size_t receivers = 3;
constexpr std::size_t each_sends = 100;

task<void> send_all(pool& home, channel<message>& to, std::size_t sender, std::atomic<std::size_t>& left) {
  co_await home.schedule();
  for (std::size_t i = 0; i < each_sends; ++i) {
    const bool sent = co_await to.send({sender, i});
    EXPECT_TRUE(sent);
  }
  if (left.fetch_sub(1) == 1) to.close();
}
task<void> receive_all(pool& home, channel<message>& from, ledger& arrived) {
  co_await home.schedule();
  std::vector<std::size_t> next(senders, 0);
  while (const std::optional<message> got = co_await from.receive()) {
    EXPECT_GE(got->number, next[got->sender]) << "out of order";
    next[got->sender] = got->number + 1;
    arrived.mark(got->sender * each_sends + got->number);
  }
}

TEST_P(channel_everywhere, each_value_arrives_once_and_in_its_senders_order) {
  for (const std::size_t capacity : {0U, 1U, 16U}) {
    pool home(options(3));
    channel<message> values(capacity);
    ledger arrived(senders * each_sends);
    std::atomic<std::size_t> left = senders;
    task_group group(home);
    for (std::size_t i = 0; i < receivers; ++i) group.spawn(receive_all(home, values, arrived));
    for (std::size_t i = 0; i < senders; ++i) group.spawn(send_all(home, values, i, left));
    group.wait();
    arrived.expect_each_once();
    EXPECT_EQ(values.size(), 0U);
  }
}

task<void> send_until_stopped(pool& home, channel<std::size_t>& to, std::atomic<std::size_t>& names, ledger& sent) {
  co_await home.schedule();
  for (std::size_t mine = names.fetch_add(1); mine < sent.size(); mine = names.fetch_add(1)) {
    const bool done = co_await to.send(mine);
    EXPECT_TRUE(done);
    sent.mark(mine);
  }
}
task<void> receive_until_stopped(pool& home, channel<std::size_t>& from, ledger& got) {
  co_await home.schedule();
  for (;;) {
    const std::optional<std::size_t> one = co_await from.receive();
    EXPECT_TRUE(one);
    got.mark(*one);
  }
}

// What was sent was received, or is in the channel still; what was not sent is nowhere.
TEST_P(channel_everywhere, survives_stops_at_any_moment) {
  pool home(options(2));
  for (int round = 0; round < 10; ++round) {
    channel<std::size_t> values(static_cast<std::size_t>(round % 3));
    constexpr std::size_t most = 20'000;
    ledger sent(most);
    ledger got(most);
    std::atomic<std::size_t> names = 0;
    {
      task_group group(home);
      for (int i = 0; i < 3; ++i) group.spawn(send_until_stopped(home, values, names, sent));
      for (int i = 0; i < 3; ++i) group.spawn(receive_until_stopped(home, values, got));
      std::this_thread::sleep_for(std::chrono::microseconds(300 * round));
      group.request_stop();
      group.wait();
      EXPECT_GE(group.outcome().cancelled, 3U);  // the receivers have no other end
    }
    while (const auto left = values.try_receive()) got.mark(*left);
    for (std::size_t i = 0; i < most; ++i) {
      ASSERT_EQ(sent.runs_of(i), got.runs_of(i)) << i;
      ASSERT_LE(got.runs_of(i), 1U) << i;
    }
  }
}

PILFER_ON_EVERY_SCHEDULER(channel_everywhere);

}  // namespace
}  // namespace pilfer::test
