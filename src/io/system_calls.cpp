#include "system_calls.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include <pilfer/io/address.hpp>
#include <pilfer/io/file_status.hpp>

#include "file_types.hpp"

namespace pilfer::io::detail {

namespace {

template <class F>
std::int64_t without_interruption(F&& call) noexcept {
  for (;;) {
    const auto got = call();
    if (got >= 0) return got;
    if (errno != EINTR) return -errno;
  }
}

// Also if it has ended: then a call tells why.
bool is_ready(int descriptor, short events) noexcept {
  ::pollfd asked{descriptor, events, 0};
  return without_interruption([&] { return ::poll(&asked, 1, 0); }) != 0;
}

std::size_t length_of(const request& wanted) noexcept { return std::min(wanted.length, most_bytes_at_once); }
::off_t offset_of(const request& wanted) noexcept { return static_cast<::off_t>(wanted.offset); }

std::int64_t open_file(const request& wanted) noexcept {
  return without_interruption(
      [&] { return ::openat(wanted.target, wanted.path, wanted.flags | O_CLOEXEC, wanted.mode); });
}

std::int64_t open_if_cached(const request& wanted, int flags) noexcept {
  ::open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
  how.resolve = RESOLVE_CACHED;
  return without_interruption([&] { return ::syscall(SYS_openat2, wanted.target, wanted.path, &how, sizeof how); });
}

// Opening these makes nobody wait, and nobody notices. A pipe's other side does: it would go on, and find us gone again.
std::int64_t is_plain(const request& wanted) noexcept {
  if ((wanted.flags & O_DIRECTORY) != 0) return 1;
  const std::int64_t seen = open_if_cached(wanted, O_PATH | (wanted.flags & O_NOFOLLOW));
  if (seen < 0) return seen;
  struct ::stat found{};
  const bool known = ::fstat(static_cast<int>(seen), &found) == 0;
  ::close(static_cast<int>(seen));
  return known && (S_ISREG(found.st_mode) || S_ISDIR(found.st_mode)) ? 1 : 0;
}

// What the kernel knows without asking a device.
std::int64_t open_cached(const request& wanted) noexcept {
  if ((wanted.flags & (O_CREAT | O_TRUNC | O_PATH)) != 0 || (wanted.flags & O_TMPFILE) == O_TMPFILE) return -EAGAIN;
  std::int64_t got = is_plain(wanted);
  if (got == 0) return -EAGAIN;
  // O_NONBLOCK, because it may be a pipe by now; off again, because a ring's reads would not wait.
  if (got > 0) got = open_if_cached(wanted, wanted.flags | O_NONBLOCK);
  // Also what open(2) takes and openat2 does not: the long way knows.
  if (got < 0) return got == -EINVAL || got == -ENOSYS || got == -EPERM || got == -ENXIO ? -EAGAIN : got;
  const int opened = static_cast<int>(got);
  if ((wanted.flags & O_NONBLOCK) != 0 || ::fcntl(opened, F_SETFL, wanted.flags & ~O_NONBLOCK) == 0) return got;
  ::close(opened);
  return -EAGAIN;
}

std::int64_t stat_file(const request& wanted) noexcept {
  struct ::statx found{};
  int flags = wanted.empty_path != 0 ? AT_EMPTY_PATH : 0;
  if (static_cast<links>(wanted.flags) == links::do_not_follow) flags |= AT_SYMLINK_NOFOLLOW;
  const std::int64_t got =
      without_interruption([&] { return ::statx(wanted.target, wanted.path, flags, STATX_BASIC_STATS, &found); });
  if (got == 0) *static_cast<file_status*>(wanted.data) = status_of(found);
  return got;
}

// Reads or writes.
std::int64_t transfer_file(const request& wanted) noexcept {
  const std::size_t length = length_of(wanted);
  const ::off_t offset = offset_of(wanted);
  const bool has_offset = wanted.offset != operation::at_position;
  return without_interruption([&] {
    if (wanted.code == opcode::read) {
      return has_offset ? ::pread(wanted.target, wanted.data, length, offset)
                        : ::read(wanted.target, wanted.data, length);
    }
    return has_offset ? ::pwrite(wanted.target, wanted.data, length, offset)
                      : ::write(wanted.target, wanted.data, length);
  });
}

std::int64_t read_cached(const request& wanted) noexcept {
  const ::iovec into{wanted.data, length_of(wanted)};
  const std::int64_t got =
      without_interruption([&] { return ::preadv2(wanted.target, &into, 1, offset_of(wanted), RWF_NOWAIT); });
  return got == -EOPNOTSUPP || got == -ESPIPE || got == -ENOSYS || got == -EPERM ? -EAGAIN : got;
}

std::int64_t accept_one(const request& wanted) noexcept {
  for (;;) {
    const std::int64_t got =
        without_interruption([&] { return ::accept4(wanted.target, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK); });
    if (got != -ECONNABORTED) return got;  // gone before it was accepted: not this listener's matter
  }
}

}  // namespace

std::int64_t prepare_connect(request& wanted) noexcept {
  const auto& to = *static_cast<const address*>(wanted.data);
  if (to.size() == 0) return -EINVAL;
  wanted.target = ::socket(to.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (wanted.target < 0) return -errno;
  if (wanted.flags != 0 && !to.is_unix()) {
    const int on = 1;
    ::setsockopt(wanted.target, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  return 0;
}

std::int64_t finish_connect(const request& wanted) noexcept {
  // The news may have been of another socket that had this number: one that still connects has no error, either.
  if (!is_ready(wanted.target, POLLOUT)) return -EAGAIN;
  int error = 0;
  ::socklen_t size = sizeof error;
  if (::getsockopt(wanted.target, SOL_SOCKET, SO_ERROR, &error, &size) != 0) return -errno;
  return -error;
}

std::int64_t transfer_stream(request& wanted) noexcept {
  const ::iovec part{wanted.data, length_of(wanted)};
  const bool reads = wanted.code == opcode::read;
  static_assert(static_cast<::off_t>(operation::at_position) == -1, "as preadv2 names it");
  const auto transfer = [&] {
    return without_interruption([&] {
      return reads ? ::preadv2(wanted.target, &part, 1, offset_of(wanted), RWF_NOWAIT)
                   : ::pwritev2(wanted.target, &part, 1, offset_of(wanted), RWF_NOWAIT);
    });
  };
  std::int64_t got = transfer();
  if (got == -ESPIPE) {
    wanted.offset = operation::at_position;
    got = transfer();
  }
  if (got != -EOPNOTSUPP && got != -ENOSYS) return got;
  // Others depend on the caller. What is ready takes or gives something at once; of a longer write the rest would wait.
  if (!is_ready(wanted.target, reads ? POLLIN : POLLOUT)) return -EAGAIN;
  request now = wanted;
  if (!reads) now.length = std::min<std::size_t>(now.length, PIPE_BUF);
  got = transfer_file(now);
  if (got != -ESPIPE) return got;
  now.offset = wanted.offset = operation::at_position;
  return transfer_file(now);
}

bool may_wait_for_peer(const request& wanted) noexcept {
  if ((wanted.flags & O_PATH) != 0) return false;
  const int flags = O_PATH | O_CLOEXEC | (wanted.flags & O_NOFOLLOW);
  const std::int64_t seen = without_interruption([&] { return ::openat(wanted.target, wanted.path, flags); });
  if (seen < 0) return false;
  const bool waits = !is_storage(static_cast<int>(seen));
  ::close(static_cast<int>(seen));
  return waits;
}

bool is_storage(int descriptor) noexcept {
  struct ::stat found{};
  if (::fstat(descriptor, &found) != 0) return true;
  return S_ISREG(found.st_mode) || S_ISDIR(found.st_mode) || S_ISBLK(found.st_mode) || S_ISLNK(found.st_mode);
}

std::int64_t perform(request& wanted) noexcept {
  switch (wanted.code) {
    case opcode::read:
    case opcode::write: return transfer_file(wanted);
    case opcode::open: return open_file(wanted);
    case opcode::stat: return stat_file(wanted);
    case opcode::close: {
      // The descriptor is free again even if close was interrupted.
      const int got = ::close(wanted.target);
      return got == 0 || errno == EINTR ? 0 : -errno;
    }
    case opcode::sync: return without_interruption([&] { return ::fsync(wanted.target); });
    case opcode::accept: return accept_one(wanted);
    case opcode::connect: {
      const auto& to = *static_cast<const address*>(wanted.data);
      if (::connect(wanted.target, static_cast<const ::sockaddr*>(to.data()), to.size()) == 0) return 0;
      // EAGAIN is an answer: a Unix socket whose listener has too long a queue, and nobody will tell when that has changed.
      if (errno == EINTR || errno == EALREADY) return -EINPROGRESS;
      return errno == EISCONN ? 0 : -errno;
    }
    case opcode::receive:
      return without_interruption([&] { return ::recv(wanted.target, wanted.data, length_of(wanted), MSG_DONTWAIT); });
    case opcode::send:
      return without_interruption(
          [&] { return ::send(wanted.target, wanted.data, length_of(wanted), MSG_DONTWAIT | MSG_NOSIGNAL); });
  }
  return -EINVAL;
}

std::int64_t attempt(request& wanted) noexcept {
  switch (wanted.code) {
    case opcode::read: return wanted.offset == operation::at_position ? -EAGAIN : read_cached(wanted);
    case opcode::open: return open_cached(wanted);
    case opcode::stat:
    case opcode::close:
    case opcode::accept:
    case opcode::receive:
    case opcode::send: return perform(wanted);
    case opcode::write:
    case opcode::sync:
    case opcode::connect: break;
  }
  return -EAGAIN;
}

}  // namespace pilfer::io::detail
