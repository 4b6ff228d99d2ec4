// Help, version, and every way to get the command line wrong.
#include <gtest/gtest.h>

#include "run_tool.hpp"

namespace pilfer::test {
namespace {

using testing::Values;

TEST(command_line, help_leads_with_examples) {
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{}, std::vector<std::string>{"bench"}, std::vector<std::string>{"bench", "queues"}}) {
    std::vector<std::string> arguments = command;
    arguments.emplace_back("--help");
    const outcome o = run_tool(arguments);
    EXPECT_EQ(o.exit_code, 0);
    EXPECT_EQ(o.err, "");
    ASSERT_TRUE(has(o.out, "Examples:")) << o.out;
    EXPECT_LT(o.out.find("Examples:"), o.out.find("Usage:")) << o.out;
  }
}

TEST(command_line, help_of_bench_queues_names_queues_and_barrier) {
  const outcome o = run_tool({"bench", "queues", "--help"});
  EXPECT_TRUE(has(o.out, "bwos-lifo")) << o.out;
  EXPECT_TRUE(has(o.out, "compiler barrier")) << o.out;
  for (const char* option :
       {"--queue", "--thieves", "--steal-hz", "--duration-ms", "--quick", "--json", "--repetitions", "--only"}) {
    EXPECT_TRUE(has(o.out, option)) << option;
  }
}

TEST(command_line, version) {
  const outcome o = run_tool({"--version"});
  EXPECT_EQ(o.exit_code, 0);
  EXPECT_TRUE(o.out.starts_with("pilfer 0.")) << o.out;
}

TEST(command_line, a_command_that_is_missing_shows_help_as_an_error) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{}, std::vector<std::string>{"bench"}}) {
    const outcome o = run_tool(arguments);
    EXPECT_EQ(o.exit_code, 2);
    EXPECT_EQ(o.out, "");
    EXPECT_TRUE(has(o.err, "Examples:")) << o.err;
  }
}

class wrong_usage : public testing::TestWithParam<mistake> {};

TEST_P(wrong_usage, says_what_and_exits_2) {
  const outcome o = run_tool(GetParam().arguments);
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_EQ(o.out, "");
  EXPECT_TRUE(o.err.starts_with("pilfer: ")) << o.err;
  EXPECT_TRUE(has(o.err, GetParam().message)) << o.err;
}

INSTANTIATE_TEST_SUITE_P(
    command_line, wrong_usage,
    Values(mistake{{"frobnicate"},
                   "there is no command 'pilfer frobnicate'; the commands are: lab, tune, dups, "
                   "serve, bench"},
           mistake{{"bench", "stacks"}, "the commands are: queues"}, mistake{{"--frobnicate"}, "--version"},
           mistake{{"bench", "queues", "--frobnicate"},
                   "its options are: --help, --queue, --only, --thieves, --steal-hz"},
           mistake{{"bench", "queues", "extra"}, "does not take 'extra'"},
           mistake{{"bench", "queues", "--queue", "bogus"},
                   "there is no queue 'bogus'; the queues are: seq-stack, seq-ring"},
           mistake{{"bench", "queues", "--queue", "abp,bogus"}, "there is no queue 'bogus'"},
           mistake{{"bench", "queues", "--queue", ""}, "--queue"}, mistake{{"bench", "queues", "--queue"}, "--queue"},
           mistake{{"bench", "queues", "--only", "both"}, "alone"},
           mistake{{"bench", "queues", "--thieves", "0"}, "--thieves: '0' is not a whole number from 1 to 256"},
           mistake{{"bench", "queues", "--thieves", "-1"}, "--thieves"},
           mistake{{"bench", "queues", "--thieves", "two"}, "'two' is not a whole number"},
           mistake{{"bench", "queues", "--thieves", "1.5"}, "'1.5' is not a whole number"},
           mistake{{"bench", "queues", "--thieves", "99999999999999999999"}, "is not a whole number"},
           mistake{{"bench", "queues", "--steal-hz", "0"}, "--steal-hz: '0'"},
           mistake{{"bench", "queues", "--duration-ms", "10ms"}, "--duration-ms: '10ms'"},
           mistake{{"bench", "queues", "--repetitions", ""}, "--repetitions"},
           mistake{{"bench", "queues", "--json"}, "--json"}, mistake{{"bench", "queues", "--quick=maybe"}, "--quick"}));

TEST(command_line, help_into_a_full_disk_or_a_closed_stdout_fails) {
  const outcome full = run_tool({"--help"}, {.stdout_to = "/dev/full"});
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_TRUE(has(full.err, "cannot write standard output: No space left on device")) << full.err;
  const outcome closed = run_tool({"--version"}, {.close_stdout = true});
  EXPECT_EQ(closed.exit_code, 1);
  EXPECT_TRUE(has(closed.err, "cannot write standard output")) << closed.err;
}

}  // namespace
}  // namespace pilfer::test
