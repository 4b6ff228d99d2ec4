// What takes several operations; and the odds and ends of results and descriptors.
#include <unistd.h>

#include <system_error>

#include <pilfer/io/descriptor.hpp>
#include <pilfer/io/file.hpp>
#include <pilfer/io/result.hpp>
#include <pilfer/io/socket.hpp>

namespace pilfer::io {

namespace detail {

void throw_error(std::error_code error) { throw std::system_error(error, "pilfer::io"); }
void close_descriptor(int descriptor) noexcept { ::close(descriptor); }

namespace {
std::uint64_t advanced(std::uint64_t offset, std::size_t done) noexcept {
  return offset == operation::at_position ? offset : offset + done;
}
}  // namespace

}  // namespace detail

task<result<std::size_t>> read_exactly(int descriptor, std::span<std::byte> into, std::uint64_t offset) {
  std::size_t done = 0;
  while (done < into.size()) {
    const auto got = co_await read(descriptor, into.subspan(done), detail::advanced(offset, done));
    if (!got) co_return got.error();
    if (*got == 0) break;
    done += *got;
  }
  co_return done;
}

task<result<std::size_t>> write_all(int descriptor, std::span<const std::byte> from, std::uint64_t offset) {
  std::size_t done = 0;
  while (done < from.size()) {
    const auto put = co_await write(descriptor, from.subspan(done), detail::advanced(offset, done));
    if (!put) co_return put.error();
    if (*put == 0)
      co_return std::make_error_code(std::errc::io_error);  // a device that takes nothing, and does not say why
    done += *put;
  }
  co_return done;
}

task<result<std::size_t>> receive_exactly(const socket& from, std::span<std::byte> into) {
  std::size_t done = 0;
  while (done < into.size()) {
    const auto got = co_await receive(from, into.subspan(done));
    if (!got) co_return got.error();
    if (*got == 0) break;
    done += *got;
  }
  co_return done;
}

task<result<std::size_t>> send_all(const socket& to, std::span<const std::byte> from) {
  std::size_t done = 0;
  while (done < from.size()) {
    const auto put = co_await send(to, from.subspan(done));
    if (!put) co_return put.error();
    done += *put;
  }
  co_return done;
}

}  // namespace pilfer::io
