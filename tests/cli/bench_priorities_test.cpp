// `pilfer bench priorities` in very short runs: what it prints, what it writes, and how it fails.
#include <gtest/gtest.h>

#include <set>

#include "json_values.hpp"
#include "lab/measure/report.hpp"
#include "run_tool.hpp"

namespace pilfer::test {
namespace {

using lab::json;

const std::set<std::string> scenarios = {"scenario_1",  "scenario_2",       "scenario_3",      "scenario_4",
                                         "fib",         "scaling_fib_2880", "scaling_fib_144", "priority_inversion",
                                         "level0_first"};
const std::set<std::string> designs = {"strict", "relaxed", "global", "single"};

std::vector<std::string> short_priorities_run(const std::vector<std::string>& more) {
  return shortest_bench("priorities", more);
}

TEST(bench_priorities, every_program_in_one_document_that_follows_the_schema) {
  const scratch_folder folder;
  const outcome o = run_tool(short_priorities_run({"--json", folder.file("result.json")}));
  ASSERT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(o.err, "");
  const json document = json::parse(read_file(folder.file("result.json")));
  EXPECT_EQ(lab::schema_errors(document), std::vector<std::string>{});
  EXPECT_EQ(values(document["claims"], "id"),
            (std::set<std::string>{"strict_cost", "strict_inversions", "level0_sooner", "level0_overtaken_p99",
                                   "one_level_given"}));
  EXPECT_EQ(values(document["rows"], "suite"), std::set<std::string>{"priorities"});
  std::set<std::string> programs = scenarios;
  programs.insert({"branch_and_bound", "branch_and_bound_blind", "latency"});
  EXPECT_EQ(values(document["rows"], "name"), programs);
  std::set<std::string> complete;  // program and design, with two workers
  for (const json& row : document["rows"]) {
    EXPECT_GT(row["min"].get<double>(), 0) << row;
    EXPECT_EQ(row["params"]["workers"] == 0, row["impl"] == "serial") << row;
    if (row["name"] == "latency") {
      EXPECT_EQ(row["samples"].size(), row["params"]["size"]) << row;
      EXPECT_EQ(row["overtaken_samples"].size(), row["params"]["size"]) << row;
    } else {
      EXPECT_EQ(row["samples"].size(), 2U) << row;
    }
    if (!scenarios.contains(row["name"]) || row["impl"] == "serial") continue;
    EXPECT_EQ(row["levels_done_ms"].size(), 3U) << row;
    EXPECT_EQ(row["level0_ms"].size(), 2U) << row;
    EXPECT_EQ(row["steals_by_worker"].size(), row["params"]["workers"]) << row;
    const bool has_levels = row["impl"] != "single" && row["impl"] != "single_given";
    EXPECT_EQ(row["inversions"].is_number(), has_levels) << row;
    EXPECT_EQ(row["steals_by_level"].size(), has_levels ? 3U : 1U) << row;
    if (row["params"]["workers"] == 2) {
      complete.insert(row["name"].get<std::string>() + " " + row["impl"].get<std::string>());
    }
  }
  EXPECT_EQ(complete.size(), scenarios.size() * (designs.size() + 1));
  for (const std::string& design : designs) EXPECT_TRUE(has(o.out, "\n" + design + ": ")) << design;
  for (const char* text : {"levels done after ms", "steals in a run", "overtaken: p50", "Figures to reach"}) {
    EXPECT_TRUE(has(o.out, text)) << text;
  }
}

TEST(bench_priorities, programs_designs_levels_and_workers_can_be_chosen) {
  const outcome o = run_tool(short_priorities_run({"--only", "scenario_4,branch_and_bound", "--design", "single,strict",
                                                   "--workers", "3,1,3", "--levels", "8", "--json", "-"}));
  ASSERT_EQ(o.exit_code, 0) << o.err;
  const json rows = json::parse(o.out)["rows"];
  EXPECT_EQ(values(rows, "impl"), (std::set<std::string>{"serial", "single", "strict"}));
  EXPECT_EQ(values(rows, "name"), (std::set<std::string>{"scenario_4", "branch_and_bound"}));
  EXPECT_EQ(rows.size(), 2U * (1 + 2 * 2));
  for (const json& row : rows) {
    EXPECT_EQ(row["params"]["levels"], 8) << row;
    if (row["name"] == "scenario_4" && row["impl"] == "strict") {
      EXPECT_EQ(row["levels_done_ms"].size(), 8U) << row;
    }
    if (row["name"] == "branch_and_bound") {
      EXPECT_GT(row["nodes"].get<double>(), 0) << row;
    }
  }
}

TEST(bench_priorities, strict_counts_no_inversion) {
  const outcome o =
      run_tool(short_priorities_run({"--only", "priority_inversion", "--design", "strict", "--json", "-"}));
  ASSERT_EQ(o.exit_code, 0) << o.err;
  const json claims = json::parse(o.out)["claims"];
  for (const json& claim : claims) {
    if (claim["id"] == "strict_inversions") {
      EXPECT_EQ(claim["measured"], 0) << claim;
      EXPECT_EQ(claim["met"], true) << claim;
    } else {
      EXPECT_TRUE(claim["measured"].is_null()) << claim;
      EXPECT_FALSE(claim["note"].get<std::string>().empty()) << claim;
    }
  }
}

TEST(bench_priorities, unknown_names_and_numbers_are_refused_with_the_known_ones) {
  const auto refused = [](const std::vector<std::string>& options, const std::string& message) {
    expect_bench_refuses("priorities", options, message);
  };
  refused({"--only", "fib,scenario_5"}, "there is no program 'scenario_5'; the programs are: scenario_1, scenario_2");
  refused({"--design", "lenient"}, "there is no design 'lenient'; the designs are: single, strict, relaxed, global");
  refused({"--levels", "9"}, "--levels: '9' is not a whole number from 2 to 8");
  refused({"--levels", "1"}, "--levels: '1' is not a whole number from 2 to 8");
  refused({"--workers", "0"}, "--workers: '0' is not a whole number from 1 to 256");
  refused({"--size", "7"}, "'pilfer bench priorities' does not take '--size'; its options are:");
}

TEST(bench_priorities, an_interruption_ends_it_and_leaves_no_file) {
  const scratch_folder folder;
  const outcome o = run_tool({"bench", "priorities", "--json", folder.file("result.json")},
                             {.interrupt_after = std::chrono::milliseconds(300)});
  EXPECT_EQ(o.exit_code, 130);
  EXPECT_TRUE(has(o.err, "interrupted")) << o.err;
  EXPECT_TRUE(folder.files().empty());
}

}  // namespace
}  // namespace pilfer::test
