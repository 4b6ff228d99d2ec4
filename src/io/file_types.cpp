#include "file_types.hpp"

#include <dirent.h>
#include <sys/sysmacros.h>

namespace pilfer::io::detail {

file_type type_of_mode(unsigned mode) noexcept {
  switch (mode & S_IFMT) {
    case S_IFREG: return file_type::regular;
    case S_IFDIR: return file_type::directory;
    case S_IFLNK: return file_type::symlink;
    case S_IFIFO: return file_type::fifo;
    case S_IFSOCK: return file_type::socket;
    case S_IFCHR: return file_type::character_device;
    case S_IFBLK: return file_type::block_device;
    default: return file_type::unknown;
  }
}

file_type type_of_entry(unsigned char type) noexcept { return type_of_mode(DTTOIF(static_cast<unsigned>(type))); }

file_status status_of(const struct ::statx& found) noexcept {
  constexpr std::int64_t second_ns = 1'000'000'000;
  return {.type = type_of_mode(found.stx_mode),
          .mode = found.stx_mode,
          .user = found.stx_uid,
          .group = found.stx_gid,
          .size = found.stx_size,
          .blocks = found.stx_blocks,
          .device = ::gnu_dev_makedev(found.stx_dev_major, found.stx_dev_minor),
          .inode = found.stx_ino,
          .links = found.stx_nlink,
          .mtime_ns = found.stx_mtime.tv_sec * second_ns + found.stx_mtime.tv_nsec};
}

}  // namespace pilfer::io::detail
