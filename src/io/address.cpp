#include <pilfer/io/address.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <stdexcept>

namespace pilfer::io {

namespace {

constexpr std::string_view unix_prefix = "unix:";

// The bytes are written and read as what the family says: copied, so that no type is punned.
template <class Sockaddr>
void put(address& to, const Sockaddr& from, std::size_t size = sizeof(Sockaddr)) noexcept {
  static_assert(sizeof(Sockaddr) <= address::most_bytes);
  std::memcpy(to.data(), &from, size);
  to.set_size(static_cast<std::uint32_t>(size));
}
template <class Sockaddr>
Sockaddr get(const address& from) noexcept {
  Sockaddr to{};
  std::memcpy(&to, from.data(), std::min<std::size_t>(sizeof to, from.size()));
  return to;
}

bool put_ip(address& to, std::string_view ip, std::uint16_t port) noexcept {
  char text[INET6_ADDRSTRLEN + 1] = {};  // NOLINT(modernize-avoid-c-arrays): for C
  if (ip.empty() || ip.size() >= sizeof text || ip.find('\0') != ip.npos) return false;
  std::memcpy(text, ip.data(), ip.size());
  ::sockaddr_in four{};
  if (::inet_pton(AF_INET, text, &four.sin_addr) == 1) {
    four.sin_family = AF_INET;
    four.sin_port = htons(port);
    put(to, four);
    return true;
  }
  ::sockaddr_in6 six{};
  if (::inet_pton(AF_INET6, text, &six.sin6_addr) != 1) return false;
  six.sin6_family = AF_INET6;
  six.sin6_port = htons(port);
  put(to, six);
  return true;
}

bool put_unix(address& to, std::string_view path) noexcept {
  ::sockaddr_un where{};
  // One that begins with a zero, here written @, is in no file system, and ends where its length says.
  const bool is_abstract = path.starts_with('@');
  if (path.empty() || path.size() >= sizeof where.sun_path || path.find('\0') != path.npos) return false;
  where.sun_family = AF_UNIX;
  std::memcpy(where.sun_path, path.data(), path.size());
  if (is_abstract) where.sun_path[0] = '\0';
  put(to, where, offsetof(::sockaddr_un, sun_path) + path.size() + (is_abstract ? 0 : 1));
  return true;
}

std::error_code last_error() noexcept { return {errno, std::system_category()}; }

bool switch_on(int descriptor, int level, int option) noexcept {
  const int on = 1;
  return ::setsockopt(descriptor, level, option, &on, sizeof on) == 0;
}

template <class Getter>
result<address> ask_address(const socket& of, Getter&& getter) noexcept {
  address found;
  ::socklen_t size = address::most_bytes;
  if (getter(of.native(), static_cast<::sockaddr*>(found.data()), &size) != 0) return last_error();
  found.set_size(std::min<std::uint32_t>(size, address::most_bytes));
  return found;
}

}  // namespace

result<address> address::parse(std::string_view text) noexcept {
  address made;
  const auto wrong = std::make_error_code(std::errc::invalid_argument);
  if (text.starts_with(unix_prefix)) {
    if (!put_unix(made, text.substr(unix_prefix.size()))) return wrong;
    return made;
  }
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos) return wrong;
  std::string_view ip = text.substr(0, colon);
  const std::string_view number = text.substr(colon + 1);
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), port);
  if (error != std::errc() || end != number.data() + number.size()) return wrong;
  const bool in_brackets = ip.size() > 2 && ip.front() == '[' && ip.back() == ']';
  if (in_brackets) ip = ip.substr(1, ip.size() - 2);
  if ((ip.find(':') != ip.npos) != in_brackets || !put_ip(made, ip, port)) return wrong;
  return made;
}

address::address(std::string_view text) {
  const auto parsed = parse(text);
  if (!parsed) {
    throw std::invalid_argument("pilfer: \"" + std::string(text) +
                                "\" is no address: as 127.0.0.1:80, [::1]:80 or unix:/path");
  }
  *this = *parsed;
}

address::address(std::string_view ip, std::uint16_t port) {
  if (!put_ip(*this, ip, port)) throw std::invalid_argument("pilfer: \"" + std::string(ip) + "\" is no IP address");
}

int address::family() const noexcept {
  return size_ < sizeof(::sa_family_t) ? 0 : get<::sockaddr_storage>(*this).ss_family;
}
bool address::is_unix() const noexcept { return family() == AF_UNIX; }

std::uint16_t address::port() const noexcept {
  switch (family()) {
    case AF_INET: return ntohs(get<::sockaddr_in>(*this).sin_port);
    case AF_INET6: return ntohs(get<::sockaddr_in6>(*this).sin6_port);
    default: return 0;
  }
}

std::string address::text() const {
  char ip[INET6_ADDRSTRLEN + 1] = {};  // NOLINT(modernize-avoid-c-arrays): for C
  switch (family()) {
    case AF_INET: {
      const auto four = get<::sockaddr_in>(*this);
      ::inet_ntop(AF_INET, &four.sin_addr, ip, sizeof ip);
      return std::string(ip) + ":" + std::to_string(port());
    }
    case AF_INET6: {
      const auto six = get<::sockaddr_in6>(*this);
      ::inet_ntop(AF_INET6, &six.sin6_addr, ip, sizeof ip);
      return "[" + std::string(ip) + "]:" + std::to_string(port());
    }
    case AF_UNIX: {
      const auto where = get<::sockaddr_un>(*this);
      const std::size_t length = size_ - offsetof(::sockaddr_un, sun_path);
      if (length == 0) return std::string(unix_prefix);
      if (where.sun_path[0] != '\0')
        return std::string(unix_prefix) + std::string(where.sun_path, ::strnlen(where.sun_path, length));
      return std::string(unix_prefix) + "@" + std::string(where.sun_path + 1, length - 1);
    }
    default: return {};
  }
}

result<socket> listen(const address& at, const listen_options& options) noexcept {
  if (at.size() == 0) return std::make_error_code(std::errc::invalid_argument);
  socket made(::socket(at.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!made.is_open()) return last_error();
  const bool is_ip = !at.is_unix();
  if (options.reuse_address && is_ip && !switch_on(made.native(), SOL_SOCKET, SO_REUSEADDR)) return last_error();
  if (options.reuse_port && is_ip && !switch_on(made.native(), SOL_SOCKET, SO_REUSEPORT)) return last_error();
  if (options.no_delay && is_ip && !switch_on(made.native(), IPPROTO_TCP, TCP_NODELAY)) return last_error();
  if (::bind(made.native(), static_cast<const ::sockaddr*>(at.data()), at.size()) != 0) return last_error();
  if (::listen(made.native(), options.backlog) != 0) return last_error();
  return made;
}

result<address> local_address(const socket& of) noexcept { return ask_address(of, ::getsockname); }
result<address> peer_address(const socket& of) noexcept { return ask_address(of, ::getpeername); }

result<void> shutdown(const socket& of, direction which) noexcept {
  const int how = which == direction::receive ? SHUT_RD : (which == direction::send ? SHUT_WR : SHUT_RDWR);
  if (::shutdown(of.native(), how) != 0) return last_error();
  return {};
}

}  // namespace pilfer::io
