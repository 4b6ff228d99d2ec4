// A Unix socket is a file, and stays when its server is gone.
#pragma once

#include <sys/types.h>

#include <string>

#include <pilfer/io/address.hpp>

namespace pilfer::serve {

// Removes the socket that a dead server has left at this address. Anything else stays: another kind of file, and a socket that is
// listened on.
void remove_stale_socket(const io::address& at) noexcept;

// A socket's file that we have made: removed at the end, unless it is somebody else's by then.
class socket_file {
 public:
  socket_file() = default;
  // Nothing, unless the address has a file.
  explicit socket_file(const io::address& at);
  ~socket_file() { remove(); }
  socket_file(const socket_file&) = delete;
  socket_file& operator=(const socket_file&) = delete;
  socket_file(socket_file&&) = delete;
  socket_file& operator=(socket_file&& other) noexcept;

  void remove() noexcept;

 private:
  std::string path_{};  // empty: none
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace pilfer::serve
