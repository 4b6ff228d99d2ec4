// What stands beside the program stays true: completion by bash, the manual page, the schema of JSON.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "cli_process.hpp"

namespace pilfer::test {
namespace {

using word_set = std::set<std::string>;

std::string document(const std::string& path) { return read_file(std::string(PILFER_ROOT) + "/" + path); }

// The long options that the help names.
word_set options_of_help() {
  std::istringstream help(run_dups({"--help"}).out);
  word_set found;
  for (std::string line; std::getline(help, line);) {
    if (!line.starts_with("  -")) continue;
    const std::string first = line.substr(2, line.find(' ', 2) - 2);
    found.insert(first.substr(first.find("--")));
  }
  return found;
}

// What bash offers for the last of these words.
word_set completed(const std::string& line) {
  const std::string command =
      std::string("bash --norc -c 'source ") + PILFER_ROOT + "/completions/pilfer.bash; COMP_WORDS=(" PILFER_TOOL " " +
      line + "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _pilfer; printf \"%s\\n\" \"${COMPREPLY[@]}\"'";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> shell(::popen(command.c_str(), "r"), ::pclose);
  std::string text;
  for (int c = std::fgetc(shell.get()); c != EOF; c = std::fgetc(shell.get())) text += static_cast<char>(c);
  std::istringstream lines(text);
  word_set found;
  for (std::string one; std::getline(lines, one);) {
    if (!one.empty()) found.insert(one);
  }
  return found;
}

TEST(dups_completion, commands_and_options_are_those_of_the_program) {
  EXPECT_TRUE(completed("du").contains("dups"));
  EXPECT_TRUE(completed("\"\"").contains("dups"));
  const word_set offered = completed("dups --");
  for (const std::string& option : options_of_help()) EXPECT_TRUE(offered.contains(option)) << option;
  EXPECT_FALSE(offered.contains("--load-us"));  // not for people
  EXPECT_EQ(completed("dups --hard-l"), (word_set{"--hard-link", "--hard-links"}));
  EXPECT_EQ(completed("dups photos --dry"), word_set{"--dry-run"});
}

TEST(dups_completion, values_follow_their_option) {
  EXPECT_EQ(completed("dups --format \"\""), (word_set{"csv", "fdupes", "json", "text"}));
  EXPECT_EQ(completed("dups --keep n"), word_set{"newest"});
  EXPECT_EQ(completed("dups --keep = o"), word_set{"oldest"});
  EXPECT_EQ(completed("dups --io \"\""), (word_set{"auto", "threads", "uring"}));
}

TEST(dups_completion, names_of_files_are_left_to_the_shell) {
  EXPECT_EQ(completed("dups \"\""), word_set{});
  EXPECT_EQ(completed("dups -- --del"), word_set{});
  EXPECT_EQ(completed("dups --output \"\""), word_set{});
  EXPECT_TRUE(completed("dups --move /us").contains("/usr"));
}

TEST(dups_documents, the_manual_page_has_every_option_and_no_other) {
  std::string page = document("docs/man/pilfer-dups.1");
  for (std::size_t at = 0; (at = page.find("\\-", at)) != std::string::npos; ++at) page.replace(at, 2, "-");
  const word_set options = options_of_help();
  ASSERT_TRUE(options.contains("--delete") && options.contains("--help"));
  for (const std::string& option : options) EXPECT_TRUE(has(page, option)) << option;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(".B")) continue;
    std::istringstream parts(line);
    for (std::string word; parts >> word;) {
      if (word.starts_with("--") && word.size() > 2) {
        const std::string name = word.substr(0, word.find_first_not_of("-abcdefghijklmnopqrstuvwxyz"));
        EXPECT_TRUE(options.contains(name)) << line;
      }
    }
  }
}

void collect_keys(const nlohmann::json& value, word_set& keys) {
  if (value.is_object()) {
    for (const auto& [key, inner] : value.items()) {
      keys.insert(key);
      collect_keys(inner, keys);
    }
  } else if (value.is_array()) {
    for (const auto& inner : value) collect_keys(inner, keys);
  }
}

TEST(dups_documents, every_key_of_a_report_is_documented) {
  const scratch_folder folder;
  for (const char* name : {"a/x", "a/y\xFF", "a/z"}) put(folder, name, "same");
  std::filesystem::create_hard_link(folder.file("a/z"), folder.file("a/zz\xFF"));
  const outcome o =
      run_dups({"a", "nowhere", "--format", "json", "--move", "out", "--yes"}, {.folder = folder.file("")});
  const nlohmann::json all = nlohmann::json::parse(o.out);
  word_set keys;
  collect_keys(all, keys);
  for (const char* expected : {"path_hex", "other_names", "to_hex", "errno", "freed_bytes"})
    ASSERT_TRUE(keys.contains(expected)) << expected << o.out;
  const std::string page = document("docs/dups.md");
  for (const std::string& key : keys) EXPECT_TRUE(has(page, "`" + key + "`")) << key;
}

}  // namespace
}  // namespace pilfer::test
