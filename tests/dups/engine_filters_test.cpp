// Filters, given paths, references, links: which files a search takes, and what it says of the others.
#include <gtest/gtest.h>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>

#include "engine_tree.hpp"

namespace pilfer::dups {
namespace fs = std::filesystem;
namespace {

using test::groups_of;
using test::path_groups;
using test::tree;

outcome search_in(const search_options& options) {
  pool home(2);
  return find_duplicates(home, options);
}

TEST(DupsFilters, Sizes) {
  const tree where;
  for (const std::string size : {"1", "22", "333", "4444"}) {
    where.write("a" + size, size);
    where.write("b" + size, size);
  }
  const outcome found = search_in({.paths = {where.root()}, .min_size = 2, .max_size = 3});
  EXPECT_EQ(groups_of(found),
            (path_groups{{where.path("a22"), where.path("b22")}, {where.path("a333"), where.path("b333")}}));
  EXPECT_EQ(found.totals.skipped.size, 4U);
  EXPECT_EQ(found.totals.files, 4U);
  EXPECT_EQ(found.totals.wasted_bytes, 5U);
  EXPECT_THROW(search_in({.paths = {where.root()}, .min_size = 3, .max_size = 2}), std::invalid_argument);
  EXPECT_THROW(search_in({.paths = {}}), std::invalid_argument);
}

TEST(DupsFilters, Globs) {
  const tree where;
  for (const std::string name : {"a.jpg", "b.jpg", "c.txt", "cache/d.jpg", "deep/cache/e.jpg", "deep/f.jpg"})
    where.write(name, "same");
  const auto with = [&](std::vector<std::string> include, std::vector<std::string> exclude) {
    return search_in({.paths = {where.root()}, .include = std::move(include), .exclude = std::move(exclude)});
  };
  EXPECT_EQ(groups_of(with({"*.jpg"}, {"cache"})),
            (path_groups{{where.path("a.jpg"), where.path("b.jpg"), where.path("deep/f.jpg")}}));
  EXPECT_EQ(groups_of(with({"?.txt", "a*"}, {})), (path_groups{{where.path("a.jpg"), where.path("c.txt")}}));
  // With a slash: what follows the given path, or all of it.
  EXPECT_EQ(groups_of(with({"deep/*"}, {})), (path_groups{{where.path("deep/cache/e.jpg"), where.path("deep/f.jpg")}}));
  EXPECT_EQ(groups_of(with({"*/deep/*"}, {})),
            (path_groups{{where.path("deep/cache/e.jpg"), where.path("deep/f.jpg")}}));
  EXPECT_EQ(groups_of(with({}, {"deep/cache", "?.jpg"})), path_groups{});
  EXPECT_EQ(with({}, {"deep/cache"}).totals.skipped.pattern, 1U);
}

TEST(DupsFilters, HiddenNamesAndDepth) {
  const tree where;
  for (const std::string name : {"a", ".b", ".c/d", "e/f", "e/g/h"}) where.write(name, "same");
  const auto all = search_in({.paths = {where.root()}});
  EXPECT_EQ(all.totals.files, 5U);
  const auto shown = search_in({.paths = {where.root()}, .hidden = false});
  EXPECT_EQ(groups_of(shown), (path_groups{{where.path("a"), where.path("e/f"), where.path("e/g/h")}}));
  EXPECT_EQ(shown.totals.skipped.hidden, 2U);
  const auto given = search_in({.paths = {where.path(".c"), where.path("a")}, .hidden = false});
  EXPECT_EQ(groups_of(given), (path_groups{{where.path(".c/d"), where.path("a")}}));

  EXPECT_EQ(search_in({.paths = {where.root()}, .max_depth = 1}).totals.files, 2U);
  EXPECT_EQ(search_in({.paths = {where.root()}, .max_depth = 2}).totals.files, 4U);
  const auto none = search_in({.paths = {where.root(), where.path("a")}, .max_depth = 0});
  EXPECT_EQ(none.totals.files, 1U);
  EXPECT_EQ(none.totals.skipped.depth, 1U);
}

TEST(DupsFilters, GivenTwiceIsGivenOnce) {
  const tree where;
  where.write("x/a", "same");
  where.write("x/y/b", "same");
  const std::string x = where.path("x");
  const auto found = search_in(
      {.paths = {x, x + "/", x + "/../x", x + "/y", x + "/a", x + "/./a"}, .hard_links_are_duplicates = true});
  ASSERT_EQ(found.groups.size(), 1U);
  EXPECT_EQ(found.groups[0].files.size(), 2U);
  EXPECT_EQ(found.groups[0].wasted_bytes, 4U);
  EXPECT_TRUE(found.problems.empty());
}

TEST(DupsFilters, MissingPathsAreReportedAndTheRestGoesOn) {
  const tree where;
  where.write("a", "same");
  where.write("b", "same");
  const auto found = search_in({.paths = {where.path("nowhere"), where.root(), where.path("a/below a file")}});
  EXPECT_EQ(found.groups.size(), 1U);
  ASSERT_EQ(found.problems.size(), 2U);
  EXPECT_EQ(found.problems[0].path, where.path("a/below a file"));
  EXPECT_EQ(found.problems[1].path, where.path("nowhere"));
  for (const problem& each : found.problems) {
    EXPECT_EQ(each.kind, problem_kind::missing);
    EXPECT_TRUE(is_failure(each.kind));
  }
  EXPECT_EQ(found.problems[1].error, ENOENT);
}

TEST(DupsFilters, References) {
  const tree where;
  where.write("ref/a", "same");
  where.write("ref/inner/b", "same");
  where.write("new/a", "same");
  where.write("new/x", "other");
  where.write("new/y", "other");
  where.write("ref/only1", "for reference");
  where.write("ref/only2", "for reference");
  search_options options{.paths = {where.path("new")}, .reference_paths = {where.path("ref")}};
  auto found = search_in(options);
  EXPECT_EQ(groups_of(found), (path_groups{{where.path("ref/a"), where.path("ref/inner/b"), where.path("new/a")},
                                           {where.path("new/x"), where.path("new/y")}}));
  const auto& mixed = *std::ranges::find(found.groups, 4U, &group::size);
  EXPECT_TRUE(mixed.files[0].reference);
  EXPECT_FALSE(mixed.files[2].reference);
  EXPECT_EQ(mixed.wasted_bytes, 4U);
  options.only_with_reference = true;
  EXPECT_EQ(search_in(options).groups.size(), 1U);
  // The innermost given path decides.
  found = search_in({.paths = {where.path("ref/inner"), where.path("ref")}, .reference_paths = {where.path("ref")}});
  ASSERT_EQ(found.groups.size(), 1U);
  EXPECT_EQ(test::paths_of(found.groups[0]), (std::vector{where.path("ref/a"), where.path("ref/inner/b")}));
  EXPECT_FALSE(found.groups[0].files[1].reference);
}

// It once depended on the worker that came first.
TEST(DupsFilters, AFileThatIsReachedTwiceIsAReferenceIfItIsOneByEitherWay) {
  const tree where;
  where.write("ref/a", "same");
  where.write("new/b", "same");
  const std::string ref = where.path("ref");
  for (int i = 0; i < 20; ++i) {
    const auto found =
        search_in({.paths = {where.path("new"), ref + "/../ref/a", ref + "/a"}, .reference_paths = {ref}});
    ASSERT_EQ(found.groups.size(), 1U);
    ASSERT_EQ(test::paths_of(found.groups[0]), (std::vector{ref + "/a", where.path("new/b")}));
    EXPECT_TRUE(found.groups[0].files[0].reference);
    EXPECT_FALSE(found.groups[0].files[1].reference);
    EXPECT_TRUE(found.groups[0].files[0].other_names.empty());
    EXPECT_EQ(found.totals.skipped.seen_before, 2U);
    // And a file that was given as a reference, in a folder that is searched.
    const auto turned = search_in({.paths = {where.root()}, .reference_paths = {ref + "/../ref/a"}});
    ASSERT_EQ(turned.groups.size(), 1U);
    EXPECT_EQ(test::paths_of(turned.groups[0]), (std::vector{ref + "/../ref/a", where.path("new/b")}));
    EXPECT_TRUE(turned.groups[0].files[0].reference);
  }
}

TEST(DupsFilters, HardLinks) {
  const tree where;
  where.write("m", "same");
  where.hard_link("m", "z");
  where.hard_link("m", "a");
  where.write("other", "same");
  where.write("lone", "alone");
  where.hard_link("lone", "lone2");
  const auto folded = search_in({.paths = {where.root()}});
  ASSERT_EQ(folded.groups.size(), 1U);
  EXPECT_EQ(test::paths_of(folded.groups[0]), (std::vector{where.path("a"), where.path("other")}));
  EXPECT_EQ(folded.groups[0].files[0].other_names, (std::vector{where.path("m"), where.path("z")}));
  EXPECT_EQ(folded.groups[0].files[0].links, 3U);
  EXPECT_EQ(folded.totals.hard_links, 3U);
  EXPECT_EQ(folded.groups[0].wasted_bytes, 4U);

  const auto listed = search_in({.paths = {where.root()}, .hard_links_are_duplicates = true});
  EXPECT_EQ(groups_of(listed), test::expected_groups(where.root(), false, true));
  const auto& large = *std::ranges::find(listed.groups, 4U, &group::size);
  EXPECT_EQ(large.wasted_bytes, 4U);
  EXPECT_EQ(std::ranges::count(large.files, true, &duplicate::hard_link), 2);
  EXPECT_EQ(std::ranges::find(listed.groups, 5U, &group::size)->wasted_bytes, 0U);
}

TEST(DupsFilters, Symlinks) {
  const tree where;
  const tree outside;
  where.write("a", "same");
  where.symlink("a", "link to a");
  where.symlink("..", "d/up");
  where.symlink("self", "self");
  where.symlink("nowhere", "dangling");
  outside.write("x/b", "same");
  outside.symlink("x", "again");
  where.symlink(outside.root(), "out");
  where.symlink(outside.path("x"), "out again");
  const auto kept = search_in({.paths = {where.root()}});
  EXPECT_TRUE(kept.groups.empty());
  EXPECT_EQ(kept.totals.skipped.symlinks, 6U);

  for (int i = 0; i < 3; ++i) {
    const auto followed = search_in({.paths = {where.root()}, .follow_symlinks = true});
    EXPECT_EQ(groups_of(followed), (path_groups{{where.path("a"), where.path("out/x/b")}}));
    ASSERT_EQ(followed.groups.size(), 1U);
    EXPECT_EQ(followed.groups[0].files[0].other_names, std::vector{where.path("link to a")});
    std::vector<std::string> loops;
    for (const problem& each : followed.problems) {
      EXPECT_EQ(each.kind, problem_kind::loop);
      EXPECT_FALSE(is_failure(each.kind));
      loops.push_back(each.path);
    }
    EXPECT_EQ(loops, (std::vector{where.path("d/up"), where.path("self")}));
  }
  // A link to a folder that is given is followed; one to a file is not.
  where.symlink(where.path("d"), "given");
  EXPECT_EQ(search_in({.paths = {where.path("out"), where.path("a"), where.path("link to a")}}).groups.size(), 1U);
}

// Files in a folder behind a followed link were once taken for files that may be changed.
TEST(DupsFilters, WhatLiesBehindAFollowedLinkSaysSo) {
  const tree where;
  const tree outside;
  where.write("a", "same");
  outside.write("x/deep/b", "same");
  outside.write("x/c", "same");
  where.hard_link("a", "z");
  fs::create_hard_link(where.path("a"), outside.path("x/a too"));
  where.symlink(outside.path("x"), "link");
  where.symlink(outside.path("x/c"), "file link");
  const auto found = search_in({.paths = {where.root()}, .follow_symlinks = true});
  ASSERT_EQ(found.groups.size(), 1U);
  ASSERT_EQ(test::paths_of(found.groups[0]),
            (std::vector{where.path("a"), where.path("link/c"), where.path("link/deep/b")}));
  const auto& files = found.groups[0].files;
  EXPECT_FALSE(files[0].behind_symlink);
  EXPECT_EQ(files[0].other_names, (std::vector{where.path("link/a too"), where.path("z")}));
  EXPECT_EQ(files[0].names_behind_symlink, std::vector{where.path("link/a too")});
  EXPECT_EQ(files[1].names_behind_symlink, std::vector{where.path("file link")});
  for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
    EXPECT_TRUE(files[i].behind_symlink);
    EXPECT_FALSE(files[i].through_symlink);
  }
  // A link that was given by name is what was asked for.
  const auto given = search_in({.paths = {where.path("link")}, .follow_symlinks = true});
  ASSERT_EQ(given.groups.size(), 1U);
  for (const duplicate& each : given.groups[0].files) EXPECT_FALSE(each.behind_symlink);
}

TEST(DupsFilters, OneFileSystem) {
  struct stat here{};
  struct stat there{};
  const tree where;
  if (::stat("/dev/shm", &there) != 0 || ::stat(where.root().c_str(), &here) != 0 || here.st_dev == there.st_dev ||
      ::access("/dev/shm", W_OK) != 0) {
    GTEST_SKIP() << "there is no second file system to write to";
  }
  const tree other("/dev/shm");
  where.write("a", "same");
  other.write("b", "same");
  where.symlink(other.root(), "other");
  search_options options{.paths = {where.root()}, .follow_symlinks = true};
  EXPECT_EQ(search_in(options).groups.size(), 1U);
  options.one_file_system = true;
  const auto found = search_in(options);
  EXPECT_TRUE(found.groups.empty());
  EXPECT_EQ(found.totals.skipped.file_system, 1U);
}

TEST(DupsFilters, SpecialFilesAreCountedAndNeverOpened) {
  const tree where;
  where.write("a", "same");
  where.write("b", "same");
  ASSERT_EQ(::mkfifo(where.path("pipe").c_str(), 0600), 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  where.path("socket").copy(address.sun_path, sizeof address.sun_path - 1);
  const int listener = ::socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  const auto found = search_in({.paths = {where.root(), where.path("pipe"), "/dev/null"}});
  ::close(listener);
  EXPECT_EQ(found.groups.size(), 1U);
  EXPECT_EQ(found.totals.skipped.special, 4U);
  EXPECT_TRUE(found.problems.empty());
}

TEST(DupsFilters, WhatMustNotBeReadIsReported) {
  const tree where;
  fs::permissions(where.root(), fs::perms(0755));
  where.write("a", "same");
  where.write("b", "same");
  where.write("c", "same");
  where.write("shut/d", "same");
  for (const char* name : {"c", "shut"}) fs::permissions(where.path(name), fs::perms::none);
  const uid_t user = ::geteuid();
  if (user == 0) {
    ASSERT_EQ(::seteuid(65534), 0);  // root may read everything
  }
  const auto found = search_in({.paths = {where.root()}});
  if (user == 0) {
    ASSERT_EQ(::seteuid(user), 0);
  }
  fs::permissions(where.path("shut"), fs::perms(0755));
  EXPECT_EQ(groups_of(found), (path_groups{{where.path("a"), where.path("b")}}));
  ASSERT_EQ(found.problems.size(), 2U);
  EXPECT_EQ(found.problems[0].path, where.path("c"));
  EXPECT_EQ(found.problems[1].path, where.path("shut"));
  for (const problem& each : found.problems) {
    EXPECT_EQ(each.kind, problem_kind::unreadable);
    EXPECT_EQ(each.error, EACCES);
  }
}

TEST(DupsFilters, ALinkThatCannotBeFollowedIsReportedAndADanglingOneIsNot) {
  const tree where;
  fs::permissions(where.root(), fs::perms(0755));
  where.write("shut/a", "same");
  where.write("open/file", "same");
  where.symlink("../shut/a", "open/to shut");
  where.symlink("nowhere", "open/dangling");
  where.symlink("file/below", "open/below a file");
  fs::permissions(where.path("shut"), fs::perms::none);
  const uid_t user = ::geteuid();
  if (user == 0) {
    ASSERT_EQ(::seteuid(65534), 0);
  }
  const auto found = search_in({.paths = {where.path("open")}, .follow_symlinks = true});
  if (user == 0) {
    ASSERT_EQ(::seteuid(user), 0);
  }
  fs::permissions(where.path("shut"), fs::perms(0755));
  ASSERT_EQ(found.problems.size(), 1U);
  EXPECT_EQ(found.problems[0].path, where.path("open/to shut"));
  EXPECT_EQ(found.problems[0].kind, problem_kind::unreadable);
  EXPECT_EQ(found.problems[0].error, EACCES);
}

TEST(DupsFilters, PathsLongerThanTheSystemTakesAtOnce) {
  const tree where;
  std::string deep;
  const std::string part(200, 'x');
  fs::path here = where.root();
  const fs::path start = fs::current_path();
  for (int i = 0; i < 25; ++i) {
    fs::current_path(here);
    fs::create_directory(part);
    here = part;
    deep += part + "/";
  }
  fs::current_path(here);
  std::ofstream("deep") << "same";
  fs::current_path(start);
  where.write("a", "same");
  const auto found = search_in({.paths = {where.root()}});
  EXPECT_EQ(groups_of(found), (path_groups{{where.path("a"), where.path(deep + "deep")}}));
  EXPECT_TRUE(found.problems.empty());
  EXPECT_EQ(std::system(("rm -r '" + where.root() + "'").c_str()), 0);  // the library cannot
}

}  // namespace
}  // namespace pilfer::dups
