#include "tools/serve/chunked_body.hpp"

#include <algorithm>
#include <cstring>

#include "tools/serve/characters.hpp"

namespace pilfer::serve {
namespace {

constexpr unsigned most_size_digits = 16;  // leading zeros count: nobody sends that many

}  // namespace

void chunked_body::restart() noexcept {
  const limits kept = limits_;
  *this = chunked_body(kept);
}

chunked_body::step chunked_body::advance(std::span<char> bytes) {
  std::size_t from = 0;
  std::size_t to = 0;
  while (from < bytes.size() && at_ != stage::over) {
    if (at_ == stage::data) {
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size() - from));
      if (from != to) std::memmove(bytes.data() + to, bytes.data() + from, count);
      from += count;
      to += count;
      left_ -= count;
      if (left_ == 0) at_ = stage::data_return;
    } else if (!take(bytes[from++])) {
      at_ = stage::over;
      return {outcome::refused, from, to};
    }
  }
  return {at_ == stage::over ? outcome::complete : outcome::incomplete, from, to};
}

bool chunked_body::expect(char c, char wanted, stage next) {
  at_ = next;
  return c == wanted;
}

// Nobody may keep us busy with what is no body.
bool chunked_body::overhead() {
  if (++overhead_ <= limits_.head) return true;
  refusal_ = status::head_too_large;
  return false;
}

bool chunked_body::take(char c) {
  switch (at_) {
    case stage::first_digit:
      left_ = 0;
      digits_ = 0;
      at_ = stage::digits;
      return hex_value(c) >= 0 && take_digit(c);
    case stage::digits:
      if (hex_value(c) >= 0) return take_digit(c);
      if (c == ';') return expect(c, ';', stage::extension);
      return expect(c, '\r', stage::size_end);
    case stage::extension:
      if (c == '\r') return expect(c, '\r', stage::size_end);
      return characters::is(c, characters::value) && overhead();
    case stage::size_end: return c == '\n' && begin_chunk();
    case stage::data_return: return expect(c, '\r', stage::data_end);
    case stage::data_end: return expect(c, '\n', stage::first_digit);
    case stage::line_begin:
      if (c == '\r') return expect(c, '\r', stage::last_end);
      at_ = stage::line;
      return characters::is(c, characters::token) && overhead();
    case stage::line:
      if (c == '\r') return expect(c, '\r', stage::line_end);
      return characters::is(c, characters::value) && overhead();
    case stage::line_end: return expect(c, '\n', stage::line_begin);
    case stage::last_end: return expect(c, '\n', stage::over);
    case stage::data:
    case stage::over: break;
  }
  return false;
}

bool chunked_body::take_digit(char c) {
  if (++digits_ > most_size_digits) return false;
  left_ = left_ * 16 + static_cast<std::uint64_t>(hex_value(c));
  return true;
}

bool chunked_body::begin_chunk() {
  if (left_ > limits_.body - size_) {
    refusal_ = status::body_too_large;
    return false;
  }
  size_ += left_;
  at_ = left_ == 0 ? stage::line_begin : stage::data;
  return true;
}

}  // namespace pilfer::serve
