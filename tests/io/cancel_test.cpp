// What waits is cancelled by the coroutine's stop token: at once, with ECANCELED, and nothing touches its buffer afterwards.
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
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

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;

class cancel : public on_backend {
 protected:
  // Runs the coroutine, and stops it when it has waited for a while: the longest wait is not asserted, the watchdog has it.
  template <class T>
  T stopped_later(task<T> what) {
    std::stop_source source;
    const std::uint64_t begun = begun_to_wait(home_);
    const std::uint64_t done = done_by_rings(home_);
    std::thread stopper([&] {
      sleep_until_true([&] { return begun_to_wait(home_) > begun; });
      std::this_thread::sleep_for(10ms);
      source.request_stop();
    });
    T result = wait_in(home_, with_stop(source.get_token(), std::move(what)));
    stopper.join();
    if (GetParam() == "uring") {
      EXPECT_GT(done_by_rings(home_), done) << "no ring was tested";
    }
    return result;
  }
  template <class T>
  T stopped_before(task<T> what) {
    std::stop_source source;
    source.request_stop();
    return wait_in(home_, with_stop(source.get_token(), std::move(what)));
  }
  pool home_{2};
  temporary_folder folder_;
};

// A buffer that is gone when the read has ended: what arrives later must not go there (AddressSanitizer watches), and is not lost.
task<int> read_into_a_passing_buffer(int from) {
  const auto room = std::make_unique<std::vector<std::byte>>(500);
  const io::result<std::size_t> n = co_await io::read(from, *room, io::at_position);
  co_return errno_of(n);
}

TEST_P(cancel, a_read_of_a_pipe) {
  const both_ends pipe = make_pipe();
  for (int round = 0; round < 5; ++round) {
    EXPECT_EQ(stopped_later(read_into_a_passing_buffer(pipe.first.get())), ECANCELED);
    EXPECT_EQ(stopped_before(read_into_a_passing_buffer(pipe.first.get())), ECANCELED);
    const std::vector<std::byte> sent = content(1, 500);
    ASSERT_EQ(::write(pipe.second.get(), sent.data(), sent.size()), 500);
    std::this_thread::sleep_for(2ms);
    std::vector<std::byte> got(1000);
    ASSERT_EQ(::read(pipe.first.get(), got.data(), got.size()), 500) << "a cancelled read has taken bytes";
    expect_content(std::span(got).first(500), 1);
  }
}

TEST_P(cancel, an_exact_read_that_has_a_part) {
  const both_ends pipe = make_pipe();
  const std::vector<std::byte> sent = content(2, 300);
  ASSERT_EQ(::write(pipe.second.get(), sent.data(), sent.size()), 300);
  std::vector<std::byte> room(500);
  const auto body = [&]() -> task<int> {
    const io::result<std::size_t> n = co_await io::read_exactly(pipe.first.get(), room, io::at_position);
    co_return errno_of(n);
  };
  EXPECT_EQ(stopped_later(body()), ECANCELED);
  expect_content(std::span(room).first(300), 2);
}

TEST_P(cancel, a_write_into_a_full_pipe) {
  const both_ends pipe = make_pipe();
  ::fcntl(pipe.second.get(), F_SETPIPE_SZ, 4096);
  const std::vector<std::byte> filling = content(3, 4096);
  ASSERT_EQ(::write(pipe.second.get(), filling.data(), filling.size()), 4096);
  const auto body = [&]() -> task<int> {
    const auto more = std::make_unique<std::vector<std::byte>>(100);
    const io::result<std::size_t> n = co_await io::write(pipe.second.get(), *more, io::at_position);
    co_return errno_of(n);
  };
  EXPECT_EQ(stopped_later(body()), ECANCELED);
  EXPECT_EQ(stopped_before(body()), ECANCELED);
  std::vector<std::byte> got(5000);
  EXPECT_EQ(::read(pipe.first.get(), got.data(), got.size()), 4096) << "a cancelled write has written";
  expect_content(std::span(got).first(4096), 3);
}

TEST_P(cancel, accept_and_receive) {
  io::result<io::socket> listening = io::listen(io::address("127.0.0.1:0"));
  ASSERT_TRUE(listening);
  const io::result<io::address> where = io::local_address(*listening);
  const auto accept = [&]() -> task<int> {
    const io::result<io::socket> accepted = co_await io::accept(*listening);
    co_return errno_of(accepted);
  };
  EXPECT_EQ(stopped_later(accept()), ECANCELED);
  EXPECT_EQ(stopped_before(accept()), ECANCELED);

  // The next connection is not lost to one that was cancelled.
  io::socket mine;
  io::socket other;
  const auto connect = [&]() -> task<> {
    io::result<io::socket> connected = co_await io::connect(*where);
    io::result<io::socket> accepted = co_await io::accept(*listening);
    CO_REQUIRE(connected && accepted);
    mine = std::move(*connected);
    other = std::move(*accepted);
  };
  run_in(home_, connect);
  ASSERT_TRUE(mine.is_open() && other.is_open());
  const auto receive = [&]() -> task<int> {
    const auto room = std::make_unique<std::vector<std::byte>>(500);
    const io::result<std::size_t> n = co_await io::receive(mine, *room);
    co_return errno_of(n);
  };
  EXPECT_EQ(stopped_later(receive()), ECANCELED);
  EXPECT_EQ(stopped_before(receive()), ECANCELED);
  const std::vector<std::byte> sent = content(4, 500);
  ASSERT_EQ(::send(other.native(), sent.data(), sent.size(), 0), 500);
  std::vector<std::byte> got(500);
  ASSERT_EQ(::recv(mine.native(), got.data(), got.size(), MSG_WAITALL), 500);
  expect_content(got, 4);
}

TEST_P(cancel, a_send_that_nobody_reads) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  io::socket mine(ends[0]);
  const io::socket other(ends[1]);
  const auto body = [&]() -> task<int> {
    const auto bytes = std::make_unique<std::vector<std::byte>>(10'000'000);
    const io::result<std::size_t> n = co_await io::send_all(mine, *bytes);
    co_return errno_of(n);
  };
  EXPECT_EQ(stopped_later(body()), ECANCELED);
}

// A listener whose queue is full drops those who want to connect: they wait, and try again.
TEST_P(cancel, connect) {
  io::result<io::socket> listening = io::listen(io::address("127.0.0.1:0"), io::listen_options{.backlog = 0});
  ASSERT_TRUE(listening);
  const io::address where = *io::local_address(*listening);
  std::vector<descriptor> waiting;
  for (int i = 0; i < 8; ++i) {
    waiting.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    static_cast<void>(::connect(waiting.back().get(), static_cast<const sockaddr*>(where.data()), where.size()));
  }
  const auto body = [&]() -> task<int> {
    const io::result<io::socket> connected = co_await io::connect(where);
    co_return errno_of(connected);
  };
  const std::size_t before = open_descriptors();
  EXPECT_EQ(stopped_later(body()), ECANCELED);
  EXPECT_EQ(stopped_before(body()), ECANCELED);
  EXPECT_LE(open_descriptors(), before + 8);
}

TEST_P(cancel, operations_on_files_that_have_not_begun) {
  write_file(folder_ / "file", content(1, 100));
  const auto body = [&]() -> task<int> {
    const io::result<io::file> opened = co_await io::open(folder_ / "new", O_WRONLY | O_CREAT, 0600);
    co_return errno_of(opened);
  };
  EXPECT_EQ(stopped_before(body()), ECANCELED);
  EXPECT_NE(::access((folder_ / "new").c_str(), F_OK), 0) << "a file was made after the stop";
}

// The end comes at the same time as the stop: then each byte is either delivered or still there.
TEST_P(cancel, racing_with_what_arrives) {
  random_source random(base_seed());
  std::size_t delivered = 0;
  std::size_t left = 0;
  const both_ends pipe = make_pipe();
  const std::size_t rounds = stress_amount(500);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    std::stop_source source;
    std::atomic<int> ready = 0;
    const std::uint64_t early = random.below(100);
    const std::uint64_t late = random.below(round % 4 < 2 ? 100 : 5000);  // a ring is slower than the stop
    // In every other round the read waits already.
    const std::uint64_t begun = begun_to_wait(home_);
    const auto meet = [&](std::uint64_t spins) {
      ++ready;
      while (ready < 2 || (round % 2 == 0 && begun_to_wait(home_) == begun)) std::this_thread::yield();
      for (std::uint64_t i = 0; i < spins * 20; ++i) std::atomic_signal_fence(std::memory_order_seq_cst);
    };
    const std::vector<std::byte> sent = content(round, 64);
    std::thread writer([&] {
      meet(early);
      EXPECT_EQ(::write(pipe.second.get(), sent.data(), sent.size()), 64);
    });
    std::thread stopper([&] {
      meet(late);
      source.request_stop();
    });
    const auto body = [&]() -> task<int> {
      const auto room = std::make_unique<std::vector<std::byte>>(64);
      const io::result<std::size_t> n = co_await io::read(pipe.first.get(), *room, io::at_position);
      if (n) {
        EXPECT_EQ(*n, 64U);
        expect_content(*room, round);
      }
      co_return errno_of(n);
    };
    const int error = wait_in(home_, with_stop(source.get_token(), body()));
    writer.join();
    stopper.join();
    if (error == 0) {
      ++delivered;
      continue;
    }
    ASSERT_EQ(error, ECANCELED);
    ++left;
    std::vector<std::byte> got(100);
    ASSERT_EQ(::read(pipe.first.get(), got.data(), got.size()), 64) << "round " << round;
    expect_content(std::span(got).first(64), round);
  }
  EXPECT_EQ(delivered + left, rounds);
  RecordProperty("delivered", std::to_string(delivered));
}

// One stop for a thousand that wait.
TEST_P(cancel, a_whole_group) {
  const std::size_t readers = stress_amount(400);
  std::vector<both_ends> pipes;
  for (std::size_t i = 0; i < readers; ++i) pipes.push_back(make_pipe());
  std::atomic<std::size_t> cancelled = 0;
  const auto reader = [&](int from) -> task<> {
    const int error = co_await read_into_a_passing_buffer(from);
    EXPECT_EQ(error, ECANCELED);
    if (error == ECANCELED) ++cancelled;
  };
  task_group group(home_);
  for (const both_ends& pipe : pipes) group.spawn(reader(pipe.first.get()));
  std::this_thread::sleep_for(30ms);
  group.request_stop();
  const group_outcome outcome = group.wait();
  EXPECT_EQ(cancelled + outcome.cancelled, readers);
  const std::vector<std::byte> sent = content(5, 100);
  for (const both_ends& pipe : pipes) {
    ASSERT_EQ(::write(pipe.second.get(), sent.data(), sent.size()), 100);
    std::vector<std::byte> got(200);
    ASSERT_EQ(::read(pipe.first.get(), got.data(), got.size()), 100);
  }
}

// The first of two wins, and the other one's read is over when when_any returns.
TEST_P(cancel, the_loser_of_when_any) {
  const both_ends fast = make_pipe();
  const both_ends slow = make_pipe();
  for (std::uint64_t round = 0; more_stress(round, 50); ++round) {
    const auto reader = [](int from) -> task<std::vector<std::byte>> {
      std::vector<std::byte> room(100);
      const io::result<std::size_t> n = co_await io::read(from, room, io::at_position);
      room.resize(n ? *n : 0);
      co_return room;
    };
    const std::vector<std::byte> sent = content(round, 100);
    std::thread writer([&] { EXPECT_EQ(::write(fast.second.get(), sent.data(), sent.size()), 100); });
    const auto body = [&]() -> task<> {
      std::vector<task<std::vector<std::byte>>> both;
      both.push_back(reader(slow.first.get()));
      both.push_back(reader(fast.first.get()));
      const auto first = co_await when_any(std::move(both));
      EXPECT_EQ(first.index(), 1U);
      EXPECT_EQ(first.value().size(), 100U);
      expect_content(first.value(), round);
    };
    run_in(home_, body);
    writer.join();
    ASSERT_EQ(::write(slow.second.get(), sent.data(), sent.size()), 100);
    std::vector<std::byte> got(200);
    ASSERT_EQ(::read(slow.first.get(), got.data(), got.size()), 100);
  }
}

PILFER_ON_BOTH_BACKENDS(cancel);

}  // namespace
}  // namespace pilfer::test
