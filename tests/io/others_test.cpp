// when_any over operations of the kernel: one that it has completed although another was first is in others(), open.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>
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

class others : public on_backend {
 protected:
  pool home_{2};
  temporary_folder folder_;
};

// A connection is the first one's, in others(), or waits in the listener's queue still.
TEST_P(others, no_connection_is_closed_silently) {
  io::result<io::socket> listening = io::listen(io::address("127.0.0.1:0"));
  ASSERT_TRUE(listening);
  const io::address where = *io::local_address(*listening);
  std::size_t first_ones = 0;
  std::size_t late_ones = 0;
  std::size_t left = 0;
  random_source random(base_seed());
  for (std::size_t round = 0; more_stress(round, 400, 4); ++round) {
    channel<int> rings(1);
    io::socket accepted;
    const std::uint64_t spins = random.below(4000);
    const descriptor client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const std::uint64_t begun = begun_to_wait(home_);
    std::thread connects([&] {
      sleep_until_true([&] { return begun_to_wait(home_) > begun; });
      ASSERT_EQ(::connect(client.get(), static_cast<const sockaddr*>(where.data()), where.size()), 0);
    });
    std::thread sends([&] {
      sleep_until_true([&] { return begun_to_wait(home_) > begun; });
      for (std::uint64_t i = 0; i < spins * 20; ++i) std::atomic_signal_fence(std::memory_order_seq_cst);
      EXPECT_TRUE(rings.try_send(1));
    });
    const auto body = [&]() -> task<> {
      auto first = co_await when_any(io::accept(*listening), rings.receive());
      if (first.index() == 0) {
        io::result<io::socket>& got = std::get<0>(first.value());
        CO_REQUIRE(got.has_value());
        accepted = std::move(*got);
        ++first_ones;
        CO_REQUIRE(std::get<1>(first.others()).is_nothing());
      } else if (auto& late = std::get<0>(first.others())) {
        CO_REQUIRE(late->has_value());
        accepted = std::move(**late);
        ++late_ones;
      }
    };
    run_in(home_, body);
    connects.join();
    sends.join();
    if (!accepted.is_open()) {
      ++left;
      pollfd look{.fd = listening->native(), .events = POLLIN, .revents = 0};
      ASSERT_EQ(::poll(&look, 1, 10'000), 1) << "a connection was accepted and closed";
      accepted = io::socket(::accept4(listening->native(), nullptr, nullptr, SOCK_CLOEXEC));
    }
    // It is the one of this round, and open.
    char sent = static_cast<char>(round);
    char got = 0;
    ASSERT_EQ(::send(client.get(), &sent, 1, MSG_NOSIGNAL), 1);
    pollfd look{.fd = accepted.native(), .events = POLLIN, .revents = 0};
    ASSERT_EQ(::poll(&look, 1, 10'000), 1);
    ASSERT_EQ(::recv(accepted.native(), &got, 1, 0), 1);
    ASSERT_EQ(got, sent);
  }
  EXPECT_GT(first_ones + late_ones + left, 0U);
  RecordProperty("first", std::to_string(first_ones));
  RecordProperty("late", std::to_string(late_ones));
  RecordProperty("left", std::to_string(left));
}

// A file that was made is in hand.
TEST_P(others, no_file_is_opened_and_closed_silently) {
  io::configure(home_, {.attempt_inline = false});
  std::size_t late_ones = 0;
  for (std::size_t round = 0; more_stress(round, 300, 2); ++round) {
    const std::string names[2] = {folder_ / ("a" + std::to_string(round)), folder_ / ("b" + std::to_string(round))};
    std::optional<io::file> got[2];
    const auto body = [&]() -> task<> {
      constexpr int flags = O_WRONLY | O_CREAT | O_EXCL;
      std::vector<decltype(io::open("", 0))> both;
      for (const std::string& name : names) both.push_back(io::open(name, flags));
      auto first = co_await when_any(std::move(both));
      const std::size_t index = first.index();
      CO_REQUIRE(first.value().has_value());
      got[index] = std::move(*first.value());
      auto& late = first.others()[1 - index];
      if (late && late->has_value()) {
        got[1 - index] = std::move(**late);
        ++late_ones;
      }
    };
    run_in(home_, body);
    for (std::size_t i = 0; i < 2; ++i) {
      const bool exists = ::access(names[i].c_str(), F_OK) == 0;
      ASSERT_EQ(exists, got[i].has_value()) << i;
      if (!exists) continue;
      ASSERT_EQ(::write(got[i]->native(), "x", 1), 1);
    }
  }
  RecordProperty("late", std::to_string(late_ones));
}

// Operations move before they are awaited: paths, addresses and results stay with them.
TEST_P(others, operations_can_be_moved_before_they_are_awaited) {
  write_file(folder_ / "f", content(1, 100));
  io::result<io::socket> listening = io::listen(io::address("127.0.0.1:0"));
  ASSERT_TRUE(listening);
  const io::address where = *io::local_address(*listening);
  const auto body = [&]() -> task<> {
    channel<int> never(0);
    auto status = co_await when_any(never.receive(), io::stat(folder_ / "f"));
    CO_REQUIRE(status.index() == 1 && std::get<1>(status.value()).has_value());
    EXPECT_EQ(std::get<1>(status.value())->size, 100U);
    auto opened = co_await when_any(io::open(folder_ / "f", O_RDONLY), never.receive());
    CO_REQUIRE(opened.index() == 0 && std::get<0>(opened.value()).has_value());
    io::file file = std::move(*std::get<0>(opened.value()));
    auto same = co_await when_any(io::stat(file), never.receive());
    CO_REQUIRE(same.index() == 0 && std::get<0>(same.value()).has_value());
    EXPECT_EQ(std::get<0>(same.value())->size, 100U);
    auto connected = co_await when_any(io::connect(where), sleep_for(1h));
    CO_REQUIRE(connected.index() == 0 && std::get<0>(connected.value()).has_value());
    // One that is not begun closes its file all the same.
    const int number = file.native();
    CO_REQUIRE(::fcntl(number, F_GETFD) >= 0);
    channel<int> ready(1);
    CO_REQUIRE(ready.try_send(1));
    auto closed = co_await when_any(io::close(std::move(file)), ready.receive());
    CO_REQUIRE(closed.index() == 1);
    EXPECT_EQ(::fcntl(number, F_GETFD), -1);
  };
  run_in(home_, body);
}

PILFER_ON_BOTH_BACKENDS(others);

}  // namespace
}  // namespace pilfer::test
