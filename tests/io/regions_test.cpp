// I/O awaited by threads that block meanwhile: what they have prepared is on its way before.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <span>
#include <thread>

#include <unistd.h>

#include <gtest/gtest.h>

#include <pilfer/blocking_region.hpp>
#include <pilfer/coro.hpp>
#include <pilfer/io.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/task_group.hpp>

#include "io/io_checks.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;

class regions : public on_backend {};

// Nested, too: the outer one has given the place away already.
TEST_P(regions, sync_wait_in_a_blocking_region) {
  for (const int depth : {1, 2}) {
    pool home(2);
    const both_ends pipe = make_pipe();
    std::byte got{};
    const auto body = [&]() -> task<std::size_t> {
      const io::result<std::size_t> n = co_await io::read(pipe.first.get(), std::span(&got, 1), io::at_position);
      co_return n ? *n : 0;
    };
    std::thread writer([&] {
      std::this_thread::sleep_for(20ms);
      const std::byte one{7};
      EXPECT_EQ(::write(pipe.second.get(), &one, 1), 1);
    });
    std::size_t n = 0;
    std::atomic<bool> done = false;
    task_group group(home);
    group.spawn([&] {
      const blocking_region outer;
      if (depth == 1) {
        n = sync_wait(body());
      } else {
        const blocking_region inner;
        n = sync_wait(body());
      }
      done = true;
    });
    sleep_until_true([&] { return done.load(); });  // not by waiting: a caller who helps has no ring
    group.wait();
    writer.join();
    EXPECT_EQ(n, 1U);
    EXPECT_EQ(got, std::byte{7});
  }
}

PILFER_ON_BOTH_BACKENDS(regions);

}  // namespace
}  // namespace pilfer::test
