// Chunked bodies, heads of responses, dates.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tools/serve/chunked_body.hpp"
#include "tools/serve/response.hpp"

namespace pilfer::serve {
namespace {

using body_outcome = chunked_body::outcome;

struct unframed {
  body_outcome how = body_outcome::incomplete;
  std::string body{};
  std::string rest{};  // what is behind the body
  status refusal = status::ok;
  friend bool operator==(const unframed&, const unframed&) = default;
};

unframed take_off(const std::string& bytes, const std::vector<std::size_t>& cuts = {}, const limits& allowed = {}) {
  chunked_body chunks(allowed);
  unframed found;
  std::size_t at = 0;
  std::vector<std::size_t> ends = cuts;
  ends.push_back(bytes.size());
  for (const std::size_t end : ends) {
    std::string piece = bytes.substr(at, end - at);
    const chunked_body::step next = chunks.advance(piece);
    found.how = next.how;
    if (next.how == body_outcome::refused) {
      found.refusal = chunks.refusal();
      found.body.clear();
      return found;
    }
    found.body += piece.substr(0, next.made);
    at += next.eaten;
    if (next.how == body_outcome::complete) {
      found.rest = bytes.substr(at);
      return found;
    }
    EXPECT_EQ(next.eaten, piece.size());
  }
  return found;
}

void expect_same_body_however_cut(const std::string& bytes, const limits& allowed = {}) {
  const unframed whole = take_off(bytes, {}, allowed);
  std::vector<std::size_t> all;
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    ASSERT_EQ(take_off(bytes, {cut}, allowed), whole) << "cut at " << cut << ": " << bytes;
    if (cut > 0 && cut < bytes.size()) all.push_back(cut);
  }
  ASSERT_EQ(take_off(bytes, all, allowed), whole) << "byte by byte: " << bytes;
}

TEST(chunked, takes_the_framing_off) {
  const std::string bytes = "5\r\nhello\r\n00a;x=\"y\"\r\n0123456789\r\n0\r\nTrailer: a\r\n\r\nGET /";
  const unframed found = take_off(bytes);
  EXPECT_EQ(found.how, body_outcome::complete);
  EXPECT_EQ(found.body, "hello0123456789");
  EXPECT_EQ(found.rest, "GET /");
  expect_same_body_however_cut(bytes);
  EXPECT_EQ(take_off("0\r\n\r\n").body, "");
  EXPECT_EQ(take_off("0\r\n\r\n").how, body_outcome::complete);
  EXPECT_EQ(take_off("5\r\nhel").how, body_outcome::incomplete);
  EXPECT_EQ(take_off("A\r\n0123456789\r\n0\r\n\r\n").body, "0123456789");
}

TEST(chunked, refuses_what_could_be_misunderstood) {
  for (const char* wrong :
       {"\r\n", "g\r\n", "-1\r\n", "0x5\r\nhello\r\n", " 5\r\nhello\r\n", "5 \r\nhello\r\n", "5\nhello\r\n",
        "5\r\nhello\n0\r\n\r\n", "5\r\nhelloX", "5\r\nhello\rX", "5;a\nhello", "00000000000000005\r\n", "0\r\n\n",
        "0\r\n bad: x\r\n\r\n", "0\r\nA: b\n\r\n", "0\r\nA\x01: b\r\n\r\n", "5\r\nhello0\r\n\r\n"}) {
    const unframed found = take_off(wrong);
    EXPECT_EQ(found.how, body_outcome::refused) << wrong;
    EXPECT_EQ(found.refusal, status::bad_request) << wrong;
    expect_same_body_however_cut(wrong);
  }
}

TEST(chunked, keeps_to_its_limits) {
  const limits small{.line = 40, .head = 20, .fields = 3, .body = 10};
  EXPECT_EQ(take_off("5\r\nhello\r\n5\r\nhello\r\n0\r\n\r\n", {}, small).body, "hellohello");
  EXPECT_EQ(take_off("b\r\n", {}, small).refusal, status::body_too_large);
  EXPECT_EQ(take_off("5\r\nhello\r\n6\r\n", {}, small).refusal, status::body_too_large);
  EXPECT_EQ(take_off("ffffffffffffffff\r\n", {}, small).refusal, status::body_too_large);
  EXPECT_EQ(take_off("5\r\nhello\r\nffffffffffffffff\r\n", {}, small).refusal, status::body_too_large)
      << "the sum is beyond 64 bits";
  EXPECT_EQ(take_off("1;" + std::string(20, 'x') + "\r\n", {}, small).how, body_outcome::incomplete);
  EXPECT_EQ(take_off("1;" + std::string(21, 'x') + "\r\n", {}, small).refusal, status::head_too_large);
  EXPECT_EQ(take_off("0\r\na:" + std::string(19, 'x') + "\r\n\r\n", {}, small).refusal, status::head_too_large);
}

TEST(dates, are_written_and_read) {
  std::string text(date_size, ' ');
  write_date(text.data(), 784'111'777);
  EXPECT_EQ(text, "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(parse_date(text), 784'111'777);
  for (const std::time_t when : {std::time_t{0}, std::time_t{951'782'400}, std::time_t{4'102'444'799}}) {
    write_date(text.data(), when);
    EXPECT_EQ(parse_date(text), when) << text;
  }
  for (const char* wrong :
       {"", "Sunday, 06-Nov-94 08:49:37 GMT", "Mon, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET",
        "Sun, 36 Nov 1994 08:49:37 GMT", "Sun, 06 Xyz 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sun, -6 Nov 1994 08:49:37 GMT"}) {
    EXPECT_EQ(parse_date(wrong), std::nullopt) << wrong;
  }
}

TEST(responses, have_heads) {
  byte_buffer out;
  append_head(out, {.what = status::ok, .length = 12, .type = "text/plain", .closes = true, .modified = 784'111'777});
  std::string text(out.view());
  const std::size_t date = text.find("Date: ");
  ASSERT_NE(date, std::string::npos);
  EXPECT_TRUE(parse_date(text.substr(date + 6, date_size)).has_value()) << text;
  text.erase(date, 6 + date_size + 2);
  EXPECT_EQ(text,
            "HTTP/1.1 200 OK\r\nContent-Length: 12\r\nContent-Type: text/plain\r\nLast-Modified: Sun, 06 Nov 1994 "
            "08:49:37 GMT\r\n"
            "Connection: close\r\n\r\n");
}

TEST(responses, say_what_went_wrong) {
  byte_buffer out;
  append_message(out, {.what = status::not_allowed, .allowed = "GET"}, false);
  const std::string text(out.view());
  EXPECT_TRUE(text.starts_with("HTTP/1.1 405 Method Not Allowed\r\n")) << text;
  EXPECT_NE(text.find("\r\nAllow: GET\r\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\r\nContent-Length: 23\r\n"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("\r\n\r\n405 Method Not Allowed\n")) << text;
  out.clear();
  append_message(out, {.what = status::not_found}, true);
  EXPECT_TRUE(out.view().ends_with("\r\n\r\n"));
  out.clear();
  append_head(out, {.what = status::not_modified, .length = 7});
  EXPECT_EQ(out.view().find("Content-Length"), std::string_view::npos);
}

TEST(buffer, keeps_bytes_while_it_moves) {
  byte_buffer buffer;
  std::string expected;
  for (int i = 0; i < 3000; ++i) {
    const std::string word = std::to_string(i) + " ";
    buffer.append(word);
    expected += word;
    if (i % 3 == 2) {
      buffer.take(4);
      expected.erase(0, 4);
    }
    ASSERT_EQ(buffer.size(), expected.size());
  }
  EXPECT_EQ(buffer.view(), expected);
  buffer.keep(5);
  EXPECT_EQ(buffer.view(), expected.substr(0, 5));
  buffer.shrink(0);
  EXPECT_EQ(buffer.size(), 5U) << "only an empty one gives memory back";
  buffer.take(5);
  buffer.shrink(0);
  EXPECT_EQ(buffer.capacity(), 0U);
}

}  // namespace
}  // namespace pilfer::serve
