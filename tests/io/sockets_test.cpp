// Sockets, on both backends: addresses, connections, echoes, and what goes wrong with them.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <pilfer/coro.hpp>
#include <pilfer/io.hpp>
#include <pilfer/pool.hpp>

#include "io/io_checks.hpp"

namespace pilfer::test {
namespace {

class sockets : public on_backend {
 protected:
  pool home_{2};
  temporary_folder folder_;
};

// Until the peer sends no more.
task<> echo(io::socket mine) {
  std::vector<std::byte> room(2000);
  for (;;) {
    const io::result<std::size_t> n = co_await io::receive(mine, room);
    EXPECT_EQ(errno_of(n), 0);
    if (!n || *n == 0) co_return;
    const std::span<const std::byte> got = std::span(room).first(*n);
    const io::result<std::size_t> sent = co_await io::send_all(mine, got);
    EXPECT_EQ(errno_of(sent), 0);
    if (!sent) co_return;
  }
}

// Accepts so many, and echoes what each sends.
task<> echo_all(io::socket& listening, std::size_t connections) {
  std::vector<task<>> all;
  for (std::size_t i = 0; i < connections; ++i) {
    io::result<io::socket> accepted = co_await io::accept(listening);
    EXPECT_EQ(errno_of(accepted), 0);
    if (accepted) all.push_back(echo(std::move(*accepted)));
  }
  co_await when_all(std::move(all));
}

// Sends its own content, and wants it back.
task<bool> ask(io::address where, std::uint64_t of, std::size_t bytes) {
  io::result<io::socket> mine = co_await io::connect(where);
  EXPECT_EQ(errno_of(mine), 0) << where.text();
  if (!mine) co_return false;
  const std::vector<std::byte> sent = content(of, bytes);
  std::vector<std::byte> room(bytes);
  std::size_t got = 0;
  while (got < bytes) {
    const std::size_t part = std::min<std::size_t>(1500, bytes - got);
    const io::result<std::size_t> out = co_await io::send_all(*mine, std::span(sent).subspan(got, part));
    EXPECT_EQ(errno_of(out), 0);
    if (!out) co_return false;
    for (std::size_t end = got + part; got < end;) {
      const io::result<std::size_t> n = co_await io::receive(*mine, std::span(room).subspan(got, end - got));
      EXPECT_EQ(errno_of(n), 0);
      if (!n || *n == 0) co_return false;
      got += *n;
    }
  }
  expect_content(room, of);
  co_return first_difference(room, of) == bytes;
}

TEST_P(sockets, echoes_at_every_kind_of_address) {
  constexpr std::size_t connections = 20;
  for (const std::string& text : {std::string("127.0.0.1:0"), std::string("[::1]:0"), "unix:" + (folder_ / "socket"),
                                  "unix:@pilfer-io-" + std::to_string(::getpid())}) {
    io::result<io::socket> listening = io::listen(io::address(text));
    if (!listening && text[0] == '[') continue;  // a machine without IPv6
    ASSERT_TRUE(listening) << text << ": " << listening.error().message();
    const io::result<io::address> where = io::local_address(*listening);
    ASSERT_TRUE(where);
    if (where->is_unix()) {
      EXPECT_EQ(where->text(), text);
    } else {
      EXPECT_NE(where->port(), 0);
      EXPECT_EQ(io::address(where->text()).text(), where->text());
    }
    const auto ask_all = [&]() -> task<> {
      std::vector<task<bool>> all;
      for (std::size_t i = 0; i < connections; ++i) all.push_back(ask(*where, i, 1 + i * 1000));
      const std::vector<bool> done = co_await when_all(std::move(all));
      for (std::size_t i = 0; i < connections; ++i) EXPECT_TRUE(done[i]) << text << ", connection " << i;
    };
    const auto body = [&]() -> task<> { co_await when_all(echo_all(*listening, connections), ask_all()); };
    run_in(home_, body);
  }
}

// Those who wait for the same socket share what comes: each connection goes to one of them.
TEST_P(sockets, many_accept_at_one_socket) {
  const std::size_t connections = stress_amount(200);
  io::result<io::socket> listening = io::listen(io::address("127.0.0.1:0"));
  ASSERT_TRUE(listening);
  const io::result<io::address> where = io::local_address(*listening);
  ASSERT_TRUE(where);
  const auto accept_one = [&]() -> task<std::uint16_t> {
    io::result<io::socket> accepted = co_await io::accept(*listening);
    EXPECT_EQ(errno_of(accepted), 0);
    if (!accepted) co_return std::uint16_t{0};
    const io::result<io::address> peer = io::peer_address(*accepted);
    EXPECT_TRUE(peer);
    co_return peer ? peer->port() : std::uint16_t{0};
  };
  const auto connect_all = [&]() -> task<std::set<std::uint16_t>> {
    std::set<std::uint16_t> ports;
    std::vector<io::socket> keep;
    for (std::size_t i = 0; i < connections; ++i) {
      io::result<io::socket> mine = co_await io::connect(*where);
      EXPECT_EQ(errno_of(mine), 0);
      if (!mine) break;
      const io::result<io::address> local = io::local_address(*mine);
      if (local) ports.insert(local->port());
      keep.push_back(std::move(*mine));
    }
    co_return ports;
  };
  const auto accept_all = [&]() -> task<std::vector<std::uint16_t>> {
    std::vector<task<std::uint16_t>> all;
    for (std::size_t i = 0; i < connections; ++i) all.push_back(accept_one());
    co_return co_await when_all(std::move(all));
  };
  const auto body = [&]() -> task<> {
    const auto [accepted, connected] = co_await when_all(accept_all(), connect_all());
    EXPECT_EQ(connected.size(), connections);
    EXPECT_EQ(std::set<std::uint16_t>(accepted.begin(), accepted.end()), connected);
  };
  run_in(home_, body);
}

TEST_P(sockets, an_accepted_socket_is_not_inherited) {
  io::result<io::socket> listening = io::listen(io::address("127.0.0.1:0"));
  ASSERT_TRUE(listening);
  const io::result<io::address> where = io::local_address(*listening);
  const auto body = [&]() -> task<> {
    io::result<io::socket> mine = co_await io::connect(*where);
    io::result<io::socket> accepted = co_await io::accept(*listening);
    CO_REQUIRE(mine && accepted);
    for (const int number : {listening->native(), mine->native(), accepted->native()}) {
      EXPECT_NE(::fcntl(number, F_GETFD) & FD_CLOEXEC, 0);
    }
  };
  run_in(home_, body);
}

// --- What goes wrong.

TEST_P(sockets, nobody_listens) {
  const auto body = [&]() -> task<> {
    io::address nobody;
    {
      io::result<io::socket> listening = io::listen(io::address("127.0.0.1:0"));
      CO_REQUIRE(listening);
      nobody = *io::local_address(*listening);
    }
    const io::result<io::socket> refused = co_await io::connect(nobody);
    EXPECT_EQ(errno_of(refused), ECONNREFUSED);
    const io::result<io::socket> nowhere = co_await io::connect(io::address("unix:" + (folder_ / "nothing")));
    EXPECT_EQ(errno_of(nowhere), ENOENT);
    const io::result<io::socket> none = co_await io::connect(io::address());
    EXPECT_NE(errno_of(none), 0);
  };
  const std::size_t before = open_descriptors();
  run_in(home_, body);
  EXPECT_LE(open_descriptors(), before + 8);
}

TEST_P(sockets, an_address_in_use) {
  io::result<io::socket> first = io::listen(io::address("127.0.0.1:0"));
  ASSERT_TRUE(first);
  const io::result<io::socket> second = io::listen(*io::local_address(*first));
  EXPECT_EQ(errno_of(second), EADDRINUSE);
  const std::string path = "unix:" + (folder_ / "taken");
  const io::result<io::socket> third = io::listen(io::address(path));
  ASSERT_TRUE(third);
  const io::result<io::socket> fourth = io::listen(io::address(path));
  EXPECT_EQ(errno_of(fourth), EADDRINUSE);
}

TEST_P(sockets, a_peer_that_resets) {
  io::result<io::socket> listening = io::listen(io::address("127.0.0.1:0"));
  ASSERT_TRUE(listening);
  const io::result<io::address> where = io::local_address(*listening);
  const auto body = [&]() -> task<> {
    io::result<io::socket> mine = co_await io::connect(*where);
    io::result<io::socket> accepted = co_await io::accept(*listening);
    CO_REQUIRE(mine && accepted);
    const linger hard{1, 0};
    ::setsockopt(accepted->native(), SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
    accepted->reset();
    std::vector<std::byte> room(10);
    const io::result<std::size_t> n = co_await io::receive(*mine, room);
    EXPECT_EQ(errno_of(n), ECONNRESET);
  };
  run_in(home_, body);
}

TEST_P(sockets, operations_on_the_wrong_thing) {
  write_file(folder_ / "file", content(1, 10));
  const auto body = [&]() -> task<> {
    io::result<io::file> opened = co_await io::open(folder_ / "file", O_RDWR);
    CO_REQUIRE(opened);
    io::socket no_socket(opened->release());
    std::vector<std::byte> room(10);
    const io::result<std::size_t> received = co_await io::receive(no_socket, room);
    EXPECT_EQ(errno_of(received), ENOTSOCK);
    const io::result<std::size_t> sent = co_await io::send(no_socket, room);
    EXPECT_EQ(errno_of(sent), ENOTSOCK);
    const io::result<io::socket> accepted = co_await io::accept(no_socket);
    EXPECT_EQ(errno_of(accepted), ENOTSOCK);
    io::socket none;
    const io::result<std::size_t> nothing = co_await io::receive(none, room);
    EXPECT_EQ(errno_of(nothing), EBADF);
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    io::socket first(ends[0]);
    const io::socket second(ends[1]);
    const io::result<io::socket> not_listening = co_await io::accept(first);
    EXPECT_EQ(errno_of(not_listening), EINVAL);
  };
  run_in(home_, body);
}

// No descriptor is left: an error, and no more; what waits is still there when there is one again.
TEST_P(sockets, too_many_descriptors) {
  io::result<io::socket> listening = io::listen(io::address("127.0.0.1:0"));
  ASSERT_TRUE(listening);
  const io::result<io::address> where = io::local_address(*listening);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const auto body = [&]() -> task<> {
    io::result<io::socket> mine = co_await io::connect(*where);
    CO_REQUIRE(mine);
    // What the backend needs for itself it has by now, or it says so.
    rlimit few = before;
    few.rlim_cur = 100;
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
    std::vector<descriptor> all;
    for (int next = 0; (next = ::dup(listening->native())) >= 0;) all.emplace_back(next);
    const io::result<io::socket> no_accept = co_await io::accept(*listening);
    EXPECT_EQ(errno_of(no_accept), EMFILE);
    const io::result<io::socket> no_connect = co_await io::connect(*where);
    EXPECT_EQ(errno_of(no_connect), EMFILE);
    const io::result<io::file> no_open = co_await io::open("/dev/null", O_RDONLY);
    EXPECT_EQ(errno_of(no_open), EMFILE);
    const io::result<io::file_status> status = co_await io::stat("/dev/null");
    EXPECT_EQ(errno_of(status), 0) << "needs no descriptor";
    all.clear();
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
    const io::result<io::socket> accepted = co_await io::accept(*listening);
    EXPECT_EQ(errno_of(accepted), 0);
  };
  run_in(home_, body);
  ::setrlimit(RLIMIT_NOFILE, &before);
}

// The other side ends its half: what it has sent arrives, then the end; and it still hears us.
TEST_P(sockets, half_a_connection) {
  io::result<io::socket> listening = io::listen(io::address("127.0.0.1:0"));
  ASSERT_TRUE(listening);
  const io::result<io::address> where = io::local_address(*listening);
  const auto body = [&]() -> task<> {
    io::result<io::socket> mine = co_await io::connect(*where);
    io::result<io::socket> other = co_await io::accept(*listening);
    CO_REQUIRE(mine && other);
    const std::vector<std::byte> bytes = content(3, 700);
    const io::result<std::size_t> sent = co_await io::send_all(*mine, bytes);
    EXPECT_EQ(errno_of(sent), 0);
    EXPECT_TRUE(io::shutdown(*mine, io::direction::send));
    std::vector<std::byte> room(1000);
    std::size_t got = 0;
    for (;;) {
      const io::result<std::size_t> n = co_await io::receive(*other, std::span(room).subspan(got));
      CO_REQUIRE(n);
      if (*n == 0) break;
      got += *n;
    }
    EXPECT_EQ(got, 700U);
    expect_content(std::span(room).first(got), 3);
    const io::result<std::size_t> back = co_await io::send_all(*other, bytes);
    EXPECT_EQ(errno_of(back), 0);
    const io::result<std::size_t> heard = co_await io::receive(*mine, room);
    CO_REQUIRE(heard);
    EXPECT_GT(*heard, 0U);
    expect_content(std::span(room).first(*heard), 3);
  };
  run_in(home_, body);
}

PILFER_ON_BOTH_BACKENDS(sockets);

// --- Addresses.

TEST(addresses, are_what_they_say) {
  for (const char* text : {"127.0.0.1:8080", "0.0.0.0:0", "255.255.255.255:65535", "[::1]:80", "[::]:0", "[fe80::1]:1",
                           "unix:/tmp/x", "unix:@abstract"}) {
    const io::result<io::address> parsed = io::address::parse(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(parsed->text(), text);
    EXPECT_EQ(io::address(text).text(), text);
  }
  EXPECT_EQ(io::address("127.0.0.1:8080").port(), 8080);
  EXPECT_EQ(io::address("127.0.0.1:8080").family(), AF_INET);
  EXPECT_EQ(io::address("[::1]:81").family(), AF_INET6);
  EXPECT_TRUE(io::address("unix:/tmp/x").is_unix());
  EXPECT_EQ(io::address("::1", 9).text(), "[::1]:9");
  EXPECT_EQ(io::address("10.1.2.3", 9).text(), "10.1.2.3:9");
  EXPECT_EQ(io::address().family(), 0);
}

TEST(addresses, that_are_none) {
  const std::string too_long = "unix:/" + std::string(200, 'x');
  for (const std::string& text : {std::string(),
                                  std::string("127.0.0.1"),
                                  std::string("127.0.0.1:"),
                                  std::string("127.0.0.1:65536"),
                                  std::string("127.0.0.1:-1"),
                                  std::string("127.0.0.1:+1"),
                                  std::string("127.0.0.1: 1"),
                                  std::string("127.0.0.1:1x"),
                                  std::string("127.0.0:1"),
                                  std::string("256.0.0.1:1"),
                                  std::string("localhost:1"),
                                  std::string(":80"),
                                  std::string("::1:80"),
                                  std::string("[::1]"),
                                  std::string("[::1]80"),
                                  std::string("[::1:80"),
                                  std::string("[]:80"),
                                  std::string("unix:"),
                                  std::string("127.0.0.1\0:1", 12),
                                  std::string("127.0.0.1:99999999999999999999"),
                                  too_long}) {
    const io::result<io::address> parsed = io::address::parse(text);
    EXPECT_FALSE(parsed) << text;
    EXPECT_TRUE(parsed.is(std::errc::invalid_argument)) << text;
    EXPECT_THROW(static_cast<void>(io::address(text)), std::invalid_argument) << text;
  }
}

}  // namespace
}  // namespace pilfer::test
