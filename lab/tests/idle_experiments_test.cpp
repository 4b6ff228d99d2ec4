#include "lab/idle/experiments.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <set>

#include "lab/idle/memory_child.hpp"
#include "lab/idle/sleeper.hpp"
#include "lab/tests/claim_by_id.hpp"
#include "lab/tests/tiny_settings.hpp"

namespace pilfer::lab::experiments {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

row made_up_idle(const char* suite, const char* name, const char* impl, std::vector<double> samples) {
  return {.suite = suite,
          .name = name,
          .impl = impl,
          .params = {{"workers", 2}},
          .unit = "us",
          .samples = std::move(samples),
          .ratio_to_sequential = {}};
}

void expect_sound_charts(const std::vector<page::chart>& charts, const std::string& experiment) {
  std::set<std::string> ids;
  for (const page::chart& each : charts) {
    EXPECT_TRUE(each.id.starts_with(experiment)) << each.id;
    EXPECT_TRUE(ids.insert(each.id).second) << each.id;
    EXPECT_FALSE(each.lines_or_groups.empty()) << each.id;
    for (const page::series& line : each.lines_or_groups) EXPECT_FALSE(line.points.empty()) << each.id;
  }
}

// --- wake-up.

std::vector<row> wake_up_rows(double idle, double latency) {
  return {made_up_idle("wake-up", "idle", "default", {idle, idle, idle}),
          made_up_idle("wake-up", "idle", "lace", {0.5, 0.5, 0.5}),
          made_up_idle("wake-up", "idle", "onetbb", {0.9, 0.9, 0.9}),
          made_up_idle("wake-up", "ticking", "default", {0.01, 0.01, 0.01}),
          made_up_idle("wake-up", "submit", "default", {latency, latency, latency}),
          made_up_idle("wake-up", "submit", "onetbb", {20, 20, 20})};
}

TEST(wake_up, idle_goal_is_met_and_missed) {
  const experiment about = wake_up_experiment();
  const claim good = by_id(about.claims(wake_up_rows(0.0002, 10), tiny_on_two), "idle_cpu");
  EXPECT_EQ(good.met(), true);
  EXPECT_TRUE(has(good.note, "0.5 (lace)")) << "the worst of ours, not a peer: " << good.note;
  EXPECT_EQ(by_id(about.claims(wake_up_rows(0.002, 10), tiny_on_two), "idle_cpu").met(), false);
}

TEST(wake_up, latency_is_reported_beside_onetbb) {
  const std::vector<claim> claims = wake_up_experiment().claims(wake_up_rows(0, 10), tiny_on_two);
  const claim alone = by_id(claims, "wake_up_median_us");
  ASSERT_TRUE(alone.measured);
  EXPECT_DOUBLE_EQ(alone.measured->value, 10);
  EXPECT_TRUE(has(alone.note, "onetbb 20.0 us")) << alone.note;
  EXPECT_DOUBLE_EQ(by_id(claims, "wake_up_over_onetbb").measured->value, 0.5);
  EXPECT_FALSE(alone.met()) << "no goal";
}

TEST(wake_up, late_waits_are_judged_by_the_last_of_a_hundred) {
  std::vector<double> late(200, 1.0);
  late[7] = 500;
  const auto judged = [&] {
    return by_id(wake_up_experiment().claims({made_up_idle("wake-up", "overrun", "default", late)}, tiny_on_two),
                 "wait_overrun_ms")
        .met();
  };
  EXPECT_EQ(judged(), true);
  late[8] = late[9] = late[10] = 25;
  EXPECT_EQ(judged(), false);
}

TEST(wake_up, what_was_not_measured_cannot_be_shown) {
  std::vector<row> rows = wake_up_rows(0, 10);
  rows.pop_back();  // oneTBB's
  EXPECT_TRUE(
      has(by_id(wake_up_experiment().claims(rows, tiny_on_two), "wake_up_over_onetbb").note, "cannot be shown"));
  const std::vector<claim> none = wake_up_experiment().claims({}, tiny_on_two);
  EXPECT_EQ(none.size(), 4U);
  for (const claim& each : none) {
    EXPECT_FALSE(each.measured) << each.id;
    EXPECT_TRUE(has(each.note, "cannot be shown on this machine: ")) << each.id;
  }
  EXPECT_TRUE(wake_up_experiment().charts({}).empty());
}

TEST(wake_up, a_tiny_run_measures_everybody) {
  const experiment about = wake_up_experiment();
  std::vector<row> rows;
  for (const part& each : about.parts(tiny_on_two)) {
    for (row& one : each.run().rows) rows.push_back(std::move(one));
  }
  for (const row& one : rows) {
    EXPECT_EQ(one.suite, about.name);
    for (const double value : one.samples) EXPECT_GE(value, 0) << one.name << " " << one.impl;
  }
  for (const idle::sleeper_entry& one : idle::sleepers()) {
    if (!one.make) continue;
    const auto of = [&](const row& r) { return r.impl == one.name; };
    const std::size_t others = one.name == idle::default_name ? 3 : 2;  // idle, ticking, and ours: overrun
    EXPECT_EQ(std::ranges::count_if(rows, of), static_cast<std::ptrdiff_t>(one.ways.size() + others)) << one.name;
  }
  for (const claim& each : about.claims(rows, tiny_on_two)) {
    EXPECT_TRUE(each.measured || has(each.note, "onetbb")) << each.id << ": " << each.note;
  }
  expect_sound_charts(about.charts(rows), about.name);
  EXPECT_EQ(about.charts(rows).size(), 4U);
}

TEST(sleepers, run_every_task) {
  for (const idle::sleeper_entry& one : idle::sleepers()) {
    if (!one.make) continue;
    EXPECT_EQ(one.make(2)->run_tasks(500), 500) << one.name;
  }
}

// --- memory.

TEST(memory, claims_compare_with_serial_code_and_onetbb) {
  const experiment about = memory_experiment({"unused"});
  const std::vector<row> rows = {
      made_up_idle("memory", "fib", "serial", {4, 4}), made_up_idle("memory", "fib", "default", {5, 5}),
      made_up_idle("memory", "tasks", "default", {10, 10}), made_up_idle("memory", "tasks", "onetbb", {20, 20})};
  const std::vector<claim> claims = about.claims(rows, tiny_on_two);
  EXPECT_DOUBLE_EQ(by_id(claims, "memory_pool_mb").measured->value, 1);
  EXPECT_DOUBLE_EQ(by_id(claims, "memory_tasks_over_onetbb").measured->value, 0.5);
  expect_sound_charts(about.charts(rows), "memory");
  EXPECT_FALSE(about.charts(rows).empty());
  for (const claim& each : about.claims({}, tiny_on_two)) {
    EXPECT_FALSE(each.measured);
    EXPECT_TRUE(has(each.note, "cannot be shown on this machine: ")) << each.note;
  }
  EXPECT_TRUE(about.charts({}).empty());
}

// The child's answer is what it prints; here a shell prints it.
TEST(memory, takes_its_figures_from_the_children) {
  const experiment about = memory_experiment(
      {"/bin/sh", "-c", R"(echo '{"peak_kb": 2048, "base_kb": 1024, "seconds": 0.5, "stolen": 3}')", "child"});
  std::vector<row> rows;
  for (const part& each : about.parts(tiny_on_two)) {
    for (row& one : each.run().rows) rows.push_back(std::move(one));
  }
  ASSERT_FALSE(rows.empty());
  for (const row& one : rows) {
    EXPECT_EQ(one.samples, std::vector<double>{2}) << one.name;
    EXPECT_EQ(one.extra["base_mb"], 1.0);
    EXPECT_EQ(one.extra["tasks_stolen"], 3.0);
    EXPECT_TRUE(one.extra["io_continuations_stolen"].is_null());
  }
}

TEST(memory, a_child_that_fails_or_talks_nonsense_is_an_error_that_names_it) {
  const auto why = [](const std::string& script) -> std::string {
    try {
      static_cast<void>(memory_experiment({"/bin/sh", "-c", script, "child"}).parts(tiny_on_two).front().run());
      return "nothing";
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  };
  const std::string failed = why("echo wrong answer >&2; exit 1");
  EXPECT_TRUE(has(failed, "memory: fib with ") && has(failed, "exit code 1") && has(failed, "wrong answer")) << failed;
  EXPECT_TRUE(has(why("echo hello"), "the child said 'hello")) << why("echo hello");
}

std::string said_by_child(const std::vector<std::string>& arguments, int expected) {
  std::FILE* const file = std::tmpfile();
  EXPECT_EQ(run_memory_child(arguments, file), expected);
  std::rewind(file);
  char text[512] = {};
  static_cast<void>(std::fread(text, 1, sizeof text - 1, file));
  std::fclose(file);
  return text;
}

TEST(memory, the_child_runs_every_program_with_every_scheduler) {
  for (const auto& [scheduler, why_not] : memory_schedulers()) {
    if (!why_not.empty()) continue;
    for (const auto& [program, size] : {std::pair("fib", "10"), {"tasks", "100"}, {"quicksort", "1000"}}) {
      const json said = json::parse(said_by_child({program, scheduler, size, "2"}, 0), nullptr, false);
      ASSERT_TRUE(said.is_object()) << program << " " << scheduler;
      EXPECT_GE(said["peak_kb"].get<double>(), said["base_kb"].get<double>());
      EXPECT_GT(said["base_kb"].get<double>(), 0);
    }
  }
}

TEST(memory, the_child_refuses_what_makes_no_sense) {
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{},
                                                {"fib", "default", "10"},
                                                {"fib", "default", "ten", "2"},
                                                {"fib", "default", "10", "0"},
                                                {"fib", "bogus", "10", "2"},
                                                {"tasks", "bogus", "10", "2"},
                                                {"bogus", "default", "10", "2"}}) {
    EXPECT_EQ(said_by_child(wrong, 2), "");
  }
}

}  // namespace
}  // namespace pilfer::lab::experiments
