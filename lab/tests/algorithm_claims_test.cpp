#include <gtest/gtest.h>

#include "claim_by_id.hpp"
#include "lab/algorithms/claims.hpp"

namespace pilfer::lab::algorithms {
namespace {

struct given {
  std::string library;
  std::size_t workers;
  double seconds;
};

// The first is serial code.
problem_result result_of(std::string_view name, const std::vector<given>& all, std::size_t processors = 2) {
  problem_result result{.name = std::string(name),
                        .text = "some items",
                        .size = 100,
                        .full_size = true,
                        .times = {.processors = processors, .entries = {}},
                        .lacking = {}};
  for (const given& one : all) {
    const double ratio = one.seconds / all.front().seconds;
    result.times.entries.push_back({.name = one.library,
                                    .workers = one.workers,
                                    .seconds = std::vector<double>(3, one.seconds),
                                    .time_ratio = estimate{ratio, ratio, ratio}});
  }
  return result;
}

TEST(algorithm_claims, all_ids_are_there_even_when_nothing_was_measured) {
  std::vector<std::string> ids;
  for (const claim& c : algorithm_claims({})) {
    ids.push_back(c.id);
    EXPECT_FALSE(c.measured) << c.id;
    EXPECT_FALSE(c.note.empty()) << c.id;
    EXPECT_TRUE(c.goal) << c.id;
  }
  EXPECT_EQ(ids,
            (std::vector<std::string>{"loop_10k_t1", "loop_10k_t2", "skew_speedup2", "sort_int_vs_tbb", "sort_int_t1",
                                      "sort_string_vs_tbb", "sort_string_t1", "reduce_vs_best", "scan_vs_best"}));
}

TEST(algorithm_claims, times_are_compared_with_serial_code) {
  const auto loop = result_of("loop_10k", {{"serial", 0, 1.0}, {"pilfer", 1, 1.2}, {"pilfer", 2, 1.7}});
  const auto skew = result_of("skew", {{"serial", 0, 1.9}, {"pilfer", 2, 1.0}});
  const auto claims = algorithm_claims({loop, skew});
  EXPECT_EQ(by_id(claims, "loop_10k_t1").met(), true);  // equal is met
  EXPECT_EQ(by_id(claims, "loop_10k_t2").met(), false);
  EXPECT_NEAR(by_id(claims, "skew_speedup2").measured->value, 1.9, 1e-9);
  EXPECT_EQ(by_id(claims, "skew_speedup2").goal_is, goal_side::at_least);
}

TEST(algorithm_claims, sorts_are_compared_with_onetbb_and_with_std_sort) {
  const std::vector<given> times = {
      {"serial", 0, 4.0}, {"pilfer", 1, 3.0}, {"pilfer", 2, 2.0}, {"onetbb", 2, 2.5}, {"std-par", 2, 0.1}};
  const auto claims = algorithm_claims({result_of("sort_int", times), result_of("sort_string", {times[0], times[2]})});
  EXPECT_NEAR(by_id(claims, "sort_int_vs_tbb").measured->value, 0.8, 1e-9);
  EXPECT_NEAR(by_id(claims, "sort_int_t1").measured->value, 0.75, 1e-9);
  EXPECT_FALSE(by_id(claims, "sort_string_vs_tbb").measured);
  EXPECT_NE(by_id(claims, "sort_string_vs_tbb").note.find("onetbb"), std::string::npos);
}

TEST(algorithm_claims, the_best_of_the_others_with_as_many_workers_counts) {
  const auto claims = algorithm_claims({result_of(
      "reduce", {{"serial", 0, 1.0}, {"pilfer", 2, 2.2}, {"onetbb", 2, 3.0}, {"openmp", 2, 2.0}, {"openmp", 1, 1.0}})});
  EXPECT_NEAR(by_id(claims, "reduce_vs_best").measured->value, 1.1, 1e-9);
  EXPECT_NE(by_id(claims, "reduce_vs_best").note.find("openmp"), std::string::npos);
  EXPECT_EQ(by_id(claims, "reduce_vs_best").met(), false);
  const auto alone = algorithm_claims({result_of("scan", {{"serial", 0, 1.0}, {"pilfer", 2, 0.5}})});
  EXPECT_FALSE(by_id(alone, "scan_vs_best").measured);
  EXPECT_FALSE(by_id(alone, "scan_vs_best").note.empty());
}

TEST(algorithm_claims, two_workers_need_two_processors) {
  const auto skew = result_of("skew", {{"serial", 0, 2.0}, {"pilfer", 2, 1.0}}, 1);
  EXPECT_FALSE(by_id(algorithm_claims({skew}), "skew_speedup2").measured);
}

TEST(algorithm_claims, a_smaller_problem_is_said_to_be_one) {
  auto skew = result_of("skew", {{"serial", 0, 2.0}, {"pilfer", 2, 1.0}});
  EXPECT_EQ(by_id(algorithm_claims({skew}), "skew_speedup2").note, "");
  skew.full_size = false;
  EXPECT_NE(by_id(algorithm_claims({skew}), "skew_speedup2").note.find("some items"), std::string::npos);
}

}  // namespace
}  // namespace pilfer::lab::algorithms
