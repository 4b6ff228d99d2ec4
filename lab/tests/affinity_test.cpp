#include "lab/measure/affinity.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace pilfer::lab {
namespace {

TEST(affinity, a_thread_is_bound_for_a_scope_and_then_free_again) {
  std::thread([] {
    const std::vector<int> before = allowed_processors();
    ASSERT_FALSE(before.empty());
    {
      const pinned here(before.back());
      ASSERT_TRUE(here.succeeded());
      EXPECT_EQ(allowed_processors(), std::vector<int>{before.back()});
    }
    EXPECT_EQ(allowed_processors(), before);
  }).join();
}

}  // namespace
}  // namespace pilfer::lab
