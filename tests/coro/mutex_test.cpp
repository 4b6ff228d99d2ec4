// async_mutex: one at a time, in the order of their coming, and nobody is forgotten when some are stopped.
#include <pilfer/coro/mutex.hpp>

#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
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

class async_mutex_test : public ::testing::Test {
 protected:
  watchdog dog_{std::chrono::seconds(100),
                std::string(::testing::UnitTest::GetInstance()->current_test_info()->name())};
};

// The list is only touched by who has the mutex.
task<void> sign(async_mutex& mutex, std::vector<int>& list, int name) {
  const auto guard = co_await mutex.lock();
  list.push_back(name);
}

bool is_free(async_mutex& mutex) {
  if (!mutex.try_lock()) return false;
  mutex.unlock();
  return true;
}

TEST_F(async_mutex_test, serves_first_who_came_first) {
  async_mutex mutex;
  std::vector<int> list;
  ASSERT_TRUE(mutex.try_lock());
  {
    std::deque<begun> line;
    for (int i = 0; i < 50; ++i) {
      line.emplace_back(sign(mutex, list, i));
      EXPECT_FALSE(line.back().has_ended());
      EXPECT_FALSE(mutex.try_lock());
    }
    mutex.unlock();
    for (begun& each : line) EXPECT_EQ(each.wait(), ending::normal);
  }
  ASSERT_EQ(list.size(), 50U);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(list[static_cast<std::size_t>(i)], i);
  EXPECT_TRUE(is_free(mutex));
}

TEST_F(async_mutex_test, does_not_wait_for_a_free_one) {
  async_mutex mutex;
  std::vector<int> list;
  begun alone(sign(mutex, list, 7));
  EXPECT_TRUE(alone.has_ended());
  EXPECT_EQ(list, std::vector<int>{7});
  EXPECT_TRUE(is_free(mutex));
}

task<void> note_thread(async_mutex& mutex, std::thread::id& where) {
  const auto guard = co_await mutex.lock();
  where = std::this_thread::get_id();
}

TEST_F(async_mutex_test, never_resumes_on_the_stack_of_who_unlocks) {
  async_mutex mutex;
  std::thread::id where;
  ASSERT_TRUE(mutex.try_lock());
  begun waiting(note_thread(mutex, where));
  mutex.unlock();
  EXPECT_EQ(waiting.wait(), ending::normal);
  EXPECT_NE(where, std::thread::id());
  EXPECT_NE(where, std::this_thread::get_id());
}

TEST_F(async_mutex_test, guards_move_and_can_end_early) {
  async_mutex first;
  async_mutex second;
  begun all([](async_mutex& a, async_mutex& b) -> task<void> {
    async_lock none;
    EXPECT_FALSE(none.owns_lock());
    none.unlock();
    auto guard = co_await a.lock();
    EXPECT_TRUE(guard.owns_lock());
    auto moved = std::move(guard);
    EXPECT_FALSE(is_free(a));
    auto other = co_await b.lock();
    other = std::move(moved);  // gives b up
    EXPECT_TRUE(is_free(b));
    EXPECT_FALSE(is_free(a));
    other.unlock();
    EXPECT_TRUE(is_free(a));
    auto last = co_await a.lock();
    EXPECT_EQ(last.release(), &a);
    EXPECT_FALSE(last.owns_lock());
  }(first, second));
  EXPECT_EQ(all.wait(), ending::normal);
  EXPECT_FALSE(is_free(first));
  first.unlock();
  EXPECT_TRUE(is_free(first));
}

TEST_F(async_mutex_test, a_stopped_coroutine_does_not_lock) {
  async_mutex mutex;
  std::vector<int> list;
  std::stop_source source;
  source.request_stop();
  begun stopped(sign(mutex, list, 1), source.get_token());
  EXPECT_TRUE(stopped.has_ended());
  EXPECT_EQ(stopped.wait(), ending::cancelled);
  EXPECT_TRUE(list.empty());
  EXPECT_TRUE(is_free(mutex));
}

TEST_F(async_mutex_test, who_is_stopped_leaves_the_line_and_the_others_keep_their_order) {
  for (const std::size_t leaves : {0U, 1U, 2U, 3U}) {  // first, in the middle, last
    async_mutex mutex;
    std::vector<int> list;
    std::vector<std::stop_source> sources(4);
    ASSERT_TRUE(mutex.try_lock());
    std::deque<begun> line;
    for (int i = 0; i < 4; ++i) {
      line.emplace_back(sign(mutex, list, i), sources[static_cast<std::size_t>(i)].get_token());
    }
    sources[leaves].request_stop();
    EXPECT_EQ(line[leaves].wait(), ending::cancelled);
    line.emplace_back(sign(mutex, list, 4));
    mutex.unlock();
    std::vector<int> expected;
    for (std::size_t i = 0; i < line.size(); ++i) {
      EXPECT_EQ(line[i].wait(), i == leaves ? ending::cancelled : ending::normal);
      if (i != leaves) expected.push_back(static_cast<int>(i));
    }
    EXPECT_EQ(list, expected);
    EXPECT_TRUE(is_free(mutex));
  }
}

// Either it has the mutex, or it was stopped; in both cases the next one gets it.
TEST_F(async_mutex_test, a_stop_and_a_hand_over_at_the_same_time) {
  std::size_t cancelled = 0;
  for (int round = 0; round < 1000; ++round) {
    async_mutex mutex;
    std::vector<int> list;
    std::stop_source source;
    ASSERT_TRUE(mutex.try_lock());
    begun first(sign(mutex, list, 1), source.get_token());
    begun second(sign(mutex, list, 2));
    std::thread other([&] { source.request_stop(); });
    if (round % 2 == 0) std::this_thread::yield();
    mutex.unlock();
    const ending how = first.wait();
    EXPECT_EQ(second.wait(), ending::normal);
    other.join();
    EXPECT_EQ(list, how == ending::normal ? (std::vector<int>{1, 2}) : std::vector<int>{2});
    EXPECT_TRUE(how == ending::normal || how == ending::cancelled);
    EXPECT_TRUE(is_free(mutex));
    cancelled += how == ending::cancelled ? 1 : 0;
  }
  RecordProperty("cancelled", static_cast<int>(cancelled));
}

// A stop that comes while the coroutine is about to line up.
TEST_F(async_mutex_test, a_stop_and_a_lock_at_the_same_time) {
  for (int round = 0; round < 1000; ++round) {
    async_mutex mutex;
    std::vector<int> list;
    std::stop_source source;
    ASSERT_TRUE(mutex.try_lock());
    std::thread other([&] { source.request_stop(); });
    if (round % 2 == 0) std::this_thread::yield();
    begun waiting(sign(mutex, list, 1), source.get_token());
    EXPECT_EQ(waiting.wait(), ending::cancelled);
    other.join();
    mutex.unlock();
    EXPECT_TRUE(list.empty());
    EXPECT_TRUE(is_free(mutex));
  }
}

TEST_F(async_mutex_test, a_coroutine_destroyed_in_line_leaves_it) {
  async_mutex mutex;
  std::vector<int> list;
  std::stop_source source;
  ASSERT_TRUE(mutex.try_lock());
  begun first(sign(mutex, list, 1));
  begun gone(sign(mutex, list, 2), source.get_token());
  begun last(sign(mutex, list, 3));
  gone.destroy();
  source.request_stop();
  mutex.unlock();
  EXPECT_EQ(first.wait(), ending::normal);
  EXPECT_EQ(last.wait(), ending::normal);
  EXPECT_EQ(list, (std::vector<int>{1, 3}));
}

task<void> lock_and_end(std::unique_ptr<async_mutex>& mutex) {
  auto guard = co_await mutex->lock();
  guard.unlock();
  mutex.reset();
}

TEST_F(async_mutex_test, who_was_given_it_last_may_end_it) {
  for (int round = 0; round < 200; ++round) {
    auto mutex = std::make_unique<async_mutex>();
    ASSERT_TRUE(mutex->try_lock());
    begun last(lock_and_end(mutex));
    mutex->unlock();
    EXPECT_EQ(last.wait(), ending::normal);
    EXPECT_EQ(mutex, nullptr);
  }
}

class async_mutex_everywhere : public on_scheduler {};

struct shared_state {
  async_mutex mutex;
  long plain = 0;  // a race if two are inside
  std::atomic<int> inside{0};
};

task<void> add_often(pool& home, shared_state& shared, int times) {
  co_await home.schedule();
  for (int i = 0; i < times; ++i) {
    const auto guard = co_await shared.mutex.lock();
    EXPECT_EQ(shared.inside.fetch_add(1), 0);
    ++shared.plain;
    if (i % 4 == 0) co_await yield();  // held across a suspension
    EXPECT_EQ(shared.inside.fetch_sub(1), 1);
  }
}

TEST_P(async_mutex_everywhere, one_at_a_time) {
  for (const std::size_t workers : {1U, 3U}) {
    pool home(options(workers));
    shared_state shared;
    std::vector<task<void>> all;
    for (int i = 0; i < 8; ++i) all.push_back(add_often(home, shared, 50));
    static_cast<void>(sync_wait(home, when_all(std::move(all))));
    EXPECT_EQ(shared.plain, 400);
    EXPECT_TRUE(is_free(shared.mutex));
  }
}

task<void> add_until_stopped(pool& home, shared_state& shared, std::atomic<long>& added) {
  co_await home.schedule();
  for (;;) {
    const auto guard = co_await shared.mutex.lock();
    EXPECT_EQ(shared.inside.fetch_add(1), 0);
    ++shared.plain;
    ++added;
    EXPECT_EQ(shared.inside.fetch_sub(1), 1);
  }
}

TEST_P(async_mutex_everywhere, survives_stops_at_any_moment) {
  pool home(options(2));
  for (int round = 0; round < 10; ++round) {
    shared_state shared;
    std::atomic<long> added = 0;
    std::vector<std::stop_source> sources(6);
    {
      task_group group(home);
      for (const std::stop_source& source : sources) {
        group.spawn(with_stop(source.get_token(), add_until_stopped(home, shared, added)));
      }
      while (added.load() < 20) std::this_thread::yield();
      for (std::stop_source& source : sources) source.request_stop();
      EXPECT_THROW(group.wait(), task_cancelled);
      EXPECT_EQ(group.errors().size(), sources.size());
    }
    EXPECT_EQ(shared.plain, added.load());
    EXPECT_TRUE(is_free(shared.mutex));
  }
}

PILFER_ON_EVERY_SCHEDULER(async_mutex_everywhere);

}  // namespace
}  // namespace pilfer::test
