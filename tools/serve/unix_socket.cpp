#include "tools/serve/unix_socket.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <string_view>
#include <thread>
#include <utility>

namespace pilfer::serve {
namespace {

constexpr int looks_at_a_live_one = 20;
constexpr std::chrono::milliseconds between_looks{25};

// Empty: no Unix socket, or one without a file.
std::string path_of(const io::address& at) {
  constexpr std::string_view prefix = "unix:";
  if (!at.is_unix()) return {};
  const std::string text = at.text();
  return text.size() > prefix.size() && text[prefix.size()] != '@' ? text.substr(prefix.size()) : std::string();
}

bool nobody_listens(const io::address& at) noexcept {
  // Not blocking: a live server with a full line of clients says EAGAIN.
  const io::socket probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  return probe.is_open() && ::connect(probe.native(), static_cast<const sockaddr*>(at.data()), at.size()) != 0 &&
         errno == ECONNREFUSED;
}

}  // namespace

void remove_stale_socket(const io::address& at) noexcept {
  try {
    const std::string path = path_of(at);
    struct stat found{};
    if (path.empty() || ::lstat(path.c_str(), &found) != 0 || !S_ISSOCK(found.st_mode)) return;
    // A ring outlives its process for a moment, and with it what that listened on.
    bool stale = nobody_listens(at);
    for (int i = 0; i < looks_at_a_live_one && !stale; ++i) {
      std::this_thread::sleep_for(between_looks);
      stale = nobody_listens(at);
    }
    if (stale) ::unlink(path.c_str());
  } catch (...) {  // NOLINT(bugprone-empty-catch): no memory: whoever binds will see the file
  }
}

socket_file::socket_file(const io::address& at) : path_(path_of(at)) {
  struct stat found{};
  if (path_.empty() || ::lstat(path_.c_str(), &found) != 0) {
    path_.clear();
    return;
  }
  device_ = found.st_dev;
  inode_ = found.st_ino;
}

socket_file& socket_file::operator=(socket_file&& other) noexcept {
  if (this == &other) return *this;
  remove();
  path_ = std::exchange(other.path_, {});
  device_ = other.device_;
  inode_ = other.inode_;
  return *this;
}

void socket_file::remove() noexcept {
  struct stat found{};
  if (!path_.empty() && ::lstat(path_.c_str(), &found) == 0 && found.st_dev == device_ && found.st_ino == inode_)
    ::unlink(path_.c_str());
  path_.clear();
}

}  // namespace pilfer::serve
