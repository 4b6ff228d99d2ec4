// Threads that a cancelled operation has left behind in a system call: they are counted and bounded, nobody waits for them, and they come back.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <pilfer/coro.hpp>
#include <pilfer/io.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/task_group.hpp>

#include "io/child.hpp"
#include "io/io_checks.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;

class stuck : public ::testing::Test {
 protected:
  static constexpr std::size_t threads = 32;   // that block
  static constexpr std::size_t replaced = 64;  // of those that are stuck

  stuck() {
    if (::mkfifo(path_.c_str(), 0600) != 0) throw std::runtime_error("mkfifo");
  }
  // The other side of the pipe comes: all that were left behind are through.
  ~stuck() override {
    const descriptor both(::open(path_.c_str(), O_RDWR | O_CLOEXEC));
    sleep_until_true([&] { return count() == 0; });
  }

  static void configure(pool& home) {
    io::configure(home, {.choice = io::backend_choice::threads, .attempt_inline = false});
  }
  [[nodiscard]] std::size_t count() { return io::statistics_of(counted_).threads_stuck; }

  // So many opens that wait, each with a thread, and then none of them any more.
  void leave_behind(pool& home, std::size_t opens) {
    while (opens > 0) {
      const std::size_t now = std::min(opens, threads);
      const std::size_t before = count();
      const std::uint64_t jobs = io::statistics_of(home).threads_jobs;
      task_group group(home);
      for (std::size_t i = 0; i < now; ++i) group.spawn(expect_error(ECANCELED));
      // A thread that has it, rather than the list.
      sleep_until_true([&] { return io::statistics_of(home).threads_jobs >= jobs + now; });
      std::this_thread::sleep_for(20ms);
      group.request_stop();
      static_cast<void>(group.wait());
      EXPECT_LE(count(), before + now);
      opens -= std::min(opens, count() - before);  // on a machine so busy that one had not begun, once more
    }
  }
  task<> expect_error(int wanted) {
    const io::result<io::file> got = co_await io::open(path_, O_RDONLY);
    EXPECT_EQ(errno_of(got), wanted);
  }
  // Reads a file by the threads.
  [[nodiscard]] int works(pool& home) {
    write_file(folder_ / "file", content(1, 100));
    const auto body = [&]() -> task<int> {
      const io::result<io::file> opened = co_await io::open(folder_ / "file", O_RDONLY);
      if (!opened) co_return errno_of(opened);
      std::vector<std::byte> room(100);
      const io::result<std::size_t> n = co_await io::read(*opened, room, 0);
      if (n) expect_content(room, 1);
      co_return errno_of(n);
    };
    return run_in(home, body);
  }

  temporary_folder folder_;
  std::string path_ = folder_ / "fifo";
  pool counted_{1};
  watchdog dog_{std::chrono::seconds(100),
                std::string(::testing::UnitTest::GetInstance()->current_test_info()->name())};
};

TEST_F(stuck, threads_are_counted_and_others_take_their_place) {
  pool home(2);
  configure(home);
  leave_behind(home, threads + 8);
  EXPECT_EQ(count(), threads + 8);
  EXPECT_EQ(works(home), 0);
}

TEST_F(stuck, a_pool_ends_without_them) {
  {
    pool home(2);
    configure(home);
    leave_behind(home, 3);
  }
  EXPECT_EQ(count(), 3U);
}

// The limit: operations end with an error instead of waiting for ever, and work again when the threads are through.
TEST_F(stuck, beyond_the_limit_operations_end_with_an_error) {
  pool home(2);
  configure(home);
  leave_behind(home, threads + replaced);
  ASSERT_EQ(count(), threads + replaced);
  EXPECT_EQ(works(home), EAGAIN);
  {
    const descriptor both(::open(path_.c_str(), O_RDWR | O_CLOEXEC));
    sleep_until_true([&] { return count() == 0; });
  }
  EXPECT_EQ(works(home), 0);
}

// What waits in the list for a thread, while all others wait for the pipe: it has its turn when these are cancelled.
TEST_F(stuck, those_that_wait_for_a_thread_get_another_one) {
  pool home(2);
  configure(home);
  const std::uint64_t jobs = io::statistics_of(home).threads_jobs;
  task_group group(home);
  for (std::size_t i = 0; i < threads; ++i) group.spawn(expect_error(ECANCELED));
  sleep_until_true([&] { return io::statistics_of(home).threads_jobs >= jobs + threads; });
  std::thread stopper([&] {
    std::this_thread::sleep_for(30ms);
    group.request_stop();
  });
  EXPECT_EQ(works(home), 0);
  stopper.join();
  static_cast<void>(group.wait());
}

TEST(stuck_threads, are_not_what_a_worker_becomes_where_none_can_be_made) {
  expect_child_succeeds("no-thread", {"PILFER_IO=threads"});
}
TEST(stuck_threads, do_not_keep_a_process) { expect_child_succeeds("stuck", {"PILFER_IO=threads"}); }

}  // namespace
}  // namespace pilfer::test
