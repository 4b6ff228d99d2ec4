// `pilfer bench queues` in very short runs: what it prints, what it writes, and how it fails.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include "json_values.hpp"
#include "lab/measure/report.hpp"
#include "run_tool.hpp"

namespace pilfer::test {
namespace {

using lab::json;

// The shortest run that still takes every path.
std::vector<std::string> short_queues_run(std::vector<std::string> more) {
  std::vector<std::string> arguments = {"bench", "queues", "--quick", "--repetitions", "2", "--duration-ms", "1"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(bench_queues, every_queue_in_one_document_that_follows_the_schema) {
  const scratch_folder folder;
  const outcome o = run_tool(short_queues_run({"--json", folder.file("result.json")}));
  ASSERT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(o.err, "");
  EXPECT_EQ(folder.files(), std::vector<std::string>{"result.json"});

  const json document = json::parse(read_file(folder.file("result.json")));
  EXPECT_EQ(lab::schema_errors(document), std::vector<std::string>{});
  EXPECT_EQ(values(document["claims"], "id"),
            (std::set<std::string>{"lifo_alone", "fifo_alone", "lifo_vs_abp", "seq_vs_abp", "fifo_vs_eigen",
                                   "seq_vs_eigen", "lifo_stolen20", "fifo_stolen20", "split_alone",
                                   "split_signal_alone", "asymmetric_alone"}));
  EXPECT_EQ(values(document["rows"], "name"),
            (std::set<std::string>{"alone/1024", "alone/8192", "thieves/0%", "thieves/1%", "thieves/5%", "thieves/10%",
                                   "thieves/20%", "thieves/50%"}));
  const std::set<std::string> impls = values(document["rows"], "impl");
  for (const char* name : {"seq-stack", "seq-ring", "mutex-deque", "global", "locked", "abp", "chase-lev",
                           "chase-lev-bounded", "bwos-lifo", "bwos-fifo", "split", "split-signal", "asymmetric"}) {
    EXPECT_TRUE(impls.contains(name)) << name;
    EXPECT_TRUE(has(o.out, name)) << name;
  }
  for (const json& row : document["rows"]) {
    EXPECT_EQ(row["samples"].size(), 2U);
    if (!row["name"].get<std::string>().starts_with("thieves")) continue;
    const json& counts = row["counts"];
    EXPECT_EQ(counts["pushed"].get<long>(),
              counts["popped"].get<long>() + counts["taken"].get<long>() + counts["left"].get<long>())
        << row["impl"];
  }
  EXPECT_TRUE(has(o.out, "compiler barrier"));
  EXPECT_TRUE(has(o.out, "lifo_alone"));
}

TEST(bench_queues, json_on_standard_output_is_all_there_is) {
  const outcome o = run_tool(short_queues_run({"--queue", "abp", "--only", "alone", "--json", "-"}));
  ASSERT_EQ(o.exit_code, 0) << o.err;
  const json document = json::parse(o.out);
  EXPECT_EQ(lab::schema_errors(document), std::vector<std::string>{});
  EXPECT_EQ(values(document["rows"], "impl"), (std::set<std::string>{"abp", "seq-stack"}));
}

TEST(bench_queues, queues_can_be_chosen_in_several_ways) {
  for (const std::vector<std::string>& choice : {std::vector<std::string>{"--queue", "abp,bwos-fifo"},
                                                 std::vector<std::string>{"--queue", "abp", "--queue", "bwos-fifo"}}) {
    std::vector<std::string> arguments = short_queues_run({"--only", "alone", "--json", "-"});
    arguments.insert(arguments.end(), choice.begin(), choice.end());
    const outcome o = run_tool(arguments);
    ASSERT_EQ(o.exit_code, 0) << o.err;
    EXPECT_EQ(values(json::parse(o.out)["rows"], "impl"),
              (std::set<std::string>{"abp", "bwos-fifo", "seq-ring", "seq-stack"}));
  }
}

TEST(bench_queues, a_claim_without_its_queues_is_null_and_says_why) {
  const outcome o = run_tool(short_queues_run({"--queue", "abp", "--only", "alone", "--json", "-"}));
  ASSERT_EQ(o.exit_code, 0) << o.err;
  const json claims = json::parse(o.out)["claims"];
  for (const json& claim : claims) {
    if (claim["id"] == "seq_vs_abp") {
      EXPECT_TRUE(claim["measured"].is_number());
      EXPECT_TRUE(claim["goal"].is_null());
      EXPECT_TRUE(claim["met"].is_null());
    } else {
      EXPECT_TRUE(claim["measured"].is_null()) << claim;
      EXPECT_FALSE(claim["note"].get<std::string>().empty()) << claim;
    }
  }
}

TEST(bench_queues, by_frequency_there_are_rows_with_and_without_thieves) {
  const outcome o =
      run_tool(short_queues_run({"--queue", "chase-lev", "--only", "thieves", "--steal-hz", "100000", "--json", "-"}));
  ASSERT_EQ(o.exit_code, 0) << o.err;
  const json document = json::parse(o.out);
  EXPECT_EQ(values(document["rows"], "name"), (std::set<std::string>{"thieves/0hz", "thieves/100000hz"}));
}

TEST(bench_queues, more_threads_than_processors_are_marked_and_claim_nothing) {
  const std::string thieves = std::to_string(std::max(std::thread::hardware_concurrency(), 1U));
  const outcome o =
      run_tool(short_queues_run({"--queue", "bwos-lifo", "--only", "thieves", "--thieves", thieves, "--json", "-"}));
  ASSERT_EQ(o.exit_code, 0) << o.err;
  const json document = json::parse(o.out);
  for (const json& row : document["rows"]) EXPECT_EQ(row["oversubscribed"], true);
  for (const json& claim : document["claims"]) EXPECT_TRUE(claim["measured"].is_null());
}

TEST(bench_queues, a_json_file_that_cannot_be_written_is_told_before_measuring) {
  const scratch_folder folder;
  const auto start = std::chrono::steady_clock::now();
  const outcome o = run_tool({"bench", "queues", "--json", folder.file("no/such/folder/result.json")});
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_EQ(o.out, "");
  EXPECT_TRUE(has(o.err, "cannot write ")) << o.err;
  EXPECT_TRUE(has(o.err, "No such file or directory")) << o.err;
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));  // measuring takes minutes
  EXPECT_TRUE(folder.files().empty());
}

TEST(bench_queues, a_folder_is_no_file) {
  const scratch_folder folder;
  const outcome o = run_tool({"bench", "queues", "--json", folder.file("")});
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_TRUE(has(o.err, "Is a directory")) << o.err;
}

TEST(bench_queues, a_full_disk_fails) {
  const outcome json_full = run_tool(short_queues_run({"--queue", "abp", "--only", "alone", "--json", "/dev/full"}));
  EXPECT_EQ(json_full.exit_code, 1);
  EXPECT_TRUE(has(json_full.err, "cannot write /dev/full: No space left on device")) << json_full.err;
  const outcome table_full =
      run_tool(short_queues_run({"--queue", "abp", "--only", "alone"}), {.stdout_to = "/dev/full"});
  EXPECT_EQ(table_full.exit_code, 1);
  EXPECT_TRUE(has(table_full.err, "cannot write standard output")) << table_full.err;
}

TEST(bench_queues, a_closed_standard_output_fails_at_once_and_writes_into_no_other_file) {
  const scratch_folder folder;
  const outcome tables = run_tool({"bench", "queues", "--json", folder.file("result.json")}, {.close_stdout = true});
  EXPECT_EQ(tables.exit_code, 1);
  EXPECT_TRUE(has(tables.err, "cannot write standard output")) << tables.err;
  EXPECT_TRUE(folder.files().empty());
  const outcome json_only = run_tool({"bench", "queues", "--json", "-"}, {.close_stdout = true});
  EXPECT_EQ(json_only.exit_code, 1);
  EXPECT_TRUE(has(json_only.err, "cannot write standard output")) << json_only.err;
}

TEST(bench_queues, ctrl_c_exits_130_and_leaves_no_file) {
  const scratch_folder folder;
  const auto start = std::chrono::steady_clock::now();
  const outcome o = run_tool(
      {"bench", "queues", "--only", "thieves", "--duration-ms", "600000", "--json", folder.file("result.json")},
      {.interrupt_after = std::chrono::milliseconds(700)});
  EXPECT_EQ(o.exit_code, 130);
  EXPECT_TRUE(has(o.err, "interrupted")) << o.err;
  EXPECT_TRUE(folder.files().empty());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));  // a sample takes ten minutes
}

}  // namespace
}  // namespace pilfer::test
