// The look at two files right before something is done to one of them: plain system calls, on the calling thread.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "finder.hpp"
#include "tree.hpp"

namespace pilfer::dups {

namespace {

constexpr std::size_t step_bytes = std::size_t{256} << 10U;

// Until the buffer is full or the file ends. Bytes, or -errno.
ssize_t read_full(int from, std::byte* into, std::size_t bytes, std::uint64_t offset) {
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t got = ::pread(from, into + done, bytes - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -errno;
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return static_cast<ssize_t>(done);
}

std::int64_t mtime_of(const struct stat& status) noexcept {
  return std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
}

int open_for_check(const std::string& path, bool follow, descriptor& into) {
  const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (follow ? 0 : O_NOFOLLOW);
  into = descriptor(::open(path.c_str(), flags));
  return into.is_open() ? 0 : errno;
}

// Is it what the search saw?
bool is_as_seen(int opened, const duplicate& seen, std::uint64_t size) {
  struct stat status{};
  return ::fstat(opened, &status) == 0 && S_ISREG(status.st_mode) && status.st_dev == seen.device &&
         status.st_ino == seen.inode && static_cast<std::uint64_t>(status.st_size) == size &&
         mtime_of(status) == seen.mtime_ns;
}

}  // namespace

recheck_result compare_bytes(int left, int right, std::uint64_t size, const std::stop_token& stop) {
  const auto room = std::make_unique_for_overwrite<std::byte[]>(2 * step_bytes);  // NOLINT(modernize-avoid-c-arrays)
  std::byte* const first = room.get();
  std::byte* const second = first + step_bytes;
  for (std::uint64_t at = 0; at < size;) {
    if (stop.stop_requested()) return {.what = verdict::unreadable, .error = ECANCELED};
    const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(step_bytes, size - at));
    const ssize_t a = read_full(left, first, bytes, at);
    if (a < 0) return {.what = verdict::unreadable, .error = static_cast<int>(-a)};
    const ssize_t b = read_full(right, second, bytes, at);
    if (b < 0) return {.what = verdict::unreadable, .error = static_cast<int>(-b)};
    if (static_cast<std::size_t>(a) != bytes || static_cast<std::size_t>(b) != bytes) return {.what = verdict::changed};
    if (std::memcmp(first, second, bytes) != 0) return {.what = verdict::differ};
    at += bytes;
  }
  return {};
}

recheck_result recheck(const duplicate& kept, const duplicate& other, std::uint64_t size, const std::stop_token& stop) {
  descriptor left;
  descriptor right;
  if (const int error = open_for_check(kept.path, kept.through_symlink, left); error != 0) {
    return {verdict::unreadable, error, kept.path};
  }
  if (const int error = open_for_check(other.path, other.through_symlink, right); error != 0) {
    return {verdict::unreadable, error, other.path};
  }
  const auto changed = [&]() -> const std::string* {
    if (!is_as_seen(left.get(), kept, size)) return &kept.path;
    if (!is_as_seen(right.get(), other, size)) return &other.path;
    return nullptr;
  };
  if (const std::string* const which = changed()) return {verdict::changed, 0, *which};
  if (kept.device == other.device && kept.inode == other.inode) return {.what = verdict::same_file};
  recheck_result result = compare_bytes(left.get(), right.get(), size, stop);
  if (result.what == verdict::unreadable) result.path = other.path;
  if (const std::string* const which = changed(); which != nullptr && result.what == verdict::equal) {
    return {verdict::changed, 0, *which};
  }
  return result;
}

bool still_equal(const std::string& left, const std::string& right) {
  descriptor first;
  descriptor second;
  if (open_for_check(left, false, first) != 0 || open_for_check(right, false, second) != 0) return false;
  struct stat a{};
  struct stat b{};
  if (::fstat(first.get(), &a) != 0 || ::fstat(second.get(), &b) != 0) return false;
  if (!S_ISREG(a.st_mode) || !S_ISREG(b.st_mode) || a.st_size != b.st_size) return false;
  if (a.st_dev == b.st_dev && a.st_ino == b.st_ino) return true;
  return compare_bytes(first.get(), second.get(), static_cast<std::uint64_t>(a.st_size)).what == verdict::equal;
}

}  // namespace pilfer::dups
