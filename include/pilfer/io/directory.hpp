// Folders: one, or all below it.
//
// walk reads folders in parallel, each as a task of its own; what it finds it shows a visitor, a whole folder at a time, with the folder
// open: names are best used relative to it (fstatat, openat).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <pilfer/coro/task.hpp>
#include <pilfer/io/file_status.hpp>
#include <pilfer/io/result.hpp>

namespace pilfer::io {

struct directory_entry {
  std::string name;
  file_type type = file_type::unknown;  // unknown: the file system does not tell; ask stat
  std::uint64_t inode = 0;
};
// Without "." and "..", in the file system's order.
task<result<std::vector<directory_entry>>> read_directory(std::string path);

struct walk_options {
  bool follow_symlinks = false;  // also to folders; each folder is visited once
  bool one_file_system = false;  // folders on another one than the root are shown as entries, and not entered
  bool hidden = true;            // false: names that begin with a dot are left out, but not the root
  std::size_t max_depth = std::numeric_limits<std::size_t>::max();  // 0: the root's own entries, nothing below
};

// An entry of a folder that is being shown. The name ends with a zero, and lives as long as the call.
struct walk_entry {
  std::string_view name;
  file_type type =
      file_type::unknown;  // asked for where the file system does not tell; of the target, if links are followed
  bool through_symlink = false;
  bool enter = false;  // a folder that is going to be visited; the visitor may say no
  std::uint64_t inode = 0;
};

struct walk_folder {
  const std::string& path;   // without a slash at its end, but for "/"
  int descriptor;            // open for as long as the call
  std::size_t depth;         // 0: the root
  std::uint64_t device = 0;  // these two only with follow_symlinks or one_file_system
  std::uint64_t inode = 0;
};

enum class walk_problem : std::uint8_t {
  open,   // a folder cannot be opened
  read,   // or not read to its end: what was read before is shown
  stat,   // of an entry
  loop,   // a symbolic link leads to a folder that contains it, or that was visited already; no error
  device  // a folder on another file system was not entered; no error
};

// Called by several workers at a time, but for one folder once. What it throws ends the walk, and comes out of it.
class walk_visitor {
 public:
  virtual ~walk_visitor() = default;
  virtual void folder(const walk_folder& where, std::span<walk_entry> entries) = 0;
  virtual void problem(const std::string& path, walk_problem what, std::error_code error) = 0;
};

// A root that is no folder is a problem (ENOTDIR). Told to stop, it ends early, without an error.
task<void> walk(std::string root, walk_options options, walk_visitor& visitor);

}  // namespace pilfer::io
