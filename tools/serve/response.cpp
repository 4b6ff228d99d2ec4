#include "tools/serve/response.hpp"

#include <array>
#include <charconv>
#include <string>

#include "tools/serve/characters.hpp"

namespace pilfer::serve {
namespace {

constexpr std::array<std::string_view, 7> days = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 12> months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

char* put(char* at, std::string_view text) {
  std::memcpy(at, text.data(), text.size());
  return at + text.size();
}

char* put_two(char* at, int number) {
  at[0] = static_cast<char>('0' + number / 10 % 10);
  at[1] = static_cast<char>('0' + number % 10);
  return at + 2;
}

// Both are asked for by every response: made anew once a second, by each thread for itself.
std::string_view date_now() {
  thread_local std::time_t last = -1;
  thread_local std::array<char, date_size> text;
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  if (now.tv_sec != last) {
    write_date(text.data(), now.tv_sec);
    last = now.tv_sec;
  }
  return {text.data(), text.size()};
}

char* put_number(char* at, std::uint64_t number) {
  constexpr std::ptrdiff_t most_digits = 20;
  return std::to_chars(at, at + most_digits, number).ptr;
}

std::string_view first_line_of(status what) {
  switch (what) {
    case status::ok: return "HTTP/1.1 200 OK\r\nDate: ";
    case status::moved: return "HTTP/1.1 301 Moved Permanently\r\nDate: ";
    case status::not_modified: return "HTTP/1.1 304 Not Modified\r\nDate: ";
    case status::bad_request: return "HTTP/1.1 400 Bad Request\r\nDate: ";
    case status::forbidden: return "HTTP/1.1 403 Forbidden\r\nDate: ";
    case status::not_found: return "HTTP/1.1 404 Not Found\r\nDate: ";
    case status::not_allowed: return "HTTP/1.1 405 Method Not Allowed\r\nDate: ";
    case status::timed_out: return "HTTP/1.1 408 Request Timeout\r\nDate: ";
    case status::body_too_large: return "HTTP/1.1 413 Content Too Large\r\nDate: ";
    case status::target_too_long: return "HTTP/1.1 414 URI Too Long\r\nDate: ";
    case status::expectation_failed: return "HTTP/1.1 417 Expectation Failed\r\nDate: ";
    case status::head_too_large: return "HTTP/1.1 431 Request Header Fields Too Large\r\nDate: ";
    case status::broken: return "HTTP/1.1 500 Internal Server Error\r\nDate: ";
    case status::not_implemented: return "HTTP/1.1 501 Not Implemented\r\nDate: ";
    case status::overloaded: return "HTTP/1.1 503 Service Unavailable\r\nDate: ";
    case status::no_such_version: return "HTTP/1.1 505 HTTP Version Not Supported\r\nDate: ";
  }
  return "HTTP/1.1 500 Internal Server Error\r\nDate: ";
}

// A number of `size` digits at `at`; -1 if it is none.
int number_at(std::string_view text, std::size_t at, std::size_t size) {
  int number = 0;
  for (const char c : text.substr(at, size)) {
    if (!characters::is(c, characters::digit)) return -1;
    number = number * 10 + (c - '0');
  }
  return number;
}

}  // namespace

void write_date(char* to, std::time_t when) {
  std::tm parts{};
  ::gmtime_r(&when, &parts);
  constexpr int first_year = 1900;
  const int year = parts.tm_year + first_year;
  char* at = put(to, days[static_cast<std::size_t>(parts.tm_wday)]);
  at = put(at, ", ");
  at = put_two(at, parts.tm_mday);
  *at++ = ' ';
  at = put(at, months[static_cast<std::size_t>(parts.tm_mon)]);
  *at++ = ' ';
  at = put_two(at, year / 100);
  at = put_two(at, year % 100);
  *at++ = ' ';
  at = put_two(at, parts.tm_hour);
  *at++ = ':';
  at = put_two(at, parts.tm_min);
  *at++ = ':';
  at = put_two(at, parts.tm_sec);
  put(at, " GMT");
}

std::optional<std::time_t> parse_date(std::string_view text) {
  if (text.size() != date_size) return std::nullopt;
  std::tm parts{};
  parts.tm_mday = number_at(text, 5, 2);
  parts.tm_mon = -1;
  for (std::size_t i = 0; i < months.size(); ++i) {
    if (text.substr(8, 3) == months[i]) parts.tm_mon = static_cast<int>(i);
  }
  parts.tm_year = number_at(text, 12, 4) - 1900;
  parts.tm_hour = number_at(text, 17, 2);
  parts.tm_min = number_at(text, 20, 2);
  parts.tm_sec = number_at(text, 23, 2);
  const std::time_t when = ::timegm(&parts);
  // What is written again from the result must be what was read: that refuses all else.
  std::array<char, date_size> again{};
  if (when < 0) return std::nullopt;
  write_date(again.data(), when);
  if (std::string_view(again.data(), again.size()) != text) return std::nullopt;
  return when;
}

std::string_view reason_of(status what) {
  constexpr std::size_t before = std::string_view("HTTP/1.1 200 ").size();
  const std::string_view line = first_line_of(what).substr(before);
  return line.substr(0, line.find('\r'));
}

void append_head(byte_buffer& to, const head_fields& fields) {
  // All that has a fixed size fits; the rest is added to it.
  constexpr std::size_t fixed = 512;
  const std::size_t most = fixed + fields.type.size() + fields.location.size() + fields.allowed.size();
  char* const begin = to.room(most).data();
  char* at = put(begin, first_line_of(fields.what));
  at = put(at, date_now());
  if (fields.what != status::not_modified) {
    at = put(at, "\r\nContent-Length: ");
    at = put_number(at, fields.length);
  }
  if (!fields.type.empty()) at = put(put(at, "\r\nContent-Type: "), fields.type);
  if (fields.modified != 0) {
    at = put(at, "\r\nLast-Modified: ");
    write_date(at, fields.modified);
    at += date_size;
  }
  if (!fields.location.empty()) at = put(put(at, "\r\nLocation: "), fields.location);
  if (!fields.allowed.empty()) at = put(put(at, "\r\nAllow: "), fields.allowed);
  if (fields.closes) {
    at = put(at, "\r\nConnection: close");
  } else if (fields.says_keep_alive) {
    at = put(at, "\r\nConnection: keep-alive");
  }
  at = put(at, "\r\n\r\n");
  to.add(static_cast<std::size_t>(at - begin));
}

void append_message(byte_buffer& to, head_fields fields, bool without_body) {
  const std::string_view words = reason_of(fields.what);
  std::array<char, 64> body{};
  char* at = put_number(body.data(), static_cast<std::uint64_t>(fields.what));
  *at++ = ' ';
  at = put(at, words);
  *at++ = '\n';
  const std::string_view text(body.data(), static_cast<std::size_t>(at - body.data()));
  fields.length = text.size();
  fields.type = "text/plain; charset=utf-8";
  append_head(to, fields);
  if (!without_body) to.append(text);
}

}  // namespace pilfer::serve
