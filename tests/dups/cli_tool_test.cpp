// `pilfer dups` from outside: what it prints, what it does to files, how it ends.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli_process.hpp"

namespace pilfer::test {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::json;
using names = std::vector<std::string>;

std::uint64_t inode_of(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

void set_time(const std::string& path, std::int64_t seconds) {
  const struct timespec times[2] = {{0, UTIME_OMIT}, {seconds, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
}

class dups_tool : public testing::Test {
 protected:
  outcome dups(const names& arguments, const std::string& input = {}) const {
    return run_dups(arguments, {.folder = folder_.file(""), .input = input});
  }
  // The groups of a report, each as the paths of its files.
  std::vector<names> groups(const names& arguments, const std::string& input = {}) const {
    names all = arguments;
    all.insert(all.begin(), {"--format", "json"});
    const outcome o = dups(all, input);
    EXPECT_EQ(o.exit_code, 0) << o.err;
    std::vector<names> found;
    const json all_of_it = json::parse(o.out);
    for (const json& group : all_of_it["groups"]) {
      names& paths = found.emplace_back();
      for (const json& file : group["files"]) paths.push_back(file["path"]);
    }
    return found;
  }
  [[nodiscard]] bool exists(const std::string& name) const { return fs::exists(folder_.file(name)); }

  scratch_folder folder_;
};

TEST_F(dups_tool, text_shows_groups_and_what_they_waste) {
  put(folder_, "a/one", std::string(2048, 'x'));
  put(folder_, "b/two", std::string(2048, 'x'));
  put(folder_, "b/three", "alone");
  const outcome o = dups({"a", "b"});
  EXPECT_EQ(o.exit_code, 0);
  EXPECT_EQ(o.err, "");
  EXPECT_TRUE(o.out.starts_with("2 files of 2.0 KiB, 2.0 KiB wasted\n  a/one\n  b/two\n\n1 duplicate in 1 group"))
      << o.out;
  const outcome summary = dups({"a", "b", "--summary"});
  EXPECT_TRUE(summary.out.starts_with("1 duplicate in 1 group: 2.0 KiB wasted.\n")) << summary.out;
}

TEST_F(dups_tool, without_a_path_it_is_the_current_folder_and_no_duplicates_are_no_failure) {
  put(folder_, "x", "1");
  const outcome o = dups({});
  EXPECT_EQ(o.exit_code, 0);
  EXPECT_TRUE(o.out.starts_with("No duplicates.\n1 file of 1 B")) << o.out;
}

TEST_F(dups_tool, every_format_says_the_same_in_the_same_order_with_any_number_of_workers_and_scheduler) {
  for (const char* name : {"p/a", "p/b", "q/c", "q/a", "r"}) put(folder_, name, "equal");
  for (const char* name : {"p/z", "q/y"}) put(folder_, name, "other");
  const std::string expected = "p/a\np/b\nq/a\nq/c\nr\n\np/z\nq/y\n\n";
  for (const char* workers : {"1", "2"}) {
    for (const char* scheduler : {"default", "bwos-fifo", "ws-global"}) {
      const outcome o = dups({"--format", "fdupes", "--workers", workers, "--scheduler", scheduler, "q", "r", "p"});
      EXPECT_EQ(o.out, expected) << workers << ' ' << scheduler;
      EXPECT_EQ(o.err, "");
    }
  }
  const outcome csv = dups({"--format", "csv", "p", "q", "r"});
  EXPECT_TRUE(csv.out.starts_with("group,size,path,reference,")) << csv.out;
  EXPECT_TRUE(has(csv.out, "\r\n2,5,p/z,0,0,1,")) << csv.out;
  EXPECT_EQ(groups({"p", "q", "r"}), (std::vector<names>{{"p/a", "p/b", "q/a", "q/c", "r"}, {"p/z", "q/y"}}));
}

TEST_F(dups_tool, names_of_any_bytes_come_through_in_every_format) {
  const names odd = {"-option", "[a,b]", "lab", "line\nfeed", "q\"uote", "x\xFF", "{}"};
  for (const std::string& name : odd) put(folder_, "d/" + name, "same");
  names arguments = {"--format", "fdupes", "--"};
  std::string expected;
  const outcome whole = dups({"--format", "json", "d"});
  const json files = json::parse(whole.out)["groups"][0]["files"];
  ASSERT_EQ(files.size(), odd.size());
  for (std::size_t i = 0; i < odd.size(); ++i) {
    if (odd[i] == "x\xFF") {
      EXPECT_EQ(files[i]["path_hex"], "642f78ff");
    } else {
      EXPECT_EQ(files[i]["path"], "d/" + odd[i]);
    }
    arguments.push_back(odd[i]);
    expected += odd[i] + "\n";
  }
  // The names themselves on the command line, where some look like options, lists or commands.
  const outcome o = run_dups(arguments, {.folder = folder_.file("d")});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(o.out, expected + "\n");
  EXPECT_TRUE(has(dups({"d"}).out, "  $'d/line\\nfeed'\n"));
  const outcome commands = run_dups({"--format", "fdupes", "lab", "[a,b]"}, {.folder = folder_.file("d")});
  EXPECT_EQ(commands.out, "[a,b]\nlab\n\n");
}

TEST_F(dups_tool, what_is_missing_is_reported_and_counted_and_the_rest_goes_on) {
  put(folder_, "a", "same");
  put(folder_, "b", "same");
  const outcome o = dups({"--format", "fdupes", "a", "nowhere", "b", ""});
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_EQ(o.out, "a\nb\n\n");
  EXPECT_TRUE(has(o.err, "pilfer: nowhere: ")) << o.err;
  EXPECT_TRUE(has(o.err, "No such file or directory\n")) << o.err;
  EXPECT_TRUE(has(o.err, "pilfer: 2 paths left out\n")) << o.err;
  const json all = json::parse(dups({"--format", "json", "nowhere"}).out);
  EXPECT_EQ(all["problems"][0]["path"], "nowhere");
  EXPECT_EQ(all["problems"][0]["kind"], "missing");
  EXPECT_EQ(all["problems"][0]["failure"], true);
}

TEST_F(dups_tool, what_cannot_be_read_is_reported_and_the_rest_goes_on) {
  for (const char* name : {"a", "b", "secret", "closed/c"}) put(folder_, name, "same");
  fs::permissions(folder_.file("."), fs::perms(0755));
  fs::permissions(folder_.file("secret"), fs::perms(0));
  fs::permissions(folder_.file("closed"), fs::perms(0));
  const outcome o = run_dups({"--format", "fdupes", "."}, {.folder = folder_.file("."), .as_nobody = true});
  fs::permissions(folder_.file("closed"), fs::perms(0755));
  if (o.exit_code == 127) GTEST_SKIP() << "nobody may not run the tool here";
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_EQ(o.out, "./a\n./b\n\n");
  EXPECT_TRUE(has(o.err, "./secret: ")) << o.err;
  EXPECT_TRUE(has(o.err, "./closed: ")) << o.err;
  EXPECT_TRUE(has(o.err, "Permission denied")) << o.err;
  EXPECT_TRUE(has(o.err, "2 paths left out")) << o.err;
}

TEST_F(dups_tool, each_filter_has_its_effect) {
  for (const char* name : {"t/a.txt", "t/b.txt"}) put(folder_, name, "small");
  for (const char* name : {"t/.hidden", "t/deep/down/c.txt"}) put(folder_, name, "small");
  for (const char* name : {"t/big1", "t/big2"}) put(folder_, name, std::string(5000, 'b'));
  for (const char* name : {"t/empty1", "t/empty2"}) put(folder_, name, "");
  fs::create_hard_link(folder_.file("t/a.txt"), folder_.file("t/a.link"));
  const names big = {"t/big1", "t/big2"};
  const names all_small = {"t/.hidden", "t/a.link", "t/b.txt", "t/deep/down/c.txt"};
  EXPECT_EQ(groups({"t"}), (std::vector<names>{all_small, big}));
  EXPECT_EQ(groups({"t", "--min-size", "1K"}), std::vector<names>{big});
  EXPECT_EQ(groups({"t", "--max-size", "4999"}), std::vector<names>{all_small});
  EXPECT_EQ(groups({"t", "--no-hidden", "--max-size", "1K"}),
            std::vector<names>({{"t/a.link", "t/b.txt", "t/deep/down/c.txt"}}));
  EXPECT_EQ(groups({"t", "--include", "*.txt", "--exclude", "deep"}), std::vector<names>({{"t/a.txt", "t/b.txt"}}));
  EXPECT_EQ(groups({"t", "--exclude", "big*", "--exclude", ".*", "--max-depth", "1"}),
            std::vector<names>({{"t/a.link", "t/b.txt"}}));
  EXPECT_EQ(groups({"t", "--empty", "--max-size", "0"}), std::vector<names>({{"t/empty1", "t/empty2"}}));
  EXPECT_EQ(groups({"t", "--hard-links", "--include", "a.*"}), std::vector<names>({{"t/a.link", "t/a.txt"}}));
  EXPECT_EQ(groups({"t", "--sort", "wasted"}), (std::vector<names>{big, all_small}));
  EXPECT_EQ(groups({"t", "--hash-only", "--io", "threads", "-x"}), (std::vector<names>{all_small, big}));
  fs::create_directory_symlink("../t", folder_.file("t/loop"));
  put(folder_, "elsewhere/big3", std::string(5000, 'b'));
  fs::create_directory_symlink("../elsewhere", folder_.file("t/there"));
  EXPECT_EQ(groups({"t", "--min-size", "1K"}), std::vector<names>{big});
  EXPECT_EQ(groups({"t", "--min-size", "1K", "-L", "--exclude", "loop"}),
            std::vector<names>({{"t/big1", "t/big2", "t/there/big3"}}));
}

TEST_F(dups_tool, a_cache_is_made_and_used) {
  for (const char* name : {"a", "b"}) set_time(put(folder_, name, std::string(300'000, 'c')), 1000);
  const names arguments = {"a", "b", "--hash-only", "--cache", folder_.file("cache")};
  const std::vector<names> first = groups(arguments);
  EXPECT_TRUE(exists("cache"));
  EXPECT_EQ(groups(arguments), first);
  EXPECT_EQ(first, std::vector<names>({{"a", "b"}}));
}

TEST_F(dups_tool, paths_come_from_a_list) {
  for (const char* name : {"a", "b", "c\nd"}) put(folder_, name, "same");
  EXPECT_EQ(groups({"--files-from", "-"}, "a\n\nb\n"), std::vector<names>({{"a", "b"}}));
  EXPECT_EQ(groups({"--files-from", "-", "-0"}, std::string("a\0c\nd\0", 6)), std::vector<names>({{"a", "c\nd"}}));
  EXPECT_EQ(groups({"--files-from", "-", "b"}, "a"), std::vector<names>({{"a", "b"}}));
  EXPECT_EQ(groups({"--files-from", "-"}, ""), std::vector<names>{});
  put(folder_, "list", "b\na\n");
  EXPECT_EQ(groups({"--files-from", "list"}), std::vector<names>({{"a", "b"}}));
  const outcome missing = dups({"--files-from", "nowhere"});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_TRUE(has(missing.err, "--files-from: cannot read nowhere: No such file")) << missing.err;
  const outcome contradiction = dups({"--files-from", "-", "--reference", "a"}, "a\n");
  EXPECT_EQ(contradiction.exit_code, 2);
  EXPECT_TRUE(has(contradiction.err, "a is both searched and a --reference")) << contradiction.err;
}

TEST_F(dups_tool, reports_go_to_a_file_whole) {
  for (const char* name : {"a", "b"}) put(folder_, name, "same");
  const outcome o = dups({"--format", "fdupes", "--output", "report", "a", "b"});
  EXPECT_EQ(o.exit_code, 0);
  EXPECT_EQ(o.out, "");
  EXPECT_EQ(read_file(folder_.file("report")), "a\nb\n\n");
  // Found out before anything is done.
  const outcome bad = dups({"--output", "no/such/folder/report", "--delete", "--yes", "a", "b"});
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_TRUE(exists("b"));
}

class dups_wrong_usage : public dups_tool, public testing::WithParamInterface<std::pair<names, std::string>> {};

TEST_P(dups_wrong_usage, exits_2_says_why_and_touches_nothing) {
  for (const char* name : {"a/x", "a/y"}) put(folder_, name, "same");
  const outcome o = dups(GetParam().first);
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_EQ(o.out, "");
  EXPECT_TRUE(o.err.starts_with("pilfer: ")) << o.err;
  EXPECT_TRUE(has(o.err, GetParam().second)) << o.err;
  EXPECT_TRUE(exists("a/x") && exists("a/y"));
  EXPECT_EQ(folder_.files(), names{"a"});
}

INSTANTIATE_TEST_SUITE_P(
    each, dups_wrong_usage,
    testing::Values(std::pair(names{"a", "--delete"}, "without a terminal to ask at needs --yes"),
                    std::pair(names{"a", "--hard-link"}, "needs --yes"),
                    std::pair(names{"a", "--reflink"}, "needs --yes"),
                    std::pair(names{"a", "--move", "m"}, "needs --yes"),
                    std::pair(names{"a", "--delete", "--hard-link", "--yes"}, "--delete and --hard-link contradict"),
                    std::pair(names{"--delete", "--yes"}, "name a path"),
                    std::pair(names{"a", "--move", "a/x", "--yes"}, "is not a folder"),
                    std::pair(names{"a", "--move", "a/z", "--yes"}, "would be found again"),
                    std::pair(names{"a", "--yes"}, "--yes needs an action"),
                    std::pair(names{"a", "--keep", "newest"}, "--keep needs an action"),
                    std::pair(names{"a", "--keep", "best", "--delete"}, "'best' is none of first, newest"),
                    std::pair(names{"a", "--format", "xml"}, "'xml' is none of text, json, csv, fdupes"),
                    std::pair(names{"a", "--min-size", "1.5M"}, "'1.5M' is no size"),
                    std::pair(names{"a", "--min-size", "2", "--max-size", "1"}, "is more than"),
                    std::pair(names{"a", "--workers", "0"}, "--workers: '0'"),
                    std::pair(names{"a", "--scheduler", "magic"}, "there is no scheduler 'magic'"),
                    std::pair(names{"a", "--io", "magic"}, "'magic' is none of auto, uring, threads"),
                    std::pair(names{"a", "--max-depth", "-1"}, "--max-depth"), std::pair(names{"a", "-0"}, "-0 needs"),
                    std::pair(names{"a/x", "a/y", "--cache", "a/./x"}, "both searched and the --cache"),
                    std::pair(names{"a", "--cache", "a/x"}, "a/x is no cache of pilfer dups; it is left alone"),
                    std::pair(names{"a", "--reference", "a", "--delete", "--yes"}, "both searched and a --reference"),
                    std::pair(names{"a", "--frobnicate"}, "does not take '--frobnicate'")));

TEST_F(dups_tool, an_unknown_backend_in_the_environment_is_wrong_usage) {
  put(folder_, "a", "x");
  const outcome o = run_dups({"a"}, {.folder = folder_.file(""), .environment = {{"PILFER_IO", "magic"}}});
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_TRUE(has(o.err, "PILFER_IO")) << o.err;
}

TEST_F(dups_tool, a_dry_run_says_what_would_be_done_and_does_not) {
  for (const char* name : {"a/x", "a/y"}) put(folder_, name, "same");
  for (const names& action : {names{"--delete"}, names{"--hard-link"}, names{"--move", "m"}}) {
    names arguments = {"a", "--dry-run"};
    arguments.insert(arguments.end(), action.begin(), action.end());
    const outcome o = dups(arguments);
    EXPECT_EQ(o.exit_code, 0) << o.err;
    EXPECT_TRUE(has(o.out, "would ")) << o.out;
    EXPECT_TRUE(has(o.out, "a/y")) << o.out;
    EXPECT_TRUE(has(o.out, "nothing was changed")) << o.out;
    EXPECT_TRUE(exists("a/y"));
    EXPECT_NE(inode_of(folder_.file("a/x")), inode_of(folder_.file("a/y")));
    EXPECT_EQ(folder_.files(), names{"a"});
  }
}

TEST_F(dups_tool, delete_keeps_the_one_that_the_rule_names) {
  struct expectation {
    const char* rule;
    const char* stays;
  };
  for (const expectation& each : {expectation{"first", "a/middle"}, expectation{"newest", "b/late-name"},
                                  expectation{"oldest", "c/old"}, expectation{"shortest-path", "c/old"}}) {
    set_time(put(folder_, "a/middle", "same"), 2000);
    set_time(put(folder_, "b/late-name", "same"), 3000);
    set_time(put(folder_, "c/old", "same"), 1000);
    const outcome o = dups({"a", "b", "c", "--delete", "--yes", "--keep", each.rule, "--format", "json"});
    EXPECT_EQ(o.exit_code, 0) << o.err;
    for (const char* name : {"a/middle", "b/late-name", "c/old"})
      EXPECT_EQ(exists(name), std::string(name) == each.stays) << each.rule << ' ' << name;
    const json all = json::parse(o.out);
    EXPECT_EQ(all["action"]["name"], "delete");
    EXPECT_EQ(all["action"]["freed_bytes"], 8);
    ASSERT_EQ(all["steps"].size(), 2U);
    for (const json& step : all["steps"]) {
      EXPECT_EQ(step["result"], "done");
      EXPECT_EQ(step["kept"], each.stays);
    }
  }
}

TEST_F(dups_tool, nothing_in_a_reference_folder_is_touched) {
  for (const char* name : {"card/1", "card/2", "photos/1", "photos/keep/2", "photos/keep/3"})
    put(folder_, name, "same");
  for (const char* name : {"card/only1", "card/only2"}) put(folder_, name, "on the card alone");
  const outcome o = dups({"--reference", "photos", "--only-with-reference", "card", "--delete", "--yes"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_FALSE(exists("card/1") || exists("card/2"));
  EXPECT_TRUE(exists("photos/1") && exists("photos/keep/2") && exists("photos/keep/3"));
  EXPECT_TRUE(exists("card/only1") && exists("card/only2"));
  // A reference inside of what is searched.
  const outcome nested = dups({"--reference", "photos/keep", "photos", "--delete", "--yes"});
  EXPECT_EQ(nested.exit_code, 0) << nested.err;
  EXPECT_FALSE(exists("photos/1"));
  EXPECT_TRUE(exists("photos/keep/2") && exists("photos/keep/3"));
}

TEST_F(dups_tool, the_last_copy_stays_whatever_is_named_twice) {
  put(folder_, "a/x", "same");
  put(folder_, "a/y", "same");
  fs::create_directory_symlink("a", folder_.file("link"));
  const outcome o = dups({"a", "./a", "a/../a", "link", "a/x", "--hard-links", "-L", "--delete", "--yes"});
  EXPECT_LE(o.exit_code, 1) << o.err;
  EXPECT_EQ(exists("a/x") + exists("a/y"), 1) << o.out << o.err;
}

TEST_F(dups_tool, nothing_behind_a_followed_link_is_touched) {
  for (const char* name : {"a/x", "a/y", "elsewhere/z", "elsewhere/deep/z"}) put(folder_, name, "same");
  fs::create_directory_symlink("../elsewhere", folder_.file("a/link"));
  const outcome o = dups({"a", "-L", "--keep", "first", "--delete", "--yes"});
  EXPECT_EQ(o.exit_code, 1) << o.err;
  EXPECT_TRUE(has(o.err, "left alone: a/x: ") || has(o.err, "left alone: a/link/z: ")) << o.err;
  EXPECT_TRUE(exists("elsewhere/z") && exists("elsewhere/deep/z")) << o.out;
}

TEST_F(dups_tool, hard_link_joins_all_names_and_a_second_run_finds_nothing) {
  for (const char* name : {"a/x", "a/y", "b/z"}) put(folder_, name, "same");
  fs::create_hard_link(folder_.file("a/y"), folder_.file("b/y2"));
  const outcome o = dups({"a", "b", "--hard-link", "--yes"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  for (const char* name : {"a/y", "b/z", "b/y2"})
    EXPECT_EQ(inode_of(folder_.file(name)), inode_of(folder_.file("a/x")));
  EXPECT_TRUE(has(o.out, "8 B freed")) << o.out;
  EXPECT_EQ(groups({"a", "b"}), std::vector<names>{});
}

TEST_F(dups_tool, move_takes_them_out_of_the_way) {
  for (const char* name : {"a/x", "a/y"}) put(folder_, name, "same");
  const outcome o = dups({"a", "--move", "out", "--yes", "--format", "fdupes"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(o.out, "a/x\na/y\n\n");  // what was done is said beside it
  EXPECT_TRUE(has(o.err, "moved a/y to ")) << o.err;
  EXPECT_FALSE(exists("a/y"));
  EXPECT_EQ(read_file(folder_.file("out") + fs::canonical(folder_.file("a")).string() + "/y"), "same");
}

TEST_F(dups_tool, a_reflink_is_made_or_refused_and_never_anything_else) {
  for (const char* name : {"a/x", "a/y"}) put(folder_, name, std::string(8192, 's'));
  const std::uint64_t inode = inode_of(folder_.file("a/y"));
  const outcome o = dups({"a", "--reflink", "--yes"});
  EXPECT_EQ(inode_of(folder_.file("a/y")), inode);
  EXPECT_EQ(fs::hard_link_count(folder_.file("a/y")), 1U);
  EXPECT_EQ(read_file(folder_.file("a/y")), std::string(8192, 's'));
  if (o.exit_code == 0) {
    EXPECT_TRUE(has(o.out, "reflinked a/y")) << o.out;
  } else {
    EXPECT_EQ(o.exit_code, 1);
    EXPECT_TRUE(has(o.err, "left alone: a/y: ")) << o.err;
  }
}

TEST_F(dups_tool, if_the_report_cannot_be_written_nothing_is_done) {
  for (const char* name : {"a/x", "a/y"}) put(folder_, name, "same");
  for (const char* format : {"text", "json", "csv", "fdupes"}) {
    const outcome o =
        run_tool({"dups", folder_.file("a"), "--delete", "--yes", "--format", format}, {.stdout_to = "/dev/full"});
    EXPECT_EQ(o.exit_code, 1);
    EXPECT_TRUE(has(o.err, "No space left on device")) << o.err;
    EXPECT_TRUE(exists("a/x") && exists("a/y")) << format;
  }
}

TEST_F(dups_tool, what_was_done_and_cannot_be_reported_is_said_beside_it) {
  for (const char* name : {"a/x", "a/y"}) put(folder_, name, "same");
  const outcome o = dups({"a", "--delete", "--yes", "--format", "json", "--output", "/dev/full"});
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_FALSE(exists("a/y"));
  EXPECT_TRUE(has(o.err, "No space left on device")) << o.err;
  EXPECT_TRUE(has(o.err, "deleted a/y (kept a/x)")) << o.err;
}

TEST_F(dups_tool, json_in_a_file_has_the_steps_too) {
  for (const char* name : {"a/x", "a/y"}) put(folder_, name, "same");
  const outcome o = dups({"a", "--delete", "--yes", "--format", "json", "--output", "report"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  const json all = json::parse(read_file(folder_.file("report")));
  EXPECT_EQ(all["steps"].size(), 1U);
  EXPECT_EQ(all["interrupted"], false);
}

}  // namespace
}  // namespace pilfer::test
