// async_semaphore: no more than there are, in the order of their coming, and none is lost.
#include <pilfer/coro/semaphore.hpp>

#include <atomic>
#include <cstddef>
#include <deque>
#include <stop_token>
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

class async_semaphore_test : public ::testing::Test {
 protected:
  watchdog dog_{std::chrono::seconds(100),
                std::string(::testing::UnitTest::GetInstance()->current_test_info()->name())};
};

task<void> take(async_semaphore& from, std::size_t units) { co_await from.acquire(units); }

TEST_F(async_semaphore_test, gives_what_it_has) {
  async_semaphore three(3);
  EXPECT_EQ(three.available(), 3U);
  EXPECT_TRUE(three.try_acquire(2));
  EXPECT_FALSE(three.try_acquire(2));
  EXPECT_TRUE(three.try_acquire());
  EXPECT_FALSE(three.try_acquire());
  EXPECT_TRUE(three.try_acquire(0));
  begun waits(take(three, 1));
  EXPECT_FALSE(waits.has_ended());
  three.release(3);
  EXPECT_EQ(waits.wait(), ending::normal);
  EXPECT_EQ(three.available(), 2U);
}

TEST_F(async_semaphore_test, one_who_wants_much_is_not_overtaken) {
  async_semaphore units(0);
  begun much(take(units, 3));
  begun little(take(units, 1));
  units.release(2);
  EXPECT_FALSE(units.try_acquire());  // not even at once
  EXPECT_FALSE(much.has_ended());
  EXPECT_FALSE(little.has_ended());
  EXPECT_EQ(units.available(), 2U);
  units.release();
  EXPECT_EQ(much.wait(), ending::normal);
  EXPECT_FALSE(little.has_ended());
  units.release();
  EXPECT_EQ(little.wait(), ending::normal);
  EXPECT_EQ(units.available(), 0U);
}

TEST_F(async_semaphore_test, a_release_of_many_serves_many_in_order) {
  async_semaphore units(0);
  std::vector<int> order;  // one at a time: served by releases of one
  std::deque<begun> line;
  for (int i = 0; i < 10; ++i) {
    line.emplace_back([](async_semaphore& from, std::vector<int>& list, int name) -> task<void> {
      co_await from.acquire();
      list.push_back(name);
      from.release();
    }(units, order, i));
  }
  units.release();
  for (begun& each : line) EXPECT_EQ(each.wait(), ending::normal);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
  line.clear();
  for (int i = 0; i < 5; ++i) line.emplace_back(take(units, 2));
  EXPECT_EQ(units.available(), 1U);
  units.release(6);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(line[i].wait(), ending::normal);
  EXPECT_FALSE(line[3].has_ended());
  EXPECT_EQ(units.available(), 1U);
  units.release(100);
  EXPECT_EQ(line[4].wait(), ending::normal);
  EXPECT_EQ(units.available(), 97U);
}

TEST_F(async_semaphore_test, who_is_stopped_lets_the_next_ones_through) {
  async_semaphore units(1);
  std::stop_source source;
  begun much(take(units, 5), source.get_token());
  begun little(take(units, 1));
  EXPECT_FALSE(little.has_ended());
  source.request_stop();
  EXPECT_EQ(much.wait(), ending::cancelled);
  EXPECT_EQ(little.wait(), ending::normal);
  EXPECT_EQ(units.available(), 0U);
  begun late(take(units, 0), source.get_token());
  EXPECT_EQ(late.wait(), ending::cancelled);
}

TEST_F(async_semaphore_test, permits_give_back) {
  async_semaphore units(4);
  begun all([](async_semaphore& from) -> task<void> {
    semaphore_permit none;
    EXPECT_EQ(none.units(), 0U);
    auto permit = co_await from.hold(3);
    EXPECT_EQ(permit.units(), 3U);
    EXPECT_EQ(from.available(), 1U);
    auto moved = std::move(permit);
    EXPECT_EQ(from.available(), 1U);
    moved = co_await from.hold();
    EXPECT_EQ(from.available(), 3U);
    moved.give_back();
    EXPECT_EQ(from.available(), 4U);
    moved.give_back();
    auto last = co_await from.hold(2);
    throw numbered_error(1);
  }(units));
  EXPECT_EQ(all.wait(), ending::failed);
  all.destroy();
  EXPECT_EQ(units.available(), 4U);
}

TEST_F(async_semaphore_test, a_stop_and_a_release_at_the_same_time) {
  for (int round = 0; round < 1000; ++round) {
    async_semaphore units(0);
    std::stop_source source;
    begun waiting(take(units, 1), source.get_token());
    std::thread other([&] { source.request_stop(); });
    if (round % 2 == 0) std::this_thread::yield();
    units.release();
    const ending how = waiting.wait();
    other.join();
    EXPECT_EQ(units.available(), how == ending::cancelled ? 1U : 0U);
  }
}

class async_semaphore_everywhere : public on_scheduler {};

// As many are inside; also if it is left by an exception.
class visit {
 public:
  visit(std::atomic<std::size_t>& inside, std::size_t units, std::size_t most) : inside_(inside), units_(units) {
    EXPECT_LE(inside_.fetch_add(units_) + units_, most);
  }
  ~visit() { inside_.fetch_sub(units_); }
  visit(const visit&) = delete;
  visit& operator=(const visit&) = delete;

 private:
  std::atomic<std::size_t>& inside_;
  const std::size_t units_;
};

task<void> enter_often(pool& home, async_semaphore& gate, std::atomic<std::size_t>& inside, std::size_t want,
                       std::size_t most, int times) {
  co_await home.schedule();
  for (int i = 0; i < times; ++i) {
    const auto permit = co_await gate.hold(want);
    const visit here(inside, want, most);
    if (i % 4 == 0) co_await yield();
  }
}

TEST_P(async_semaphore_everywhere, never_more_than_there_are) {
  for (const std::size_t workers : {1U, 3U}) {
    pool home(options(workers));
    async_semaphore gate(4);
    std::atomic<std::size_t> inside = 0;
    {
      task_group group(home);
      for (std::size_t i = 0; i < 8; ++i) group.spawn(enter_often(home, gate, inside, 1 + i % 4, 4, 40));
      group.wait();
    }
    EXPECT_EQ(inside.load(), 0U);
    EXPECT_EQ(gate.available(), 4U);
  }
}

TEST_P(async_semaphore_everywhere, survives_stops_at_any_moment) {
  pool home(options(2));
  for (int round = 0; round < 10; ++round) {
    async_semaphore gate(3);
    std::atomic<std::size_t> inside = 0;
    task_group group(home);
    for (std::size_t i = 0; i < 8; ++i) group.spawn(enter_often(home, gate, inside, 1 + i % 3, 3, 1'000'000));
    std::this_thread::sleep_for(std::chrono::microseconds(200 * round));
    group.request_stop();
    try {
      static_cast<void>(group.wait());
    } catch (const task_cancelled&) {  // of those that had begun
    }
    EXPECT_EQ(group.outcome().cancelled + group.outcome().failed, 8U);
    EXPECT_EQ(gate.available(), 3U);
  }
}

PILFER_ON_EVERY_SCHEDULER(async_semaphore_everywhere);

}  // namespace
}  // namespace pilfer::test
