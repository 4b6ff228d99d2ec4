// What the head of an HTTP/1.1 request says, and how much of one is taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pilfer::serve {

enum class method : std::uint8_t {
  get,
  head,
  post,
  put,
  other,    // DELETE, PATCH, OPTIONS, TRACE, CONNECT: known, and never allowed here
  unknown,  // a token, but no method we have heard of
};

struct limits {
  std::size_t line = 8 << 10;    // bytes of the request's first line: 414 beyond
  std::size_t head = 16 << 10;   // bytes of the head, its first line included: 431 beyond; of trailers, too
  std::size_t fields = 100;      // lines of the head: 431 beyond
  std::uint64_t body = 1 << 20;  // bytes of a body without its framing: 413 beyond
};

// A piece of the head, as a distance from its first byte: the buffer may move while the rest of a request comes.
struct piece {
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
  [[nodiscard]] std::string_view in(std::string_view head) const { return head.substr(offset, size); }
};

struct request {
  method verb = method::unknown;
  piece target{};           // path and query: always begins with '/', but for "*" and CONNECT
  piece modified_since{};   // value of If-Modified-Since; empty if there is none
  bool is_1_0 = false;      // an HTTP/1.0 client: no chunks, no 100 Continue
  bool keeps_alive = true;  // wants to go on with this connection
  bool awaits_continue = false;
  bool chunked = false;
  std::uint64_t length = 0;  // of the body, unless chunked
};

// Codes of status that we use; the text is response.hpp's business.
enum class status : std::uint16_t {
  ok = 200,
  moved = 301,
  not_modified = 304,
  bad_request = 400,
  forbidden = 403,
  not_found = 404,
  not_allowed = 405,
  timed_out = 408,
  body_too_large = 413,
  target_too_long = 414,
  expectation_failed = 417,
  head_too_large = 431,
  broken = 500,
  not_implemented = 501,
  overloaded = 503,
  no_such_version = 505,
};

}  // namespace pilfer::serve
