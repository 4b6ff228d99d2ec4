// Where a socket listens or connects to.
//
//   "127.0.0.1:8080"   "[::1]:8080"   "0.0.0.0:0"   "unix:/run/my.socket"   "unix:@abstract"
//
// Numbers only: names are not looked up. Port 0: one that is free; local_address tells which.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <pilfer/io/descriptor.hpp>
#include <pilfer/io/result.hpp>

namespace pilfer::io {

class address {
 public:
  static constexpr std::size_t most_bytes = 128;  // as sockaddr_storage

  address() = default;  // none
  //   Throws  std::invalid_argument for a text that is no address.
  explicit address(std::string_view text);
  address(std::string_view ip, std::uint16_t port);
  // std::errc::invalid_argument instead.
  [[nodiscard]] static result<address> parse(std::string_view text) noexcept;

  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::uint16_t port() const noexcept;  // 0: none, or a Unix socket
  [[nodiscard]] bool is_unix() const noexcept;
  [[nodiscard]] int family() const noexcept;  // AF_INET, AF_INET6, AF_UNIX; 0: none

  // As a sockaddr.
  [[nodiscard]] const void* data() const noexcept { return bytes_.data(); }
  [[nodiscard]] void* data() noexcept { return bytes_.data(); }
  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
  void set_size(std::uint32_t bytes) noexcept { size_ = bytes; }

 private:
  alignas(8) std::array<std::byte, most_bytes> bytes_{};
  std::uint32_t size_ = 0;
};

struct listen_options {
  int backlog = 4096;
  bool reuse_address = true;
  bool reuse_port = false;  // several sockets share the port; the kernel spreads connections
  bool no_delay = true;     // TCP_NODELAY; accepted sockets inherit it
};

// At once, without suspending.
[[nodiscard]] result<socket> listen(const address& at, const listen_options& options = {}) noexcept;
[[nodiscard]] result<address> local_address(const socket& of) noexcept;
[[nodiscard]] result<address> peer_address(const socket& of) noexcept;

// Ends one or both directions; an operation of the other side then sees the end. At once.
enum class direction : std::uint8_t { receive, send, both };
[[nodiscard]] result<void> shutdown(const socket& of, direction which = direction::both) noexcept;

}  // namespace pilfer::io
