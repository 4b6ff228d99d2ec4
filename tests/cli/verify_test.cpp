// `pilfer verify` in short runs: what it prints, what it writes, and how it fails.
#include <gtest/gtest.h>

#include <chrono>
#include <set>

#include "lab/measure/report.hpp"
#include "run_tool.hpp"

namespace pilfer::test {
namespace {

using lab::json;
using testing::Values;

// The quickest client there is.
std::vector<std::string> quick_run(const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {"verify", "abp", "--client", "late-thief"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

void insert_keys(const json& value, std::set<std::string>& keys) {
  for (const auto& [key, inner] : value.items()) {
    if (value.is_object()) keys.insert(key);
    if (inner.is_structured()) insert_keys(inner, keys);
  }
}

void expect_documented(const json& document) {
  std::set<std::string> keys;
  insert_keys(document, keys);
  const std::string page = read_file(std::string(PILFER_DOCS) + "/json-schema.md");
  for (const std::string& key : keys) EXPECT_TRUE(has(page, "`" + key + "`")) << key;
}

TEST(verify, one_client_of_one_queue) {
  const scratch_folder folder;
  const outcome o = run_tool(quick_run({"--json", folder.file("result.json")}));
  ASSERT_EQ(o.exit_code, 0) << o.out << o.err;
  EXPECT_EQ(o.err, "");
  EXPECT_TRUE(has(o.out, "exhaustive")) << o.out;
  EXPECT_TRUE(has(o.out, "1 of 1 queues passed")) << o.out;
  EXPECT_TRUE(has(o.out, "cannot see load buffering")) << o.out;
  EXPECT_TRUE(has(o.out, "model/README.md")) << o.out;

  const json document = json::parse(read_file(folder.file("result.json")));
  EXPECT_EQ(lab::schema_errors(document), std::vector<std::string>{});
  expect_documented(document);
  ASSERT_EQ(document["rows"].size(), 1U);
  const json& row = document["rows"][0];
  EXPECT_EQ(row["suite"], "verify");
  EXPECT_EQ(row["name"], "late-thief");
  EXPECT_EQ(row["impl"], "abp");
  EXPECT_EQ(row["verdict"], "ok");
  EXPECT_EQ(row["exhausted"], true);
  EXPECT_EQ(row["bound_hit"], "");
  EXPECT_GT(row["executions"].get<int>(), 0);
}

TEST(verify, a_part_claims_nothing_and_says_why) {
  const outcome o = run_tool(quick_run({"--json", "-"}));
  ASSERT_EQ(o.exit_code, 0) << o.err;
  std::set<std::string> ids;
  const json document = json::parse(o.out);
  for (const json& claim : document["claims"]) {
    ids.insert(claim["id"].get<std::string>());
    EXPECT_TRUE(claim["measured"].is_null()) << claim;
    EXPECT_FALSE(claim["note"].get<std::string>().empty()) << claim;
  }
  EXPECT_EQ(ids, (std::set<std::string>{"executions", "queues_passed", "litmus_failed", "seconds",
                                        "litmus_executions_per_second"}));
}

TEST(verify, a_bound_that_is_hit_is_said_loudly_and_is_no_failure) {
  const outcome o =
      run_tool({"verify", "abp", "--client", "small", "--bound", "executions=1", "--bound", "seconds=60"});
  EXPECT_EQ(o.exit_code, 0) << o.out << o.err;
  EXPECT_TRUE(has(o.out, "BOUND HIT: 1 executions")) << o.out;
  EXPECT_TRUE(has(o.out, "1 of 1 rows: BOUND HIT")) << o.out;
}

TEST(verify, random_executions_and_preemption_bounds_say_so) {
  const outcome random = run_tool(quick_run({"--bound", "random=50,seed=7"}));
  EXPECT_EQ(random.exit_code, 0) << random.out << random.err;
  EXPECT_TRUE(has(random.out, "50 random")) << random.out;
  const outcome bounded = run_tool(quick_run({"--bound", "preemptions=1"}));
  EXPECT_EQ(bounded.exit_code, 0) << bounded.out << bounded.err;
  EXPECT_TRUE(has(bounded.out, "preemption bound 1")) << bounded.out;
}

TEST(verify, litmus_tests_all_pass) {
  const scratch_folder folder;
  const outcome o = run_tool({"verify", "--litmus", "--json", folder.file("result.json")});
  EXPECT_EQ(o.exit_code, 0) << o.out << o.err;
  EXPECT_TRUE(has(o.out, "IRIW-acq-sc")) << o.out;
  EXPECT_TRUE(has(o.out, " litmus tests, 0 failed")) << o.out;
  const json document = json::parse(read_file(folder.file("result.json")));
  EXPECT_EQ(lab::schema_errors(document), std::vector<std::string>{});
  expect_documented(document);
  EXPECT_GE(document["rows"].size(), 58U);
  for (const json& claim : document["claims"]) {
    if (claim["id"] != "litmus_failed") continue;
    EXPECT_EQ(claim["goal_is"], "at most");
    EXPECT_EQ(claim["goal"], 0.0);
    EXPECT_EQ(claim["measured"], 0.0);
    EXPECT_EQ(claim["met"], true);
  }
}

TEST(verify, random_programs_agree_with_the_oracle) {
  const outcome o = run_tool({"verify", "--differential", "50", "--seed", "7", "--jobs", "2"});
  EXPECT_EQ(o.exit_code, 0) << o.out << o.err;
  EXPECT_TRUE(has(o.out, "50 random programs from seed 7")) << o.out;
  EXPECT_TRUE(has(o.out, " 0 mismatches")) << o.out;
}

TEST(verify, list_says_which_queue_has_which_clients) {
  const outcome o = run_tool({"verify", "--list"});
  EXPECT_EQ(o.exit_code, 0);
  for (const char* name : {"locked", "abp", "chase-lev", "chase-lev-bounded", "bwos-lifo", "bwos-fifo", "split",
                           "asymmetric", "scopes", "levels", "late-thief", "fig9"}) {
    EXPECT_TRUE(has(o.out, name)) << name << "\n" << o.out;
  }
}

TEST(verify, help_leads_with_examples_and_names_queues_and_clients) {
  const outcome o = run_tool({"verify", "--help"});
  EXPECT_EQ(o.exit_code, 0);
  EXPECT_LT(o.out.find("Examples:"), o.out.find("Usage:")) << o.out;
  for (const char* name : {"bwos-lifo", "late-thief", "--bound", "--full", "--jobs", "--replay", "--json", "--weaken",
                           "--mutants", "--litmus", "--differential"}) {
    EXPECT_TRUE(has(o.out, name)) << name;
  }
  EXPECT_TRUE(has(run_tool({"--help"}).out, "pilfer verify")) << o.out;
}

TEST(verify, a_known_fault_is_found_and_can_be_replayed) {
  const outcome found = run_tool({"verify", "faults", "--client", "no-fence-in-steal", "--json", "-"});
  ASSERT_EQ(found.exit_code, 0) << found.out << found.err;
  const json document = json::parse(found.out);
  EXPECT_EQ(lab::schema_errors(document), std::vector<std::string>{});
  expect_documented(document);
  const json& row = document["rows"][0];
  EXPECT_EQ(row["verdict"], "fault found");
  EXPECT_EQ(row["fault"], "assertion");

  const outcome again = run_tool({"verify", "--replay", row["replay"].get<std::string>()});
  EXPECT_EQ(again.exit_code, 1) << again.err;
  EXPECT_TRUE(has(again.out, row["failure"].get<std::string>())) << again.out;
  EXPECT_TRUE(has(again.out, "(stale: ")) << again.out;
  EXPECT_TRUE(has(again.out, "modification orders")) << again.out;
}

TEST(verify, weaken_prints_our_orders_beside_the_papers) {
  const outcome o = run_tool({"verify", "--weaken", "abp"});
  EXPECT_TRUE(has(o.out, "pilfer/queue/abp_deque.hpp:")) << o.out;
  EXPECT_TRUE(has(o.out, "caught by ")) << o.out;
  EXPECT_TRUE(has(o.out, "4/3/1/7")) << o.out;  // 001, Table 2
  EXPECT_EQ(o.err, "");
}

class wrong_verify : public testing::TestWithParam<mistake> {};

TEST_P(wrong_verify, says_what_and_exits_2) {
  std::vector<std::string> arguments = {"verify"};
  arguments.insert(arguments.end(), GetParam().arguments.begin(), GetParam().arguments.end());
  const outcome o = run_tool(arguments);
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_EQ(o.out, "");
  EXPECT_TRUE(o.err.starts_with("pilfer: ")) << o.err;
  EXPECT_TRUE(has(o.err, GetParam().message)) << o.err;
}

INSTANTIATE_TEST_SUITE_P(
    verify, wrong_verify,
    Values(mistake{{"bogus"}, "there is no queue 'bogus'; the queues are: "},
           mistake{{"--weaken", "bogus"}, "there is no queue 'bogus'"},
           mistake{{"abp,bogus"}, "there is no queue 'bogus'"},
           mistake{{"--client", "bogus"}, "there is no client 'bogus'; the clients are: small"},
           mistake{{"abp", "--client", "refused"}, "'abp' has no client 'refused'; its clients are: small"},
           mistake{{"--bound", "bogus=1"},
                   "there is no bound 'bogus'; the bounds are: preemptions, executions, seconds"},
           mistake{{"--bound", "preemptions"}, "preemptions=N"},
           mistake{{"--bound", "preemptions=few"}, "'few' is not a whole number from 0 to"},
           mistake{{"--bound", "preemptions=-1"}, "'-1' is not a whole number"},
           mistake{{"--bound", "executions=0"}, "'0' is not a whole number from 1 to"},
           mistake{{"--bound", "executions=1,seconds="}, "'' is not a whole number"},
           mistake{{"--bound", "random=1,preemptions=1"}, "random executions have no bound of preemptions"},
           mistake{{"--bound"}, "--bound"}, mistake{{"--jobs", "0"}, "--jobs: '0'"},
           mistake{{"--replay", "bogus"}, "--replay: "}, mistake{{"--replay", ""}, "--replay: "},
           mistake{{"--replay", "bogus/++/s/2/e:0"}, "there is no queue 'bogus'"},
           mistake{{"--replay", "abp/+?/s/2/e:0"}, "--replay: no operation is called '?'"},
           mistake{{"--replay", "abp/++/s/2/"}, "--replay: "},
           mistake{{"--replay", "abp/++/s/2/bogus"}, "--replay: not a replay string"},
           mistake{{"--replay", "abp/++/s/2/e:0x2"}, "the replay string does not fit"},
           mistake{{"--replay", "abp/++/s/2/e:99"}, "the replay string does not fit"},
           mistake{{"--replay", "x", "abp"}, "--replay does not go with QUEUE"}, mistake{{"--weaken=abp"}, "weaken"},
           mistake{{"--weaken", "--mutants"}, "does not go with"},
           mistake{{"--weaken", "--json", "x"}, "--weaken does not go with --json"},
           mistake{{"--weaken", "faults"}, "'faults' is no queue; the queues are: "},
           mistake{{"--mutants", "--bound", "random=1"}, "--mutants has only the bound seconds"},
           mistake{{"--litmus", "abp"}, "--litmus does not go with QUEUE"},
           mistake{{"--seed", "1"}, "--seed goes with --differential"},
           mistake{{"--differential", "0"}, "--differential: '0'"}, mistake{{"--frobnicate"}, "its options are: "}));

TEST(verify, a_file_or_output_that_cannot_be_written_fails_at_once) {
  const outcome file = run_tool({"verify", "--json", "/no/such/folder/result.json"});
  EXPECT_EQ(file.exit_code, 1);
  EXPECT_EQ(file.out, "");
  EXPECT_TRUE(has(file.err, "cannot write ")) << file.err;
  const auto start = std::chrono::steady_clock::now();
  const outcome closed = run_tool({"verify"}, {.close_stdout = true});
  EXPECT_EQ(closed.exit_code, 1);
  EXPECT_TRUE(has(closed.err, "cannot write standard output")) << closed.err;
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

TEST(verify, ctrl_c_prints_what_was_explored_exits_130_and_leaves_no_file) {
  const scratch_folder folder;
  const auto start = std::chrono::steady_clock::now();
  const outcome o =
      run_tool({"verify", "bwos-lifo", "--full", "--client", "fig9", "--json", folder.file("result.json")},
               {.interrupt_after = std::chrono::milliseconds(700)});
  EXPECT_EQ(o.exit_code, 130);
  EXPECT_TRUE(has(o.out, "Explored so far:")) << o.out;
  EXPECT_TRUE(has(o.out, " executions, ")) << o.out;
  EXPECT_TRUE(has(o.err, "interrupted, no report was written")) << o.err;
  EXPECT_TRUE(folder.files().empty());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

}  // namespace
}  // namespace pilfer::test
