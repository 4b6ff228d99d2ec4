// Rings that are too small for what is asked of them: for entries, for completions, and for the entry that wakes their worker.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

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

// One worker, so that nobody else takes what has come, with a ring for one entry and some sixteen completions.
class small_ring : public on_backend {
 protected:
  void SetUp() override {
    on_backend::SetUp();
    if (IsSkipped()) return;
    io::configure(home_, {.ring_entries = 1, .attempt_inline = false});
    for (std::size_t i = 0; i < number; ++i) pipes_.push_back(make_pipe());
  }
  task<> read_one(std::size_t which) {
    std::byte one{};
    const io::result<std::size_t> n = co_await io::read(pipes_[which].first.get(), std::span(&one, 1), io::at_position);
    CO_REQUIRE(n && *n == 1);
    EXPECT_EQ(one, std::byte{'x'});
    ++right_;
  }
  // All complete while the worker is in this one call: nothing is taken before it ends.
  void write_all() {
    for (const both_ends& pipe : pipes_) EXPECT_EQ(::write(pipe.second.get(), "x", 1), 1);
  }
  // All readers wait, in the kernel, and then have what they want while their ring has no room for it.
  task<> overflow(std::stop_source* stopped) {
    const std::stop_token token = stopped != nullptr ? stopped->get_token() : std::stop_token();
    for (std::size_t i = 0; i < number; ++i) home_.detach(with_stop(token, read_one(i)));
    while (io::statistics_of(home_).ring_entries < number + 1) co_await yield();  // and one to be woken by
    write_all();
    if (stopped != nullptr) stopped->request_stop();
  }
  void wait_for_all() {
    sleep_until_true([&] { return right_ == number; });
    EXPECT_EQ(done_by_rings(home_), number);
  }

  static constexpr std::size_t number = 100;
  pool home_{1};
  std::vector<both_ends> pipes_;
  std::atomic<std::size_t> right_ = 0;
};

TEST_P(small_ring, has_no_room_for_completions) {
  wait_in(home_, overflow(nullptr));
  wait_for_all();
}

// What is cancelled when it has ended makes its worker be woken; where there is no room for that either, the kernel gives it up for good.
TEST_P(small_ring, has_no_room_to_be_woken_and_is_woken_later) {
  std::stop_source source;
  wait_in(home_, overflow(&source));
  wait_for_all();
  // The worker sleeps in its ring, because it waits for something there; new work wakes it.
  for (int round = 0; round < 5; ++round) {
    const std::uint64_t begun = begun_to_wait(home_);
    task_group group(home_);
    group.spawn(read_one(0));
    sleep_until_true([&] { return begun_to_wait(home_) > begun; });
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::atomic<bool> done = false;
    home_.detach([&] { done = true; });
    sleep_until_true([&] { return done.load(); });
    ASSERT_EQ(::write(pipes_[0].second.get(), "x", 1), 1);
    group.wait();
  }
}

INSTANTIATE_TEST_SUITE_P(backends, small_ring, ::testing::Values("uring"),
                         [](const auto& which) { return std::string(which.param); });

TEST(full_ring, leaves_it_to_the_threads) { expect_child_succeeds("full-ring"); }

}  // namespace
}  // namespace pilfer::test
