// Pools that do I/O, on both backends: several, from any thread, growing, shrinking, and destroyed while something waits.
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

class pools : public on_backend {
 protected:
  temporary_folder folder_;
};

TEST_P(pools, several_at_a_time) {
  constexpr std::size_t number_of_pools = 4;
  const std::size_t rounds = stress_amount(200);
  for (std::size_t i = 0; i < number_of_pools; ++i) write_file(folder_ / std::to_string(i), content(i, 50'000));
  std::vector<std::thread> callers;
  for (std::size_t i = 0; i < number_of_pools; ++i) {
    callers.emplace_back([&, i] {
      pool home(1 + i % 3);
      const auto work = [&](std::size_t round) -> task<> {
        const io::result<io::file> opened = co_await io::open(folder_ / std::to_string(i), O_RDONLY);
        CO_REQUIRE(opened);
        std::vector<std::byte> room(1000);
        const std::uint64_t offset = round * 61 % 49'000;
        const io::result<std::size_t> n = co_await io::read_exactly(opened->native(), room, offset);
        CO_REQUIRE(n);
        expect_content(room, i, offset);
      };
      task_group group(home);
      for (std::size_t round = 0; round < rounds; ++round) group.spawn(work(round));
      group.wait();
    });
  }
  for (std::thread& caller : callers) caller.join();
}

// A coroutine of one pool goes on in that pool, whatever it has awaited from another.
TEST_P(pools, each_goes_on_in_its_own_pool) {
  pool first(2);
  pool second(2);
  const both_ends pipe = make_pipe();
  const auto is_in = [](pool& home) { return detail::is_in(detail::access::of(home)); };
  const auto body = [&]() -> task<> {
    std::byte one{};
    for (int i = 0; i < 20; ++i) {
      pool& here = i % 2 == 0 ? first : second;
      co_await here.schedule();
      EXPECT_TRUE(is_in(here));
      std::thread writer([&] {
        if (i % 3 != 0) std::this_thread::sleep_for(1ms);
        EXPECT_EQ(::write(pipe.second.get(), "x", 1), 1);
      });
      const io::result<std::size_t> n = co_await io::read(pipe.first.get(), std::span(&one, 1), io::at_position);
      EXPECT_EQ(errno_of(n), 0);
      EXPECT_TRUE(is_in(here)) << i;
      writer.join();
    }
  };
  run_in(first, body);
}

TEST_P(pools, callers_that_are_no_workers) {
  pool home(1);
  write_file(folder_ / "file", content(2, 20'000));
  std::vector<std::thread> callers;
  for (std::size_t i = 0; i < 8; ++i) {
    callers.emplace_back([&, i] {
      const auto body = [&]() -> task<std::size_t> {
        const io::result<io::file> opened = co_await io::open(folder_ / "file", O_RDONLY);
        if (!opened) co_return 0;
        std::size_t right = 0;
        for (std::size_t round = 0; round < stress_amount(50); ++round) {
          std::vector<std::byte> room(100);
          const io::result<std::size_t> n = co_await io::read(opened->native(), room, (i + round) * 7);
          if (n && *n == 100 && first_difference(room, 2, (i + round) * 7) == 100) ++right;
        }
        co_return right;
      };
      EXPECT_EQ(sync_wait(home, body()), stress_amount(50));
      // Without a pool: in the default one.
      if (i == 0) {
        EXPECT_EQ(sync_wait(body()), stress_amount(50));
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
}

// A caller that works in the pool itself, while it has no thread of its own: pool(1) is the caller.
TEST_P(pools, a_caller_inside_the_pool) {
  for (const std::size_t workers : {1U, 2U}) {
    pool home(workers);
    const both_ends pipe = make_pipe();
    std::thread writer([&] {
      std::this_thread::sleep_for(5ms);
      const std::vector<std::byte> bytes = content(3, 100);
      EXPECT_EQ(::write(pipe.second.get(), bytes.data(), bytes.size()), 100);
    });
    const auto body = [&]() -> task<std::size_t> {
      std::vector<std::byte> room(100);
      const io::result<std::size_t> n = co_await io::read_exactly(pipe.first.get(), room, io::at_position);
      expect_content(room, 3);
      co_return n ? *n : 0;
    };
    EXPECT_EQ(home.run([&] { return sync_wait(body()); }), 100U);
    writer.join();
  }
}

// A worker makes a pool, which does I/O, and destroys it. What the worker's own ring is known by to the kernel must not go with that:
// freeing the other ring once took it away, and what the worker began afterwards never ended.
TEST_P(pools, inside_of_a_task_that_does_io) {
  pool outer(2);
  const both_ends pipe = make_pipe();
  const auto body = [&]() -> task<std::size_t> {
    std::vector<std::byte> room(10);
    const std::vector<std::byte> bytes = content(5, 10);
    std::size_t right = 0;
    for (int round = 0; round < 20; ++round) {
      static_cast<void>(::write(pipe.second.get(), bytes.data(), bytes.size()));
      const io::result<std::size_t> n = co_await io::read_exactly(pipe.first.get(), room, io::at_position);
      if (n && *n == 10 && first_difference(room, 5) == 10) ++right;
      if (round % 3 == 2) continue;
      const both_ends other = make_pipe();
      pool inner(1 + static_cast<std::size_t>(round % 2));
      const auto inside = [&]() -> task<> {
        std::vector<std::byte> space(10);
        std::thread writer([&] { EXPECT_EQ(::write(other.second.get(), bytes.data(), bytes.size()), 10); });
        const io::result<std::size_t> got = co_await io::read_exactly(other.first.get(), space, io::at_position);
        writer.join();
        CO_REQUIRE(got);
        expect_content(space, 5);
      };
      run_in(inner, inside);
    }
    co_return right;
  };
  // Somebody is awake to look after what the worker has begun.
  std::atomic<bool> done = false;
  const auto companion = [&]() -> task<> {
    while (!done) co_await yield();
  };
  task_group group(outer);
  group.spawn(companion());
  EXPECT_EQ(run_in(outer, body), 20U);
  done = true;
  group.wait();
  if (GetParam() == "uring") {
    EXPECT_GE(done_by_rings(outer), 20U);
  }
}

// Coming back from there, a worker is one too many, and becomes a spare when its task has ended: what it has begun is looked after by others,
// though these fell asleep before.
TEST_P(pools, inside_of_a_task_whose_worker_becomes_a_spare) {
  pool outer(2);
  const both_ends pipe = make_pipe();
  const auto body = [&]() -> task<std::size_t> {
    std::vector<std::byte> room(10);
    const std::vector<std::byte> bytes = content(5, 10);
    std::size_t right = 0;
    for (int round = 0; round < 20; ++round) {
      static_cast<void>(::write(pipe.second.get(), bytes.data(), bytes.size()));
      const io::result<std::size_t> n = co_await io::read_exactly(pipe.first.get(), room, io::at_position);
      if (n && *n == 10 && first_difference(room, 5) == 10) ++right;
      if (round % 3 == 2) continue;
      const both_ends other = make_pipe();
      pool inner(1 + static_cast<std::size_t>(round % 2));
      const auto inside = [&]() -> task<> {
        std::vector<std::byte> space(10);
        std::thread writer([&] { EXPECT_EQ(::write(other.second.get(), bytes.data(), bytes.size()), 10); });
        const io::result<std::size_t> got = co_await io::read_exactly(other.first.get(), space, io::at_position);
        writer.join();
        CO_REQUIRE(got);
        expect_content(space, 5);
      };
      run_in(inner, inside);
    }
    co_return right;
  };
  EXPECT_EQ(run_in(outer, body), 20U);
  if (GetParam() == "uring") {
    EXPECT_GE(done_by_rings(outer), 20U);
  }
}

// The destructor of a pool waits for a coroutine that waits for I/O.
TEST_P(pools, destroyed_while_one_waits) {
  for (int round = 0; round < 10; ++round) {
    const both_ends pipe = make_pipe();
    std::atomic<bool> done = false;
    std::thread writer;
    {
      const auto waiting = [&]() -> task<> {
        std::vector<std::byte> room(10);
        const io::result<std::size_t> n = co_await io::read(pipe.first.get(), room, io::at_position);
        CO_REQUIRE(n);
        expect_content(std::span(room).first(*n), 4);
        done = true;
      };
      pool home(2);  // ends before what the coroutine uses
      home.detach(waiting());
      writer = std::thread([&, round] {
        std::this_thread::sleep_for(std::chrono::milliseconds(round));
        const std::vector<std::byte> bytes = content(4, 10);
        EXPECT_EQ(::write(pipe.second.get(), bytes.data(), bytes.size()), 10);
      });
    }
    EXPECT_TRUE(done);
    writer.join();
  }
}

TEST_P(pools, come_and_go) {
  write_file(folder_ / "file", content(6, 3000));
  io::file outlives;
  const auto one_pool = [&] {
    pool home(2);
    const auto body = [&]() -> task<> {
      io::result<io::file> opened = co_await io::open(folder_ / "file", O_RDONLY);
      CO_REQUIRE(opened);
      std::vector<std::byte> room(3000);
      const io::result<std::size_t> n = co_await io::read_exactly(opened->native(), room, 0);
      CO_REQUIRE(n);
      expect_content(room, 6);
      outlives = std::move(*opened);
    };
    run_in(home, body);
  };
  one_pool();
  const std::size_t before = open_descriptors();
  for (std::size_t i = 0; more_stress(i, 100); ++i) one_pool();
  EXPECT_LE(open_descriptors(), before + 2) << "a pool leaves descriptors behind";
  std::vector<std::byte> room(10);
  EXPECT_EQ(::pread(outlives.native(), room.data(), room.size(), 0), 10);
}

// Workers that are not needed any more fall asleep; what they have begun ends all the same.
TEST_P(pools, shrink_and_grow) {
  pool home(4);
  for (std::size_t round = 0; round < 5; ++round) {
    std::vector<both_ends> pipes;
    for (int i = 0; i < 100; ++i) pipes.push_back(make_pipe());
    std::atomic<std::size_t> right = 0;
    const auto reader = [&](std::size_t number) -> task<> {
      std::vector<std::byte> room(20);
      const io::result<std::size_t> n = co_await io::read_exactly(pipes[number].first.get(), room, io::at_position);
      CO_REQUIRE(n);
      if (*n == 20 && first_difference(room, number) == 20) ++right;
    };
    home.resize(4);
    task_group group(home);
    for (std::size_t i = 0; i < pipes.size(); ++i) {
      group.spawn(reader(i));
      if (i % 20 == 0) std::this_thread::sleep_for(1ms);
    }
    std::this_thread::sleep_for(5ms);
    home.resize(1 + round % 2);
    std::this_thread::sleep_for(5ms);
    for (std::size_t i = 0; i < pipes.size(); ++i) {
      const std::vector<std::byte> bytes = content(i, 20);
      ASSERT_EQ(::write(pipes[i].second.get(), bytes.data(), bytes.size()), 20);
    }
    group.wait();
    EXPECT_EQ(right, pipes.size());
  }
}

// Tasks that are no coroutines wait for some: each gives its place away meanwhile.
TEST_P(pools, tasks_that_wait_for_coroutines) {
  for (const std::size_t workers : {1U, 2U}) {
    pool home(workers);
    std::vector<both_ends> pipes;
    for (int i = 0; i < 10; ++i) pipes.push_back(make_pipe());
    std::atomic<std::size_t> right = 0;
    task_group group(home);
    for (std::size_t i = 0; i < pipes.size(); ++i) {
      group.spawn([&, i] {
        const auto reader = [&]() -> task<bool> {
          std::vector<std::byte> room(20);
          const io::result<std::size_t> n = co_await io::read_exactly(pipes[i].first.get(), room, io::at_position);
          co_return n && *n == 20 && first_difference(room, i) == 20;
        };
        if (sync_wait(reader())) ++right;
      });
    }
    // Backwards: the last to begin is the first to end.
    for (std::size_t i = pipes.size(); i-- > 0;) {
      const std::vector<std::byte> bytes = content(i, 20);
      ASSERT_EQ(::write(pipes[i].second.get(), bytes.data(), bytes.size()), 20);
    }
    group.wait();
    EXPECT_EQ(right, pipes.size());
  }
}

PILFER_ON_BOTH_BACKENDS(pools);

}  // namespace
}  // namespace pilfer::test
