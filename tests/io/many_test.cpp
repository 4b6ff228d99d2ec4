// Many operations at a time, on both backends: more than a ring has entries, beside other work, and without cost while they wait.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <set>
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
#include <pilfer/task_group.hpp>

#include "io/io_checks.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;

class many : public on_backend {
 protected:
  temporary_folder folder_;
};

// Thousands of reads in flight, each of another part of the file.
TEST_P(many, reads_at_a_time) {
  pool home(2);
  const std::size_t parts = stress_amount(10'000);
  constexpr std::size_t part = 512;
  const temporary_folder disk(temporary_folder::where::disk);
  const std::string path = disk / "file";
  write_file(path, content(1, parts * part));
  const descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED);
  std::atomic<std::size_t> right = 0;
  const auto read_part = [&](std::size_t number) -> task<> {
    std::vector<std::byte> room(part);
    const io::result<std::size_t> n = co_await io::read(file.get(), room, number * part);
    CO_REQUIRE(n);
    EXPECT_EQ(*n, part);
    if (first_difference(room, 1, number * part) == part) ++right;
  };
  task_group group(home);
  for (std::size_t i = 0; i < parts; ++i) group.spawn(read_part(i));
  group.wait();
  EXPECT_EQ(right, parts);
}

// All of them wait, for as long as the test likes; then each gets what was meant for it. Four times as many as a ring has entries.
TEST_P(many, waiting_at_a_time) {
  const std::size_t limit = raise_descriptor_limit();
  const std::size_t readers = std::min<std::size_t>(under_tsan ? 500 : 2000, (limit - 200) / 2);
  pool home(2);
  io::configure(home, {.ring_entries = 64});
  std::vector<both_ends> pipes;
  for (std::size_t i = 0; i < readers; ++i) pipes.push_back(make_pipe());
  std::atomic<std::size_t> right = 0;
  std::atomic<std::size_t> begun = 0;
  const auto reader = [&](std::size_t number) -> task<> {
    std::vector<std::byte> room(100);
    ++begun;
    const io::result<std::size_t> n = co_await io::read(pipes[number].first.get(), room, io::at_position);
    CO_REQUIRE(n);
    EXPECT_EQ(*n, 60U);
    if (first_difference(std::span(room).first(*n), number) == 60) ++right;
  };
  task_group group(home);
  for (std::size_t i = 0; i < readers; ++i) group.spawn(reader(i));
  sleep_until_true([&] { return begun == readers; });
  // Those that wait hold up nobody who does not have to.
  write_file(folder_ / "file", content(5, 1000));
  const auto beside = [&]() -> task<> {
    const io::result<io::file> opened = co_await io::open(folder_ / "file", O_RDONLY);
    CO_REQUIRE(opened);
    std::vector<std::byte> room(1000);
    const io::result<std::size_t> n = co_await io::read_exactly(opened->native(), room, 0);
    CO_REQUIRE(n);
    expect_content(room, 5);
  };
  run_in(home, beside);
  EXPECT_EQ(right, 0U);
  random_source random(base_seed());
  std::vector<std::size_t> order(readers);
  for (std::size_t i = 0; i < readers; ++i) order[i] = i;
  for (std::size_t i = readers; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  for (const std::size_t number : order) {
    const std::vector<std::byte> bytes = content(number, 60);
    ASSERT_EQ(::write(pipes[number].second.get(), bytes.data(), bytes.size()), 60);
  }
  group.wait();
  EXPECT_EQ(right, readers);
}

// What has no offsets and one writer: all numbers come, each once, whoever reads it.
TEST_P(many, readers_of_one_pipe) {
  pool home(2);
  both_ends pipe = make_pipe();
  const std::size_t numbers = stress_amount(3000);
  std::vector<std::atomic<int>> seen(numbers);
  const auto reader = [&]() -> task<> {
    std::uint64_t number = 0;
    const io::result<std::size_t> n =
        co_await io::read(pipe.first.get(), std::as_writable_bytes(std::span(&number, 1)), io::at_position);
    CO_REQUIRE(n);
    EXPECT_EQ(*n, sizeof(number));
    CO_REQUIRE(number < numbers);
    ++seen[number];
  };
  task_group group(home);
  for (std::size_t i = 0; i < numbers; ++i) group.spawn(reader());
  for (std::uint64_t i = 0; i < numbers; ++i) ASSERT_EQ(::write(pipe.second.get(), &i, sizeof(i)), 8);
  group.wait();
  for (std::size_t i = 0; i < numbers; ++i) EXPECT_EQ(seen[i], 1) << "number " << i;
}

// Blocked by computation: workers that never suspend still get to the I/O of others in between.
TEST_P(many, beside_work_that_computes) {
  pool home(2);
  const both_ends pipe = make_pipe();
  std::atomic<bool> over = false;
  std::atomic<std::uint64_t> sum = 0;
  task_group group(home);
  struct again {
    task_group& group;
    std::atomic<bool>& over;
    std::atomic<std::uint64_t>& sum;
    void operator()() const {
      for (int i = 0; i < 1000; ++i) sum.fetch_add(1, std::memory_order_relaxed);
      if (!over) group.spawn(*this);
    }
  };
  for (int i = 0; i < 4; ++i) group.spawn(again{group, over, sum});
  const auto reader = [&]() -> task<> {
    std::vector<std::byte> room(50);
    for (std::uint64_t round = 0; round < 50; ++round) {
      const io::result<std::size_t> n = co_await io::read_exactly(pipe.first.get(), room, io::at_position);
      CO_REQUIRE(n);
      expect_content(room, round);
    }
    over = true;
  };
  group.spawn(reader());
  for (std::uint64_t round = 0; round < 50; ++round) {
    const std::vector<std::byte> bytes = content(round, 50);
    ASSERT_EQ(::write(pipe.second.get(), bytes.data(), bytes.size()), 50);
    if (round % 10 == 0) std::this_thread::sleep_for(2ms);
  }
  group.wait();
  EXPECT_TRUE(over);
}

// Every scheduler has the same results; one that hides tasks hides no continuation for ever.
TEST_P(many, on_every_scheduler) {
  write_file(folder_ / "file", content(7, 20'000));
  const descriptor file(::open((folder_ / "file").c_str(), O_RDONLY | O_CLOEXEC));
  for (const std::string& name : scheduler_names()) {
    pool home(pool_options{.workers = 2, .scheduler = name, .levels = 2});
    std::vector<both_ends> pipes;
    for (int i = 0; i < 20; ++i) pipes.push_back(make_pipe());
    std::atomic<std::size_t> right = 0;
    // Each has two ends: one coroutine reads what another one writes, and both read the file.
    const auto writer = [&](std::size_t number) -> task<> {
      for (std::uint64_t round = 0; round < 20; ++round) {
        const std::vector<std::byte> bytes = content(number * 100 + round, 200);
        const io::result<std::size_t> n = co_await io::write_all(pipes[number].second.get(), bytes, io::at_position);
        EXPECT_EQ(errno_of(n), 0);
      }
    };
    const auto reader = [&](std::size_t number) -> task<> {
      std::vector<std::byte> room(200);
      for (std::uint64_t round = 0; round < 20; ++round) {
        const io::result<std::size_t> n = co_await io::read_exactly(pipes[number].first.get(), room, io::at_position);
        EXPECT_EQ(errno_of(n), 0);
        expect_content(room, number * 100 + round);
        const io::result<std::size_t> m = co_await io::read(file.get(), room, number * round);
        EXPECT_EQ(errno_of(m), 0);
        if (first_difference(room, 7, number * round) == room.size()) ++right;
      }
    };
    task_group group(home);
    for (std::size_t i = 0; i < pipes.size(); ++i) {
      group.at(i % 2 == 0 ? priority::high : priority::low).spawn(reader(i));
      group.at(i % 3 == 0 ? priority::high : priority::low).spawn(writer(i));
    }
    group.wait();
    EXPECT_EQ(right, 20 * pipes.size()) << name;
  }
}

// What a worker has begun does not wait for the end of what it does next, as long as another worker is free.
TEST_P(many, a_long_task_holds_up_nobody_else) {
  for (std::size_t round = 0; round < 30; ++round) {
    pool home(2);
    std::vector<both_ends> pipes;
    for (int i = 0; i < 8; ++i) pipes.push_back(make_pipe());
    std::atomic<std::size_t> done = 0;
    const auto reader = [&](int from) -> task<> {
      std::byte one{};
      const io::result<std::size_t> n = co_await io::read(from, std::span(&one, 1), io::at_position);
      if (n && *n == 1) ++done;
    };
    task_group group(home);
    const auto begin_and_compute = [&] {
      for (const both_ends& pipe : pipes) group.spawn(reader(pipe.first.get()));
      if (round % 2 == 0) return;
      while (done < pipes.size()) std::this_thread::yield();
    };
    group.spawn(begin_and_compute);
    if (round % 2 == 0) {
      group.spawn([&] {
        while (done < pipes.size()) std::this_thread::yield();
      });
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(round % 3));
    for (const both_ends& pipe : pipes) ASSERT_EQ(::write(pipe.second.get(), "x", 1), 1);
    group.wait();
    EXPECT_EQ(done, pipes.size());
  }
}

// --- What waits uses no processor.

TEST_P(many, waiting_costs_nothing) {
  pool home(2);
  std::vector<both_ends> pipes;
  for (int i = 0; i < 50; ++i) pipes.push_back(make_pipe());
  std::atomic<std::size_t> done = 0;
  const auto reader = [&](int from) -> task<> {
    std::byte one{};
    const io::result<std::size_t> n = co_await io::read(from, std::span(&one, 1), io::at_position);
    if (n && *n == 1) ++done;
  };
  task_group group(home);
  for (const both_ends& pipe : pipes) group.spawn(reader(pipe.first.get()));
  std::this_thread::sleep_for(100ms);
  const double before = processor_seconds();
  const auto start = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(500ms);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  const double share = (processor_seconds() - before) / time.count();
  RecordProperty("percent_of_a_core", std::to_string(100 * share));
  EXPECT_LT(share, 0.1);
  for (const both_ends& pipe : pipes) ASSERT_EQ(::write(pipe.second.get(), "x", 1), 1);
  group.wait();
  EXPECT_EQ(done, pipes.size());
}

PILFER_ON_BOTH_BACKENDS(many);

}  // namespace
}  // namespace pilfer::test
