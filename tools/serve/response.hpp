// Writes heads of responses, and whole ones that only say what went wrong.
#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string_view>

#include "tools/serve/byte_buffer.hpp"
#include "tools/serve/request.hpp"

namespace pilfer::serve {

// "Sun, 06 Nov 1994 08:49:37 GMT"; the year must have four digits.
inline constexpr std::size_t date_size = 29;
void write_date(char* to, std::time_t when);
// Only of this form; none for anything else.
[[nodiscard]] std::optional<std::time_t> parse_date(std::string_view text);

// "Not Found"
[[nodiscard]] std::string_view reason_of(status what);

struct head_fields {
  status what = status::ok;
  std::uint64_t length = 0;      // Content-Length; 304 has none
  std::string_view type{};       // Content-Type
  bool closes = false;           // Connection: close
  bool says_keep_alive = false;  // Connection: keep-alive, which HTTP/1.0 clients wait for
  std::time_t modified = 0;      // Last-Modified; 0: none
  std::string_view location{};   // Location: must be free of control characters
  std::string_view allowed{};    // Allow
};

// Appends the head, with Date, up to and including the empty line.
void append_head(byte_buffer& to, const head_fields& fields);

// A response whose body is the status in words. `without_body`: to HEAD, only the head.
void append_message(byte_buffer& to, head_fields fields, bool without_body);

inline constexpr std::string_view continue_response = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace pilfer::serve
