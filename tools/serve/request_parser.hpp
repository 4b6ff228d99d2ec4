// Reads the head of a request, however it is cut into pieces. Strict: what two programs could understand in two ways is refused
// (request smuggling), and after a refusal there is nothing more to read on that connection.
//
//   request_parser parser(limits);
//   switch (parser.advance(bytes_so_far)) { … }      // always from the request's first byte; what was read is not read again
//
// Refused with 400: bare CR or LF, folded lines, blanks before a colon, control characters, no Host or two, a length that is no
// number, two lengths, a length and a transfer coding, a transfer coding in HTTP/1.0, chunked twice or not last.
#pragma once

#include <cstddef>
#include <string_view>

#include "tools/serve/request.hpp"

namespace pilfer::serve {

class request_parser {
 public:
  enum class outcome : unsigned char {
    incomplete,  // more is needed
    complete,    // head() and head_size() are valid
    refused,     // refusal() says how to answer; then the connection ends
  };

  explicit request_parser(const limits& allowed) noexcept : limits_(allowed) {}

  // `bytes`: all that has come of this request and behind it. After `complete` or `refused`, restart() comes first.
  [[nodiscard]] outcome advance(std::string_view bytes);

  [[nodiscard]] const request& head() const noexcept { return request_; }
  [[nodiscard]] std::size_t head_size() const noexcept { return next_; }  // in bytes, the empty line included
  [[nodiscard]] status refusal() const noexcept { return refusal_; }

  void restart() noexcept;

 private:
  enum class stage : unsigned char { first_line, fields, over };

  outcome refuse(status with) noexcept;
  // Each takes a line without its end; false: refused.
  [[nodiscard]] bool take_first_line(std::string_view line);
  [[nodiscard]] bool take_target(std::string_view target, std::size_t offset);
  [[nodiscard]] bool take_field(std::string_view line);
  [[nodiscard]] bool take_known_field(std::string_view name, std::string_view value, std::size_t offset);
  [[nodiscard]] bool take_length(std::string_view value);
  [[nodiscard]] bool take_coding(std::string_view value);
  void take_connection(std::string_view value);
  [[nodiscard]] bool conclude();

  limits limits_;
  request request_{};
  std::size_t next_ = 0;     // where the next line begins
  std::size_t scanned_ = 0;  // no line ends before
  std::size_t fields_ = 0;
  stage at_ = stage::first_line;
  status refusal_ = status::bad_request;
  bool has_host_ = false;
  bool has_length_ = false;
  bool has_coding_ = false;
  bool says_close_ = false;
  bool says_keep_alive_ = false;
};

}  // namespace pilfer::serve
