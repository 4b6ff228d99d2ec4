// The experiment `coroutines`: its claims by rows that are made up, and all of it, small.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lab/coroutines/experiment.hpp"
#include "lab/tests/claim_by_id.hpp"
#include "lab/tests/tiny_settings.hpp"

namespace pilfer::lab::experiments {
namespace {

using namespace coroutines;

row made_up_coroutines(const char* name, const char* impl, std::size_t workers, std::vector<double> samples) {
  return {.suite = suite_name,
          .name = name,
          .impl = impl,
          .params = {{"workers", workers}},
          .unit = "ns",
          .samples = std::move(samples)};
}

TEST(coroutine_claims, are_medians_of_the_rows_they_name) {
  std::vector<row> rows{made_up_coroutines(step_row, call_step, 1, {2, 2, 2}),
                        made_up_coroutines(step_row, await_step, 1, {7, 9, 8}),
                        made_up_coroutines(step_row, schedule_step, 1, {26, 24, 30}),
                        made_up_coroutines(elsewhere_row, spawned, 2, {0.5, 1.5, 2.5}),
                        made_up_coroutines(elsewhere_row, woken, 2, {0.25, 0.25, 0.25})};
  rows[3].extra["p99"] = 2.5;
  const std::vector<claim> judged = claims(rows, tiny_on_two);
  const claim& ready = by_id(judged, "await_ready_ns");
  ASSERT_TRUE(ready.measured);
  EXPECT_DOUBLE_EQ(ready.measured->value, 8);
  EXPECT_EQ(ready.goal, 10);
  EXPECT_EQ(ready.met(), true);
  EXPECT_NE(ready.note.find("2.0 ns"), std::string::npos) << ready.note;
  const claim& resumed = by_id(judged, "resume_here_ns");
  ASSERT_TRUE(resumed.measured);
  EXPECT_DOUBLE_EQ(resumed.measured->value, 26);
  EXPECT_EQ(resumed.goal, 25);
  EXPECT_EQ(resumed.met(), false);
  const claim& elsewhere = by_id(judged, "resume_elsewhere_us");
  ASSERT_TRUE(elsewhere.measured);
  EXPECT_DOUBLE_EQ(elsewhere.measured->value, 1.5);
  EXPECT_EQ(elsewhere.met(), false);
  EXPECT_NE(elsewhere.note.find("receive 0.25"), std::string::npos) << elsewhere.note;
}

TEST(coroutine_claims, a_resumption_allocates_nothing) {
  const auto judged = [](double allocations) {
    return by_id(claims({made_up_coroutines(allocations_row, resumed_impl, 1, {allocations})}, tiny_on_two),
                 "resume_allocations");
  };
  EXPECT_EQ(judged(0).met(), true);
  EXPECT_EQ(judged(0.001).met(), false);
}

TEST(coroutine_claims, compare_forks_in_pairs_with_all_processors) {
  const std::vector<row> rows{made_up_coroutines(fib_program, serial_impl, 0, {1, 1, 1}),
                              made_up_coroutines(fib_program, help_first_impl, 1, {10, 10, 10}),
                              made_up_coroutines(fib_program, work_first_impl, 1, {5, 5, 5}),
                              made_up_coroutines(fib_program, fork_join_impl, 2, {2, 1, 4}),
                              made_up_coroutines(fib_program, help_first_impl, 2, {8, 4, 16}),
                              made_up_coroutines(fib_program, work_first_impl, 2, {12, 6, 24})};
  const claim forks = by_id(claims(rows, tiny_on_two), "work_first_vs_help_first");
  ASSERT_TRUE(forks.measured);
  EXPECT_DOUBLE_EQ(forks.measured->value, 1.5);
  EXPECT_FALSE(forks.goal);
  EXPECT_NE(forks.note.find("one worker 0.50"), std::string::npos) << forks.note;
  EXPECT_NE(forks.note.find("help-first / fork_join 4.0"), std::string::npos) << forks.note;
  const std::vector<page::chart> shown = charts(rows);
  ASSERT_EQ(shown.size(), 1U);
  EXPECT_EQ(shown[0].lines_or_groups.size(), 3U);
}

TEST(coroutine_claims, say_why_they_cannot_be_shown) {
  for (const claim& each : claims({}, tiny_on_two)) {
    EXPECT_FALSE(each.measured) << each.id;
    EXPECT_EQ(each.note.find("cannot be shown on this machine: "), 0U) << each.note;
    EXPECT_EQ(each.suite, suite_name);
  }
  // One processor: the other worker waits for it.
  const std::vector<row> rows{made_up_coroutines(elsewhere_row, spawned, 2, {0.5})};
  EXPECT_FALSE(by_id(claims(rows, {.how = effort::tiny, .processors = 1}), "resume_elsewhere_us").measured);
  EXPECT_TRUE(charts({}).empty());
}

TEST(coroutines, measures_everything_that_it_claims) {
  const experiment all = coroutines_experiment({"/bin/true"});
  std::vector<row> rows;
  for (const part& one : all.parts(tiny_on_two)) {
    for (row& r : one.run().rows) {
      EXPECT_EQ(r.suite, suite_name);
      EXPECT_FALSE(r.samples.empty()) << r.name << " " << r.impl;
      const bool may_be_nothing = r.name == allocations_row;
      for (const double sample : r.samples) EXPECT_TRUE(sample > 0 || may_be_nothing) << r.name << " " << r.impl;
      rows.push_back(std::move(r));
    }
  }
  for (const claim& each : all.claims(rows, tiny_on_two)) {
    if (each.id == "resume_allocations") continue;  // where there is a valgrind
    EXPECT_TRUE(each.measured) << each.id << ": " << each.note;
  }
  std::set<std::string> ids;
  for (const page::chart& each : all.charts(rows)) {
    EXPECT_TRUE(ids.insert(each.id).second) << each.id;
    EXPECT_EQ(each.id.find(suite_name), 0U);
  }
  EXPECT_EQ(ids.size(), 3U);
}

TEST(coroutines, the_child_takes_a_number) {
  EXPECT_EQ(run_resume_child({"1"}), 0);
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{}, {"x"}, {"2x"}, {"-1"}, {""}, {"1", "2"}}) {
    EXPECT_EQ(run_resume_child(wrong), 2);
  }
}

TEST(coroutines, what_valgrind_says_of_the_heap) {
  EXPECT_EQ(allocations_in("==7== \n==7==   total heap usage: 1,234,567 allocs, 3 frees, 5 bytes allocated\n"),
            1234567U);
  EXPECT_EQ(allocations_in("total heap usage: 12 allocs"), 12U);
  EXPECT_FALSE(allocations_in("total heap usage: none"));
  EXPECT_FALSE(allocations_in(""));
}

// Each row once: nobody is measured under another's name.
TEST(coroutines, rows_have_names_of_their_own) {
  std::set<std::string> names;
  for (const part& one : coroutines_experiment({"/bin/true"}).parts({.how = effort::tiny, .processors = 1})) {
    for (const row& r : one.run().rows) {
      EXPECT_TRUE(names.insert(r.name + "/" + r.impl + "/" + r.params.at("workers").dump()).second) << r.impl;
    }
  }
  EXPECT_GT(names.size(), 20U);
}

}  // namespace
}  // namespace pilfer::lab::experiments
