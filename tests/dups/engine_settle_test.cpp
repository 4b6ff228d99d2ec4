// Files that change, sparse files, the cache of hashes, and the look at files before something is done to them.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>
#include <thread>

#include <pilfer/coro/sync_wait.hpp>

#include "engine_tree.hpp"
#include "tools/dups/cache.hpp"
#include "tools/dups/hashing.hpp"
#include "tools/dups/settle.hpp"
#include "tools/dups/walk.hpp"

namespace pilfer::dups {
namespace {

namespace fs = std::filesystem;
using test::groups_of;
using test::path_groups;
using test::tree;

// --- Files that change between the walk and the comparison.

using way = std::function<task<void>(settling&, size_class)>;
const std::vector<way>& ways() {
  static const std::vector<way> all = {
      [](settling& with, size_class files) -> task<void> {
        lane_room room;
        co_await settle_whole(with, files, room);
      },
      [](settling& with, size_class files) { return settle_side_by_side(with, files); },
      [](settling& with, size_class files) { return settle_by_hash(with, files); },
  };
  return all;
}

struct changed_result {
  std::vector<group> groups;
  std::vector<problem> problems;
};
changed_result settle_after(const tree& where, const way& how, const std::function<void()>& change) {
  pool home(2);
  const search_options options{.paths = {where.root()}};
  progress seen;
  search with(home, options, seen, {});
  walked found = walk(with);
  change();
  settling all(with, nullptr);
  std::vector<member> members;
  for (const file& each : found.files) members.push_back({.names = &each, .count = 1});
  sync_wait(home, how(all, {members, found.files.front().size}));
  return {with.take_groups(), with.take_problems()};
}

TEST(DupsChanging, IsReportedAndInNoGroup) {
  for (const std::size_t size : {std::size_t{500}, std::size_t{50'000}}) {
    const std::string text(size, 'x');
    for (std::size_t i = 0; i < ways().size(); ++i) {
      for (const std::string kind : {"written", "shorter", "longer", "replaced", "vanished", "link"}) {
        SCOPED_TRACE(kind + " by way " + std::to_string(i));
        const tree where;
        where.write("a", text);
        where.write("b", text);
        const std::string victim = where.write("c", text);
        const auto result = settle_after(where, ways()[i], [&] {
          if (kind == "written") {
            const timespec times[] = {{1, 0}, {1, 0}};  // NOLINT(modernize-avoid-c-arrays)
            ASSERT_EQ(::utimensat(AT_FDCWD, victim.c_str(), times, 0), 0);
          }
          if (kind == "shorter") fs::resize_file(victim, size / 2);
          if (kind == "longer") std::ofstream(victim, std::ios::app) << "more";
          if (kind != "replaced" && kind != "vanished" && kind != "link") return;
          fs::rename(victim, where.path("moved"));
          if (kind == "replaced") where.write("c", text);
          if (kind == "link") where.symlink("a", "c");
        });
        ASSERT_EQ(result.groups.size(), 1U);
        EXPECT_EQ(test::paths_of(result.groups[0]), (std::vector{where.path("a"), where.path("b")}));
        ASSERT_EQ(result.problems.size(), 1U);
        EXPECT_EQ(result.problems[0].path, victim);
        EXPECT_EQ(result.problems[0].kind, problem_kind::changed);
      }
    }
  }
}

TEST(DupsChanging, TheFirstOfManyEqualOnes) {
  const tree where;
  for (const char* name : {"a", "b", "c"}) where.write(name, std::string(50'000, 'x'));
  // In whatever order they are compared: with one gone, the other two are found.
  for (const char* name : {"a", "b", "c"}) {
    const auto result = settle_after(where, ways()[2], [&] { fs::rename(where.path(name), where.path("moved")); });
    EXPECT_EQ(result.groups.size(), 1U) << name;
    EXPECT_EQ(result.problems.size(), 1U) << name;
    fs::rename(where.path("moved"), where.path(name));
  }
}

// Some of them had been compared with the first one when it vanished, and were then in no group.
TEST(DupsChanging, TheFirstOneBetweenTwoComparisons) {
  const tree where;
  for (const char* name : {"a", "b", "c", "d", "e"}) where.write(name, std::string(50'000, 'x'));
  pool home(1);
  const search_options options{.paths = {where.root()}, .load_per_file = std::chrono::milliseconds(60)};
  progress seen;
  search with(home, options, seen, {});
  walked found = walk(with);
  settling all(with, nullptr);
  all.lanes = 1;
  all.together = 2;  // with the first one, each other one alone
  std::vector<member> members;
  for (const file& each : found.files) members.push_back({.names = &each, .count = 1});
  const std::string first = path_of(found.files.front());
  // First and last blocks of five, hashes of five, two for the first comparison.
  std::jthread vanishing([&] {
    while (with.files_read < 12) std::this_thread::yield();
    fs::rename(first, where.path("moved"));
  });
  sync_wait(home, settle_by_hash(all, {members, found.files.front().size}));
  vanishing.join();
  const std::vector<group> groups = with.take_groups();
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].files.size(), 4U);
  EXPECT_EQ(with.take_problems().size(), 1U);
}

// --- Few descriptors.

class low_limit {
 public:
  explicit low_limit(rlim_t files) {
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    const rlimit lower{files, before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &lower), 0);
  }
  ~low_limit() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  low_limit(const low_limit&) = delete;
  low_limit& operator=(const low_limit&) = delete;

 private:
  rlimit before_{};
};

// What this process has open, in a fresh numbering: the next number.
int next_descriptor() {
  const int next = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::close(next);
  return next;
}

TEST(DupsDescriptors, ClassesOfSmallFilesDoNotTakeMoreThanThereAre) {
  const tree where;
  for (int i = 0; i < 40; ++i) {
    for (int j = 0; j < 10; ++j)  // classes of 64 files at most, of many sizes
      where.write(std::to_string(i) + "/" + std::to_string(j), std::string(10 + static_cast<std::size_t>(j), 'x'));
  }
  for (int i = 0; i < 64; ++i) where.write("more/" + std::to_string(i), std::string(500, 'y'));
  pool home(2);
  static_cast<void>(find_duplicates(home, {.paths = {where.path("0")}}));  // what the pool opens is open
  // Half of 64 for folders, half for files.
  const low_limit few(static_cast<rlim_t>(next_descriptor()) + 64 + 12);
  const outcome found = find_duplicates(home, {.paths = {where.root()}});
  for (const problem& each : found.problems) ADD_FAILURE() << each.path << ": " << each.what << ' ' << each.error;
  EXPECT_EQ(found.groups.size(), 11U);
}

TEST(DupsDescriptors, LargeFoldersThatWaitDoNotEither) {
  const tree where;
  const std::string long_name(200, 'n');
  for (int i = 0; i < 120; ++i) {
    const std::string folder = where.folder("d" + std::to_string(i));
    for (int j = 0; j < 120; ++j)  // more than a listing that is looked at at once
      std::ofstream(folder + "/" + long_name + std::to_string(j)) << (j == 0 ? "x" : "");
  }
  for (const char* scheduler : {"bwos-fifo", "ws-global"}) {
    pool home({.workers = 2, .scheduler = scheduler});
    static_cast<void>(find_duplicates(home, {.paths = {where.path("d0")}}));
    const low_limit few(static_cast<rlim_t>(next_descriptor()) + 64 + 12);
    const outcome found = find_duplicates(home, {.paths = {where.root()}});
    for (const problem& each : found.problems) ADD_FAILURE() << each.path << ": " << each.what << ' ' << each.error;
    EXPECT_EQ(found.totals.files, 120U);
  }
}

// --- Holes.

TEST(DupsSparse, HolesAreNotRead) {
  const tree where;
  constexpr std::uint64_t size = std::uint64_t{1} << 30U;
  where.write_sparse("a", size, size / 2, "data");
  where.write_sparse("b", size, size / 2, "data");
  where.write_sparse("c", size, size / 2, "date");
  where.write_sparse("d", size, size / 3, "data");
  struct stat status{};
  ASSERT_EQ(::stat(where.path("a").c_str(), &status), 0);
  if (status.st_blocks * 512 >= static_cast<blkcnt_t>(size)) GTEST_SKIP() << "no sparse files here";
  pool home(2);
  for (const comparison how : {comparison::bytes, comparison::hash_only}) {
    const outcome found = find_duplicates(home, {.paths = {where.root()}, .compare = how});
    EXPECT_EQ(groups_of(found), (path_groups{{where.path("a"), where.path("b")}}));
    EXPECT_LT(found.totals.bytes_read, std::uint64_t{64} << 20U);
  }
}

TEST(DupsSparse, AHoleEqualsZeros) {
  const tree where;
  constexpr std::size_t size = 3'000'000;
  where.write("dense", std::string(size, '\0'));
  where.write_sparse("hole", size, size - 1, std::string(1, '\0'));
  pool home(2);
  for (const comparison how : {comparison::bytes, comparison::hash_only}) {
    const outcome found =
        find_duplicates(home, {.paths = {where.root()}, .compare = how, .part_bytes = std::uint64_t{128} << 10U});
    EXPECT_EQ(groups_of(found), (path_groups{{where.path("dense"), where.path("hole")}}));
  }
}

TEST(DupsHash, PartsAreAFunctionOfSizeAndPartSize) {
  EXPECT_EQ(parts_of(0, 100), 1U);
  EXPECT_EQ(parts_of(199, 100), 1U);
  EXPECT_EQ(parts_of(200, 100), 2U);
  EXPECT_EQ(parts_of(201, 100), 3U);
  const hash128 one{1, 2};
  EXPECT_EQ(hash_of_parts(std::vector{one}), one);
  EXPECT_NE(hash_of_parts(std::vector{one, one}), one);
}

// --- The cache.

class DupsCache : public testing::Test {
 protected:
  DupsCache() {
    std::mt19937_64 random(4);
    for (const std::size_t size : {std::size_t{10}, std::size_t{9000}, std::size_t{400'000}}) {
      const std::string text = test::random_text(random, size);
      std::string other = text;
      other[size / 2] ^= 1;
      for (const char* name : {"a", "b"}) where_.write("in/" + std::to_string(size) + name, text);
      where_.write("in/" + std::to_string(size) + "c", other);
    }
    expected_ = test::expected_groups(where_.path("in"));
    for (const auto& each : fs::directory_iterator(where_.path("in"))) set_age(each.path(), std::chrono::seconds(10));
  }
  static void set_age(const fs::path& path, std::chrono::milliseconds age) {
    fs::last_write_time(path, fs::file_time_type::clock::now() - age);
  }
  outcome search(comparison how = comparison::hash_only) {
    return find_duplicates(
        home_,
        {.paths = {where_.path("in")}, .compare = how, .cache_file = cache_, .part_bytes = std::uint64_t{128} << 10U});
  }

  const tree where_;
  pool home_{2};
  std::string cache_ = where_.path("cache");
  path_groups expected_;
};

TEST_F(DupsCache, SavesReading) {
  const outcome first = search();
  EXPECT_EQ(groups_of(first), expected_);
  EXPECT_EQ(first.totals.hashes_cached, 0U);
  EXPECT_TRUE(first.problems.empty());
  const outcome second = search();
  EXPECT_EQ(groups_of(second), expected_);
  EXPECT_EQ(second.totals.hashes_cached, 9U);
  EXPECT_EQ(second.totals.bytes_read, 0U);
  for (std::size_t i = 0; i < first.groups.size(); ++i) EXPECT_EQ(first.groups[i].hash, second.groups[i].hash);
  // Told to compare bytes, it does.
  const outcome bytes = search(comparison::bytes);
  EXPECT_EQ(groups_of(bytes), expected_);
  EXPECT_GE(bytes.totals.bytes_read, std::uint64_t{2} * (400'000 + 9000 + 10));
  for (const auto& each : fs::directory_iterator(where_.root())) {
    const std::string name = each.path().filename();
    EXPECT_TRUE(name == "in" || name == "cache") << name;  // nothing is left lying about
  }
}

TEST_F(DupsCache, AFileThatWasWrittenToIsReadAgain) {
  static_cast<void>(search());
  const std::string text = test::content(where_.path("in/9000c"));
  where_.write("in/9000a", text);
  const timespec times[] = {{5, 0}, {5, 0}};  // NOLINT(modernize-avoid-c-arrays)
  ASSERT_EQ(::utimensat(AT_FDCWD, where_.path("in/9000a").c_str(), times, 0), 0);
  const outcome found = search();
  EXPECT_EQ(found.totals.hashes_cached, 8U);
  EXPECT_EQ(groups_of(found), test::expected_groups(where_.path("in")));
}

TEST_F(DupsCache, WhatWasWrittenToJustNowIsNotKept) {
  set_age(where_.path("in/9000a"), std::chrono::milliseconds(500));
  set_age(where_.path("in/9000b"), -std::chrono::hours(1));  // of a clock that is ahead
  static_cast<void>(search());
  EXPECT_EQ(search().totals.hashes_cached, 7U);
}

TEST_F(DupsCache, ADamagedOneIsReportedIgnoredAndReplaced) {
  static_cast<void>(search());
  const std::string good = test::content(cache_);
  const auto damaged = [&](std::size_t at) {
    std::string bad = good;
    bad[at] ^= 1;
    return bad;
  };
  std::vector<std::string> texts = {"", good.substr(0, good.size() - 1), good + "x", good.substr(0, 20)};
  for (const std::size_t at : {std::size_t{9}, std::size_t{13}, std::size_t{21}, good.size() / 2, good.size() - 1}) {
    texts.push_back(damaged(at));
  }
  for (const std::string& text : texts) {
    where_.write("cache", text);
    const outcome found = search();
    EXPECT_EQ(groups_of(found), expected_);
    ASSERT_EQ(found.problems.size(), 1U);
    EXPECT_EQ(found.problems[0].kind, problem_kind::cache);
    EXPECT_EQ(found.problems[0].path, cache_);
    EXPECT_FALSE(is_failure(found.problems[0].kind));
    EXPECT_EQ(search().totals.hashes_cached, 9U);
  }
}

// --cache with the name of a document once replaced the document.
TEST_F(DupsCache, WhatIsNoCacheIsReportedAndNeverReplaced) {
  for (const std::string& text :
       {std::string("no cache at all"), std::string("pilfer"), std::string("PilferdC and more")}) {
    where_.write("cache", text);
    const outcome found = search();
    EXPECT_EQ(groups_of(found), expected_);
    ASSERT_EQ(found.problems.size(), 1U);
    EXPECT_EQ(found.problems[0].kind, problem_kind::cache);
    EXPECT_EQ(test::content(cache_), text);
    // Also if it came to lie there only after the search had begun.
    fs::remove(cache_);
    hash_cache late(cache_, 1);
    EXPECT_EQ(late.load(), "");
    late.keep(file{.size = 1, .identity = {7, 8}, .mtime_ns = 3}, {{1, 2}, hash128{3, 4}});
    where_.write("cache", text);
    EXPECT_NE(late.save(), "");
    EXPECT_EQ(test::content(cache_), text);
  }
  fs::remove(cache_);
  cache_ = where_.folder("a folder");
  EXPECT_EQ(search().problems.size(), 1U);
  cache_ = "/dev/null";
  EXPECT_EQ(search().problems.size(), 1U);
}

TEST_F(DupsCache, ALinkToItStaysALink) {
  where_.write("real/cache", "");
  where_.symlink("real/cache", "cache");
  static_cast<void>(search());
  EXPECT_TRUE(fs::is_symlink(cache_));
  EXPECT_EQ(search().totals.hashes_cached, 9U);
}

TEST_F(DupsCache, WhereItCannotBeWrittenTheSearchIsStillRight) {
  cache_ = where_.path("no folder/cache");
  const outcome found = search();
  EXPECT_EQ(groups_of(found), expected_);
  ASSERT_EQ(found.problems.size(), 1U);
  EXPECT_EQ(found.problems[0].kind, problem_kind::cache);
}

TEST(DupsCacheFile, TwoWritersLoseNothing) {
  const tree where;
  const std::string path = where.path("cache");
  constexpr std::uint64_t files = 200;
  const auto one = [](std::uint64_t inode) { return file{.size = 1, .identity = {7, inode}, .mtime_ns = 3}; };
  {
    std::vector<std::jthread> writers;
    for (std::uint64_t writer = 0; writer < 2; ++writer) {
      writers.emplace_back([&, writer] {
        for (std::uint64_t i = writer; i < files; i += 2) {
          hash_cache mine(path, 1);
          EXPECT_EQ(mine.load(), "");
          mine.keep(one(i), {{i, i + 1}, hash128{i + 2, i + 3}});
          EXPECT_EQ(mine.save(), "");
        }
      });
    }
  }
  hash_cache all(path, 1);
  EXPECT_EQ(all.load(), "");
  for (std::uint64_t i = 0; i < files; ++i) {
    const auto found = all.find(one(i));
    ASSERT_TRUE(found.has_value()) << i;
    EXPECT_EQ(found->edges, (hash128{i, i + 1}));
    EXPECT_EQ(found->full, (hash128{i + 2, i + 3}));
  }
  hash_cache other_parts(path, 2);
  EXPECT_NE(other_parts.load(), "");
}

// --- Before something is done.

TEST(DupsRecheck, EveryVerdict) {
  const tree where;
  const std::string text(600'000, 'x');
  where.write("a", text);
  where.write("b", text);
  where.write("c", text);
  pool home(2);
  const outcome found = find_duplicates(home, {.paths = {where.root()}});
  ASSERT_EQ(found.groups.size(), 1U);
  const auto& files = found.groups[0].files;
  const std::uint64_t size = found.groups[0].size;
  EXPECT_EQ(recheck(files[0], files[1], size).what, verdict::equal);
  EXPECT_EQ(recheck(files[0], files[0], size).what, verdict::same_file);
  EXPECT_TRUE(still_equal(where.path("a"), where.path("b")));

  // Another content under the same time of change: only the bytes tell.
  struct stat before{};
  ASSERT_EQ(::stat(files[1].path.c_str(), &before), 0);
  {
    std::fstream to(files[1].path, std::ios::in | std::ios::out | std::ios::binary);
    to.seekp(599'999);
    to << 'y';
  }
  const timespec times[] = {before.st_atim, before.st_mtim};  // NOLINT(modernize-avoid-c-arrays)
  ASSERT_EQ(::utimensat(AT_FDCWD, files[1].path.c_str(), times, 0), 0);
  EXPECT_EQ(recheck(files[0], files[1], size).what, verdict::differ);
  EXPECT_FALSE(still_equal(where.path("a"), where.path("b")));

  const timespec later[] = {{9, 0}, {9, 0}};  // NOLINT(modernize-avoid-c-arrays)
  ASSERT_EQ(::utimensat(AT_FDCWD, files[1].path.c_str(), later, 0), 0);
  recheck_result result = recheck(files[0], files[1], size);
  EXPECT_EQ(result.what, verdict::changed);
  EXPECT_EQ(result.path, where.path("b"));

  fs::remove(files[2].path);
  result = recheck(files[0], files[2], size);
  EXPECT_EQ(result.what, verdict::unreadable);
  EXPECT_EQ(result.error, ENOENT);
  EXPECT_EQ(result.path, where.path("c"));
  where.symlink("a", "c");
  EXPECT_EQ(recheck(files[0], files[2], size).what, verdict::unreadable);
  EXPECT_FALSE(still_equal(where.path("a"), where.path("c")));
  EXPECT_FALSE(still_equal(where.path("a"), where.path("nowhere")));
}

}  // namespace
}  // namespace pilfer::dups
