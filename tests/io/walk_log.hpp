// A visitor that writes down everything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>

#include <gtest/gtest.h>

#include <pilfer/io.hpp>

namespace pilfer::test {

class walk_log : public io::walk_visitor {
 public:
  struct visited {
    std::string path;
    std::uint64_t device;
    std::uint64_t inode;
  };
  walk_log() = default;
  walk_log(walk_log&& other) noexcept
      : entries_(std::move(other.entries_)),
        twice_(std::move(other.twice_)),
        wrong_types_(std::move(other.wrong_types_)),
        folders_(std::move(other.folders_)),
        problems_(std::move(other.problems_)),
        deepest_(other.deepest_) {}

  void folder(const io::walk_folder& where, std::span<io::walk_entry> entries) override {
    const std::lock_guard lock(mutex_);
    struct stat here{};
    EXPECT_EQ(::fstat(where.descriptor, &here), 0) << where.path;
    folders_.push_back({where.path, here.st_dev, here.st_ino});
    if (where.depth > deepest_) deepest_ = where.depth;
    for (const io::walk_entry& entry : entries) {
      EXPECT_EQ(entry.name.data()[entry.name.size()], '\0');
      const std::string path = (where.path == "/" ? "" : where.path) + "/" + std::string(entry.name);
      if (!entries_.insert(path).second) twice_.push_back(path);
      struct stat status{};
      const int flags = entry.through_symlink ? 0 : AT_SYMLINK_NOFOLLOW;
      if (::fstatat(where.descriptor, entry.name.data(), &status, flags) == 0 &&
          type_of(status.st_mode) != entry.type) {
        wrong_types_.push_back(path);
      }
    }
  }
  void problem(const std::string& path, io::walk_problem what, std::error_code error) override {
    const std::lock_guard lock(mutex_);
    problems_[path] = {what, error.value()};
  }

  [[nodiscard]] const std::set<std::string>& entries() const { return entries_; }
  [[nodiscard]] const std::vector<visited>& folders() const { return folders_; }
  [[nodiscard]] const std::map<std::string, std::pair<io::walk_problem, int>>& problems() const { return problems_; }
  [[nodiscard]] std::size_t deepest() const { return deepest_; }
  void expect_no_problems() const {
    for (const auto& [path, problem] : problems_) {
      ADD_FAILURE() << path << ": problem " << static_cast<int>(problem.first) << ", error " << problem.second;
    }
  }
  void expect_each_once() const {
    for (const std::string& path : twice_) ADD_FAILURE() << path << " twice";
  }
  // Only for a tree that nobody changes.
  void expect_types() const {
    for (const std::string& path : wrong_types_) ADD_FAILURE() << path << " is of another type";
  }

 private:
  [[nodiscard]] static io::file_type type_of(mode_t mode) {
    switch (mode & S_IFMT) {
      case S_IFREG: return io::file_type::regular;
      case S_IFDIR: return io::file_type::directory;
      case S_IFLNK: return io::file_type::symlink;
      case S_IFIFO: return io::file_type::fifo;
      case S_IFSOCK: return io::file_type::socket;
      case S_IFCHR: return io::file_type::character_device;
      case S_IFBLK: return io::file_type::block_device;
      default: return io::file_type::unknown;
    }
  }
  std::mutex mutex_;
  std::set<std::string> entries_;
  std::vector<std::string> twice_;
  std::vector<std::string> wrong_types_;
  std::vector<visited> folders_;
  std::map<std::string, std::pair<io::walk_problem, int>> problems_;
  std::size_t deepest_ = 0;
};

}  // namespace pilfer::test
