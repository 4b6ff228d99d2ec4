// Files below a folder, by the targets of requests. Nothing outside of the folder is ever opened: the kernel resolves a path with
// RESOLVE_BENEATH, so that neither ".." nor a symbolic link leads out, whatever is renamed meanwhile. Where there is no openat2
// (before Linux 5.6, or filtered), each segment is opened without following links.
#pragma once

#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>

#include "tools/serve/request.hpp"

namespace pilfer::serve {

// The type of a file by its name's ending; "application/octet-stream" for what is not known.
[[nodiscard]] std::string_view content_type_of(std::string_view path);

// The path that a target means: without query, percent-decoded, relative, no empty segments; "docs/" stays a folder.
//   Returns  ok; bad_request for a bad escape, an escaped slash or a zero; forbidden for a segment that begins with a dot ("..",
//            ".git"), but ".well-known"; not_found for what is too long to be a path.
struct target_path {
  status how = status::ok;
  std::string path{};  // empty: the root
};
[[nodiscard]] target_path path_of_target(std::string_view target);

// An open file, or why there is none.
class found_file {
 public:
  found_file() = default;
  explicit found_file(status why) noexcept : how(why) {}
  ~found_file();
  found_file(found_file&& other) noexcept;
  found_file& operator=(found_file&& other) noexcept;

  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

  status how = status::not_found;  // ok; moved, and `location` says where to; or what is wrong
  std::uint64_t size = 0;
  std::time_t modified = 0;
  std::string_view type{};
  std::string location{};

 private:
  friend class static_files;
  int descriptor_ = -1;
};

class static_files {
 public:
  // `walks`: for tests, as if there were no openat2.
  //   Throws  std::system_error if this is no folder, or cannot be opened.
  explicit static_files(const std::string& root, bool walks = false);
  ~static_files();
  static_files(const static_files&) = delete;
  static_files& operator=(const static_files&) = delete;

  // Of a folder: its index.html; without a slash at the end, `moved`. Only regular files are found.
  [[nodiscard]] found_file find(std::string_view target) const;

  [[nodiscard]] bool walks() const noexcept { return walks_; }

 private:
  // A descriptor, or -errno.
  [[nodiscard]] int open_below(const std::string& path) const;
  [[nodiscard]] int open_step_by_step(const std::string& path) const;

  int root_ = -1;
  bool walks_ = false;
};

}  // namespace pilfer::serve
