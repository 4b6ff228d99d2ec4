// Operations as system calls. Results are as io_uring's: not negative, or -errno. None is interrupted by a signal.
#pragma once

#include <cstddef>
#include <cstdint>

#include <pilfer/io/operation.hpp>

namespace pilfer::io::detail {

inline constexpr std::size_t most_bytes_at_once = 0x7ffff000;  // as read(2)

// Waits for as long as it takes. Sockets: not at all, -EAGAIN; a connection that is under way, -EINPROGRESS.
[[nodiscard]] std::int64_t perform(request& wanted) noexcept;
// Does not wait for devices or for other sides: -EAGAIN if that would be necessary, or cannot be known.
[[nodiscard]] std::int64_t attempt(request& wanted) noexcept;
// Once: makes the socket that is to be connected. 0, or -errno.
[[nodiscard]] std::int64_t prepare_connect(request& wanted) noexcept;
// After a connect that was begun without waiting, when the socket can be written.
[[nodiscard]] std::int64_t finish_connect(const request& wanted) noexcept;
// Of what has no offsets: reads or writes what it can now.
[[nodiscard]] std::int64_t transfer_stream(const request& wanted) noexcept;

[[nodiscard]] inline bool is_socket_operation(opcode code) noexcept { return code >= opcode::accept; }
[[nodiscard]] inline bool waits_to_write(opcode code) noexcept {
  return code == opcode::write || code == opcode::send || code == opcode::connect;
}

}  // namespace pilfer::io::detail
