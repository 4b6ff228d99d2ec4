// At a terminal: the question, the line of progress, Ctrl-C.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli_process.hpp"
#include "support/environment.hpp"

namespace pilfer::test {
namespace {

namespace fs = std::filesystem;
using names = std::vector<std::string>;

constexpr const char* ctrl_c = "\x03";
constexpr int interrupted = 128 + SIGINT;

class dups_terminal : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"a/x", "a/y", "a/z"}) put(folder_, name, "same");
  }
  // A search that takes a minute and more, as if each file were large.
  void make_slow() {
    for (int i = 0; i < 200; ++i) put(folder_, "slow/" + std::to_string(i), "equal");
  }
  [[nodiscard]] names files_of_a() const {
    names found;
    for (const auto& entry : fs::directory_iterator(folder_.file("a")))
      found.push_back(entry.path().filename().string());
    std::sort(found.begin(), found.end());
    return found;
  }
  scratch_folder folder_;
};
const names slow_search = {"--load-us", "500000", "--workers", "2"};

names with(names arguments, const names& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST_F(dups_terminal, yes_is_done) {
  terminal_session session(folder_.file(""), {"a", "--delete"});
  ASSERT_TRUE(session.wait_for("Delete 2 files (8 B), and keep one of each of 1 group? [y/N] ")) << session.output();
  EXPECT_EQ(files_of_a(), (names{"x", "y", "z"}));
  session.type("y\n");
  EXPECT_EQ(session.finish(), 0) << session.output();
  EXPECT_EQ(files_of_a(), names{"x"});
}

TEST_F(dups_terminal, anything_else_is_not) {
  for (const char* answer : {"n\n", "\n", "yess\n", "\x04"}) {
    terminal_session session(folder_.file(""), {"a", "--delete"});
    ASSERT_TRUE(session.wait_for("[y/N] ")) << session.output();
    session.type(answer);
    EXPECT_EQ(session.finish(), 0) << session.output();
    EXPECT_TRUE(has(session.output(), "nothing was changed")) << session.output();
    EXPECT_EQ(files_of_a(), (names{"x", "y", "z"}));
  }
}

TEST_F(dups_terminal, ctrl_c_at_the_question_ends_it_with_nothing_done) {
  terminal_session session(folder_.file(""), {"a", "--hard-link"});
  ASSERT_TRUE(session.wait_for("[y/N] ")) << session.output();
  session.type(ctrl_c);
  EXPECT_EQ(session.finish(), interrupted) << session.output();
  EXPECT_EQ(fs::hard_link_count(folder_.file("a/x")), 1U);
}

TEST_F(dups_terminal, with_yes_nobody_is_asked_and_without_duplicates_neither) {
  terminal_session session(folder_.file(""), {"a", "--delete", "--yes"});
  EXPECT_EQ(session.finish(), 0);
  EXPECT_FALSE(has(session.output(), "[y/N]")) << session.output();
  terminal_session again(folder_.file(""), {"a", "--delete"});
  EXPECT_EQ(again.finish(), 0);
  EXPECT_FALSE(has(again.output(), "[y/N]")) << again.output();
  EXPECT_EQ(files_of_a(), names{"x"});
}

TEST_F(dups_terminal, progress_counts_bytes_and_ctrl_c_ends_with_a_partial_report_and_no_action) {
  if (under_tsan) GTEST_SKIP() << "ThreadSanitizer holds a signal back while its thread sleeps in a futex";
  make_slow();
  terminal_session session(folder_.file(""), with(slow_search, {"a", "slow", "--delete", "--yes"}));
  ASSERT_TRUE(session.wait_for("] ")) << session.output();
  ASSERT_TRUE(session.wait_for(" % of ")) << session.output();
  session.type(ctrl_c);
  EXPECT_EQ(session.finish(), interrupted) << session.output();
  EXPECT_TRUE(has(session.output(), "Interrupted: this report is partial.")) << session.output();
  EXPECT_TRUE(has(session.output(), "\r\x1b[K")) << "the line was not erased";
  EXPECT_EQ(files_of_a(), (names{"x", "y", "z"}));
  EXPECT_TRUE(fs::exists(folder_.file("slow/0")) && fs::exists(folder_.file("slow/199")));
}

TEST_F(dups_terminal, no_progress_if_it_is_not_wanted) {
  terminal_session session(folder_.file(""), {"a", "--no-progress", "--load-us", "200000", "--workers", "1"});
  EXPECT_EQ(session.finish(), 0);
  EXPECT_FALSE(has(session.output(), "\x1b[K")) << session.output();
}

TEST_F(dups_terminal, an_interrupted_json_report_is_whole_and_says_so) {
  if (under_tsan) GTEST_SKIP() << "ThreadSanitizer holds a signal back while its thread sleeps in a futex";
  make_slow();
  terminal_session session(folder_.file(""), with(slow_search, {"slow", "a", "--format", "json", "--output", "report",
                                                                "--delete", "--yes"}));
  ASSERT_TRUE(session.wait_for(" % of ")) << session.output();
  session.type(ctrl_c);
  EXPECT_EQ(session.finish(), interrupted) << session.output();
  const auto all = nlohmann::json::parse(read_file(folder_.file("report")));
  EXPECT_EQ(all["interrupted"], true);
  EXPECT_FALSE(all.contains("steps"));
  EXPECT_TRUE(has(session.output(), "the report is partial")) << session.output();
  EXPECT_EQ(files_of_a(), (names{"x", "y", "z"}));
}

}  // namespace
}  // namespace pilfer::test
