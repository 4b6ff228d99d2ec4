// The experiment `tasks`: its claims by rows that are made up, and all of it, small.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

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
              made_up_tasks(bytes_row, group_impl, {128})});
  const claim& time = by_id(judged, "spawn_ns");
  ASSERT_TRUE(time.measured);
  EXPECT_DOUBLE_EQ(time.measured->value, 50);
  EXPECT_EQ(time.met(), true);
  EXPECT_NE(time.note.find("90 ns"), std::string::npos) << time.note;
  EXPECT_EQ(by_id(judged, "spawn_instructions").met(), false);
  EXPECT_EQ(by_id(judged, "spawn_bytes").met(), true);
}

TEST(task_claims, that_cannot_be_judged_say_so) {
  for (const claim& each : claims({})) {
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
  EXPECT_TRUE(by_id(claims(all.rows), "spawn_ns").measured);
  EXPECT_TRUE(by_id(claims(all.rows), "spawn_bytes").measured);
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
