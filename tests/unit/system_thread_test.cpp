#include <cstddef>
#include <string>

#include <gtest/gtest.h>

#include "src/sync/stack_room.hpp"
#include "src/sync/system_thread.hpp"
#include "support/thread_names.hpp"

namespace pilfer::test {
namespace {

using detail::has_stack_room;
using detail::numbered_name;
using detail::system_thread;

TEST(numbered_names, keep_the_number) {
  EXPECT_EQ(numbered_name("pilfer", 7), "pilfer/7");
  EXPECT_EQ(numbered_name("exactly-13-by", 7), "exactly-13-by/7");
  EXPECT_EQ(numbered_name("fourteen-bytes", 7), "fourteen-byte/7");
  EXPECT_EQ(numbered_name("fourteen-bytes", 767), "fourteen-by/767");
  EXPECT_EQ(numbered_name("fourteen-bytes", ~0U), "four/4294967295");
  EXPECT_EQ(numbered_name("", 0), "/0");
}

TEST(numbered_names, are_not_cut_within_a_character) {
  EXPECT_EQ(numbered_name("aaaaaaaaaaaa\u00e9", 1), "aaaaaaaaaaaa/1");
  EXPECT_EQ(numbered_name("aaaaaaaaaaa\u00e9", 1), "aaaaaaaaaaa\u00e9/1");
  EXPECT_EQ(numbered_name("aaaaaaaaaaa\u20ac", 1), "aaaaaaaaaaa/1");
}

TEST(a_system_thread, has_its_name_and_its_stack) {
  for (const std::size_t bytes : {std::size_t{256} << 10, std::size_t{3} << 20, std::size_t{256} << 20}) {
    std::string name;
    bool has_half = false;
    bool has_more = true;
    system_thread made(bytes, [&] {
      detail::name_this_thread("a name");
      name = name_of_this_thread();
      has_half = has_stack_room(bytes / 2 - (std::size_t{64} << 10));
      has_more = has_stack_room(bytes / 2 + (std::size_t{64} << 10));
    });
    made.join();
    EXPECT_EQ(name, "a name");
    EXPECT_TRUE(has_half) << bytes;
    EXPECT_FALSE(has_more) << bytes;
  }
}

TEST(a_system_thread, has_the_systems_stack_by_default) {
  bool has_some = false;
  system_thread made(0, [&] { has_some = has_stack_room(std::size_t{64} << 10); });
  made.join();
  EXPECT_TRUE(has_some);
}

}  // namespace
}  // namespace pilfer::test
