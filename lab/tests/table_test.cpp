#include "lab/measure/table.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace pilfer::lab {
namespace {

TEST(table, columns_are_aligned_and_lines_end_clean) {
  table t({{"queue", align::left}, {"ns/op"}, {"", align::left}});
  t.add({"abp", "6.94", "x"});
  t.add_rule();
  t.add({"bwos-lifo", "0.66", ""});
  EXPECT_EQ(t.text(),
            "queue      ns/op\n"
            "-------------------\n"
            "abp         6.94  x\n"
            "-------------------\n"
            "bwos-lifo   0.66\n");
}

TEST(table, a_row_has_a_cell_for_each_column) {
  table t({{"a"}, {"b"}});
  EXPECT_THROW(t.add({"1"}), std::invalid_argument);
}

TEST(table, figures_have_as_many_digits_as_they_mean) {
  EXPECT_EQ(nanoseconds(0.64321), "0.643");
  EXPECT_EQ(nanoseconds(37.866), "37.87");
  EXPECT_EQ(nanoseconds(10734.2), "10734");
  EXPECT_EQ(short_count(0), "0");
  EXPECT_EQ(short_count(9999), "9999");
  EXPECT_EQ(short_count(123'456), "123.5k");
  EXPECT_EQ(short_count(5'600'000), "5.6M");
  EXPECT_EQ(short_count(20'000'000'000), "20.0G");
  EXPECT_EQ(percent(0.199), "19.9 %");
  EXPECT_EQ(ratio_with_interval({0.97312, 0.968, 0.979}), "0.973 [0.968, 0.979]");
}

}  // namespace
}  // namespace pilfer::lab
