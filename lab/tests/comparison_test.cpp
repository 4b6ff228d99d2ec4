#include "lab/measure/comparison.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

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

// Medians over the timed runs; the first one, which warms up, does not count.
TEST(comparison, a_row_says_what_the_runs_cost_besides_time) {
  std::uint64_t stolen = 100;
  int runs = 0;
  std::vector<candidate> all = {{"serial", 0, [] { return 1.0; }},
                                {"thief", 2,
                                 [&] {
                                   stolen += runs++ == 0 ? 1000 : 7;
                                   std::this_thread::sleep_for(std::chrono::milliseconds(1));
                                   return 1.0;
                                 },
                                 [&] { return stolen; }}};
  const comparison found = compare(all, 3, "test");
  const row serial = row_of({.suite = "s", .name = "n", .size = 1}, found, found.entries[0]);
  const row thief = row_of({.suite = "s", .name = "n", .size = 1}, found, found.entries[1]);
  EXPECT_TRUE(serial.extra["tasks_stolen"].is_null()) << "nobody says";
  EXPECT_EQ(thief.extra["tasks_stolen"], 7);
  EXPECT_GE(thief.extra["voluntary_switches"].get<double>(), 1) << "it slept";
  EXPECT_GE(thief.extra["involuntary_switches"].get<double>(), 0);
  EXPECT_TRUE(thief.extra["io_continuations_stolen"].is_null());
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
