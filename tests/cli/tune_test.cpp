// pilfer tune, with an example as the user's program: PILFER_EXAMPLE is linked with pilfer::research, PILFER_PLAIN_EXAMPLE is not.
#include <gtest/gtest.h>

#include "json_values.hpp"
#include "lab/measure/report.hpp"
#include "run_tool.hpp"

namespace pilfer::test {
namespace {

using lab::json;

std::vector<std::string> short_tune(const std::vector<std::string>& options, const std::vector<std::string>& command) {
  std::vector<std::string> arguments = {"tune", "--quick", "--repetitions", "3"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  arguments.emplace_back("--");
  arguments.insert(arguments.end(), command.begin(), command.end());
  return arguments;
}

TEST(tune, compares_schedulers_for_a_program_and_advises) {
  const outcome o = run_tool(short_tune({"--scheduler", "lace,bwos-lifo", "--same-output"}, {PILFER_EXAMPLE}));
  ASSERT_EQ(o.exit_code, 0) << o.err;
  for (const char* part : {"median ms [95 %]", "time / default", "bwos-lifo, blocks of 64", "lace", "victim seq"}) {
    EXPECT_TRUE(has(o.out, part)) << part << "\n" << o.out;
  }
  EXPECT_FALSE(has(o.out, "ws-abp")) << o.out;
  EXPECT_FALSE(has(o.out, "does not seem to ask pilfer")) << o.out;
  EXPECT_FALSE(has(o.out, "queens")) << "what the program prints is dropped";
  EXPECT_TRUE(has(o.out, "The default is fine") || has(o.out, "% faster [")) << o.out;
}

TEST(tune, writes_a_report) {
  const outcome o = run_tool(short_tune({"--scheduler", "lace", "--json", "-"}, {PILFER_EXAMPLE}));
  ASSERT_EQ(o.exit_code, 0) << o.err;
  const json document = json::parse(o.out);
  EXPECT_EQ(lab::schema_errors(document), std::vector<std::string>{});
  EXPECT_EQ(document["command"], json::array({PILFER_EXAMPLE}));
  EXPECT_EQ(document["asks_pilfer"], true);
  EXPECT_TRUE(document["failed"].empty()) << document["failed"];
  EXPECT_TRUE(document.contains("recommended"));
  EXPECT_EQ(values(document["rows"], "suite"), std::set<std::string>{"tune"});
  EXPECT_TRUE(values(document["rows"], "impl").contains("lace"));
  for (const json& row : document["rows"]) {
    EXPECT_EQ(row["samples"].size(), 3U) << row;
    EXPECT_GT(row["processor_ms"].get<double>(), 0) << row;
  }
}

TEST(tune, a_program_with_the_default_scheduler_only_is_told_so) {
  const outcome o = run_tool(short_tune({}, {PILFER_PLAIN_EXAMPLE}));
  ASSERT_EQ(o.exit_code, 0) << o.err;
  EXPECT_TRUE(has(o.out, "Link it with\npilfer::research to compare schedulers")) << o.out;
  EXPECT_TRUE(has(o.out, "victim seq")) << o.out;
  EXPECT_FALSE(has(o.out, "lace")) << o.out;
}

TEST(tune, arguments_after_the_dashes_are_the_programs_own) {
  // A test of strings that look like our options and commands: succeeds only if all of them arrive.
  const outcome o =
      run_tool(short_tune({"--scheduler", "lace"}, {"/bin/sh", "-c", R"(test "$*" = "--quick bench -- x")", "sh",
                                                    "--quick", "bench", "--", "x"}));
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_TRUE(has(o.out, "does not seem to ask pilfer")) << o.out;
}

TEST(tune, a_command_that_cannot_be_run_or_fails_ends_it_with_1) {
  const auto error_of = [](const std::vector<std::string>& options, const std::vector<std::string>& command) {
    const outcome o = run_tool(short_tune(options, command));
    EXPECT_EQ(o.exit_code, 1);
    return o.err;
  };
  EXPECT_EQ(error_of({}, {"./no-such-program"}), "pilfer: cannot run './no-such-program': No such file or directory\n");
  EXPECT_EQ(error_of({}, {"/etc/passwd"}), "pilfer: cannot run '/etc/passwd': Permission denied\n");
  const std::string failing = error_of({}, {"/bin/sh", "-c", "echo the reason >&2; exit 4"});
  EXPECT_TRUE(has(failing, "fails with the default scheduler: exit code 4")) << failing;
  EXPECT_TRUE(has(failing, "the reason")) << failing;
  const std::string endless = error_of({"--timeout", "1"}, {"sleep", "1000"});
  EXPECT_TRUE(has(endless, "it did not end within 1 s")) << endless;
}

TEST(tune, refuses_what_makes_no_sense) {
  const auto refused = [](const std::vector<std::string>& arguments, const std::string& message) {
    const outcome o = run_tool(arguments);
    EXPECT_EQ(o.exit_code, 2) << message;
    EXPECT_EQ(o.out, "");
    EXPECT_TRUE(has(o.err, message)) << o.err;
  };
  refused({"tune"}, "COMMAND is required");
  refused({"tune", "--"}, "COMMAND is required");
  refused({"tune", "--quick"}, "COMMAND is required");
  refused({"tune", "--scheduler", "bogus", "--", "true"}, "there is no scheduler 'bogus'; the schedulers are: default");
  refused({"tune", "--repetitions", "2", "--", "true"}, "--repetitions: '2' is not a whole number from 3 to 1000");
  refused({"tune", "--timeout", "0", "--", "true"}, "--timeout: '0' is not a whole number from 1");
  refused({"tune", "--fast", "--", "true"}, "'pilfer tune' does not take '--fast'; its options are:");
}

TEST(tune, an_interruption_shows_what_there_is) {
  const scratch_folder folder;
  const outcome o =
      run_tool({"tune", "--scheduler", "lace", "--json", folder.file("result.json"), "--", "sleep", "0.1"},
               {.interrupt_after = std::chrono::milliseconds(1500)});
  EXPECT_EQ(o.exit_code, 130);
  EXPECT_TRUE(has(o.out, "time / default")) << o.out;
  EXPECT_TRUE(has(o.out, "Interrupted: no recommendation.")) << o.out;
  EXPECT_TRUE(folder.files().empty());
}

}  // namespace
}  // namespace pilfer::test
