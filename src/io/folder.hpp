// The entries of one folder, by getdents64: glibc's readdir would allocate, and cannot be told how much to read.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pilfer/io/descriptor.hpp>
#include <pilfer/io/file_status.hpp>

namespace pilfer::io::detail {

class folder_reader {
 public:
  // 0, or an errno: then what came before is there.
  [[nodiscard]] int read(int descriptor);

  struct entry {
    std::string_view name;  // a zero follows; lives as long as the reader is not used again
    file_type type;
    std::uint64_t inode;
  };
  // Without "." and "..".
  template <class F>
  void for_each(F&& f) const {
    for (std::size_t at = 0; at < used_;) {
      const auto [one, next] = decode(at);
      if (one.name != "." && one.name != "..") f(one);
      at = next;
    }
  }
  [[nodiscard]] std::size_t bytes() const noexcept { return used_; }

 private:
  [[nodiscard]] std::pair<entry, std::size_t> decode(std::size_t at) const noexcept;
  std::vector<char> bytes_;
  std::size_t used_ = 0;
};

// As open(2), also for paths that are longer than the kernel takes at a time. -errno: none.
[[nodiscard]] int open_folder(const std::string& path, bool follow) noexcept;

}  // namespace pilfer::io::detail
