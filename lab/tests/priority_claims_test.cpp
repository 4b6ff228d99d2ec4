#include <gtest/gtest.h>

#include "claim_by_id.hpp"
#include "lab/priorities/claims.hpp"

namespace pilfer::lab::priorities {
namespace {

struct given {
  std::string design;
  std::size_t workers;
  double seconds;
  double level0_seconds = 1;
  std::optional<std::uint64_t> inversions = {};
};

program_result result_of(const std::string& name, const std::vector<given>& all, std::size_t processors = 2) {
  program_result result{.name = name,
                        .text = "some tasks",
                        .tasks = 100,
                        .levels = 3,
                        .full_size = true,
                        .counted_runs = 5,
                        .times = {.processors = processors, .entries = {}},
                        .figures = {}};
  constexpr std::size_t repetitions = 3;
  result.times.entries.push_back(
      {.name = "serial", .workers = 0, .seconds = std::vector<double>(repetitions, 1.0), .time_ratio = {}});
  for (const given& one : all) {
    result.times.entries.push_back({.name = one.design,
                                    .workers = one.workers,
                                    .seconds = std::vector<double>(repetitions, one.seconds),
                                    .time_ratio = {}});
    result.figures.push_back({.name = one.design,
                              .workers = one.workers,
                              .levels = one.inversions ? 3U : 1U,
                              .level_seconds = std::vector(3, std::vector<double>(repetitions, one.level0_seconds)),
                              .processor_seconds = std::vector<double>(repetitions, 2 * one.seconds),
                              .early = std::vector<std::uint64_t>(repetitions, 0),
                              .counted = {},
                              .steals_of_worker = {},
                              .inversions = one.inversions});
  }
  return result;
}

latency_result latency_of(const std::string& design, std::size_t requests, std::size_t overtaken_twice) {
  latency_result result{.workers = 2, .levels = 3, .task_us = 100, .entries = {{design, {}}}};
  for (std::size_t i = 0; i < requests; ++i) {
    result.entries.front().requests.push_back({.delay_us = 50, .overtaken = i < overtaken_twice ? 2.0 : 1.0});
  }
  return result;
}

TEST(priority_claims, all_ids_are_there_even_when_nothing_was_measured) {
  std::vector<std::string> ids;
  for (const claim& c : priority_claims({}, nullptr)) {
    ids.push_back(c.id);
    EXPECT_FALSE(c.measured) << c.id;
    EXPECT_FALSE(c.note.empty()) << c.id;
    EXPECT_EQ(c.goal.has_value(), c.id != "one_level_given") << c.id;
  }
  EXPECT_EQ(ids, (std::vector<std::string>{"strict_cost", "strict_inversions", "level0_sooner", "level0_overtaken_p99",
                                           "one_level_given"}));
}

TEST(priority_claims, the_cost_is_the_geometric_mean_over_the_programs_with_two_workers) {
  const auto cheap = result_of("scenario_1", {{"strict", 2, 1.0}, {"single", 2, 1.0}, {"strict", 1, 9.0}});
  const auto dear = result_of("fib", {{"strict", 2, 1.21}, {"single", 2, 1.0}, {"single", 1, 1.0}});
  const claim missed = by_id(priority_claims({cheap, dear}, nullptr), "strict_cost");
  EXPECT_NEAR(missed.measured->value, 1.1, 1e-9);
  EXPECT_EQ(missed.met(), false);
  EXPECT_NE(missed.note.find("the worst is fib with 1.210"), std::string::npos) << missed.note;
  EXPECT_NE(missed.note.find("scenario_1 1.000"), std::string::npos) << missed.note;
  EXPECT_NE(missed.note.find("in processor time the mean is 1.100"), std::string::npos) << missed.note;
  EXPECT_NE(missed.note.find("not all programs were run"), std::string::npos) << missed.note;
  EXPECT_EQ(by_id(priority_claims({cheap}, nullptr), "strict_cost").met(), true);
}

TEST(priority_claims, the_cost_needs_both_designs_and_two_processors) {
  const auto alone = result_of("fib", {{"strict", 2, 1.0}});
  const claim without = by_id(priority_claims({alone}, nullptr), "strict_cost");
  EXPECT_FALSE(without.measured);
  EXPECT_NE(without.note.find("single with 2 workers was not run"), std::string::npos) << without.note;
  const auto crowded = result_of("fib", {{"strict", 2, 1.0}, {"single", 2, 1.0}}, 1);
  EXPECT_FALSE(by_id(priority_claims({crowded}, nullptr), "strict_cost").measured);
}

TEST(priority_claims, inversions_of_strict_are_summed_over_everything) {
  const std::vector<given> none = {{"strict", 2, 1, 1, 0}, {"strict", 16, 1, 1, 0}, {"relaxed", 16, 1, 1, 70}};
  const std::vector<given> some = {{"strict", 2, 1, 1, 0}, {"strict", 16, 1, 1, 2}};
  const claim met = by_id(priority_claims({result_of("fib", none)}, nullptr), "strict_inversions");
  EXPECT_EQ(met.met(), true);
  EXPECT_NE(met.note.find("in 10 runs of 1 programs with up to 16 workers"), std::string::npos) << met.note;
  const claim missed =
      by_id(priority_claims({result_of("fib", none), result_of("scenario_1", some)}, nullptr), "strict_inversions");
  EXPECT_EQ(missed.met(), false);
  EXPECT_EQ(missed.measured->value, 2);
}

TEST(priority_claims, level_0_is_done_sooner_in_its_worst_case) {
  const auto sooner = result_of("level0_first", {{"strict", 2, 1.0, 0.125}, {"single", 2, 1.0, 1.0}});
  EXPECT_NEAR(by_id(priority_claims({sooner}, nullptr), "level0_sooner").measured->value, 8, 1e-9);
  EXPECT_EQ(by_id(priority_claims({sooner}, nullptr), "level0_sooner").met(), true);
  const auto later = result_of("level0_first", {{"strict", 2, 1.0, 0.5}, {"single", 2, 1.0, 1.0}});
  EXPECT_EQ(by_id(priority_claims({later}, nullptr), "level0_sooner").met(), false);
  const auto other = result_of("fib", {{"strict", 2, 1.0, 0.125}, {"single", 2, 1.0, 1.0}});
  EXPECT_FALSE(by_id(priority_claims({other}, nullptr), "level0_sooner").measured);
}

TEST(priority_claims, of_a_hundred_requests_one_may_be_overtaken_twice) {
  const latency_result met = latency_of("strict", 100, 1);
  EXPECT_EQ(by_id(priority_claims({}, &met), "level0_overtaken_p99").met(), true);
  const latency_result missed = latency_of("strict", 100, 2);
  EXPECT_EQ(by_id(priority_claims({}, &missed), "level0_overtaken_p99").met(), false);
  const latency_result other = latency_of("single", 100, 0);
  EXPECT_FALSE(by_id(priority_claims({}, &other), "level0_overtaken_p99").measured);
}

TEST(priority_claims, what_a_priority_costs_with_one_level_has_no_goal) {
  const auto both = result_of("fib", {{"single", 2, 1.0}, {"single_given", 2, 1.5}});
  const claim reference = by_id(priority_claims({both}, nullptr), "one_level_given");
  EXPECT_NEAR(reference.measured->value, 1.5, 1e-9);
  EXPECT_FALSE(reference.met());
}

TEST(priority_claims, fewer_tasks_are_said_to_be_fewer) {
  auto small = result_of("level0_first", {{"strict", 2, 1.0}, {"single", 2, 1.0}});
  EXPECT_EQ(by_id(priority_claims({small}, nullptr), "level0_sooner").note, "");
  small.full_size = false;
  EXPECT_NE(by_id(priority_claims({small}, nullptr), "level0_sooner").note.find("some tasks"), std::string::npos);
  EXPECT_NE(by_id(priority_claims({small}, nullptr), "strict_cost").note.find("fewer"), std::string::npos);
}

TEST(priority_claims, the_summary_has_a_line_for_each_program) {
  const auto full = result_of("fib", {{"strict", 2, 1.5, 0.5}, {"single", 2, 1.0, 1.0}});
  const auto half = result_of("scenario_1", {{"strict", 2, 1.0}});
  const std::string text = summary_text({full, half});
  EXPECT_NE(text.find("1.500 [1.500, 1.500]"), std::string::npos) << text;
  EXPECT_NE(text.find("2.000 [2.000, 2.000]"), std::string::npos) << text;
  EXPECT_NE(text.find("scenario_1"), std::string::npos) << text;
}

}  // namespace
}  // namespace pilfer::lab::priorities
