#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include <pilfer/ext/steal_result.hpp>

namespace pilfer::ext {
namespace {

TEST(steal_result, holds_an_item_exactly_when_taken) {
  constexpr auto taken = steal_result<std::uint32_t>::of(7);
  static_assert(taken && *taken == 7 && taken.status() == steal_status::taken);
  for (const steal_status failure : {steal_status::empty, steal_status::lost, steal_status::private_work}) {
    const steal_result<std::uint32_t> result = failure;
    EXPECT_FALSE(result);
    EXPECT_EQ(result.status(), failure);
  }
}

TEST(steal_result, no_item_is_a_sentinel) {
  EXPECT_TRUE(steal_result<std::uint64_t>::of(0));
  EXPECT_TRUE(steal_result<std::uint64_t>::of(~std::uint64_t{0}));
  EXPECT_TRUE(steal_result<int*>::of(nullptr));
}

TEST(steal_result, every_status_has_its_name) {
  EXPECT_EQ(std::string(to_string(steal_status::taken)), "taken");
  EXPECT_EQ(std::string(to_string(steal_status::empty)), "empty");
  EXPECT_EQ(std::string(to_string(steal_status::lost)), "lost");
  EXPECT_EQ(std::string(to_string(steal_status::private_work)), "private_work");
}

TEST(batch_result, says_nothing_was_taken_unless_told) {
  const batch_result nothing;
  EXPECT_FALSE(nothing);
  EXPECT_EQ(nothing.status, steal_status::empty);
  EXPECT_EQ(nothing.count, 0U);
  const batch_result some{.status = steal_status::taken, .count = 3};
  EXPECT_TRUE(some);
  const batch_result lost{.status = steal_status::lost};
  EXPECT_FALSE(lost);
}

}  // namespace
}  // namespace pilfer::ext
