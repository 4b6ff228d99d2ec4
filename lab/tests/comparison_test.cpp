#include "lab/measure/comparison.hpp"

#include <gtest/gtest.h>

#include "lab/measure/affinity.hpp"

namespace pilfer::lab {
namespace {

std::vector<candidate> serial_and(const std::string& name, std::size_t workers, double seconds) {
  return {{"plain", 0, [] { return 2.0; }}, {name, workers, [seconds] { return seconds; }}};
}

TEST(comparison, ratios_are_to_serial_code) {
  const comparison found = compare(serial_and("a", 1, 3.0), 5, "test");
  ASSERT_EQ(found.entries.size(), 2U);
  EXPECT_EQ(found.serial().name, "plain");
  EXPECT_EQ(found.find("a", 2), nullptr);
  const measurement* const a = found.find("a", 1);
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(a->seconds, std::vector<double>(5, 3.0));
  EXPECT_DOUBLE_EQ(a->time_ratio.value, 1.5);
}

TEST(comparison, needs_serial_code) {
  EXPECT_THROW(static_cast<void>(compare({{"a", 1, [] { return 1.0; }}}, 1, "test")), std::logic_error);
}

TEST(comparison, everybody_runs_once_before_the_samples) {
  int runs = 0;
  const std::vector<candidate> one = {{"plain", 0, [&runs] { return static_cast<double>(++runs); }}};
  EXPECT_EQ(compare(one, 3, "test").serial().seconds, (std::vector<double>{2, 3, 4}));
}

TEST(comparison, rows_and_cells_are_in_the_unit) {
  const comparison found = compare(serial_and("a", 1000, 4.0), 2, "test");
  const measurement& a = found.entries[1];
  const row r = row_of({.suite = "s", .name = "n", .size = 7, .unit = microseconds}, found, a);
  EXPECT_EQ(r.unit, "us");
  EXPECT_EQ(r.samples, std::vector<double>(2, 4e6));
  EXPECT_DOUBLE_EQ(r.ratio_to_sequential->value, 0.5);
  EXPECT_EQ(r.extra["oversubscribed"], true);
  const std::vector<std::string> cells = timing_cells(milliseconds, found, a);
  EXPECT_EQ(cells.size(), timing_columns("who", milliseconds).size());
  EXPECT_EQ(cells[1], "1000 OVERSUBSCRIBED");
  EXPECT_EQ(cells[2], "4000.00");
}

TEST(comparison, numbers_of_workers) {
  EXPECT_EQ(worker_counts({3, 1, 3}), (std::vector<std::size_t>{1, 3}));
  const std::vector<std::size_t> all = worker_counts({});
  EXPECT_TRUE(std::ranges::is_sorted(all));
  for (const std::size_t n : {std::size_t{1}, std::size_t{2}, allowed_processors().size()}) {
    EXPECT_NE(std::ranges::find(all, n), all.end()) << n;
  }
}

TEST(comparison, a_claim_says_why_it_has_no_figure) {
  comparison found = compare(serial_and("a", 1, 3.0), 1, "test");
  const auto note = [&](const comparison* all, const char* who, std::size_t workers) {
    claim c;
    EXPECT_EQ(measured_for(c, all, "fib", who, workers), nullptr);
    return c.note;
  };
  EXPECT_EQ(note(nullptr, "a", 1), "fib was not run");
  EXPECT_EQ(note(&found, "b", 1), "b with 1 workers was not run");
  found.processors = 1;
  EXPECT_EQ(note(&found, "a", 2), "more workers than processors");
  claim c;
  EXPECT_EQ(measured_for(c, &found, "fib", "a", 1), &found.entries[1]);
  EXPECT_EQ(c.note, "");
}

}  // namespace
}  // namespace pilfer::lab
