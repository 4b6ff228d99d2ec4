// The example of docs/json-schema.md follows the schema, and the page names every key that a report has.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "lab/measure/report.hpp"
#include "run_tool.hpp"

namespace pilfer::test {
namespace {

using lab::json;

std::string page() { return read_file(std::string(PILFER_DOCS) + "/json-schema.md"); }

json example() {
  const std::string text = page();
  const std::string fence = "```json\n";
  const auto begin = text.find(fence);
  if (begin == std::string::npos) throw std::runtime_error("docs/json-schema.md has no example");
  return json::parse(text.substr(begin + fence.size(), text.find("\n```", begin) - begin - fence.size()));
}

void append_keys(const json& value, std::vector<std::string>& keys) {
  if (value.is_object()) {
    for (const auto& [key, inner] : value.items()) {
      keys.push_back(key);
      append_keys(inner, keys);
    }
  } else if (value.is_array()) {
    for (const json& inner : value) append_keys(inner, keys);
  }
}

TEST(json_schema, the_example_follows_it) {
  EXPECT_EQ(lab::schema_errors(example()), std::vector<std::string>{});
  EXPECT_EQ(example()["schema"], lab::bench_schema);
}

TEST(json_schema, every_key_of_a_real_report_is_documented) {
  std::vector<std::string> keys;
  for (const char* frequency : {"", "1000"}) {
    std::vector<std::string> arguments = {"bench", "queues",        "--queue", "split",  "--repetitions",
                                          "1",     "--duration-ms", "1",       "--json", "-"};
    if (*frequency != '\0') arguments.insert(arguments.end(), {"--steal-hz", frequency});
    const outcome o = run_tool(arguments);
    ASSERT_EQ(o.exit_code, 0) << o.err;
    append_keys(json::parse(o.out), keys);
  }
  const outcome forks = run_tool(
      {"bench", "fork-join", "--tiny", "--repetitions", "1", "--programs", "fib", "--workers", "1", "--json", "-"});
  ASSERT_EQ(forks.exit_code, 0) << forks.err;
  append_keys(json::parse(forks.out), keys);
  const outcome algorithms = run_tool(
      {"bench", "algorithms", "--tiny", "--repetitions", "1", "--only", "reduce", "--workers", "1", "--json", "-"});
  ASSERT_EQ(algorithms.exit_code, 0) << algorithms.err;
  append_keys(json::parse(algorithms.out), keys);
  const outcome priorities = run_tool({"bench", "priorities", "--tiny", "--repetitions", "1", "--only",
                                       "fib,branch_and_bound,latency", "--workers", "2", "--json", "-"});
  ASSERT_EQ(priorities.exit_code, 0) << priorities.err;
  append_keys(json::parse(priorities.out), keys);
  std::ranges::sort(keys);
  const auto repeated = std::ranges::unique(keys);
  keys.erase(repeated.begin(), repeated.end());
  const std::string text = page();
  const std::set<std::string> versioned = {"eigen", "onetbb", "openmp", "rayon", "std-par"};  // keys of `versions`
  for (const std::string& key : keys) {
    if (versioned.contains(key)) continue;
    EXPECT_NE(text.find("`" + key + "`"), std::string::npos) << key;
  }
}

}  // namespace
}  // namespace pilfer::test
