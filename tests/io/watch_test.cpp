// Completions of workers that are busy, while another worker has nothing to do.
#include <array>
#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <span>
#include <thread>

#include <unistd.h>

#include <gtest/gtest.h>

#include <pilfer/coro.hpp>
#include <pilfer/io.hpp>
#include <pilfer/pool.hpp>

#include "io/io_checks.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;

// Keeps the coroutine that awaits it, for a worker that resumes it inside its own job: nothing is queued, and no worker is called.
struct held_coroutine {
  [[nodiscard]] static bool await_ready() noexcept { return false; }
  void await_suspend(std::coroutine_handle<> which) noexcept {
    held = which;
    is_held = true;
  }
  static void await_resume() noexcept {}
  std::coroutine_handle<> held;
  std::atomic<bool> is_held = false;
};

struct pipe_reader {
  both_ends pipe = make_pipe();
  held_coroutine start;
  std::atomic<bool> has_read = false;
  std::atomic<bool> has_ended = false;

  // Reads one byte; then blocks its thread until `released`, if it is to.
  task<> read_and_block(const std::atomic<bool>* released) {
    co_await start;
    std::byte got{};
    const io::result<std::size_t> n = co_await io::read(pipe.first.get(), std::span(&got, 1), io::at_position);
    EXPECT_TRUE(n && *n == 1);
    has_read = true;
    if (released != nullptr) sleep_until_true([&] { return released->load(); });
    has_ended = true;
  }
  void write_one() const { EXPECT_EQ(::write(pipe.second.get(), "x", 1), 1); }
};

class watching : public on_backend {};

// Three workers: the first waits for two reads, the second for one, the third has slept since before. The second sleeps beside its read and
// looks after the first. Then both go into jobs that do not end, without having called the third for a job.
TEST_P(watching, a_watcher_that_gets_work_hands_the_watch_on) {
  std::atomic<bool> released = false;
  std::array<pipe_reader, 3> readers;
  auto& [blocks_first, waits, blocks_second] = readers;
  {
    pool_options options;
    options.workers = 3;
    options.callers_work = false;
    pool home(options);
    home.detach(blocks_first.read_and_block(&released));
    home.detach(waits.read_and_block(nullptr));
    home.detach(blocks_second.read_and_block(&released));
    for (const pipe_reader& each : readers) sleep_until_true([&] { return each.start.is_held.load(); });
    std::this_thread::sleep_for(50ms);  // all of them sleep

    std::atomic<int> started = 0;
    const auto start = [&](std::span<pipe_reader* const> which) -> task<> {
      for (pipe_reader* const each : which) each->start.held.resume();
      ++started;
      co_return;
    };
    const std::array<pipe_reader*, 2> of_first{&blocks_first, &waits};
    const std::array<pipe_reader*, 1> of_second{&blocks_second};
    home.detach(start(of_first));
    sleep_until_true([&] { return started == 1; });
    std::this_thread::sleep_for(20ms);  // the first sleeps beside its reads
    home.detach(start(of_second));
    sleep_until_true([&] { return started == 2; });
    std::this_thread::sleep_for(20ms);

    blocks_first.write_one();
    sleep_until_true([&] { return blocks_first.has_read.load(); });
    blocks_second.write_one();
    sleep_until_true([&] { return blocks_second.has_read.load(); });
    waits.write_one();
    const auto until = std::chrono::steady_clock::now() + 20s;
    while (!waits.has_ended && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(1ms);
    EXPECT_TRUE(waits.has_ended) << "a worker sleeps beside a completion of one that is busy";
    released = true;
  }
  for (const pipe_reader& each : readers) EXPECT_TRUE(each.has_ended);
}

PILFER_ON_BOTH_BACKENDS(watching);

}  // namespace
}  // namespace pilfer::test
