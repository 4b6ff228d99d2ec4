// Takes the framing off a chunked body (RFC 9112, 7.1), in place, however it is cut into pieces. Extensions and trailers are
// checked and dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tools/serve/request.hpp"

namespace pilfer::serve {

class chunked_body {
 public:
  enum class outcome : unsigned char { incomplete, complete, refused };
  struct step {
    outcome how = outcome::incomplete;
    std::size_t eaten =
        0;                 // bytes of the framed body; all of them unless it is complete: then the next request follows
    std::size_t made = 0;  // bytes without framing, at the beginning of what was given
  };

  explicit chunked_body(const limits& allowed) noexcept : limits_(allowed) {}

  // Goes on with the next bytes.
  [[nodiscard]] step advance(std::span<char> bytes);

  [[nodiscard]] status refusal() const noexcept { return refusal_; }
  void restart() noexcept;

 private:
  enum class stage : unsigned char {
    first_digit,
    digits,
    extension,
    size_end,
    data,
    data_return,
    data_end,
    line_begin,  // of trailers
    line,
    line_end,
    last_end,
    over,
  };

  // One byte of framing; false: refused.
  [[nodiscard]] bool take(char c);
  [[nodiscard]] bool take_digit(char c);
  [[nodiscard]] bool begin_chunk();
  [[nodiscard]] bool expect(char c, char wanted, stage next);
  [[nodiscard]] bool overhead();

  limits limits_;
  std::uint64_t left_ = 0;    // of the chunk
  std::uint64_t size_ = 0;    // of the body so far
  std::size_t overhead_ = 0;  // bytes of extensions and trailers
  unsigned digits_ = 0;
  stage at_ = stage::first_digit;
  status refusal_ = status::bad_request;
};

}  // namespace pilfer::serve
