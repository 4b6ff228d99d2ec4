// A pool that is to stop while its coroutines wait for I/O: each operation ends with ECANCELED, and then the pool can end.
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <vector>

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

class io_stop : public on_backend {};

// How often each error came.
struct io_endings {
  std::atomic<std::size_t> cancelled = 0;
  std::atomic<std::size_t> others = 0;
  void note(int error) { ++(error == ECANCELED ? cancelled : others); }
};

// A buffer that is gone when the operation has ended: AddressSanitizer sees if the kernel or a thread uses it afterwards.
task<void> read_for_ever(int from, io_endings& all) {
  const auto room = std::make_unique<std::vector<std::byte>>(500);
  const io::result<std::size_t> n = co_await io::read(from, *room, io::at_position);
  all.note(errno_of(n));
}
task<void> receive_for_ever(const io::socket& from, io_endings& all) {
  const auto room = std::make_unique<std::vector<std::byte>>(500);
  const io::result<std::size_t> n = co_await io::receive(from, *room);
  all.note(errno_of(n));
}
task<void> accept_for_ever(const io::socket& at, io_endings& all) {
  const io::result<io::socket> accepted = co_await io::accept(at);
  all.note(errno_of(accepted));
}

// Regression: the destructor of the pool waited for bytes that never came.
TEST_P(io_stop, what_waits_is_cancelled) {
  constexpr std::size_t of_each = 10;
  for (const bool from_inside : {false, true}) {
    const both_ends pipe = make_pipe();
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    const io::socket mine(ends[0]);
    const io::socket other(ends[1]);
    const io::result<io::socket> listening = io::listen(io::address("127.0.0.1:0"));
    ASSERT_TRUE(listening);
    io_endings all;
    {
      pool home(2);
      const std::uint64_t before = begun_to_wait(home);
      for (std::size_t i = 0; i < of_each; ++i) {
        home.detach(read_for_ever(pipe.first.get(), all));
        home.detach(receive_for_ever(mine, all));
        home.detach(accept_for_ever(*listening, all));
      }
      sleep_until_true([&] { return begun_to_wait(home) - before == 3 * of_each; });
      if (from_inside) {
        home.submit([&] { home.request_stop(); }).get();
      } else {
        home.request_stop();
      }
    }
    EXPECT_EQ(all.cancelled, 3 * of_each);
    EXPECT_EQ(all.others, 0U);
    // Nobody has taken what comes now.
    const std::vector<std::byte> sent = content(5, 500);
    ASSERT_EQ(::write(pipe.second.get(), sent.data(), sent.size()), 500);
    std::vector<std::byte> got(500);
    ASSERT_EQ(::read(pipe.first.get(), got.data(), got.size()), 500);
    expect_content(got, 5);
  }
}

// Some operations begin, and some end, while the stop comes.
TEST_P(io_stop, at_any_moment) {
  random_source random(base_seed());
  for (std::size_t round = 0; more_stress(round, 50, 2); ++round) {
    std::vector<both_ends> pipes;
    for (int i = 0; i < 4; ++i) pipes.push_back(make_pipe());
    std::atomic<std::size_t> ended = 0;
    std::atomic<std::size_t> bytes = 0;
    const auto read_all = [&](int from) -> task<void> {
      for (;;) {
        const auto room = std::make_unique<std::vector<std::byte>>(100);
        const io::result<std::size_t> n = co_await io::read(from, *room, io::at_position);
        if (!n || *n == 0) {
          EXPECT_EQ(errno_of(n), ECANCELED);
          break;
        }
        bytes += *n;
      }
      ++ended;
    };
    std::size_t written = 0;
    {
      pool home(2);
      for (const both_ends& each : pipes) home.detach(read_all(each.first.get()));
      sleep_until_true([&] { return begun_to_wait(home) >= pipes.size(); });
      const std::size_t writes = random.below(100);
      for (std::size_t i = 0; i < writes; ++i) {
        if (::write(pipes[i % pipes.size()].second.get(), "x", 1) == 1) ++written;
      }
      home.request_stop();
    }
    EXPECT_EQ(ended, pipes.size());
    // Each byte was read by a coroutine, or is still there.
    for (const both_ends& each : pipes) {
      ASSERT_EQ(::write(each.second.get(), "y", 1), 1);
      std::vector<std::byte> rest(200);
      bytes += static_cast<std::size_t>(::read(each.first.get(), rest.data(), rest.size())) - 1;
    }
    EXPECT_EQ(bytes, written);
  }
}

class counting_visitor : public io::walk_visitor {
 public:
  void folder(const io::walk_folder& /*where*/, std::span<io::walk_entry> /*entries*/) override {
    if (++folders == 3 && stops != nullptr) stops->request_stop();
  }
  void problem(const std::string& path, io::walk_problem /*what*/, std::error_code error) override {
    ADD_FAILURE() << path << ": " << error.message();
  }
  std::atomic<std::size_t> folders = 0;
  pool* stops = nullptr;
};

// A walk is made of tasks of the pool, which are cancelled. Its coroutine goes on all the same.
TEST_P(io_stop, a_walk_ends) {
  temporary_folder root;
  for (int i = 0; i < 20; ++i) std::filesystem::create_directories(root / ("a" + std::to_string(i) + "/b/c"));
  for (int round = 0; round < 10; ++round) {
    pool home(2);
    counting_visitor seen;
    seen.stops = &home;
    sync_wait(home, io::walk(root.path(), {}, seen));
    EXPECT_GE(seen.folders, 3U);
    const std::size_t before = seen.folders;
    sync_wait(home, io::walk(root.path(), {}, seen));
    EXPECT_EQ(seen.folders, before) << "began after the stop";
    // A coroutine of another pool was not asked to stop, and hears of it.
    pool other(1);
    const auto visits = [&]() -> task<void> {
      co_await home.schedule();
      co_await io::walk(root.path(), {}, seen);
    };
    EXPECT_THROW(sync_wait(other, visits()), task_cancelled);
    EXPECT_EQ(seen.folders, before);
  }
}

PILFER_ON_BOTH_BACKENDS(io_stop);

}  // namespace
}  // namespace pilfer::test
