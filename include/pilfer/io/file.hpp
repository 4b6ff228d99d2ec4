// Files. All of these are to be awaited by a coroutine: it is suspended where the operation would have to wait, and goes on on any
// worker of the pool. Told to stop, they end with ECANCELED; none is interrupted by a signal. A buffer must live until the operation has
// ended, also if that is cancelled.
//
//   auto file = co_await pilfer::io::open("notes.txt", O_RDONLY);
//   if (!file) co_return file.error();
//   auto got = co_await pilfer::io::read(file->native(), room, 0);
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include <pilfer/coro/task.hpp>
#include <pilfer/io/descriptor.hpp>
#include <pilfer/io/file_status.hpp>
#include <pilfer/io/operation.hpp>
#include <pilfer/io/result.hpp>

namespace pilfer::io {

// As a folder: the current one. As an offset: where the descriptor stands, for what has no offsets.
inline constexpr int current_folder = -100;  // AT_FDCWD
inline constexpr std::uint64_t at_position = detail::operation::at_position;

namespace detail {

class [[nodiscard]] opening : public awaitable<file> {
 public:
  opening(int folder, std::string path, int flags, std::uint32_t mode) noexcept
      : awaitable({.code = opcode::open, .target = folder, .flags = flags, .mode = mode}), path_(std::move(path)) {
    wanted.path = path_.c_str();
  }
  // NOLINTNEXTLINE(bugprone-use-after-move): only its base was moved
  opening(opening&& from) noexcept : awaitable(std::move(from)), path_(std::move(from.path_)) {
    wanted.path = path_.c_str();
  }

 private:
  std::string path_;
};

class [[nodiscard]] stating : public operation {
 public:
  explicit stating(int descriptor) noexcept
      : operation({.code = opcode::stat, .empty_path = 1, .target = descriptor, .data = &status_, .path = ""}) {}
  stating(int folder, std::string path, links how) noexcept
      : operation({.code = opcode::stat, .target = folder, .flags = static_cast<int>(how), .data = &status_}),
        path_(std::move(path)) {
    wanted.path = path_.c_str();
  }
  // NOLINTNEXTLINE(bugprone-use-after-move): only its base was moved
  stating(stating&& from) noexcept : operation(std::move(from)), path_(std::move(from.path_)) {
    wanted.data = &status_;
    if (wanted.empty_path == 0) wanted.path = path_.c_str();
  }
  [[nodiscard]] result<file_status> await_resume() const noexcept {
    if (outcome < 0) return error_of(outcome);
    return status_;
  }

 private:
  std::string path_;
  file_status status_;
};

}  // namespace detail

// Flags and mode as of open(2); O_CLOEXEC is added.
inline detail::opening open(std::string path, int flags, std::uint32_t mode = 0666) {
  return {current_folder, std::move(path), flags, mode};
}
inline detail::opening open_at(int folder, std::string path, int flags, std::uint32_t mode = 0666) {
  return {folder, std::move(path), flags, mode};
}

// Some bytes, at most 2 GiB - 4 KiB at a time; 0: the end of the file.
inline detail::awaitable<std::size_t> read(int descriptor, std::span<std::byte> into, std::uint64_t offset) {
  return detail::transfer(detail::opcode::read, descriptor, into, offset);
}
inline detail::awaitable<std::size_t> read(const file& from, std::span<std::byte> into, std::uint64_t offset) {
  return read(from.native(), into, offset);
}
inline detail::awaitable<std::size_t> write(int descriptor, std::span<const std::byte> from, std::uint64_t offset) {
  return detail::transfer(detail::opcode::write, descriptor, from, offset);
}
inline detail::awaitable<std::size_t> write(const file& to, std::span<const std::byte> from, std::uint64_t offset) {
  return write(to.native(), from, offset);
}
// Until the buffer is full or the file ends: fewer bytes mean the end.
task<result<std::size_t>> read_exactly(int descriptor, std::span<std::byte> into, std::uint64_t offset);
// All of it. After an error some may have been written.
task<result<std::size_t>> write_all(int descriptor, std::span<const std::byte> from, std::uint64_t offset);

inline detail::stating stat(std::string path, links how = links::follow) {
  return {current_folder, std::move(path), how};
}
inline detail::stating stat_at(int folder, std::string path, links how = links::follow) {
  return {folder, std::move(path), how};
}
inline detail::stating stat(int descriptor) { return detail::stating(descriptor); }
inline detail::stating stat(const file& of) { return detail::stating(of.native()); }

// What has been written reaches the device.
inline detail::awaitable<void> sync(int descriptor) {
  return detail::awaitable<void>({.code = detail::opcode::sync, .target = descriptor});
}

// Also what a destructor would not tell. The descriptor is gone in either case, and if the coroutine was told to stop.
inline detail::closing close(file what) { return detail::closing(std::move(what)); }

}  // namespace pilfer::io
