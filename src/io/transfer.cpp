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

}  // namespace detail

namespace {

std::uint64_t advanced(std::uint64_t offset, std::size_t done) noexcept {
  return offset == at_position ? offset : offset + done;
}

// What an operation without bytes means: the end of what there is, or an error.
enum class empty_part : bool { ends, fails };

// Operations of one kind, which `next` makes, until nothing is left: each goes on where the one before has ended.
template <class Next>
task<result<std::size_t>> in_parts(std::size_t size, empty_part meaning, Next next) {
  std::size_t done = 0;
  while (done < size) {
    const auto part = co_await next(done);
    if (!part) co_return part.error();
    if (*part == 0) {
      if (meaning == empty_part::ends) break;
      co_return std::make_error_code(std::errc::io_error);  // a device that takes nothing, and does not say why
    }
    done += *part;
  }
  co_return done;
}

}  // namespace

task<result<std::size_t>> read_exactly(int descriptor, std::span<std::byte> into, std::uint64_t offset) {
  return in_parts(into.size(), empty_part::ends,
                  [=](std::size_t done) { return read(descriptor, into.subspan(done), advanced(offset, done)); });
}
task<result<std::size_t>> write_all(int descriptor, std::span<const std::byte> from, std::uint64_t offset) {
  return in_parts(from.size(), empty_part::fails,
                  [=](std::size_t done) { return write(descriptor, from.subspan(done), advanced(offset, done)); });
}
task<result<std::size_t>> receive_exactly(const socket& from, std::span<std::byte> into) {
  return in_parts(into.size(), empty_part::ends,
                  [&from, into](std::size_t done) { return receive(from, into.subspan(done)); });
}
task<result<std::size_t>> send_all(const socket& to, std::span<const std::byte> from) {
  return in_parts(from.size(), empty_part::fails,
                  [&to, from](std::size_t done) { return send(to, from.subspan(done)); });
}

}  // namespace pilfer::io
