// Folders, on both backends: every entry once, whatever its name; loops, other file systems, and folders that vanish.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <pilfer/coro.hpp>
#include <pilfer/io.hpp>
#include <pilfer/pool.hpp>

#include "io/child.hpp"
#include "io/io_checks.hpp"
#include "io/walk_log.hpp"

namespace pilfer::test {
namespace {

namespace fs = std::filesystem;

class walks : public on_backend {
 protected:
  walk_log walk(const std::string& root, const io::walk_options& options = {}) {
    walk_log log;
    wait_in(home_, io::walk(root, options, log));
    return log;
  }
  void make_folder(const std::string& name) const { fs::create_directories(folder_ / name); }
  void make_file(const std::string& name) const { write_file(folder_ / name, {}); }
  void make_link(const std::string& to, const std::string& name) const { fs::create_symlink(to, folder_ / name); }
  // A tree of any shape: the same for the same seed.
  void make_tree(std::uint64_t seed, std::size_t entries) const {
    random_source random(seed);
    std::vector<std::string> folders = {folder_.path()};
    for (std::size_t i = 0; i < entries; ++i) {
      const std::string path = folders[random.below(folders.size())] + "/" + std::to_string(i);
      switch (random.below(6)) {
        case 0:
        case 1:
          fs::create_directory(path);
          folders.push_back(path);
          break;
        case 2: fs::create_symlink(folders[random.below(folders.size())], path); break;
        case 3: ::mkfifo(path.c_str(), 0600); break;
        default: write_file(path, {});
      }
    }
  }
  [[nodiscard]] std::set<std::string> all_below() const {
    std::set<std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) all.insert(entry.path().string());
    return all;
  }
  pool home_{2};
  temporary_folder folder_;
};

TEST_P(walks, one_folder) {
  const std::vector<std::string> names = {
      "a", "b c", ".hidden", "new\nline", "\xff\xfe not UTF-8", std::string(255, 'n'), "-", "*"};
  std::map<std::string, std::uint64_t> expected;
  for (const std::string& name : names) {
    make_file(name);
    struct stat status{};
    ASSERT_EQ(::lstat((folder_ / name).c_str(), &status), 0);
    expected[name] = status.st_ino;
  }
  make_folder("folder");
  make_link("a", "link");
  const auto body = [&]() -> task<> {
    const io::result<std::vector<io::directory_entry>> got = co_await io::read_directory(folder_.path());
    CO_REQUIRE(got);
    EXPECT_EQ(got->size(), names.size() + 2);
    std::map<std::string, std::uint64_t> seen;
    for (const io::directory_entry& entry : *got) {
      if (entry.name == "folder" || entry.name == "link") {
        const io::file_type expected_type = entry.name == "folder" ? io::file_type::directory : io::file_type::symlink;
        EXPECT_TRUE(entry.type == expected_type || entry.type == io::file_type::unknown);
        continue;
      }
      EXPECT_TRUE(entry.type == io::file_type::regular || entry.type == io::file_type::unknown) << entry.name;
      EXPECT_TRUE(seen.emplace(entry.name, entry.inode).second) << entry.name << " twice";
    }
    EXPECT_EQ(seen, expected);
    const io::result<std::vector<io::directory_entry>> nothing = co_await io::read_directory(folder_ / "nothing");
    EXPECT_EQ(errno_of(nothing), ENOENT);
    const io::result<std::vector<io::directory_entry>> file = co_await io::read_directory(folder_ / "a");
    EXPECT_EQ(errno_of(file), ENOTDIR);
    const io::result<std::vector<io::directory_entry>> empty = co_await io::read_directory(folder_ / "folder");
    CO_REQUIRE(empty);
    EXPECT_TRUE(empty->empty());
  };
  run_in(home_, body);
}

// More than one system call brings.
TEST_P(walks, a_large_folder) {
  constexpr std::size_t files = 2000;
  std::set<std::string> expected;
  for (std::size_t i = 0; i < files; ++i) {
    const std::string name = std::to_string(i) + std::string(i % 100, 'x');
    make_file(name);
    expected.insert(name);
  }
  const auto body = [&]() -> task<> {
    const io::result<std::vector<io::directory_entry>> got = co_await io::read_directory(folder_.path());
    CO_REQUIRE(got);
    EXPECT_EQ(got->size(), files);
    std::set<std::string> seen;
    for (const io::directory_entry& entry : *got) seen.insert(entry.name);
    EXPECT_EQ(seen, expected);
  };
  run_in(home_, body);
  const walk_log log = walk(folder_.path());
  EXPECT_EQ(log.entries().size(), files);
}

TEST_P(walks, sees_every_entry_once) {
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    make_tree(base_seed() + seed, stress_amount(400));
    const walk_log log = walk(folder_.path());
    log.expect_no_problems();
    log.expect_each_once();
    EXPECT_EQ(log.entries(), all_below());
    log.expect_types();
    for (const auto& entry : fs::directory_iterator(folder_.path())) fs::remove_all(entry.path());
  }
}

TEST_P(walks, paths_of_the_root) {
  make_folder("a/b");
  make_file("a/b/file");
  const std::string root = folder_ / "a";
  for (const std::string& spelling : {root, root + "/", root + "//"}) {
    const walk_log log = walk(spelling);
    log.expect_no_problems();
    EXPECT_EQ(log.entries().size(), 2U) << spelling;
    for (const std::string& path : log.entries()) EXPECT_TRUE(fs::exists(path)) << path;
  }
}

// Deeper than a path may be long: names are looked up relative to their folder, or the problem is told.
TEST_P(walks, a_deep_tree) {
  const std::string name(200, 'd');
  int at = ::open(folder_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  constexpr std::size_t depth = 15;  // 3000 bytes: fits
  for (std::size_t i = 0; i < depth; ++i) {
    ASSERT_EQ(::mkdirat(at, name.c_str(), 0700), 0);
    const int next = ::openat(at, name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ::close(at);
    at = next;
  }
  ::close(at);
  const walk_log log = walk(folder_.path());
  log.expect_no_problems();
  EXPECT_EQ(log.entries().size(), depth);
  EXPECT_EQ(log.deepest(), depth);
}

TEST_P(walks, deeper_than_a_path_may_be_long) {
  const std::string name(250, 'd');
  constexpr std::size_t depth = 40;  // 10 000 bytes
  {
    descriptor at(::open(folder_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    for (std::size_t i = 0; i < depth; ++i) {
      ASSERT_EQ(::mkdirat(at.get(), name.c_str(), 0700), 0);
      const int next = ::openat(at.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
      ASSERT_GE(next, 0);
      at = descriptor(next);
    }
  }
  const walk_log log = walk(folder_.path());
  log.expect_each_once();
  if (log.problems().empty()) {
    EXPECT_EQ(log.entries().size(), depth);
  } else {
    ASSERT_EQ(log.problems().size(), 1U);
    EXPECT_EQ(log.problems().begin()->second.second, ENAMETOOLONG);
    EXPECT_GE(log.entries().size(), 10U);
  }
}

// --- Options.

TEST_P(walks, loops_of_symbolic_links) {
  make_folder("a/b");
  make_folder("c");
  make_file("a/b/file");
  make_link(".", "self");
  make_link("..", "a/up");
  make_link(folder_.path(), "a/b/root");
  make_link("../c", "a/to_c");
  make_link("../a", "c/to_a");
  make_link("nowhere", "dangling");
  make_link("endless", "endless");
  make_link("a/b/file", "to_file");
  const walk_log plain = walk(folder_.path());
  plain.expect_no_problems();
  EXPECT_EQ(plain.entries(), all_below());

  const walk_log followed = walk(folder_.path(), {.follow_symlinks = true});
  followed.expect_each_once();
  // Each folder once, by whichever of its names was first; so each file in it, too.
  std::size_t files = 0;
  for (const std::string& path : followed.entries()) files += fs::path(path).filename() == "file" ? 1 : 0;
  EXPECT_EQ(files, 1U);
  EXPECT_EQ(followed.folders().size(), 4U);
  std::set<std::pair<std::uint64_t, std::uint64_t>> distinct;
  for (const auto& folder : followed.folders()) distinct.insert({folder.device, folder.inode});
  EXPECT_EQ(distinct.size(), 4U);
  for (const auto& [path, problem] : followed.problems()) {
    const std::string name = fs::path(path).filename();
    if (name == "dangling") {
      EXPECT_EQ(problem.second, ENOENT);
    } else if (name == "endless") {
      EXPECT_EQ(problem.second, ELOOP);
    } else {
      EXPECT_EQ(problem.first, io::walk_problem::loop) << path;
    }
  }
}

TEST_P(walks, hidden_names_and_depth) {
  make_folder(".git/inner");
  make_folder("a/.b/c");
  make_folder("a/d/e/f");
  make_file("a/.secret");
  make_file("a/d/e/f/file");
  const auto relative = [&](const walk_log& log) {
    std::set<std::string> names;
    for (const std::string& path : log.entries()) names.insert(path.substr(folder_.path().size() + 1));
    return names;
  };
  EXPECT_EQ(relative(walk(folder_.path(), {.hidden = false})),
            (std::set<std::string>{"a", "a/d", "a/d/e", "a/d/e/f", "a/d/e/f/file"}));
  EXPECT_EQ(relative(walk(folder_.path(), {.max_depth = 0})), (std::set<std::string>{".git", "a"}));
  EXPECT_EQ(relative(walk(folder_.path(), {.max_depth = 1})),
            (std::set<std::string>{".git", ".git/inner", "a", "a/.b", "a/.secret", "a/d"}));
  // The root's own name may begin with a dot.
  EXPECT_EQ(walk(folder_ / ".git", {.hidden = false}).entries().size(), 1U);
}

TEST_P(walks, one_file_system) {
  struct stat root{};
  struct stat process{};
  ASSERT_EQ(::stat("/", &root), 0);
  if (::stat("/proc/self", &process) != 0 || root.st_dev == process.st_dev)
    GTEST_SKIP() << "/proc is no file system of its own";
  // /proc has many; its entries must not be entered from /, and what is on the same file system must.
  struct only_top final : walk_log {
    void folder(const io::walk_folder& where, std::span<io::walk_entry> entries) override {
      for (io::walk_entry& entry : entries) {
        if (entry.enter && !(where.depth == 0 && entry.name == "proc")) entry.enter = false;
      }
      walk_log::folder(where, entries);
    }
  } log;
  wait_in(home_, io::walk("/", {.one_file_system = true}, log));
  EXPECT_TRUE(log.entries().contains("/proc"));
  EXPECT_EQ(log.folders().size(), 1U) << "/proc was entered";
}

TEST_P(walks, the_visitor_decides_what_is_entered) {
  make_folder("in/side");
  make_folder("out/side");
  struct picky final : walk_log {
    void folder(const io::walk_folder& where, std::span<io::walk_entry> entries) override {
      for (io::walk_entry& entry : entries) {
        if (entry.name == "out") entry.enter = false;
      }
      walk_log::folder(where, entries);
    }
  } log;
  wait_in(home_, io::walk(folder_.path(), {}, log));
  EXPECT_EQ(log.entries(), (std::set<std::string>{folder_ / "in", folder_ / "in/side", folder_ / "out"}));
}

// --- What goes wrong.

TEST_P(walks, a_root_that_is_none) {
  make_file("file");
  const walk_log nothing = walk(folder_ / "nothing");
  ASSERT_EQ(nothing.problems().size(), 1U);
  EXPECT_EQ(nothing.problems().at(folder_ / "nothing"), std::pair(io::walk_problem::open, ENOENT));
  const walk_log file = walk(folder_ / "file");
  ASSERT_EQ(file.problems().size(), 1U);
  EXPECT_EQ(file.problems().at(folder_ / "file").second, ENOTDIR);
  EXPECT_TRUE(file.entries().empty());
}

// What is there all the time is seen; what comes and goes may be, and may be a problem, but breaks nothing.
TEST_P(walks, a_tree_that_changes) {
  for (int i = 0; i < 20; ++i) make_folder("stays/" + std::to_string(i) + "/below");
  std::atomic<bool> over = false;
  std::thread changer([&] {
    while (!over) {
      for (int i = 0; i < 5; ++i) {
        const std::string name = folder_ / ("stays/" + std::to_string(i) + "/comes");
        std::error_code ignored;
        fs::create_directories(name + "/and/goes", ignored);
        fs::remove_all(name, ignored);
      }
    }
  });
  for (std::size_t round = 0; more_stress(round, 60); ++round) {
    const walk_log log = walk(folder_.path());
    for (int i = 0; i < 20; ++i) {
      EXPECT_TRUE(log.entries().contains(folder_ / ("stays/" + std::to_string(i) + "/below")));
    }
    for (const auto& [path, problem] : log.problems()) {
      EXPECT_NE(path.find("/comes"), std::string::npos) << path;
      EXPECT_EQ(problem.second, ENOENT) << path;
    }
  }
  over = true;
  changer.join();
}

TEST_P(walks, an_exception_of_the_visitor_ends_the_walk) {
  make_tree(1, 150);
  struct angry final : walk_log {
    void folder(const io::walk_folder& where, std::span<io::walk_entry> entries) override {
      if (where.depth == 1) throw std::runtime_error("enough");
      walk_log::folder(where, entries);
    }
  } log;
  const std::size_t before = open_descriptors();
  EXPECT_THROW(wait_in(home_, io::walk(folder_.path(), {}, log)), std::runtime_error);
  EXPECT_LE(open_descriptors(), before + 8);
}

TEST_P(walks, told_to_stop) {
  make_tree(2, 150);
  std::stop_source source;
  struct stopping final : walk_log {
    std::stop_source* source = nullptr;
    void folder(const io::walk_folder& where, std::span<io::walk_entry> entries) override {
      source->request_stop();
      walk_log::folder(where, entries);
    }
  } log;
  log.source = &source;
  wait_in(home_, with_stop(source.get_token(), io::walk(folder_.path(), {}, log)));
  log.expect_each_once();
  EXPECT_LT(log.entries().size(), all_below().size());
}

PILFER_ON_BOTH_BACKENDS(walks);

// Nothing is forbidden to root, so somebody else has to try.
TEST(permissions, with_the_ring) { expect_child_succeeds("permissions", {"PILFER_IO=auto"}); }
TEST(permissions, with_threads) { expect_child_succeeds("permissions", {"PILFER_IO=threads"}); }

}  // namespace
}  // namespace pilfer::test
