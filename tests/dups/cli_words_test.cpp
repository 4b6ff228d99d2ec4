// Names and amounts in every shape.
#include "tools/dups/words.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace pilfer::dups {
namespace {

TEST(dups_words, what_is_utf8) {
  for (const char* good : {"", "abc", "\xC3\xA4", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\xF4\x8F\xBF\xBF"})
    EXPECT_TRUE(is_utf8(good)) << good;
  for (const char* bad : {"\x80", "\xC0\xAF", "\xC1\xBF", "\xC3", "\xE2\x82", "\xE0\x80\x80", "\xED\xA0\x80",
                          "\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "a\xFF"})
    EXPECT_FALSE(is_utf8(bad)) << as_hex(bad);
}

TEST(dups_words, bytes_that_do_not_belong_are_replaced_one_by_one) {
  EXPECT_EQ(as_utf8("a\xFF\xC3z\xC3\xA4"), "a\xEF\xBF\xBD\xEF\xBF\xBDz\xC3\xA4");
  EXPECT_EQ(as_hex(std::string_view("a\0\xFF", 3)), "6100ff");
}

TEST(dups_words, names_are_shown_so_that_a_terminal_does_nothing) {
  EXPECT_EQ(shown("a b/c'd"), "a b/c'd");
  EXPECT_EQ(shown("\xC3\xA4"), "\xC3\xA4");
  EXPECT_EQ(shown(""), "''");
  EXPECT_EQ(shown("a\nb\tc"), "$'a\\nb\\tc'");
  EXPECT_EQ(shown("\x1b[2J7"), "$'\\033[2J7'");
  EXPECT_EQ(shown("it's\\\n"), "$'it\\'s\\\\\\n'");
  EXPECT_EQ(shown("x\xFF"), "$'x\\377'");
  EXPECT_EQ(shown("\xE2\x80\xAE"), "$'\\342\\200\\256'");  // turns the text around
  EXPECT_EQ(shown("$'a'"), "$'$\\'a\\''");                 // or it would be read as quoted
}

TEST(dups_words, amounts) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(1023), "1023 B");
  EXPECT_EQ(bytes_text(1024), "1.0 KiB");
  EXPECT_EQ(bytes_text(1536), "1.5 KiB");
  EXPECT_EQ(bytes_text((1ULL << 20) - 1), "1.0 MiB");  // not 1024.0 KiB
  EXPECT_EQ(bytes_text(std::numeric_limits<std::uint64_t>::max()), "16.0 EiB");
  EXPECT_EQ(counted(1, "file"), "1 file");
  EXPECT_EQ(counted(0, "file"), "0 files");
}

TEST(dups_words, times) {
  EXPECT_EQ(seconds_text(0.31), "0.3 s");
  EXPECT_EQ(seconds_text(59.96), "1 min 0 s");
  EXPECT_EQ(seconds_text(125), "2 min 5 s");
  EXPECT_EQ(seconds_text(3 * 3600 + 10 * 60), "3 h 10 min");
  EXPECT_EQ(seconds_text(1e300), "days");
  EXPECT_EQ(seconds_text(std::numeric_limits<double>::quiet_NaN()), "0.0 s");
}

TEST(dups_words, sizes_on_the_command_line) {
  EXPECT_EQ(parse_bytes("0"), 0);
  EXPECT_EQ(parse_bytes("512B"), 512);
  EXPECT_EQ(parse_bytes("4k"), 4096);
  EXPECT_EQ(parse_bytes("4KiB"), 4096);
  EXPECT_EQ(parse_bytes("2G"), 2ULL << 30);
  EXPECT_EQ(parse_bytes("16383P"), 16383ULL << 50);
  for (const char* bad : {"", "K", "-1", "1.5M", "1Q", "1Kx", "1 K", "16384P", "99999999999999999999", "0x10"})
    EXPECT_EQ(parse_bytes(bad), std::nullopt) << bad;
}

}  // namespace
}  // namespace pilfer::dups
