// Pipes and sockets, on both backends: reads and writes that are short, ends that close, and signals that interrupt everything.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <pilfer/coro.hpp>
#include <pilfer/io.hpp>
#include <pilfer/pool.hpp>

#include "io/io_checks.hpp"
#include "io/signal_storm.hpp"

namespace pilfer::test {
namespace {

class streams : public on_backend {
 protected:
  streams() { std::signal(SIGPIPE, SIG_IGN); }
  pool home_{2};
};

// Sends `bytes` of stream number `of` in pieces of any size; false: an error.
task<bool> send_stream(int to, std::uint64_t of, std::size_t bytes, std::size_t most) {
  random_source random(of);
  std::size_t sent = 0;
  while (sent < bytes) {
    const std::size_t length = std::min(bytes - sent, 1 + random.below(most));
    const std::vector<std::byte> piece = content(of, length, sent);
    const io::result<std::size_t> n = co_await io::write_all(to, piece, io::at_position);
    if (!n) co_return false;
    EXPECT_EQ(*n, length);
    sent += length;
  }
  co_return true;
}
// Receives until the end, in pieces, and compares each byte. The number of bytes.
task<std::size_t> check_stream(int from, std::uint64_t of, std::size_t most) {
  random_source random(of + 1);
  std::size_t received = 0;
  std::vector<std::byte> room(most);
  for (;;) {
    const std::size_t length = 1 + random.below(most);
    const io::result<std::size_t> n = co_await io::read(from, std::span(room).first(length), io::at_position);
    EXPECT_EQ(errno_of(n), 0);
    if (!n || *n == 0) co_return received;
    EXPECT_LE(*n, length);
    expect_content(std::span(room).first(*n), of, received);
    received += *n;
  }
}

TEST_P(streams, a_read_gets_what_is_there) {
  const both_ends pipe = make_pipe();
  const auto body = [&]() -> task<> {
    std::vector<std::byte> room(1000);
    for (const std::size_t there : {1U, 7U, 999U, 1000U}) {
      const std::vector<std::byte> sent = content(there, there);
      EXPECT_EQ(::write(pipe.second.get(), sent.data(), there), static_cast<ssize_t>(there));
      const io::result<std::size_t> n = co_await io::read(pipe.first.get(), room, io::at_position);
      CO_REQUIRE(n);
      EXPECT_EQ(*n, there);
      expect_content(std::span(room).first(*n), there);
    }
  };
  run_in(home_, body);
}

// The reader is there first, and comes back for each byte.
TEST_P(streams, an_exact_read_waits_for_the_last_byte) {
  constexpr std::size_t bytes = 300;
  both_ends pipe = make_pipe();
  std::thread writer([&] {
    const std::vector<std::byte> all = content(1, bytes + 10);
    for (std::size_t i = 0; i < bytes + 10; ++i) {
      if (i % 50 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      EXPECT_EQ(::write(pipe.second.get(), &all[i], 1), 1);
    }
    pipe.second.close();
  });
  const auto body = [&]() -> task<> {
    std::vector<std::byte> room(bytes);
    const io::result<std::size_t> all = co_await io::read_exactly(pipe.first.get(), room, io::at_position);
    CO_REQUIRE(all);
    EXPECT_EQ(*all, bytes);
    expect_content(room, 1);
    // Then the end comes before it is full.
    const io::result<std::size_t> rest = co_await io::read_exactly(pipe.first.get(), room, io::at_position);
    CO_REQUIRE(rest);
    EXPECT_EQ(*rest, 10U);
    expect_content(std::span(room).first(10), 1, bytes);
    const io::result<std::size_t> end = co_await io::read(pipe.first.get(), room, io::at_position);
    CO_REQUIRE(end);
    EXPECT_EQ(*end, 0U);
  };
  run_in(home_, body);
  writer.join();
}

// A pipe holds less than is written: the writer has to wait, and its parts stay in order.
TEST_P(streams, writes_into_a_full_pipe) {
  both_ends pipe = make_pipe();
  ::fcntl(pipe.second.get(), F_SETPIPE_SZ, 4096);
  const std::size_t bytes = stress_amount(400'000);
  const auto write_and_close = [&]() -> task<bool> {
    const bool all = co_await send_stream(pipe.second.get(), 2, bytes, 30'000);
    pipe.second.close();
    co_return all;
  };
  const auto body = [&]() -> task<> {
    const auto [sent, received] = co_await when_all(write_and_close(), check_stream(pipe.first.get(), 2, 5000));
    EXPECT_TRUE(sent);
    EXPECT_EQ(received, bytes);
  };
  run_in(home_, body);
}

// Many at once, each with its own content, through buffers as small as the kernel makes them.
TEST_P(streams, sockets_with_small_buffers) {
  const std::size_t bytes = stress_amount(60'000);
  struct link {
    io::socket near;
    io::socket far;
  };
  std::vector<link> links;
  for (int i = 0; i < 16; ++i) {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    for (const int end : ends) {
      const int small = 1;
      ::setsockopt(end, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
      ::setsockopt(end, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
    }
    links.push_back({io::socket(ends[0]), io::socket(ends[1])});
  }
  const auto send = [&](io::socket& to, std::uint64_t of) -> task<std::size_t> {
    const std::vector<std::byte> all = content(of, bytes);
    const io::result<std::size_t> n = co_await io::send_all(to, all);
    EXPECT_EQ(errno_of(n), 0);
    EXPECT_TRUE(io::shutdown(to, io::direction::send));
    co_return n ? *n : 0;
  };
  const auto receive = [&](io::socket& from, std::uint64_t of) -> task<std::size_t> {
    random_source random(of);
    std::vector<std::byte> room(3000);
    std::size_t received = 0;
    for (;;) {
      const std::span<std::byte> some = std::span(room).first(1 + random.below(room.size()));
      const io::result<std::size_t> n = co_await io::receive(from, some);
      EXPECT_EQ(errno_of(n), 0);
      if (!n || *n == 0) co_return received;
      expect_content(some.first(*n), of, received);
      received += *n;
    }
  };
  const auto body = [&]() -> task<> {
    std::vector<task<std::size_t>> all;
    for (std::size_t i = 0; i < links.size(); ++i) {
      all.push_back(send(links[i].near, 2 * i));
      all.push_back(receive(links[i].far, 2 * i));
      all.push_back(send(links[i].far, 2 * i + 1));
      all.push_back(receive(links[i].near, 2 * i + 1));
    }
    const std::vector<std::size_t> done = co_await when_all(std::move(all));
    for (const std::size_t n : done) EXPECT_EQ(n, bytes);
  };
  run_in(home_, body);
}

// Whether or not the descriptor is non-blocking, an operation waits.
TEST_P(streams, nonblocking_descriptors_wait_all_the_same) {
  both_ends pipe = make_pipe();
  for (const int end : {pipe.first.get(), pipe.second.get()}) ::fcntl(end, F_SETFL, ::fcntl(end, F_GETFL) | O_NONBLOCK);
  const std::size_t bytes = stress_amount(300'000);
  const auto write_and_close = [&]() -> task<bool> {
    const bool all = co_await send_stream(pipe.second.get(), 3, bytes, 100'000);
    pipe.second.close();
    co_return all;
  };
  const auto body = [&]() -> task<> {
    const auto [sent, received] = co_await when_all(write_and_close(), check_stream(pipe.first.get(), 3, 1000));
    EXPECT_TRUE(sent);
    EXPECT_EQ(received, bytes);
  };
  run_in(home_, body);
}

TEST_P(streams, nobody_reads_any_more) {
  both_ends pipe = make_pipe();
  pipe.first.close();
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  io::socket mine(ends[0]);
  ::close(ends[1]);
  const auto body = [&]() -> task<> {
    const std::vector<std::byte> bytes = content(1, 100);
    const io::result<std::size_t> n = co_await io::write(pipe.second.get(), bytes, io::at_position);
    EXPECT_EQ(errno_of(n), EPIPE);
    const io::result<std::size_t> sent = co_await io::send(mine, bytes);
    EXPECT_EQ(errno_of(sent), EPIPE);
    const io::result<std::size_t> all = co_await io::send_all(mine, bytes);
    EXPECT_EQ(errno_of(all), EPIPE);
    std::vector<std::byte> room(10);
    const io::result<std::size_t> end = co_await io::receive(mine, room);
    CO_REQUIRE(end);
    EXPECT_EQ(*end, 0U);
  };
  run_in(home_, body);
}

// A peer that has gone is an answer, not a signal that ends the process.
TEST_P(streams, sending_to_one_who_has_gone_raises_no_signal) {
  std::signal(SIGPIPE, [](int) { std::_Exit(9); });
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  io::socket mine(ends[0]);
  ::close(ends[1]);
  const auto body = [&]() -> task<> {
    const std::vector<std::byte> bytes = content(1, 100);
    const io::result<std::size_t> sent = co_await io::send(mine, bytes);
    EXPECT_EQ(errno_of(sent), EPIPE);
    const io::result<std::size_t> all = co_await io::send_all(mine, bytes);
    EXPECT_EQ(errno_of(all), EPIPE);
  };
  run_in(home_, body);
  std::signal(SIGPIPE, SIG_IGN);
}

// --- Signals.

task<int> connect_and_send(io::address where, std::uint64_t of) {
  io::result<io::socket> mine = co_await io::connect(where);
  if (!mine) co_return errno_of(mine);
  const std::vector<std::byte> bytes = content(of, 100);
  const io::result<std::size_t> n = co_await io::send_all(*mine, bytes);
  co_return errno_of(n);
}

// Every thread of the process is interrupted thousands of times a second; nobody sees EINTR, and no byte is lost or doubled.
TEST_P(streams, a_storm_of_signals) {
  temporary_folder folder;
  const std::size_t bytes = stress_amount(500'000);
  write_file(folder / "in", content(4, bytes));
  const signal_storm storm;
  both_ends pipe = make_pipe();
  ::fcntl(pipe.second.get(), F_SETPIPE_SZ, 4096);
  const auto write_slowly = [&]() -> task<bool> {
    const bool all = co_await send_stream(pipe.second.get(), 5, bytes, 20'000);
    pipe.second.close();
    co_return all;
  };
  const auto copy = [&](std::string to) -> task<std::size_t> {
    const io::result<io::file> in = co_await io::open(folder / "in", O_RDONLY);
    const io::result<io::file> out = co_await io::open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    EXPECT_EQ(errno_of(in), 0);
    EXPECT_EQ(errno_of(out), 0);
    if (!in || !out) co_return 0;
    std::vector<std::byte> room(1000);
    std::size_t done = 0;
    for (;;) {
      const io::result<std::size_t> n = co_await io::read(in->native(), room, done);
      EXPECT_EQ(errno_of(n), 0);
      if (!n || *n == 0) co_return done;
      const std::span<const std::byte> got = std::span(room).first(*n);
      const io::result<std::size_t> m = co_await io::write_all(out->native(), got, done);
      EXPECT_EQ(errno_of(m), 0);
      done += *n;
    }
  };
  const auto connections = [&]() -> task<std::size_t> {
    io::result<io::socket> listening = io::listen(io::address("127.0.0.1:0"));
    EXPECT_TRUE(listening);
    if (!listening) co_return 0;
    const io::result<io::address> where = io::local_address(*listening);
    std::size_t done = 0;
    for (std::size_t i = 0; i < stress_amount(100); ++i) {
      auto connecting = co_await fork(connect_and_send(*where, i));
      io::result<io::socket> accepted = co_await io::accept(*listening);
      EXPECT_EQ(errno_of(accepted), 0);
      if (!accepted) break;
      std::vector<std::byte> room(100);
      std::size_t got = 0;
      while (got < room.size()) {
        const io::result<std::size_t> n = co_await io::receive(*accepted, std::span(room).subspan(got));
        EXPECT_EQ(errno_of(n), 0);
        if (!n || *n == 0) break;
        got += *n;
      }
      expect_content(std::span(room).first(got), i);
      EXPECT_EQ(got, room.size());
      const int error = co_await std::move(connecting).join();
      EXPECT_EQ(error, 0);
      ++done;
    }
    co_return done;
  };
  const auto body = [&]() -> task<> {
    const auto [sent, received, first, second, connected] =
        co_await when_all(write_slowly(), check_stream(pipe.first.get(), 5, 3000), copy(folder / "first"),
                          copy(folder / "second"), connections());
    EXPECT_TRUE(sent);
    EXPECT_EQ(received, bytes);
    EXPECT_EQ(first, bytes);
    EXPECT_EQ(second, bytes);
    EXPECT_EQ(connected, stress_amount(100));
  };
  run_in(home_, body);
  for (const char* name : {"first", "second"}) {
    const std::vector<std::byte> copied = read_file(folder / name);
    EXPECT_EQ(copied.size(), bytes);
    expect_content(copied, 4);
  }
  EXPECT_GT(signal_storm::hits(), 10U) << "no storm, so nothing was tested";
}

// Workers that sleep in an idle pool are interrupted, too.
TEST_P(streams, signals_while_nothing_comes) {
  both_ends pipe = make_pipe();
  const signal_storm storm;
  std::thread writer([&] {
    sleep_until_true([] { return signal_storm::hits() > 500; });
    const std::vector<std::byte> all = content(6, 10);
    EXPECT_EQ(::write(pipe.second.get(), all.data(), all.size()), 10);
  });
  const auto body = [&]() -> task<> {
    std::vector<std::byte> room(10);
    const io::result<std::size_t> n = co_await io::read_exactly(pipe.first.get(), room, io::at_position);
    CO_REQUIRE(n);
    EXPECT_EQ(*n, 10U);
    expect_content(room, 6);
  };
  run_in(home_, body);
  writer.join();
}

PILFER_ON_BOTH_BACKENDS(streams);

}  // namespace
}  // namespace pilfer::test
