// Random bytes, and requests with random damage: whatever comes of them must not depend on how they are cut, and nothing may break.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tools/serve/chunked_body.hpp"
#include "tools/serve/request_parser.hpp"
#include "tools/serve/response.hpp"
#include "tools/serve/static_files.hpp"

namespace pilfer::serve {
namespace {

using random = std::mt19937_64;

std::size_t below(random& r, std::size_t limit) { return static_cast<std::size_t>(r() % limit); }

const std::vector<std::string>& words() {
  static const std::vector<std::string> all = {"GET ",
                                               "POST ",
                                               " HTTP/1.1",
                                               "\r\n",
                                               "\n",
                                               "\r",
                                               "Host: a",
                                               "Content-Length: ",
                                               "Transfer-Encoding: ",
                                               "chunked",
                                               "Expect: ",
                                               "100-continue",
                                               "/",
                                               " ",
                                               ":",
                                               "0",
                                               "5",
                                               "hello",
                                               "Connection: ",
                                               "close",
                                               "\r\n\r\n",
                                               "http://",
                                               ",",
                                               "%2e",
                                               "%",
                                               ";a=b",
                                               "ffff",
                                               "0\r\n\r\n",
                                               std::string(1, '\0'),
                                               "\xff",
                                               "/..",
                                               "?",
                                               "GET / HTTP/1.1\r\nHost: a\r\n",
                                               "5\r\nhello\r\n"};
  return all;
}

std::string made_up(random& r) {
  std::string text;
  for (std::size_t i = below(r, 24); i > 0; --i) {
    if (below(r, 4) == 0) {
      text += static_cast<char>(r());
    } else {
      text += words()[below(r, words().size())];
    }
  }
  return text;
}

std::string damaged(random& r) {
  std::string text = "POST /a/b?c HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n";
  for (std::size_t i = below(r, 4); i > 0; --i) {
    const std::size_t at = below(r, text.size());
    switch (below(r, 3)) {
      case 0: text[at] = static_cast<char>(r()); break;
      case 1: text.erase(at, 1 + below(r, 4)); break;
      default: text.insert(at, words()[below(r, words().size())]); break;
    }
    if (text.empty()) text = "x";
  }
  return text;
}

std::vector<std::size_t> cuts_of(random& r, std::size_t size) {
  std::vector<std::size_t> cuts;
  for (std::size_t i = below(r, 5); i > 0; --i) cuts.push_back(below(r, size + 1));
  cuts.push_back(size);
  std::ranges::sort(cuts);
  return cuts;
}

struct fuzzed_head {
  request_parser::outcome how = request_parser::outcome::incomplete;
  status refusal = status::ok;
  std::size_t size = 0;
  std::string target{};
  std::uint64_t length = 0;
  bool chunked = false;
  friend bool operator==(const fuzzed_head&, const fuzzed_head&) = default;
};

fuzzed_head parse_limited(const std::string& bytes, const std::vector<std::size_t>& cuts) {
  request_parser parser(limits{.line = 60, .head = 200, .fields = 5, .body = 1000});
  for (const std::size_t end : cuts) {
    const std::string exact(bytes.data(), end);  // AddressSanitizer sees what is read behind it
    const request_parser::outcome how = parser.advance(exact);
    if (how == request_parser::outcome::incomplete) continue;
    if (how == request_parser::outcome::refused) return {.how = how, .refusal = parser.refusal()};
    const request& head = parser.head();
    EXPECT_LE(parser.head_size(), end);
    EXPECT_FALSE(head.chunked && head.length != 0);
    return {.how = how,
            .size = parser.head_size(),
            .target = std::string(head.target.in(exact)),
            .length = head.length,
            .chunked = head.chunked};
  }
  return {};
}

TEST(fuzz, heads_do_not_depend_on_how_they_are_cut) {
  random r(1);
  std::size_t complete = 0;
  std::size_t refused = 0;
  for (int i = 0; i < 60'000; ++i) {
    const std::string bytes = i % 2 == 0 ? made_up(r) : damaged(r);
    const fuzzed_head whole = parse_limited(bytes, {bytes.size()});
    ASSERT_EQ(parse_limited(bytes, cuts_of(r, bytes.size())), whole) << testing::PrintToString(bytes);
    complete += whole.how == request_parser::outcome::complete ? 1 : 0;
    refused += whole.how == request_parser::outcome::refused ? 1 : 0;
  }
  EXPECT_GT(complete, 1000U) << "some must be right for this to say anything";
  EXPECT_GT(refused, 1000U);
}

TEST(fuzz, chunks_do_not_depend_on_how_they_are_cut) {
  random r(2);
  std::size_t complete = 0;
  const limits small{.line = 60, .head = 40, .fields = 5, .body = 30};
  for (int i = 0; i < 60'000; ++i) {
    std::string bytes;
    for (std::size_t n = below(r, 4); n > 0; --n) bytes += "5\r\nhello\r\n";
    bytes += below(r, 2) == 0 ? "0\r\n\r\n" : made_up(r);
    std::string bodies[2];
    chunked_body::outcome outcomes[2] = {};
    for (const int way : {0, 1}) {
      chunked_body chunks(small);
      const std::vector<std::size_t> cuts =
          way == 0 ? std::vector<std::size_t>{bytes.size()} : cuts_of(r, bytes.size());
      std::size_t at = 0;
      for (const std::size_t end : cuts) {
        std::string piece = bytes.substr(at, end - at);
        const chunked_body::step next = chunks.advance(piece);
        ASSERT_LE(next.made, next.eaten);
        ASSERT_LE(next.eaten, piece.size());
        bodies[way] += piece.substr(0, next.made);
        outcomes[way] = next.how;
        at = end;
        if (next.how != chunked_body::outcome::incomplete) break;
      }
    }
    ASSERT_EQ(outcomes[0], outcomes[1]) << testing::PrintToString(bytes);
    ASSERT_EQ(bodies[0], bodies[1]) << testing::PrintToString(bytes);
    ASSERT_LE(bodies[0].size(), small.body);
    complete += outcomes[0] == chunked_body::outcome::complete ? 1 : 0;
  }
  EXPECT_GT(complete, 1000U);
}

TEST(fuzz, paths_never_lead_out) {
  random r(3);
  std::size_t fine = 0;
  for (int i = 0; i < 60'000; ++i) {
    const target_path found = path_of_target("/" + made_up(r));
    if (found.how != status::ok) continue;
    ++fine;
    ASSERT_FALSE(found.path.starts_with('/'));
    ASSERT_EQ(found.path.find('\0'), std::string::npos);
    ASSERT_EQ(found.path.find("//"), std::string::npos);
    ASSERT_EQ(("/" + found.path + "/").find("/../"), std::string::npos) << found.path;
  }
  EXPECT_GT(fine, 1000U);
}

TEST(fuzz, dates_are_read_or_not) {
  random r(4);
  std::size_t fine = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text(date_size, ' ');
    write_date(text.data(), static_cast<std::time_t>(r() % 200'000'000'000));
    if (i % 4 != 0) text[below(r, text.size())] = static_cast<char>(r());
    const auto when = parse_date(text);
    if (!when) continue;
    ++fine;
    std::string again(date_size, ' ');
    write_date(again.data(), *when);
    ASSERT_EQ(again, text);
  }
  EXPECT_GT(fine, 1000U);
}

}  // namespace
}  // namespace pilfer::serve
