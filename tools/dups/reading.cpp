#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

#include <pilfer/io.hpp>

#include "settle.hpp"

namespace pilfer::dups {

bytes_buffer buffer_store::take() {
  {
    const std::lock_guard guard(lock_);
    if (!free_.empty()) {
      bytes_buffer last = std::move(free_.back());
      free_.pop_back();
      return last;
    }
  }
  return std::make_unique_for_overwrite<std::byte[]>(chunk_bytes);  // NOLINT(modernize-avoid-c-arrays)
}

void buffer_store::give(bytes_buffer used) {
  const std::lock_guard guard(lock_);
  free_.push_back(std::move(used));
}

task<int> fill(search& with, int from, std::span<std::byte> into, std::uint64_t offset) {
  while (!into.empty()) {
    auto reading = io::read(from, into, offset);
    const io::result<std::size_t> got = co_await reading;
    std::size_t bytes = got ? *got : 0;
    if (!got) {
      // Some file systems cannot read without waiting, and the ring then refuses what was opened with O_NONBLOCK.
      if (got.error().value() != EAGAIN) co_return got.error().value();
      const ssize_t plain = ::pread(from, into.data(), into.size(), static_cast<off_t>(offset));
      if (plain < 0 && errno == EINTR) continue;
      if (plain < 0) co_return errno;
      bytes = static_cast<std::size_t>(plain);
    }
    if (bytes == 0) co_return ended_early;
    add(with.seen.bytes_read, bytes);
    into = into.subspan(bytes);
    offset += bytes;
  }
  co_return 0;
}

int open_member(search& with, const member& what) {
  add(with.files_read, 1);
  int opened = -ENOENT;
  for (std::uint32_t i = 0; i < what.count && opened < 0; ++i) opened = open_file(what.names[i]);
  return opened;
}

bool unchanged(int opened, const file& seen) {
  struct stat status{};
  if (::fstat(opened, &status) != 0) return false;
  const std::int64_t mtime_ns = std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
  return status.st_dev == seen.identity.device && status.st_ino == seen.identity.inode &&
         static_cast<std::uint64_t>(status.st_size) == seen.size && mtime_ns == seen.mtime_ns;
}

void report_unreadable(search& with, const member& what, int error) {
  if (error == ECANCELED && with.stopped()) return;
  if (error == ended_early || error == ENOENT || error == ELOOP) {
    report_changed(with, what);
    return;
  }
  with.report(path_of(what.first()), problem_kind::unreadable, error, "cannot be read");
}

void report_changed(search& with, const member& what) {
  with.report(path_of(what.first()), problem_kind::changed, 0, "has changed while it was read");
}

void spin_for_load(const search& with) {
  const auto load = with.options.load_per_file;
  if (load.count() <= 0) return;
  const auto end = std::chrono::steady_clock::now() + load;
  while (std::chrono::steady_clock::now() < end) {
  }
}

std::uint64_t next_data(int opened, std::uint64_t from, std::uint64_t end) {
  const off_t found = ::lseek(opened, static_cast<off_t>(from), SEEK_DATA);
  if (found < 0) return errno == ENXIO ? end : from;  // no data any more, or not known
  return static_cast<std::uint64_t>(found) < end ? static_cast<std::uint64_t>(found) : end;
}

}  // namespace pilfer::dups
