// Ten thousand connections at a time, on both backends: this process serves, another one asks; one alone has too few descriptors.
//
// Each connection has a number, sends it twice, and wants it back both times; between the two all are open and idle.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
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

class connections : public on_backend {
 protected:
  static constexpr std::size_t wanted = under_tsan || under_asan ? 2'000 : 10'000;
};

[[nodiscard]] std::size_t threads_of_this_process() {
  std::size_t n = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    static_cast<void>(entry);
    ++n;
  }
  return n;
}

// Who has asked, and how often.
class register_of_numbers {
 public:
  explicit register_of_numbers(std::size_t numbers) : asked_(numbers) {}
  void note(std::uint64_t number) {
    if (number < asked_.size()) {
      ++asked_[number];
    } else {
      ++strange_;
    }
  }
  void expect_each(int times) const {
    EXPECT_EQ(strange_, 0U);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < asked_.size(); ++i) {
      if (asked_[i] != times && ++wrong <= 3) ADD_FAILURE() << "number " << i << " came " << asked_[i] << " times";
    }
    EXPECT_EQ(wrong, 0U) << "of " << asked_.size();
  }

 private:
  std::vector<std::atomic<int>> asked_;
  std::atomic<std::size_t> strange_ = 0;
};

task<> answer(io::socket mine, register_of_numbers& asked, std::atomic<std::size_t>& ended) {
  std::uint64_t number = 0;
  const std::span<std::byte> room = std::as_writable_bytes(std::span(&number, 1));
  for (;;) {
    const io::result<std::size_t> n = co_await io::receive_exactly(mine, room);
    EXPECT_EQ(errno_of(n), 0);
    if (!n || *n != room.size()) break;
    asked.note(number);
    const io::result<std::size_t> sent = co_await io::send_all(mine, room);
    EXPECT_EQ(errno_of(sent), 0);
    if (!sent) break;
  }
  ++ended;
}

task<> answer_all(task_group& group, const io::socket& listening, std::size_t count, register_of_numbers& asked,
                  std::atomic<std::size_t>& ended) {
  for (std::size_t i = 0; i < count; ++i) {
    io::result<io::socket> accepted = co_await io::accept(listening);
    CO_REQUIRE(accepted);
    group.spawn(answer(std::move(*accepted), asked, ended));
  }
}

TEST_P(connections, thousands_at_a_time) {
  const std::size_t limit = raise_descriptor_limit();
  const std::size_t count = std::min(wanted, limit > 300 ? limit - 300 : 0);
  if (count < 1000 && count < wanted) GTEST_SKIP() << "only " << limit << " descriptors";
  if (count < wanted)
    std::cout << "only " << count << " connections: this process may have " << limit << " descriptors\n";
  RecordProperty("connections", std::to_string(count));

  io::result<io::socket> listening = io::listen(io::address("127.0.0.1:0"));
  ASSERT_TRUE(listening);
  const io::result<io::address> where = io::local_address(*listening);
  ASSERT_TRUE(where);
  register_of_numbers asked(count);
  std::atomic<std::size_t> ended = 0;
  pool home(2);
  task_group group(home);
  group.spawn(answer_all(group, *listening, count, asked, ended));

  int ready[2];
  int go[2];
  ASSERT_EQ(::pipe(ready), 0);
  ASSERT_EQ(::pipe(go), 0);
  descriptor ready_here(ready[0]);
  descriptor ready_there(ready[1]);
  descriptor go_there(go[0]);
  descriptor go_here(go[1]);
  for (const descriptor* mine : {&ready_here, &go_here}) ::fcntl(mine->get(), F_SETFD, FD_CLOEXEC);
  const pid_t clients = start_child(
      "clients",
      {"PILFER_IO=" + GetParam(), "PILFER_TEST_ADDRESS=" + where->text(), "PILFER_TEST_COUNT=" + std::to_string(count),
       "PILFER_TEST_READY=" + std::to_string(ready[1]), "PILFER_TEST_GO=" + std::to_string(go[0])});
  ASSERT_GT(clients, 0);
  ready_there.close();
  go_there.close();

  char sign = 0;
  const bool all_open = ::read(ready_here.get(), &sign, 1) == 1;
  EXPECT_TRUE(all_open) << "the clients have given up";
  if (all_open) {
    asked.expect_each(1);
    EXPECT_EQ(ended, 0U);
    EXPECT_GE(open_descriptors(), count);
    EXPECT_LT(threads_of_this_process(), 200U) << "a connection has no thread of its own";
    std::this_thread::sleep_for(200ms);
    const double before = processor_seconds();
    const auto start = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(500ms);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    const double share = (processor_seconds() - before) / time.count();
    std::cout << count << " idle connections use " << 100 * share << " % of a core\n";
    RecordProperty("percent_of_a_core", std::to_string(100 * share));
    EXPECT_LT(share, 0.1);
    EXPECT_EQ(::write(go_here.get(), "g", 1), 1);
  } else {
    group.request_stop();
  }
  EXPECT_EQ(status_of_child(clients), 0);
  group.wait();
  if (!all_open) return;
  asked.expect_each(2);
  EXPECT_EQ(ended, count);
}

PILFER_ON_BOTH_BACKENDS(connections);

}  // namespace
}  // namespace pilfer::test
