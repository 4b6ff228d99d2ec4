// What the walk has found.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "finder.hpp"

namespace pilfer::dups {

// Owner of a descriptor.
class descriptor {
 public:
  descriptor() = default;
  explicit descriptor(int number) noexcept : number_(number) {}
  ~descriptor() { reset(); }
  descriptor(descriptor&& other) noexcept : number_(other.release()) {}
  descriptor& operator=(descriptor&& other) noexcept {
    if (this != &other) {
      reset();
      number_ = other.release();
    }
    return *this;
  }
  [[nodiscard]] int get() const noexcept { return number_; }
  [[nodiscard]] bool is_open() const noexcept { return number_ >= 0; }
  int release() noexcept {
    const int number = number_;
    number_ = -1;
    return number;
  }
  void reset() noexcept;

 private:
  int number_ = -1;
};

struct file_identity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  friend bool operator==(const file_identity&, const file_identity&) = default;
  friend auto operator<=>(const file_identity&, const file_identity&) = default;
};
struct identity_hash {
  [[nodiscard]] std::size_t operator()(const file_identity& of) const noexcept {
    return static_cast<std::size_t>((of.inode ^ (of.device << 32U)) * 0x9E37'79B9'7F4A'7C15U);
  }
};

struct folder {
  const folder* parent = nullptr;  // null: a given path
  std::string name;                // of a given one, the path as it was given
  file_identity identity = {};
  const folder* root = nullptr;  // the given one; null: itself
  unsigned depth = 0;
  bool reference = false;
  bool through_symlink = false;  // its name is a link to it
  bool behind_symlink = false;   // the same, or it lies in such a folder: nothing below is ever changed
  descriptor kept = {};          // open for as long as there are descriptors to spare: lookups begin here

  [[nodiscard]] const folder& top() const noexcept { return root == nullptr ? *this : *root; }
};

struct file {
  const folder* where = nullptr;
  const char* name = nullptr;
  std::uint64_t size = 0;
  file_identity identity;
  std::int64_t mtime_ns = 0;
  std::uint64_t disk_bytes = 0;
  std::uint32_t links = 1;
  bool through_symlink = false;  // its name is a link to it
  bool own = false;              // may be opened with O_NOATIME

  [[nodiscard]] bool behind_symlink() const noexcept { return through_symlink || where->behind_symlink; }
  // With holes, as far as can be told from outside.
  [[nodiscard]] bool sparse() const noexcept { return disk_bytes + (std::uint64_t{64} << 10U) < size; }
};

[[nodiscard]] std::string join_path(std::string folder_path, std::string_view name);
[[nodiscard]] std::string path_of(const folder& what);
[[nodiscard]] std::string path_of(const folder& where, std::string_view name);
[[nodiscard]] inline std::string path_of(const file& what) { return path_of(*what.where, what.name); }
// What follows the given path.
[[nodiscard]] std::string path_below_top(const folder& where, std::string_view name);

// openat(2) from the nearest folder that is open; however long the path is. The result is a descriptor, or -errno.
[[nodiscard]] int open_below(const folder& where, const char* name, int flags);
// For reading. Never waits for a pipe, never follows a link unless the file was found through it, and leaves the time of access alone.
[[nodiscard]] int open_file(const file& what);

}  // namespace pilfer::dups
