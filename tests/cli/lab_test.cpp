// `pilfer lab` as a user meets it, in very short runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "json_values.hpp"
#include "lab/measure/report.hpp"
#include "run_tool.hpp"

namespace pilfer::test {
namespace {

using lab::json;

std::vector<std::string> tiny_run(const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {"lab", "run", "--tiny"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(lab, list_names_each_experiment_and_its_source) {
  const outcome o = run_tool({"lab", "list"});
  ASSERT_EQ(o.exit_code, 0) << o.err;
  for (const char* name : {"queues-alone", "lcws", "priorities", "victims", "Fig. 12", "001: Wang"})
    EXPECT_TRUE(has(o.out, name)) << name;
}

TEST(lab, a_run_writes_results_and_a_report) {
  const scratch_folder folder;
  const std::string out = folder.file("lab");
  const outcome o = run_tool(tiny_run({"cache-lines", "--out", out, "--json", folder.file("copy.json")}));
  ASSERT_EQ(o.exit_code, 0) << o.err;
  EXPECT_TRUE(has(o.out, out + "/report.html"));
  const std::string text = read_file(out + "/results.json");
  EXPECT_EQ(text, read_file(folder.file("copy.json")));
  const json document = json::parse(text);
  EXPECT_EQ(lab::schema_errors(document), std::vector<std::string>{});
  EXPECT_EQ(document["lab"]["complete"], true);
  EXPECT_EQ(values(document["rows"], "suite"), std::set<std::string>{"cache-lines"});
  EXPECT_EQ(values(document["experiments"], "name"), std::set<std::string>{"cache-lines"});
  const std::string page = read_file(out + "/report.html");
  EXPECT_TRUE(has(page, "<svg"));
  EXPECT_FALSE(has(page, "http://"));
  EXPECT_FALSE(has(page, "https://"));

  const outcome more = run_tool(tiny_run({"cache-lines", "barriers", "--out", out}));
  ASSERT_EQ(more.exit_code, 0) << more.err;
  EXPECT_EQ(values(json::parse(read_file(out + "/results.json"))["experiments"], "name"),
            (std::set<std::string>{"cache-lines", "barriers"}))
      << "a second run adds to the folder";

  const outcome same = run_tool(tiny_run({"barriers", "--out", out}));
  ASSERT_EQ(same.exit_code, 0) << same.err;
  EXPECT_TRUE(has(same.out, "measured before")) << same.out;

  std::filesystem::remove(out + "/report.html");
  const outcome again = run_tool({"lab", "report", out});
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_TRUE(has(read_file(out + "/report.html"), "<svg"));
}

TEST(lab, results_go_to_standard_output_alone) {
  const scratch_folder folder;
  const outcome o = run_tool(tiny_run({"cache-lines", "--out", folder.file("lab"), "--json", "-"}));
  ASSERT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(lab::schema_errors(json::parse(o.out)), std::vector<std::string>{});
}

TEST(lab, an_unknown_experiment_gets_the_nearest_names) {
  const scratch_folder folder;
  const outcome o = run_tool(tiny_run({"queue-alone", "--out", folder.file("lab")}));
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_TRUE(has(o.err, "there is no experiment 'queue-alone'; the nearest are: queues-alone")) << o.err;
  EXPECT_TRUE(folder.files().empty()) << "nothing was made";
}

TEST(lab, quick_and_full_contradict_each_other) {
  EXPECT_EQ(run_tool({"lab", "run", "--quick", "--full"}).exit_code, 2);
  EXPECT_EQ(run_tool({"lab"}).exit_code, 2);
  EXPECT_EQ(run_tool({"lab", "report"}).exit_code, 2);
  EXPECT_EQ(run_tool({"lab", "run", "--out", ""}).exit_code, 2);
}

TEST(lab, a_folder_that_cannot_be_written_is_said_before_anything_is_measured) {
  const scratch_folder folder;
  std::ofstream(folder.file("file")) << "in the way";
  for (const std::string& place : {folder.file("file/lab"), std::string("/proc/none"), std::string("/dev/full/x")}) {
    const outcome o = run_tool(tiny_run({"cache-lines", "--out", place}));
    EXPECT_EQ(o.exit_code, 1) << place;
    EXPECT_TRUE(has(o.err, place)) << o.err;
  }
  const outcome full = run_tool(tiny_run({"cache-lines", "--out", folder.file("lab"), "--json", "/dev/full"}));
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_TRUE(has(full.err, "/dev/full")) << full.err;
}

TEST(lab, a_damaged_file_is_named_with_the_place) {
  const scratch_folder folder;
  const std::string out = folder.file("lab");
  EXPECT_EQ(run_tool({"lab", "report", out}).exit_code, 1);
  ASSERT_EQ(run_tool(tiny_run({"cache-lines", "--out", out})).exit_code, 0);
  const std::string before = read_file(out + "/report.html");
  std::ofstream(out + "/results.json") << "{\n  \"schema\": \"pilfer.bench/1\",\n  oops\n}\n";
  for (const outcome& o : {run_tool({"lab", "report", out}), run_tool(tiny_run({"cache-lines", "--out", out}))}) {
    EXPECT_EQ(o.exit_code, 1);
    EXPECT_TRUE(has(o.err, out + "/results.json")) << o.err;
    EXPECT_TRUE(has(o.err, "line 3")) << o.err;
  }
  EXPECT_EQ(read_file(out + "/report.html"), before) << "the old report is still there";
}

// Each part of `programs` takes a fraction of a second: some are complete when the signal comes, and some are not.
TEST(lab, an_interrupted_run_keeps_what_it_has_and_goes_on) {
  const scratch_folder folder;
  const std::string out = folder.file("lab");
  const std::vector<std::string> arguments = tiny_run({"cache-lines", "programs", "peers", "--out", out});
  conditions soon;
  json first;
  // A slow machine gets more time: until the signal finds a part complete.
  for (int ms = 600; ms < 20'000 && (first.is_null() || first["rows"].empty()); ms += ms / 2) {
    soon.interrupt_after = std::chrono::milliseconds(ms);
    const outcome o = run_tool(arguments, soon);
    ASSERT_EQ(o.exit_code, 130) << o.err;
    EXPECT_TRUE(has(o.err, "interrupted")) << o.err;
    if (std::filesystem::exists(out + "/results.json")) first = json::parse(read_file(out + "/results.json"));
  }
  ASSERT_FALSE(first.is_null());
  EXPECT_EQ(first["lab"]["complete"], false);
  EXPECT_TRUE(std::filesystem::exists(out + "/report.html")) << "what there is can be looked at";

  const outcome again = run_tool(arguments);
  ASSERT_EQ(again.exit_code, 0) << again.err;
  const json second = json::parse(read_file(out + "/results.json"));
  EXPECT_EQ(second["lab"]["complete"], true);
  ASSERT_FALSE(first["rows"].empty());
  // Samples are the measurement; what is computed from them as they were written may differ in its last digit.
  const auto what_and_samples = [](const json& row) {
    return json{row["suite"], row["name"], row["impl"], row["params"], row["samples"]};
  };
  std::set<json> kept;
  for (const json& row : second["rows"]) kept.insert(what_and_samples(row));
  for (const json& row : first["rows"]) EXPECT_TRUE(kept.contains(what_and_samples(row))) << "measured again: " << row;
}

}  // namespace
}  // namespace pilfer::test
