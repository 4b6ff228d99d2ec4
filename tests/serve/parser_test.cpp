// Heads of requests: what is understood, what is refused, and that it does not matter how the bytes are cut.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/serve/request_parser.hpp"

namespace pilfer::serve {
namespace {

using head_outcome = request_parser::outcome;

struct parsed_head {
  head_outcome how = head_outcome::incomplete;
  status refusal = status::ok;
  std::size_t size = 0;
  request head{};
  std::string target{};

  friend bool operator==(const parsed_head& a, const parsed_head& b) {
    return a.how == b.how && a.refusal == b.refusal && a.size == b.size && a.target == b.target &&
           a.head.verb == b.head.verb && a.head.is_1_0 == b.head.is_1_0 && a.head.keeps_alive == b.head.keeps_alive &&
           a.head.chunked == b.head.chunked && a.head.length == b.head.length &&
           a.head.awaits_continue == b.head.awaits_continue;
  }
};

// Hands over the bytes in pieces that end at `cuts` and at the end.
parsed_head parse(const std::string& bytes, const std::vector<std::size_t>& cuts = {}, const limits& allowed = {}) {
  request_parser parser(allowed);
  std::vector<std::size_t> ends = cuts;
  ends.push_back(bytes.size());
  parsed_head found;
  for (const std::size_t end : ends) {
    const std::string moved = bytes.substr(0, end);  // elsewhere each time, as a buffer that grows
    found.how = parser.advance(moved);
    if (found.how == head_outcome::incomplete) continue;
    if (found.how == head_outcome::refused) {
      found.refusal = parser.refusal();
    } else {
      found.size = parser.head_size();
      found.head = parser.head();
      found.target = std::string(found.head.target.in(moved));
    }
    return found;
  }
  return found;
}

std::vector<std::size_t> every_byte(const std::string& bytes) {
  std::vector<std::size_t> cuts;
  for (std::size_t i = 1; i < bytes.size(); ++i) cuts.push_back(i);
  return cuts;
}

void expect_same_head_however_cut(const std::string& bytes, const limits& allowed = {}) {
  const parsed_head whole = parse(bytes, {}, allowed);
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    ASSERT_TRUE(parse(bytes, {cut}, allowed) == whole) << "cut at " << cut << ": " << bytes;
  }
  ASSERT_TRUE(parse(bytes, every_byte(bytes), allowed) == whole) << "byte by byte: " << bytes;
}

std::string with_fields(const std::string& fields, const std::string& first = "POST /a HTTP/1.1") {
  return first + "\r\nHost: here\r\n" + fields + "\r\n";
}

TEST(parser, reads_a_request) {
  const std::string bytes = "GET /a/b?c=d HTTP/1.1\r\nHost: here:80\r\nUser-Agent: x\r\n\r\nGET";
  const parsed_head found = parse(bytes);
  ASSERT_EQ(found.how, head_outcome::complete);
  EXPECT_EQ(found.size, bytes.size() - 3);
  EXPECT_EQ(found.target, "/a/b?c=d");
  EXPECT_EQ(found.head.verb, method::get);
  EXPECT_TRUE(found.head.keeps_alive);
  EXPECT_FALSE(found.head.is_1_0);
  EXPECT_FALSE(found.head.chunked);
  EXPECT_EQ(found.head.length, 0U);
  expect_same_head_however_cut(bytes);
}

TEST(parser, knows_methods) {
  for (const auto& [name, verb] : {std::pair("GET", method::get),
                                   {"HEAD", method::head},
                                   {"POST", method::post},
                                   {"PUT", method::put},
                                   {"DELETE", method::other},
                                   {"OPTIONS", method::other},
                                   {"get", method::unknown},
                                   {"BREW", method::unknown}}) {
    const parsed_head found = parse(std::string(name) + " / HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_EQ(found.how, head_outcome::complete) << name;
    EXPECT_EQ(found.head.verb, verb) << name;
  }
}

TEST(parser, knows_forms_of_targets) {
  EXPECT_EQ(parse("GET http://here:80/x?y HTTP/1.1\r\nHost: a\r\n\r\n").target, "/x?y");
  EXPECT_EQ(parse("GET HTTP://here/ HTTP/1.1\r\nHost: a\r\n\r\n").target, "/");
  EXPECT_EQ(parse("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n").target, "*");
  EXPECT_EQ(parse("CONNECT here:443 HTTP/1.1\r\nHost: a\r\n\r\n").target, "here:443");
  for (const char* wrong : {"*", "x", "here:443", "http://", "http://here", "http:///x", "/x#y", "ftp://here/x"}) {
    EXPECT_EQ(parse(std::string("GET ") + wrong + " HTTP/1.1\r\nHost: a\r\n\r\n").refusal, status::bad_request)
        << wrong;
  }
}

TEST(parser, decides_whether_a_connection_stays) {
  const auto stays = [](const std::string& version, const std::string& field) {
    return parse("GET / HTTP/" + version + "\r\nHost: a\r\n" + field + "\r\n").head.keeps_alive;
  };
  EXPECT_TRUE(stays("1.1", ""));
  EXPECT_TRUE(stays("1.1", "Connection: Upgrade, keep-alive\r\n"));
  EXPECT_TRUE(stays("1.7", ""));
  EXPECT_FALSE(stays("1.1", "Connection: close\r\n"));
  EXPECT_FALSE(stays("1.1", "cOnNection: foo ,\tCLOSE\r\n"));
  EXPECT_FALSE(stays("1.1", "Connection: keep-alive\r\nConnection: close\r\n"));
  EXPECT_FALSE(stays("1.0", ""));
  EXPECT_TRUE(stays("1.0", "Connection: Keep-Alive\r\n"));
  EXPECT_FALSE(stays("1.0", "Connection: keep-alive, close\r\n"));
}

TEST(parser, reads_lengths_and_codings) {
  EXPECT_EQ(parse(with_fields("Content-Length: 17\r\n")).head.length, 17U);
  EXPECT_EQ(parse(with_fields("content-length:\t 0017 \r\n")).head.length, 17U);
  EXPECT_TRUE(parse(with_fields("Transfer-Encoding: chunked\r\n")).head.chunked);
  EXPECT_TRUE(parse(with_fields("transfer-encoding:Chunked\r\n")).head.chunked);
  EXPECT_TRUE(parse(with_fields("Content-Length: 1\r\nExpect: 100-Continue\r\n")).head.awaits_continue);
  EXPECT_FALSE(parse(with_fields("Expect: 100-continue\r\n")).head.awaits_continue) << "there is no body to wait for";
}

struct refused_case {
  const char* name;
  std::string bytes;
  status with;
};

std::vector<refused_case> refused_cases() {
  return {
      {"two lengths that differ", with_fields("Content-Length: 1\r\nContent-Length: 2\r\n"), status::bad_request},
      {"two lengths alike", with_fields("Content-Length: 1\r\nContent-Length: 1\r\n"), status::bad_request},
      {"a list of lengths", with_fields("Content-Length: 1, 1\r\n"), status::bad_request},
      {"length and coding", with_fields("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"), status::bad_request},
      {"coding and length", with_fields("Transfer-Encoding: chunked\r\nContent-Length: 1\r\n"), status::bad_request},
      {"a length with a sign", with_fields("Content-Length: +1\r\n"), status::bad_request},
      {"a negative length", with_fields("Content-Length: -1\r\n"), status::bad_request},
      {"a length in hex", with_fields("Content-Length: 0x1\r\n"), status::bad_request},
      {"an empty length", with_fields("Content-Length:\r\n"), status::bad_request},
      {"a length with a blank inside", with_fields("Content-Length: 1 2\r\n"), status::bad_request},
      {"a length above all numbers", with_fields("Content-Length: 99999999999999999999999\r\n"),
       status::body_too_large},
      {"a length of 2^64", with_fields("Content-Length: 18446744073709551616\r\n"), status::body_too_large},
      {"a length above the limit", with_fields("Content-Length: 1048577\r\n"), status::body_too_large},
      {"chunked twice", with_fields("Transfer-Encoding: chunked, chunked\r\n"), status::bad_request},
      {"chunked in two lines", with_fields("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"),
       status::bad_request},
      {"chunked not last", with_fields("Transfer-Encoding: chunked, gzip\r\n"), status::bad_request},
      {"no chunked at all", with_fields("Transfer-Encoding: gzip\r\n"), status::bad_request},
      {"a coding with a strange end", with_fields("Transfer-Encoding: chunked\x0b\r\n"), status::bad_request},
      {"a coding within another's name", with_fields("Transfer-Encoding: xchunked\r\n"), status::bad_request},
      {"an empty coding", with_fields("Transfer-Encoding:\r\n"), status::bad_request},
      {"a coding we do not have", with_fields("Transfer-Encoding: gzip, chunked\r\n"), status::not_implemented},
      {"chunks in HTTP/1.0", with_fields("Transfer-Encoding: chunked\r\n", "POST / HTTP/1.0"), status::bad_request},
      {"a blank before the colon", with_fields("Content-Length : 1\r\n"), status::bad_request},
      {"a folded line", with_fields("A: b\r\n c\r\n"), status::bad_request},
      {"a line that begins with a blank", with_fields(" A: b\r\n"), status::bad_request},
      {"a line without a colon", with_fields("nonsense\r\n"), status::bad_request},
      {"a field without a name", with_fields(": a\r\n"), status::bad_request},
      {"a zero in a value", with_fields(std::string("A: b\0c\r\n", 8)), status::bad_request},
      {"a CR in a value", with_fields("A: b\rc\r\n"), status::bad_request},
      {"a bare LF behind a field", "GET / HTTP/1.1\r\nHost: a\nB: c\r\n\r\n", status::bad_request},
      {"a bare LF behind the first line", "GET / HTTP/1.1\nHost: a\r\n\r\n", status::bad_request},
      {"a bare LF for an end", "GET / HTTP/1.1\r\nHost: a\r\n\n", status::bad_request},
      {"a bare LF before all", "\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", status::bad_request},
      {"no host", "GET / HTTP/1.1\r\n\r\n", status::bad_request},
      {"two hosts", with_fields("Host: there\r\n"), status::bad_request},
      {"a host like two", "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", status::bad_request},
      {"no version", "GET /\r\nHost: a\r\n\r\n", status::bad_request},
      {"half a version", "GET / HTTP/1\r\nHost: a\r\n\r\n", status::bad_request},
      {"another protocol", "GET / ICY/1.1\r\nHost: a\r\n\r\n", status::bad_request},
      {"a small version", "GET / http/1.1\r\nHost: a\r\n\r\n", status::bad_request},
      {"version 2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", status::no_such_version},
      {"version 2 of a path", "GET / HTTP/2.0\r\n\r\n", status::no_such_version},
      {"version 0.9", "GET / HTTP/0.9\r\n\r\n", status::no_such_version},
      {"two blanks", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", status::bad_request},
      {"a blank at the end", "GET / HTTP/1.1 \r\nHost: a\r\n\r\n", status::bad_request},
      {"a blank in front", " GET / HTTP/1.1\r\nHost: a\r\n\r\n", status::bad_request},
      {"a blank in the target", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", status::bad_request},
      {"a tab for a blank", "GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n", status::bad_request},
      {"a method that is no token", "G(T / HTTP/1.1\r\nHost: a\r\n\r\n", status::bad_request},
      {"a target above ASCII", "GET /\xc3\xa4 HTTP/1.1\r\nHost: a\r\n\r\n", status::bad_request},
      {"an expectation of its own", with_fields("Expect: 200-ok\r\n"), status::expectation_failed},
      {"something else than HTTP", std::string("\x16\x03\x01\x02\n", 5), status::bad_request},
  };
}

TEST(parser, refuses_what_could_be_misunderstood) {
  for (const refused_case& one : refused_cases()) {
    const parsed_head found = parse(one.bytes);
    ASSERT_EQ(found.how, head_outcome::refused) << one.name;
    EXPECT_EQ(found.refusal, one.with) << one.name;
  }
}

TEST(parser, does_not_mind_where_bytes_are_cut) {
  for (const refused_case& one : refused_cases()) expect_same_head_however_cut(one.bytes);
  expect_same_head_however_cut(with_fields("Content-Length: 12\r\nExpect: 100-continue\r\nConnection: close\r\n"));
  expect_same_head_however_cut(with_fields("Transfer-Encoding: chunked\r\nA: b\r\n") + "5\r\nhello\r\n0\r\n\r\n");
  expect_same_head_however_cut("\r\n\r\nGET http://a/b HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
}

TEST(parser, skips_empty_lines_before_a_request) {
  const std::string bytes = "\r\n\r\nGET /x HTTP/1.1\r\nHost: a\r\n\r\n";
  const parsed_head found = parse(bytes);
  ASSERT_EQ(found.how, head_outcome::complete);
  EXPECT_EQ(found.size, bytes.size());
  EXPECT_EQ(found.target, "/x");
}

TEST(parser, keeps_to_its_limits) {
  const limits small{.line = 40, .head = 120, .fields = 3, .body = 10};
  const auto first_line_of = [](std::size_t size) {
    return "GET /" + std::string(size - std::string_view("GET / HTTP/1.1").size(), 'a') +
           " HTTP/1.1\r\nHost: a\r\n\r\n";
  };
  EXPECT_EQ(parse(first_line_of(40), {}, small).how, head_outcome::complete);
  EXPECT_EQ(parse(first_line_of(41), {}, small).refusal, status::target_too_long);
  expect_same_head_however_cut(first_line_of(40), small);
  expect_same_head_however_cut(first_line_of(41), small);

  const auto head_of = [](std::size_t size) {
    const std::string without = "GET / HTTP/1.1\r\nHost: a\r\nB: \r\n\r\n";
    return "GET / HTTP/1.1\r\nHost: a\r\nB: " + std::string(size - without.size(), 'b') + "\r\n\r\n";
  };
  ASSERT_EQ(head_of(120).size(), 120U);
  EXPECT_EQ(parse(head_of(120), {}, small).how, head_outcome::complete);
  EXPECT_EQ(parse(head_of(121), {}, small).refusal, status::head_too_large);
  expect_same_head_however_cut(head_of(120), small);
  expect_same_head_however_cut(head_of(121), small);
  EXPECT_EQ(parse(std::string(200, '\r') + "\n", {}, small).refusal, status::target_too_long);

  EXPECT_EQ(parse("GET / HTTP/1.1\r\nHost: a\r\nB:\r\nC:\r\n\r\n", {}, small).how, head_outcome::complete);
  EXPECT_EQ(parse("GET / HTTP/1.1\r\nHost: a\r\nB:\r\nC:\r\nD:\r\n\r\n", {}, small).refusal, status::head_too_large);
  EXPECT_EQ(parse(with_fields("Content-Length: 10\r\n"), {}, small).how, head_outcome::complete);
  EXPECT_EQ(parse(with_fields("Content-Length: 11\r\n"), {}, small).refusal, status::body_too_large);
}

TEST(parser, begins_again) {
  request_parser parser(limits{});
  const std::string first = with_fields("Content-Length: 5\r\nConnection: close\r\n");
  ASSERT_EQ(parser.advance(first), head_outcome::complete);
  parser.restart();
  const std::string second = "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n";
  ASSERT_EQ(parser.advance(second), head_outcome::complete);
  EXPECT_EQ(parser.head().length, 0U);
  EXPECT_TRUE(parser.head().keeps_alive);
  EXPECT_EQ(parser.head().target.in(second), "/2");
  ASSERT_EQ(parser.head_size(), second.size());
}

}  // namespace
}  // namespace pilfer::serve
