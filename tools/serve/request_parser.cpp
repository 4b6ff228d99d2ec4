#include "tools/serve/request_parser.hpp"

#include <cstring>
#include <limits>

#include "tools/serve/characters.hpp"

namespace pilfer::serve {
namespace {

method method_named(std::string_view name) {
  if (name == "GET") return method::get;
  if (name == "POST") return method::post;
  if (name == "HEAD") return method::head;
  if (name == "PUT") return method::put;
  for (const std::string_view other : {"DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT"}) {
    if (name == other) return method::other;
  }
  return method::unknown;
}

piece piece_at(std::size_t offset, std::size_t size) {
  return {.offset = static_cast<std::uint32_t>(offset), .size = static_cast<std::uint32_t>(size)};
}

}  // namespace

void request_parser::restart() noexcept {
  const limits kept = limits_;
  *this = request_parser(kept);
}

request_parser::outcome request_parser::refuse(status with) noexcept {
  refusal_ = with;
  at_ = stage::over;
  return outcome::refused;
}

request_parser::outcome request_parser::advance(std::string_view bytes) {
  while (at_ != stage::over) {
    const char* const from = bytes.data() + scanned_;
    const void* const found = scanned_ < bytes.size() ? std::memchr(from, '\n', bytes.size() - scanned_) : nullptr;
    const std::size_t end =
        found == nullptr ? bytes.size() : scanned_ + static_cast<std::size_t>(static_cast<const char*>(found) - from);
    const std::size_t line_end = found == nullptr ? end : end - 1;  // without CR
    // Limits come first, so that the answer does not depend on how the bytes were cut.
    if (at_ == stage::first_line && end > next_ && line_end - next_ > limits_.line + (found == nullptr ? 1 : 0))
      return refuse(status::target_too_long);
    if (end + (found == nullptr ? 0 : 1) > limits_.head) return refuse(status::head_too_large);
    if (found == nullptr) {
      scanned_ = bytes.size();
      return outcome::incomplete;
    }
    if (end == next_ || bytes[line_end] != '\r') return refuse(status::bad_request);  // a bare LF
    const std::string_view line = bytes.substr(next_, line_end - next_);
    if (at_ == stage::first_line) {
      if (!line.empty()) {  // empty lines before a request are skipped: some clients send one behind a body
        if (!take_first_line(line)) return refuse(refusal_);
        at_ = stage::fields;
      }
    } else if (line.empty()) {
      next_ = end + 1;
      if (!conclude()) return refuse(refusal_);
      at_ = stage::over;
      return outcome::complete;
    } else if (!take_field(line)) {
      return refuse(refusal_);
    }
    next_ = scanned_ = end + 1;
  }
  return outcome::refused;  // advanced without restart(): of no use, but defined
}

bool request_parser::take_first_line(std::string_view line) {
  refusal_ = status::bad_request;
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == 0 || last == first) return false;
  const std::string_view name = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  if (!all_of_class(name, characters::token) || target.empty() || !all_of_class(target, characters::target))
    return false;
  if (version.size() != 8 || !version.starts_with("HTTP/") || !characters::is(version[5], characters::digit) ||
      version[6] != '.' || !characters::is(version[7], characters::digit)) {
    return false;
  }
  if (version[5] != '1') {
    refusal_ = status::no_such_version;
    return false;
  }
  request_.is_1_0 = version[7] == '0';
  request_.verb = method_named(name);
  // CONNECT's target is an authority; it is not allowed anyway.
  if (name == "CONNECT" || (name == "OPTIONS" && target == "*")) {
    request_.target = piece_at(next_ + first + 1, target.size());
    return true;
  }
  return take_target(target, next_ + first + 1);
}

bool request_parser::take_target(std::string_view target, std::size_t offset) {
  if (target.front() != '/') {  // the absolute form, which a server must understand: only the path counts
    constexpr std::string_view scheme = "http://";
    if (target.size() < scheme.size() || !same_word(target.substr(0, scheme.size()), scheme)) return false;
    const std::size_t path = target.find('/', scheme.size());
    if (path == std::string_view::npos || path == scheme.size()) return false;
    offset += path;
    target.remove_prefix(path);
  }
  if (target.find('#') != std::string_view::npos) return false;
  request_.target = piece_at(offset, target.size());
  return true;
}

bool request_parser::take_field(std::string_view line) {
  refusal_ = status::bad_request;
  if (++fields_ > limits_.fields) {
    refusal_ = status::head_too_large;
    return false;
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  const std::string_view name = line.substr(0, colon);
  const std::string_view rest = line.substr(colon + 1);
  if (!all_of_class(name, characters::token) || !all_of_class(rest, characters::value)) return false;
  const std::string_view value = trimmed(rest);
  const std::size_t offset = next_ + static_cast<std::size_t>(value.data() - line.data());
  return take_known_field(name, value, offset);
}

bool request_parser::take_known_field(std::string_view name, std::string_view value, std::size_t offset) {
  switch (name.size()) {
    case 4:
      if (!same_word(name, "host")) return true;
      if (has_host_) return false;
      has_host_ = true;
      // Which host is all the same to us, but it must not look like two.
      return value.find_first_of(", \t/@") == std::string_view::npos;
    case 6:
      if (!same_word(name, "expect")) return true;
      if (!same_word(value, "100-continue")) {
        refusal_ = status::expectation_failed;
        return false;
      }
      request_.awaits_continue = true;
      return true;
    case 10:
      if (same_word(name, "connection")) take_connection(value);
      return true;
    case 14: return !same_word(name, "content-length") || take_length(value);
    case 17:
      if (same_word(name, "transfer-encoding")) return take_coding(value);
      if (same_word(name, "if-modified-since")) request_.modified_since = piece_at(offset, value.size());
      return true;
    default: return true;
  }
}

bool request_parser::take_length(std::string_view value) {
  if (has_length_ || value.empty() || !all_of_class(value, characters::digit)) return false;
  has_length_ = true;
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  for (const char c : value) {
    const auto figure = static_cast<std::uint64_t>(c - '0');
    // Larger than any limit, but a number: 413, later.
    request_.length = request_.length > (most - figure) / 10 ? most : request_.length * 10 + figure;
    if (request_.length == most) break;
  }
  return true;
}

bool request_parser::take_coding(std::string_view value) {
  if (has_coding_) return false;
  has_coding_ = true;
  bool others = false;
  while (!value.empty()) {
    const std::string_view one = next_element(value);
    if (request_.chunked || one.empty()) return false;  // chunked is the last, and there once
    if (same_word(one, "chunked")) {
      request_.chunked = true;
    } else {
      others = true;
    }
  }
  if (!request_.chunked) return false;
  if (others) refusal_ = status::not_implemented;
  return !others;
}

void request_parser::take_connection(std::string_view value) {
  while (!value.empty()) {
    const std::string_view one = next_element(value);
    if (same_word(one, "close")) says_close_ = true;
    if (same_word(one, "keep-alive")) says_keep_alive_ = true;
  }
}

bool request_parser::conclude() {
  refusal_ = status::bad_request;
  if (!has_host_ && !request_.is_1_0) return false;
  if (has_length_ && has_coding_) return false;
  if (has_coding_ && request_.is_1_0) return false;
  if (request_.length > limits_.body) {
    refusal_ = status::body_too_large;
    return false;
  }
  request_.keeps_alive = !says_close_ && (!request_.is_1_0 || says_keep_alive_);
  if (request_.is_1_0 || (!request_.chunked && request_.length == 0)) request_.awaits_continue = false;
  return true;
}

}  // namespace pilfer::serve
