// The experiment `tasks`: its claims by rows that are made up, and all of it, small.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "lab/experiments/row_query.hpp"
#include "lab/tasks/experiment.hpp"
#include "lab/tests/claim_by_id.hpp"
#include "lab/tests/tiny_settings.hpp"

namespace pilfer::lab::experiments {
namespace {

using namespace tasks;

row made_up_tasks(const char* name, const char* impl, std::vector<double> samples) {
  return {.suite = suite_name,
          .name = name,
          .impl = impl,
          .params = {{"workers", 1}},
          .unit = "ns",
          .samples = std::move(samples)};
}

TEST(task_claims, are_medians_of_the_rows_they_name) {
  const std::vector<claim> judged =
      claims({made_up_tasks(spawn_row, call_impl, {1, 1, 1}), made_up_tasks(spawn_row, group_impl, {50, 40, 70}),
              made_up_tasks(spawn_row, future_impl, {90, 80, 100}), made_up_tasks(instructions_row, group_impl, {301}),
              made_up_tasks(locked_row, group_impl, {2}), made_up_tasks(bytes_row, group_impl, {128})},
             tiny_on_two);
  const claim& time = by_id(judged, "spawn_ns");
  ASSERT_TRUE(time.measured);
  EXPECT_DOUBLE_EQ(time.measured->value, 50);
  EXPECT_EQ(time.met(), true);
  EXPECT_NE(time.note.find("90 ns"), std::string::npos) << time.note;
  EXPECT_EQ(by_id(judged, "spawn_instructions").met(), false);
  EXPECT_EQ(by_id(judged, "spawn_locked").met(), true);
  EXPECT_EQ(by_id(judged, "spawn_bytes").met(), true);
}

TEST(task_claims, submitting_is_compared_with_the_faster_way) {
  const std::vector<row> rows{made_up_tasks(submit_row, submit_impl, {130, 100, 140}),
                              made_up_tasks(submit_row, tbb_flag_impl, {900, 800, 900}),
                              made_up_tasks(submit_row, tbb_group_impl, {100, 100, 100})};
  const claim judged = by_id(claims(rows, tiny_on_two), "submit_vs_onetbb");
  ASSERT_TRUE(judged.measured);
  EXPECT_DOUBLE_EQ(judged.measured->value, 1.3);
  EXPECT_EQ(judged.goal, 1.2);
  EXPECT_EQ(judged.met(), false);
  EXPECT_NE(judged.note.find(tbb_group_impl), std::string::npos) << judged.note;
  EXPECT_FALSE(by_id(claims({rows[0]}, tiny_on_two), "submit_vs_onetbb").measured);
  EXPECT_FALSE(by_id(claims(rows, {.how = effort::tiny, .processors = 1}), "submit_vs_onetbb").measured);
}

TEST(task_claims, that_cannot_be_judged_say_so) {
  for (const claim& each : claims({}, tiny_on_two)) {
    EXPECT_FALSE(each.measured) << each.id;
    EXPECT_FALSE(each.note.empty()) << each.id;
  }
}

TEST(tasks, measures_time_and_memory) {
  findings all;
  for (const part& one : tasks_experiment({"/bin/true"}).parts(tiny_on_two)) {
    const findings found = one.run();
    all.rows.insert(all.rows.end(), found.rows.begin(), found.rows.end());
  }
  EXPECT_TRUE(by_id(claims(all.rows, tiny_on_two), "spawn_ns").measured);
  EXPECT_TRUE(by_id(claims(all.rows, tiny_on_two), "spawn_bytes").measured);
#if defined(__x86_64__)
  const claim locked = by_id(claims(all.rows, tiny_on_two), "spawn_locked");
  ASSERT_TRUE(locked.measured);
  EXPECT_GE(locked.measured->value, 1) << "each task is claimed";
#endif
  EXPECT_NE(find_row(all.rows, submit_row, submit_impl), nullptr);
  EXPECT_EQ(charts(all.rows).size(), 1U);
}

TEST(tasks, the_child_takes_a_number) {
  EXPECT_EQ(run_spawn_child({"2"}), 0);
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{}, {"x"}, {"2x"}, {"-1"}, {""}, {"1", "2"}}) {
    EXPECT_EQ(run_spawn_child(wrong), 2);
  }
}

}  // namespace
}  // namespace pilfer::lab::experiments
