// What becomes of a wait that has not ended.
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "runtime/bare_pool.hpp"
#include "src/runtime/rest.hpp"

namespace pilfer::test {
namespace {

using detail::wait_end;

TEST(wait_end_alone, a_wait_that_is_done_or_over_throws_nothing) {
  bare_pool pool;
  EXPECT_NO_THROW(detail::throw_unless_ended(wait_end::done, *pool));
  EXPECT_NO_THROW(detail::throw_unless_ended(wait_end::time_over, *pool));
  detail::terminate_unless_ended(wait_end::done);
  detail::terminate_unless_ended(wait_end::time_over);
}

TEST(wait_end_alone, a_wait_for_itself_is_a_mistake_of_the_program) {
  bare_pool pool;
  EXPECT_THROW(detail::throw_unless_ended(wait_end::own, *pool), std::logic_error);
}

TEST(wait_end_alone, a_wait_that_is_too_deep_is_told_with_all_waits_of_its_pool) {
  bare_pool pool;
  try {
    detail::throw_unless_ended(wait_end::too_deep, *pool);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("nested too deeply"), std::string::npos) << text;
    EXPECT_NE(text.find(pool->describe()), std::string::npos) << text;
  }
}

TEST(wait_end_alone, a_wait_that_must_not_throw_says_why_it_ends_the_program) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(detail::terminate_unless_ended(wait_end::own), "would never end");
  EXPECT_DEATH(detail::terminate_unless_ended(wait_end::too_deep), "nested too deeply");
}

}  // namespace
}  // namespace pilfer::test
