// `pilfer bench algorithms` in very short runs: what it prints, what it writes, and how it fails.
#include <gtest/gtest.h>

#include <set>

#include "json_values.hpp"
#include "lab/measure/report.hpp"
#include "run_tool.hpp"

namespace pilfer::test {
namespace {

using lab::json;

const std::set<std::string> problems = {"loop_10k", "skew",      "sort_int",   "sort_string", "reduce",
                                        "scan",     "transform", "filter",     "histogram",   "min_element",
                                        "find_if",  "merge",     "stable_sort"};

std::vector<std::string> short_algorithms_run(const std::vector<std::string>& more) {
  return shortest_bench("algorithms", more);
}

TEST(bench_algorithms, every_problem_in_one_document_that_follows_the_schema) {
  const scratch_folder folder;
  const outcome o = run_tool(short_algorithms_run({"--json", folder.file("result.json")}));
  ASSERT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(o.err, "");
  const json document = json::parse(read_file(folder.file("result.json")));
  EXPECT_EQ(lab::schema_errors(document), std::vector<std::string>{});
  EXPECT_EQ(values(document["claims"], "id"),
            (std::set<std::string>{"loop_10k_t1", "loop_10k_t2", "skew_speedup2", "sort_int_vs_tbb", "sort_int_t1",
                                   "sort_string_vs_tbb", "sort_string_t1", "reduce_vs_best", "scan_vs_best"}));
  EXPECT_EQ(values(document["rows"], "name"), problems);
  EXPECT_EQ(values(document["rows"], "suite"), std::set<std::string>{"algorithms"});
  std::set<std::string> serial_and_ours;
  for (const json& row : document["rows"]) {
    EXPECT_EQ(row["samples"].size(), 2U) << row;
    EXPECT_GT(row["min"].get<double>(), 0) << row;
    EXPECT_EQ(row["params"]["workers"] == 0, row["impl"] == "serial") << row;
    if (row["impl"] == "pilfer" && row["params"]["workers"] == 2) serial_and_ours.insert(row["name"]);
  }
  EXPECT_EQ(serial_and_ours, problems);
  // Measured, absent with a reason, or without such an algorithm: every library is named.
  for (const char* library : {"serial", "pilfer", "onetbb", "openmp", "openmp-dynamic", "openmp-guided", "std-par"}) {
    EXPECT_TRUE(has(o.out, std::string("\n") + library + ": ")) << library;
  }
  EXPECT_TRUE(has(o.out, "ns/item"));
  EXPECT_TRUE(has(o.out, "Figures to reach"));
}

TEST(bench_algorithms, problems_libraries_and_workers_can_be_chosen) {
  const outcome o = run_tool(
      short_algorithms_run({"--only", "scan,sort_string", "--library", "pilfer", "--workers", "3,1,3", "--json", "-"}));
  ASSERT_EQ(o.exit_code, 0) << o.err;
  const json rows = json::parse(o.out)["rows"];
  EXPECT_EQ(values(rows, "impl"), (std::set<std::string>{"serial", "pilfer"}));
  EXPECT_EQ(values(rows, "name"), (std::set<std::string>{"scan", "sort_string"}));
  EXPECT_EQ(rows.size(), 2U * (1 + 2));
}

TEST(bench_algorithms, claims_of_what_was_not_run_are_null_and_say_why) {
  const outcome o = run_tool(short_algorithms_run({"--only", "merge", "--json", "-"}));
  ASSERT_EQ(o.exit_code, 0) << o.err;
  const json claims = json::parse(o.out)["claims"];
  for (const json& claim : claims) {
    EXPECT_TRUE(claim["measured"].is_null()) << claim;
    EXPECT_TRUE(has(claim["note"].get<std::string>(), "was not run")) << claim;
  }
}

TEST(bench_algorithms, a_missed_goal_is_said_and_no_failure) {
  // Five hundred iterations are over before a second worker is awake: whatever comes out, it has a verdict.
  const outcome o = run_tool(short_algorithms_run({"--only", "skew", "--workers", "2", "--json", "-"}));
  ASSERT_EQ(o.exit_code, 0) << o.err;
  const json claims = json::parse(o.out)["claims"];
  for (const json& claim : claims) {
    if (claim["id"] != "skew_speedup2" || claim["measured"].is_null()) continue;  // null with a single processor
    EXPECT_EQ(claim["met"].get<bool>(), claim["measured"].get<double>() >= 1.9) << claim;
    EXPECT_TRUE(has(claim["note"].get<std::string>(), "measured with less")) << claim;
  }
}

TEST(bench_algorithms, unknown_names_and_numbers_are_refused_with_the_known_ones) {
  const auto refused = [](const std::vector<std::string>& options, const std::string& message) {
    expect_bench_refuses("algorithms", options, message);
  };
  refused({"--only", "scan,bogosort"}, "there is no problem 'bogosort'; the problems are: loop_10k, skew");
  refused({"--library", "cilk"}, "there is no library 'cilk'; the libraries are: serial, pilfer");
  refused({"--workers", "1,none"}, "--workers: 'none' is not a whole number from 1 to 256");
  refused({"--repetitions", "0"}, "--repetitions: '0' is not a whole number");
  refused({"--size", "7"}, "'pilfer bench algorithms' does not take '--size'; its options are:");
}

TEST(bench_algorithms, a_file_that_cannot_be_written_is_found_out_first) {
  const outcome o = run_tool({"bench", "algorithms", "--json", "/no/such/folder/result.json"});
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_EQ(o.out, "");
  EXPECT_TRUE(has(o.err, "/no/such/folder/result.json")) << o.err;
}

}  // namespace
}  // namespace pilfer::test
