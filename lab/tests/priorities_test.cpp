// The programs are what 003 says they are, every design runs them, and a wrong result is found out.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "lab/measure/registry.hpp"
#include "lab/priorities/branch_and_bound.hpp"
#include "lab/priorities/claims.hpp"
#include "lab/priorities/knapsack.hpp"
#include "lab/priorities/latency.hpp"
#include "lab/priorities/measurement.hpp"
#include "lab/priorities/scenario.hpp"

namespace pilfer::lab::priorities {
namespace {

// How many tasks of each level each worker begins with.
std::vector<std::vector<std::size_t>> counts_of(const program& what, std::size_t workers) {
  std::vector<std::vector<std::size_t>> counts;
  for (const share& mine : what.shares(workers)) {
    counts.emplace_back(what.levels);
    for (const planned_task& each : mine) ++counts.back()[each.level];
  }
  return counts;
}

std::size_t sum_of(const std::vector<std::size_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

program full(const char* name) { return make_program(name, scale::full, default_levels); }

TEST(priority_programs, all_numbers_of_workers_do_the_same_work) {
  for (const std::string& name : scenario_names()) {
    for (const unsigned levels : {2U, 3U, 8U}) {
      const program what = make_program(name, scale::quick, levels);
      std::vector<int> planned = what.inputs;
      std::ranges::sort(planned);
      for (const std::size_t workers : {1U, 2U, 3U, 16U}) {
        std::vector<int> dealt;
        for (const share& mine : what.shares(workers)) {
          for (const planned_task& each : mine) {
            dealt.push_back(each.n);
            EXPECT_LT(each.level, levels) << name;
          }
        }
        std::ranges::sort(dealt);
        EXPECT_EQ(dealt, planned) << name << ' ' << workers;
      }
    }
  }
  EXPECT_THROW(static_cast<void>(make_program("scenario_5", scale::tiny, 3)), std::invalid_argument);
}

TEST(priority_programs, scenarios_1_and_2_are_even) {
  for (const char* name : {"scenario_1", "scenario_2"}) {
    for (const auto& mine : counts_of(full(name), 16)) EXPECT_EQ(mine, (std::vector<std::size_t>{60, 60, 60})) << name;
  }
  const auto lengths = [](const program& what) { return std::set<int>(what.inputs.begin(), what.inputs.end()).size(); };
  EXPECT_EQ(lengths(full("scenario_1")), 1U);
  EXPECT_GT(lengths(full("scenario_2")), 5U);
}

TEST(priority_programs, scenario_3_is_even_over_workers_and_not_over_levels) {
  for (const auto& mine : counts_of(full("scenario_3"), 16)) {
    EXPECT_EQ(sum_of(mine), 180U);
    EXPECT_GT(std::ranges::max(mine), 2 * std::ranges::min(mine));
  }
}

TEST(priority_programs, scenario_4_gives_the_first_worker_most_of_level_0) {
  const auto counts = counts_of(full("scenario_4"), 4);
  EXPECT_EQ(counts[0][0], 720U);  // 3/4 of 960
  for (std::size_t worker = 1; worker < 4; ++worker) EXPECT_EQ(counts[worker][0], 80U);
  EXPECT_GT(counts[3][1], 3 * counts[0][1]);
}

TEST(priority_programs, fib_has_its_level_by_its_input) {
  std::map<int, std::set<unsigned>> levels;
  for (const share& mine : full("fib").shares(2)) {
    for (const planned_task& each : mine) levels[each.n].insert(each.level);
  }
  unsigned last = 0;
  for (const auto& [n, of_n] : levels) {
    ASSERT_EQ(of_n.size(), 1U) << n;
    EXPECT_GE(*of_n.begin(), last) << n;
    last = *of_n.begin();
  }
  EXPECT_EQ(last, 2U);
}

TEST(priority_programs, in_the_worst_case_level_0_is_an_eighth_and_first) {
  for (const share& mine : full(level0_first_name).shares(2)) {
    const auto end = std::ranges::find_if(mine, [](const planned_task& each) { return each.level != 0; });
    EXPECT_EQ(static_cast<std::size_t>(end - mine.begin()), mine.size() / 8);
    EXPECT_TRUE(std::all_of(end, mine.end(), [](const planned_task& each) { return each.level != 0; }));
  }
}

TEST(priority_programs, every_design_runs_every_program) {
  for (const std::string& name : scenario_names()) {
    const program what = make_program(name, scale::tiny, default_levels);
    EXPECT_NO_THROW(check_sum(sum_serially(what), what, "serial")) << name;
    for (const design& of : designs()) {
      for (const std::size_t workers : {1U, 2U, 5U}) {
        arena where(of, workers, what.levels);
        scenario runs(what, where);
        for (int again = 0; again < 2; ++again) {
          const run_figures found = runs.run();
          EXPECT_GT(found.seconds, 0) << of.name << ' ' << name;
          EXPECT_EQ(found.level_seconds.size(), what.levels);
          EXPECT_EQ(found.of_workers.size(), workers) << of.name << ' ' << name;
        }
      }
    }
  }
}

TEST(priority_programs, one_worker_with_levels_keeps_their_order_and_without_does_not) {
  const program what = make_program(level0_first_name, scale::tiny, default_levels);
  for (const design& of : designs()) {
    arena where(of, 1, what.levels);
    const run_figures found = scenario(what, where).run();
    if (of.has_levels) {
      EXPECT_EQ(found.early, 0U) << of.name;
      EXPECT_LT(found.level_seconds[0], found.level_seconds[2]) << of.name;
    } else {
      EXPECT_GT(found.early, 0U) << of.name;
      EXPECT_GT(found.level_seconds[0], found.level_seconds[2]) << of.name;
    }
  }
}

TEST(priority_programs, a_wrong_result_is_found_out) {
  const program what = make_program("scenario_2", scale::tiny, default_levels);
  arena where(designs().front(), 2, what.levels);
  EXPECT_THROW(scenario(what, where, [](int n) { return fib_of(n) + (n == 17 ? 1 : 0); }).run(), std::runtime_error);
  EXPECT_THROW(check_sum(what.sum + 1, what, "nobody"), std::runtime_error);
}

TEST(priority_programs, a_task_that_ran_twice_or_never_is_found_out) {
  const program what = make_program("scenario_1", scale::tiny, default_levels);
  std::vector<task_log> logs(what.inputs.size());
  for (std::size_t i = 0; i < logs.size(); ++i) {
    logs[i].plan = {0, what.inputs[i]};
    logs[i].result = fib_of(what.inputs[i]);
    logs[i].runs = 1;
  }
  EXPECT_NO_THROW(check_logs(logs, what, "nobody"));
  // One twice in place of another: no count shows that.
  logs[3].runs = 2;
  logs[4].runs = 0;
  EXPECT_THROW(check_logs(logs, what, "nobody"), std::runtime_error);
  logs[3].runs = logs[4].runs = 1;
  logs[5].result += 1;
  logs[6].result -= 1;  // the sum is right
  EXPECT_THROW(check_logs(logs, what, "nobody"), std::runtime_error);
}

TEST(priority_programs, what_the_logs_say) {
  std::vector<task_log> logs(4);
  const auto log = [&](std::size_t i, unsigned level, std::int64_t begun, std::int64_t ended) {
    logs[i].plan.level = level;
    logs[i].begun_ns = begun;
    logs[i].ended_ns = ended;
  };
  log(0, 0, 0, 1000);
  log(1, 1, 500, 3000);  // before the last of level 0
  log(2, 0, 1000, 2000);
  log(3, 2, 3000, 4000);
  const run_figures found = figures_of(logs, 3);
  EXPECT_DOUBLE_EQ(found.seconds, 4e-6);
  ASSERT_EQ(found.level_seconds.size(), 3U);
  for (const std::size_t level : {0U, 1U, 2U}) {
    EXPECT_DOUBLE_EQ(found.level_seconds[level], static_cast<double>(level + 2) * 1e-6);
  }
  EXPECT_EQ(found.early, 1U);
}

TEST(priority_programs, a_table_and_rows_for_every_design) {
  std::vector<const design*> who;
  for (const design& one : designs()) who.push_back(&one);
  const program_result result = measure_program(make_program("scenario_4", scale::tiny, default_levels), who,
                                                {.workers = {1, 2}, .repetitions = 2, .counted_runs = 1});
  EXPECT_EQ(rows_of(result).size(), 1 + 2 * designs().size());
  for (const design& one : designs()) {
    const design_figures* const found = result.find(one.name, 2);
    ASSERT_NE(found, nullptr) << one.name;
    EXPECT_EQ(found->inversions.has_value(), one.has_levels) << one.name;
    EXPECT_EQ(found->level_seconds.front().size(), 2U) << one.name;
    EXPECT_NE(text_of(result).find("\n" + one.name + " "), std::string::npos) << one.name;
    EXPECT_NE(steals_text(result).find(one.name), std::string::npos) << one.name;
  }
}

TEST(branch_and_bound, every_design_finds_what_dynamic_programming_finds) {
  for (const std::string& name : search_names()) {
    const search_program what = make_search(name, scale::tiny);
    for (std::size_t i = 0; i < what.knapsacks.size(); ++i) {
      EXPECT_NO_THROW(check_best(search_serially(what.knapsacks[i], what.order).best, what, i, "serial")) << name;
      EXPECT_THROW(check_best(what.answers[i] - 1, what, i, "nobody"), std::runtime_error);
      for (const design& of : designs()) {
        for (const std::size_t workers : {1U, 3U}) {
          arena where(of, workers, default_levels);
          EXPECT_NO_THROW(check_best(search(what.knapsacks[i], what.order, where).best, what, i, of.name)) << name;
        }
      }
    }
  }
}

TEST(branch_and_bound, one_worker_with_one_deque_goes_as_serial_code_does) {
  const search_program what = make_search("branch_and_bound_blind", scale::tiny);
  arena single(*find_by_name(designs(), single_name), 1, default_levels);
  arena strict(*find_by_name(designs(), strict_name), 1, default_levels);
  const std::uint64_t serial = search_serially(what.knapsacks.front(), what.order).nodes;
  EXPECT_EQ(search(what.knapsacks.front(), what.order, single).nodes, serial);
  EXPECT_LT(search(what.knapsacks.front(), what.order, strict).nodes, serial);
}

TEST(branch_and_bound, a_small_table_by_hand) {
  const knapsack small{{{60, 10}, {100, 20}, {120, 30}}, 50};
  EXPECT_EQ(best_by_table(small), 220);
  EXPECT_EQ(bound_of(small, {}), 240);  // 60 + 100 + 120 * 20 / 30
  EXPECT_EQ(search_serially(small, child_order::promising_last).best, 220);
}

TEST(branch_and_bound, the_nearer_to_the_root_s_bound_the_more_urgent) {
  EXPECT_EQ(level_of(100, 0, 100, 3), 0U);
  EXPECT_EQ(level_of(70, 0, 100, 3), 0U);
  EXPECT_EQ(level_of(50, 0, 100, 3), 1U);
  EXPECT_EQ(level_of(1, 0, 100, 3), 2U);
  EXPECT_EQ(level_of(10, 20, 100, 3), 2U);  // the best rose meanwhile
  EXPECT_EQ(level_of(100, 100, 100, 3), 0U);
}

TEST(latency, every_request_begins_and_is_counted) {
  std::vector<const design*> who = {find_by_name(designs(), strict_name), find_by_name(designs(), single_name)};
  const latency_result result = measure_latency(who, default_levels, scale::tiny);
  for (const char* name : {strict_name, single_name}) {
    const latency_entry* const found = result.find(name);
    ASSERT_NE(found, nullptr) << name;
    EXPECT_EQ(found->requests.size(), 10U);
    for (const request_figures& one : found->requests) {
      EXPECT_GT(one.delay_us, 0) << name;
      EXPECT_GE(one.overtaken, 0) << name;
    }
  }
  EXPECT_EQ(result.find("global"), nullptr);
  EXPECT_EQ(rows_of(result).size(), 2U);
}

}  // namespace
}  // namespace pilfer::lab::priorities
