// Which backend a pool has, who decides, and what it has done.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <pilfer/coro.hpp>
#include <pilfer/io.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/statistics.hpp>
#include <pilfer/task_group.hpp>

#include "io/child.hpp"
#include "io/io_checks.hpp"
#include "support/thread_names.hpp"

namespace pilfer::test {
namespace {

class backends : public on_backend {};

TEST_P(backends, is_what_was_asked_for) {
  pool home(1);
  EXPECT_EQ(io::name_of(io::backend_of(home)), GetParam());
  const std::string said = io::describe_backend(home);
  EXPECT_EQ(said.rfind(GetParam() == "uring" ? "io_uring" : "threads", 0), 0U) << said;
  // An option is stronger than the environment.
  pool other(1);
  const bool ring = GetParam() == "uring";
  ::setenv("PILFER_IO", ring ? "threads" : "auto", 1);
  io::configure(other, {.choice = ring ? io::backend_choice::uring : io::backend_choice::threads});
  EXPECT_EQ(io::name_of(io::backend_of(other)), GetParam());
}

TEST_P(backends, cannot_be_changed_later) {
  pool home(1);
  static_cast<void>(io::backend_of(home));
  EXPECT_THROW(io::configure(home, {.choice = io::backend_choice::threads}), std::logic_error);
  EXPECT_EQ(io::name_of(io::backend_of(home)), GetParam());
}

// With and without an attempt at once, with rings of any size.
TEST_P(backends, options_change_no_result) {
  temporary_folder folder;
  write_file(folder / "file", content(1, 100'000));
  for (const bool attempt : {false, true}) {
    for (const unsigned entries : {1U, 2U, 8U, 1000U}) {
      pool home(2);
      io::configure(home, {.ring_entries = entries, .attempt_inline = attempt});
      std::atomic<std::size_t> right = 0;
      const auto work = [&](std::size_t number) -> task<> {
        const io::result<io::file> opened = co_await io::open(folder / "file", O_RDONLY);
        CO_REQUIRE(opened);
        std::vector<std::byte> room(1000);
        const io::result<std::size_t> n = co_await io::read_exactly(opened->native(), room, number * 500);
        CO_REQUIRE(n);
        if (*n == 1000 && first_difference(room, 1, number * 500) == 1000) ++right;
      };
      task_group group(home);
      for (std::size_t i = 0; i < 100; ++i) group.spawn(work(i));
      group.wait();
      EXPECT_EQ(right, 100U) << entries << " entries";
    }
  }
}

// Reads of a pipe, which are never done at once; all by a thread of the pool, which has a ring.
TEST_P(backends, count_what_they_do) {
  pool home(2);
  const both_ends pipe = make_pipe();
  constexpr std::size_t rounds = 200;
  const auto reader = [&]() -> task<> {
    std::byte one{};
    for (std::size_t i = 0; i < rounds; ++i) {
      const io::result<std::size_t> n = co_await io::read(pipe.first.get(), std::span(&one, 1), io::at_position);
      CO_REQUIRE(n);
    }
  };
  const io::statistics before = io::statistics_of(home);
  std::thread writer([&] {
    for (std::size_t i = 0; i < rounds; ++i) {
      // Now and then the reader has to wait.
      if (i % 10 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      EXPECT_EQ(::write(pipe.second.get(), "x", 1), 1);
    }
  });
  run_in(home, reader);
  writer.join();
  const io::statistics after = io::statistics_of(home);
  EXPECT_EQ(after.operations - before.operations, rounds);
  EXPECT_EQ(after.inline_done - before.inline_done, 0U);
  const std::uint64_t by_threads = after.threads_jobs - before.threads_jobs + after.polled - before.polled;
  if (GetParam() == "uring") {
    EXPECT_GE(after.rings, 1U);
    EXPECT_GE(after.ring_enters, 1U);
    EXPECT_GE(after.ring_entries, rounds);
    EXPECT_EQ(after.reaped + after.reaped_by_others, rounds);
    EXPECT_EQ(by_threads, 0U);
  } else {
    EXPECT_EQ(after.rings + after.ring_entries + after.reaped + after.reaped_by_others, 0U);
    EXPECT_EQ(by_threads, rounds);
    EXPECT_TRUE(names_of_all_threads().contains("pilfer-epoll"));
  }
}

TEST(io_threads, have_names) {
  temporary_folder folder;
  write_file(folder / "file", content(1, 10));
  pool home(1);
  io::configure(home, {.choice = io::backend_choice::threads, .attempt_inline = false});
  run_in(home, [&]() -> task<> { CO_REQUIRE(co_await io::open(folder / "file", O_RDONLY)); });
  EXPECT_TRUE(names_of_all_threads().contains("pilfer-io"));
}

// Each continuation goes on once; those that a thief took are counted, and only those that came by I/O.
TEST_P(backends, count_who_goes_on_where) {
  pool home(2);
  constexpr std::size_t pipes = 64;
  std::vector<both_ends> all;
  for (std::size_t i = 0; i < pipes; ++i) all.push_back(make_pipe());
  EXPECT_EQ(home.statistics().total().io_completed, 0U);
  std::uint64_t stolen = 0;
  std::uint64_t completed = 0;
  std::atomic<std::uint64_t> sum = 0;
  // Continuations that come in bursts, and compute: the worker that has reaped them has more than it can do.
  const auto reader = [&](int from) -> task<> {
    std::byte one{};
    const io::result<std::size_t> n = co_await io::read(from, std::span(&one, 1), io::at_position);
    CO_REQUIRE(n);
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(200);
    while (std::chrono::steady_clock::now() < until) sum.fetch_add(1, std::memory_order_relaxed);
  };
  // What the polling thread brings comes from outside: whoever takes that has robbed nobody.
  const bool ring = GetParam() == "uring";
  // With rings until somebody was robbed: how long that takes is the machine's affair, and the watchdog's.
  for (int round = 0; ring ? stolen == 0 : round < 5; ++round) {
    const std::uint64_t before = home.statistics().total().io_completed;
    task_group group(home);
    for (const both_ends& pipe : all) group.spawn(reader(pipe.first.get()));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    for (const both_ends& pipe : all) ASSERT_EQ(::write(pipe.second.get(), "x", 1), 1);
    group.wait();
    completed = home.statistics().total().io_completed;
    stolen = home.statistics().total().io_stolen;
    EXPECT_GT(completed, before);
    EXPECT_LE(completed - before, pipes);
  }
  EXPECT_LE(stolen, completed);
}

PILFER_ON_BOTH_BACKENDS(backends);

TEST(backend_choice, a_word_that_is_none) {
  for (const char* word : {"io_uring", "AUTO", "threads ", "0", "1"}) {
    ::setenv("PILFER_IO", word, 1);
    pool home(1);
    EXPECT_THROW(static_cast<void>(io::backend_of(home)), std::invalid_argument) << word;
    // Also where an operation is the first to ask.
    const auto body = [&]() -> task<int> {
      const io::result<io::file_status> got = co_await io::stat(".");
      co_return errno_of(got);
    };
    EXPECT_THROW(run_in(home, body), std::invalid_argument) << word;
  }
  ::unsetenv("PILFER_IO");
  pool home(1);
  EXPECT_NO_THROW(static_cast<void>(io::backend_of(home)));
  ::setenv("PILFER_IO", "", 1);
  pool empty(1);
  EXPECT_EQ(io::backend_of(empty), io::backend_of(home)) << "empty is not set";
  ::unsetenv("PILFER_IO");
}

// --- Kernels that refuse. In processes of their own: a filter cannot be taken off again.

TEST(refused, io_uring_setup_by_a_sandbox) { expect_child_succeeds("no-setup", {"PILFER_TEST_ERROR=EPERM"}); }
TEST(refused, io_uring_setup_by_an_old_kernel) { expect_child_succeeds("no-setup", {"PILFER_TEST_ERROR=ENOSYS"}); }
TEST(refused, io_uring_setup_for_want_of_memory) { expect_child_succeeds("no-setup", {"PILFER_TEST_ERROR=ENOMEM"}); }
TEST(refused, io_uring_enter) { expect_child_succeeds("no-enter"); }
TEST(refused, io_uring_register) { expect_child_succeeds("no-register"); }
TEST(refused, io_uring_although_it_was_demanded) { expect_child_succeeds("demanded", {"PILFER_IO=uring"}); }
TEST(refused, preadv2) { expect_child_succeeds("no-preadv2"); }

TEST(forked, a_child_starts_threads_of_its_own) { expect_child_succeeds("forked"); }

}  // namespace
}  // namespace pilfer::test
