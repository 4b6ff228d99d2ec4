// What is known of a file without reading it.
#pragma once

#include <cstdint>

namespace pilfer::io {

enum class file_type : std::uint8_t {
  unknown,
  regular,
  directory,
  symlink,
  fifo,
  socket,
  character_device,
  block_device
};

struct file_status {
  file_type type = file_type::unknown;
  std::uint32_t mode = 0;  // as st_mode: with the type
  std::uint32_t user = 0;
  std::uint32_t group = 0;
  std::uint64_t size = 0;    // bytes
  std::uint64_t blocks = 0;  // of 512 bytes
  std::uint64_t device = 0;  // as st_dev
  std::uint64_t inode = 0;
  std::uint64_t links = 0;
  std::int64_t mtime_ns = 0;  // since 1970
};

// Whose status, if the path names a symbolic link.
enum class links : std::uint8_t { follow, do_not_follow };

}  // namespace pilfer::io
