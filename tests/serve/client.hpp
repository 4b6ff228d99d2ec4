// A client of HTTP for tests: bytes in, bytes out, and responses taken apart.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace pilfer::serve::test {

struct answer {
  int code = 0;
  std::map<std::string, std::string> fields{};  // names as they are
  std::string body{};
};

class client {
 public:
  explicit client(std::uint16_t port, int receive_buffer = 0)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (receive_buffer > 0) ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    const int on = 1;
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connect_to(&to, sizeof to);
  }
  // Any address, as the system has it.
  client(const void* address, std::size_t size)
      : socket_(::socket(static_cast<const sockaddr*>(address)->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    connect_to(address, size);
  }
  ~client() {
    if (socket_ >= 0) ::close(socket_);
  }
  client(client&& other) noexcept : socket_(std::exchange(other.socket_, -1)), come_(std::move(other.come_)) {}
  client& operator=(client&&) = delete;

  // False: the server does not take it any more.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  // As much as is taken within some time; how much that was.
  std::size_t send_what_is_taken(std::string_view bytes, int patience_ms) {
    std::size_t taken = 0;
    for (pollfd room{.fd = socket_, .events = POLLOUT, .revents = 0};
         taken < bytes.size() && ::poll(&room, 1, patience_ms) > 0;) {
      const ssize_t sent = ::send(socket_, bytes.data() + taken, bytes.size() - taken, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent <= 0) break;
      taken += static_cast<std::size_t>(sent);
    }
    return taken;
  }
  void end_sending() { ::shutdown(socket_, SHUT_WR); }
  // A reset instead of an end.
  void reset() {
    const linger now{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    ::close(std::exchange(socket_, -1));
  }

  // Until there is something to receive.
  void await_bytes() const {
    pollfd more{.fd = socket_, .events = POLLIN, .revents = 0};
    ::poll(&more, 1, -1);
  }

  // The next response. Throws std::runtime_error if there is none. `bodiless`: to HEAD.
  answer receive(bool bodiless = false) {
    std::size_t end = 0;
    while ((end = come_.find("\r\n\r\n")) == std::string::npos) more();
    answer found;
    std::string_view head = std::string_view(come_).substr(0, end + 2);
    if (!head.starts_with("HTTP/1.1 ")) throw std::runtime_error("no response: " + std::string(head));
    found.code = std::stoi(std::string(head.substr(9, 3)));
    head.remove_prefix(head.find("\r\n") + 2);
    while (!head.empty()) {
      const std::string_view line = head.substr(0, head.find("\r\n"));
      const std::size_t colon = line.find(": ");
      if (colon == std::string_view::npos) throw std::runtime_error("no field: " + std::string(line));
      found.fields[std::string(line.substr(0, colon))] = std::string(line.substr(colon + 2));
      head.remove_prefix(line.size() + 2);
    }
    come_.erase(0, end + 4);
    const auto length = found.fields.find("Content-Length");
    if (length == found.fields.end() || bodiless) return found;
    const std::size_t size = std::stoul(length->second);
    while (come_.size() < size) more();
    found.body = come_.substr(0, size);
    come_.erase(0, size);
    return found;
  }

  answer ask(std::string_view bytes) {
    send(bytes);
    return receive();
  }

  // Whether the server has ended the connection, and nothing else has come.
  [[nodiscard]] bool is_over() {
    try {
      for (;;) more();
    } catch (const std::runtime_error&) {
    }
    return come_.empty();
  }
  [[nodiscard]] const std::string& left_over() const { return come_; }

 private:
  void connect_to(const void* address, std::size_t size) {
    if (::connect(socket_, static_cast<const sockaddr*>(address), static_cast<socklen_t>(size)) == 0) return;
    ::close(std::exchange(socket_, -1));
    throw std::runtime_error("connect");
  }
  void more() {
    char buffer[16384];
    const ssize_t got = ::recv(socket_, buffer, sizeof buffer, 0);
    if (got <= 0) throw std::runtime_error("the server has ended the connection");
    come_.append(buffer, static_cast<std::size_t>(got));
  }

  int socket_;
  std::string come_;
};

inline std::string get(std::string_view target, std::string_view fields = {}) {
  return "GET " + std::string(target) + " HTTP/1.1\r\nHost: test\r\n" + std::string(fields) + "\r\n";
}
inline std::string post(std::string_view body, std::string_view fields = {}) {
  return "POST / HTTP/1.1\r\nHost: test\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         std::string(fields) + "\r\n" + std::string(body);
}

}  // namespace pilfer::serve::test
