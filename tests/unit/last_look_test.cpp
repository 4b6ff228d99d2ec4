#include <cstdint>

#include <gtest/gtest.h>

#include <pilfer/ext/last_look.hpp>

namespace pilfer::ext {
namespace {

int yes_of_64(const last_look<default_sync>& look) {
  int yes = 0;
  for (std::uint64_t random = 0; random < 64; ++random) yes += look.sample(random) ? 1 : 0;
  return yes;
}

TEST(last_look, says_look_until_somebody_looked) {
  const last_look<default_sync> look;
  EXPECT_EQ(yes_of_64(look), 64);
}

TEST(last_look, remembers_what_was_left) {
  last_look<default_sync> look;
  look.note(false);
  EXPECT_EQ(yes_of_64(look), 8) << "one probe in eight goes and looks";
  look.note(true);
  EXPECT_EQ(yes_of_64(look), 64);
  look.note(true);
  look.note(false);
  look.note(false);
  EXPECT_EQ(yes_of_64(look), 8);
}

}  // namespace
}  // namespace pilfer::ext
