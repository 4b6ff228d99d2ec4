// A request to stop, and its tokens. The class has no neighbours.
#include <array>
#include <cstddef>
#include <set>
#include <stop_token>
#include <thread>

#include <gtest/gtest.h>

#include "src/runtime/pool_stop.hpp"

namespace pilfer::test {
namespace {

using detail::pool_stop;

// Something to have an address, and far enough from the next one.
struct alignas(64) some_work {};

TEST(pool_stop_alone, a_request_stops_every_token_for_good) {
  pool_stop all(3);
  std::array<some_work, 500> works;
  const std::stop_token kept = all.token_for(&works[0]);
  for (const some_work& each : works) EXPECT_FALSE(all.token_for(&each).stop_requested());
  EXPECT_FALSE(all.is_requested());
  EXPECT_TRUE(all.request());
  EXPECT_TRUE(all.is_requested());
  for (const some_work& each : works) EXPECT_TRUE(all.token_for(&each).stop_requested());
  EXPECT_TRUE(kept.stop_requested());
  EXPECT_FALSE(all.request()) << "it was requested before";
}

TEST(pool_stop_alone, a_work_keeps_its_token_and_many_works_share_few_states) {
  const pool_stop all(1000);
  std::array<some_work, 500> works;
  std::set<const std::stop_token*> different;
  for (const some_work& each : works) {
    EXPECT_EQ(&all.token_for(&each), &all.token_for(&each));
    different.insert(&all.token_for(&each));
  }
  EXPECT_GT(different.size(), 1U) << "one would be a lock that all workers share";
  EXPECT_LE(different.size(), 64U);
}

TEST(pool_stop_alone, a_token_outlives_the_pool) {
  some_work work;
  std::stop_token kept;
  {
    pool_stop all(1);
    kept = all.token_for(&work);
    all.request();
  }
  EXPECT_TRUE(kept.stop_requested());
}

TEST(pool_stop_alone, callbacks_run_on_the_thread_that_requests) {
  pool_stop all(1);
  std::array<some_work, 2> works;
  int calls = 0;
  const auto count = [&, here = std::this_thread::get_id()] {
    EXPECT_EQ(std::this_thread::get_id(), here);
    EXPECT_FALSE(all.is_requested()) << "not before every token is stopped";
    ++calls;
  };
  const std::stop_callback first(all.token_for(&works[0]), count);
  const std::stop_callback second(all.token_for(&works[1]), count);
  all.request();
  EXPECT_EQ(calls, 2);
}

// I2: the first requester is still at it, in a callback, when another one comes.
TEST(pool_stop_alone, a_later_requester_does_not_return_before_all_is_stopped) {
  pool_stop all(16);
  std::array<some_work, 100> works;
  int others = 0;
  const std::stop_callback callback(all.token_for(&works[0]), [&] {
    ++others;
    std::thread([&] {
      EXPECT_FALSE(all.request());
      EXPECT_TRUE(all.is_requested());
      for (const some_work& each : works) EXPECT_TRUE(all.token_for(&each).stop_requested());
    }).join();
  });
  EXPECT_TRUE(all.request());
  EXPECT_EQ(others, 1);
}

TEST(pool_stop_alone, coroutines_are_counted_wherever_they_have_their_token) {
  pool_stop all(2);
  std::array<some_work, 3> roots;
  for (const some_work& each : roots) all.begin_coroutine(&each);
  EXPECT_EQ(all.count().coroutines, 3U);
  EXPECT_EQ(all.count().starts, 3U);
  for (const some_work& each : roots) all.end_start(&each);
  EXPECT_EQ(all.count().coroutines, 3U);
  EXPECT_EQ(all.count().starts, 0U);
  all.end_coroutine(&roots[1]);
  EXPECT_EQ(all.count().coroutines, 2U);
  all.end_coroutine(&roots[0]);
  all.end_coroutine(&roots[2]);
  EXPECT_EQ(all.count().coroutines, 0U);
  EXPECT_EQ(all.count().starts, 0U);
}

}  // namespace
}  // namespace pilfer::test
