#include "folder.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

#include "file_types.hpp"

namespace pilfer::io::detail {

namespace {

constexpr std::size_t first_room_bytes = std::size_t{32} * 1024;

// As the kernel writes it.
struct raw_entry {
  std::uint64_t inode;
  std::int64_t offset;
  std::uint16_t length;
  unsigned char type;
};
constexpr std::size_t name_offset = offsetof(raw_entry, type) + 1;

int open_one(int folder, const char* path, bool follow) noexcept {
  const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK | (follow ? 0 : O_NOFOLLOW);
  for (;;) {
    const int opened = ::openat(folder, path, flags);
    if (opened >= 0) return opened;
    if (errno != EINTR) return -errno;
  }
}

}  // namespace

int folder_reader::read(int descriptor) {
  if (bytes_.empty()) bytes_.resize(first_room_bytes);
  used_ = 0;
  for (;;) {
    if (bytes_.size() - used_ < first_room_bytes / 2) bytes_.resize(2 * bytes_.size());
    const auto got = ::syscall(SYS_getdents64, descriptor, bytes_.data() + used_, bytes_.size() - used_);
    if (got == 0) return 0;
    if (got > 0) {
      used_ += static_cast<std::size_t>(got);
    } else if (errno != EINTR) {
      return errno;
    }
  }
}

std::pair<folder_reader::entry, std::size_t> folder_reader::decode(std::size_t at) const noexcept {
  raw_entry raw;  // NOLINT(cppcoreguidelines-pro-type-member-init): copied over
  const char* const from = bytes_.data() + at;
  std::memcpy(&raw, from, name_offset);
  return {{std::string_view(from + name_offset), type_of_entry(raw.type), raw.inode}, at + raw.length};
}

int open_folder(const std::string& path, bool follow) noexcept {
  if (path.size() < PATH_MAX) return open_one(AT_FDCWD, path.c_str(), follow);
  // In pieces, each from where the last one has led.
  int at = AT_FDCWD;
  char piece[PATH_MAX];  // NOLINT(modernize-avoid-c-arrays): for C
  for (std::size_t begin = 0; begin < path.size();) {
    std::size_t end = std::min(begin + PATH_MAX - 1, path.size());
    if (end < path.size()) {
      const std::size_t slash = path.rfind('/', end);
      const bool too_long = slash == std::string::npos || slash <= begin;  // a name as long as that: there is none
      end = too_long ? begin : slash;
    }
    std::memcpy(piece, path.data() + begin, end - begin);
    piece[end - begin] = '\0';
    const int next = end == begin ? -ENAMETOOLONG : open_one(at, piece, follow || end < path.size());
    if (at != AT_FDCWD) ::close(at);
    if (next < 0) return next;
    at = next;
    begin = end;
    while (begin < path.size() && path[begin] == '/') ++begin;
  }
  return at;
}

}  // namespace pilfer::io::detail
