// Folders full of files for tests of the duplicate finder, and what must be found in them: by reading everything.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "tools/dups/finder.hpp"

namespace pilfer::dups::test {

namespace fs = std::filesystem;
using path_groups = std::set<std::vector<std::string>>;

class tree {
 public:
  explicit tree(const fs::path& above = fs::temp_directory_path()) {
    std::string name = above / "pilfer_dups.XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    root_ = name;
  }
  ~tree() {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }
  tree(const tree&) = delete;
  tree& operator=(const tree&) = delete;

  [[nodiscard]] std::string root() const { return root_; }
  [[nodiscard]] std::string path(const std::string& name) const { return root_ / name; }
  std::string folder(const std::string& name) const {
    fs::create_directories(root_ / name);
    return path(name);
  }
  std::string write(const std::string& name, const std::string& text) const {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name, std::ios::binary) << text;
    return path(name);
  }
  // A file of that size that is one hole, but for these bytes.
  std::string write_sparse(const std::string& name, std::uint64_t size, std::uint64_t at,
                           const std::string& bytes) const {
    std::ofstream to(root_ / name, std::ios::binary);
    to.seekp(static_cast<std::streamoff>(at));
    to << bytes;
    to.close();
    fs::resize_file(root_ / name, size);
    return path(name);
  }
  void hard_link(const std::string& old_name, const std::string& name) const {
    fs::create_directories((root_ / name).parent_path());
    fs::create_hard_link(root_ / old_name, root_ / name);
  }
  void symlink(const std::string& to, const std::string& name) const {
    fs::create_directories((root_ / name).parent_path());
    fs::create_symlink(to, root_ / name);
  }

 private:
  fs::path root_;
};

inline std::string random_text(std::mt19937_64& random, std::size_t size) {
  std::string text(size, '\0');
  for (char& each : text) each = static_cast<char>(random());
  return text;
}

inline std::string content(const fs::path& path) {
  std::ifstream from(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(from), {}};
}

// Groups of paths: of each inode the first name, or all of them.
inline path_groups expected_groups(const std::string& root, bool empty_files = false, bool all_names = false) {
  std::map<std::string, std::map<std::pair<std::uint64_t, std::uint64_t>, std::set<std::string>>> by_content;
  for (const auto& each : fs::recursive_directory_iterator(root)) {
    if (each.is_symlink() || !each.is_regular_file()) continue;
    struct stat status{};
    if (::stat(each.path().c_str(), &status) != 0) throw std::runtime_error("a file has vanished");
    if (status.st_size == 0 && !empty_files) continue;
    by_content[content(each.path())][{status.st_dev, status.st_ino}].insert(each.path());
  }
  path_groups groups;
  for (const auto& [text, inodes] : by_content) {
    std::set<std::string> names;
    for (const auto& [inode, of_inode] : inodes) {
      if (all_names) names.insert(of_inode.begin(), of_inode.end());
      if (!all_names) names.insert(*of_inode.begin());
    }
    if (names.size() > 1) groups.emplace(names.begin(), names.end());
  }
  return groups;
}

inline std::vector<std::string> paths_of(const group& of) {
  std::vector<std::string> paths;
  for (const duplicate& each : of.files) paths.push_back(each.path);
  return paths;
}

inline path_groups groups_of(const outcome& found) {
  path_groups groups;
  for (const group& each : found.groups) groups.insert(paths_of(each));
  return groups;
}

// Sizes around every limit of the search; few contents, so that there are many duplicates and many near misses.
inline void grow_randomly(const tree& where, std::uint64_t seed, std::size_t files) {
  std::mt19937_64 random(seed);
  const std::vector<std::size_t> sizes = {0,    1,    2,     100,   4095,  4096,   4097,   8191,
                                          8192, 8193, 16383, 16384, 16385, 20'000, 70'000, 140'000};
  const std::vector<std::string> odd = {"plain", "with space", "new\nline", "\xff\xfe", ".dot", "-dash", "*star"};
  std::map<std::size_t, std::string> base;
  for (const std::size_t size : sizes) base[size] = random_text(random, size);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < files; ++i) {
    std::string name;
    for (std::size_t depth = random() % 4; depth > 0; --depth) name += "d" + std::to_string(random() % 3) + "/";
    name += odd[random() % odd.size()] + std::to_string(i);
    if (!names.empty() && random() % 8 == 0) {
      where.hard_link(names[random() % names.size()], name);
      continue;
    }
    if (random() % 16 == 0) {
      where.symlink(names.empty() ? "nowhere" : where.path(names[random() % names.size()]), name);
      continue;
    }
    std::string text = base[sizes[random() % sizes.size()]];
    if (!text.empty()) {
      switch (random() % 5) {
        case 0: text.front() = static_cast<char>(text.front() ^ 1); break;
        case 1: text.back() = static_cast<char>(text.back() ^ 1); break;
        case 2: text[text.size() / 2] = static_cast<char>(text[text.size() / 2] ^ 1); break;
        default: break;
      }
    }
    where.write(name, text);
    names.push_back(name);
  }
}

}  // namespace pilfer::dups::test
