// Operations as system calls. Results are as io_uring's: not negative, or -errno. None is interrupted by a signal.
#pragma once

#include <cerrno>
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
// Of what epoll waits for: reads or writes what it can now. An offset where there are none is dropped.
[[nodiscard]] std::int64_t transfer_stream(request& wanted) noexcept;

// Does opening it possibly wait for another side? False also for what is not there. Opens nothing, so that no other side notices.
[[nodiscard]] bool may_wait_for_peer(const request& wanted) noexcept;
// Does reading or writing it end without another side? True for regular files, folders and block devices, and if the descriptor is bad.
[[nodiscard]] bool is_storage(int descriptor) noexcept;
// The kernel has numbers that are meant for itself (512 to 517: ERESTARTSYS and the like), which io_uring lets out when an operation was interrupted.
// They become -EINTR.
[[nodiscard]] inline std::int64_t without_kernel_internals(std::int64_t outcome) noexcept {
  constexpr std::int64_t first = 512;
  constexpr std::int64_t last = 517;
  return outcome <= -first && outcome >= -last ? -EINTR : outcome;
}

[[nodiscard]] inline bool is_socket_operation(opcode code) noexcept { return code >= opcode::accept; }
[[nodiscard]] inline bool waits_to_write(opcode code) noexcept {
  return code == opcode::write || code == opcode::send || code == opcode::connect;
}

}  // namespace pilfer::io::detail
