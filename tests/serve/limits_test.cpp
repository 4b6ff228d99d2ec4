// The clock that clients are measured by, and how many of them there may be.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>

#include "tools/serve/descriptors.hpp"
#include "tools/serve/sweep_clock.hpp"

namespace pilfer::serve {
namespace {

using namespace std::chrono_literals;

TEST(sweep_clock, goes_on_with_the_time) {
  const auto begin = std::chrono::steady_clock::now();
  sweep_clock shown(begin, 100ms);
  EXPECT_EQ(shown.move(begin), 0U);
  EXPECT_EQ(shown.move(begin + 99ms), 99U);
  EXPECT_EQ(shown.move(begin + 99ms + 600us), 99U);
  EXPECT_EQ(shown.move(begin + 100ms + 300us), 100U) << "parts of milliseconds are not lost";
  EXPECT_EQ(shown.move(begin + 250ms), 250U);
  EXPECT_EQ(shown.move(begin + 240ms), 250U) << "never back";
}

// The sweep stood still for a minute: no client has been slow for it.
TEST(sweep_clock, does_not_count_what_it_missed) {
  const auto begin = std::chrono::steady_clock::now();
  sweep_clock shown(begin, 100ms);
  EXPECT_EQ(shown.move(begin + 60s), 200U);
  EXPECT_EQ(shown.move(begin + 60s + 150ms), 350U);
}

TEST(descriptors, are_enough_for_all_connections) {
  EXPECT_EQ(connections_within(1024, 2, false), 1000U);
  EXPECT_EQ(connections_within(1024, 2, true), 500U) << "each may have a file, too";
  EXPECT_EQ(connections_within(10, 100, false), 1U);
}

TEST(descriptors, are_raised_to_the_hard_limit) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit low{.rlim_cur = 64, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  EXPECT_EQ(raise_descriptor_limit(), before.rlim_max);
  rlimit after{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &after), 0);
  EXPECT_EQ(after.rlim_cur, before.rlim_max);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

}  // namespace
}  // namespace pilfer::serve
