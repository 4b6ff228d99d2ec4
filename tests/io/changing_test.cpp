// Files that change, vanish, or are none, on both backends.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
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

#include "io/io_checks.hpp"

namespace pilfer::test {
namespace {

class changing_files : public on_backend {
 protected:
  pool home_{2};
  temporary_folder folder_;
};

// Somebody cuts the file and writes it again, all the time: reads are short, but no byte is another file's, and nothing waits for ever.
TEST_P(changing_files, truncated_while_read) {
  constexpr std::size_t size = 300'000;
  const std::string path = folder_ / "changing";
  const std::vector<std::byte> whole = content(9, size);
  write_file(path, whole);
  std::atomic<bool> over = false;
  std::thread changer([&] {
    const descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    random_source random(base_seed());
    while (!over) {
      if (::ftruncate(file.get(), static_cast<off_t>(random.below(size))) != 0) break;
      std::this_thread::yield();
      if (::pwrite(file.get(), whole.data(), size, 0) < 0) break;
    }
  });
  std::atomic<std::size_t> shorter = 0;
  const auto read_again = [&](int file) -> task<> {
    std::vector<std::byte> got(size + 100);
    for (std::size_t i = 0; i < stress_amount(60); ++i) {
      const io::result<std::size_t> n = co_await io::read_exactly(file, got, 0);
      CO_REQUIRE(n);
      EXPECT_LE(*n, size);
      if (*n < size) ++shorter;
      // A page that is being cut may show zeros.
      for (std::size_t at = 0; at < *n; ++at) {
        if (got[at] == whole[at] || got[at] == std::byte{0}) continue;
        ADD_FAILURE() << "byte " << at << " is of no version of the file";
        co_return;
      }
    }
  };
  const auto body = [&]() -> task<> {
    const io::result<io::file> opened = co_await io::open(path, O_RDONLY);
    CO_REQUIRE(opened);
    std::vector<task<>> readers;
    for (int i = 0; i < 4; ++i) readers.push_back(read_again(opened->native()));
    co_await when_all(std::move(readers));
  };
  run_in(home_, body);
  over = true;
  changer.join();
  RecordProperty("reads_that_were_short", std::to_string(shorter));
}

TEST_P(changing_files, vanishing_between_the_steps) {
  const std::string path = folder_ / "gone";
  write_file(path, content(4, 5000));
  const auto body = [&]() -> task<> {
    const io::result<io::file_status> before = co_await io::stat(path);
    CO_REQUIRE(before);
    const io::result<io::file> opened = co_await io::open(path, O_RDONLY);
    CO_REQUIRE(opened);
    ::unlink(path.c_str());
    const io::result<io::file_status> by_name = co_await io::stat(path);
    EXPECT_EQ(errno_of(by_name), ENOENT);
    const io::result<io::file> again = co_await io::open(path, O_RDONLY);
    EXPECT_EQ(errno_of(again), ENOENT);
    // Who has it open still has it.
    const io::result<io::file_status> still = co_await io::stat(opened->native());
    CO_REQUIRE(still);
    EXPECT_EQ(still->inode, before->inode);
    EXPECT_EQ(still->links, 0U);
    std::vector<std::byte> got(5000);
    const io::result<std::size_t> n = co_await io::read_exactly(opened->native(), got, 0);
    CO_REQUIRE(n);
    EXPECT_EQ(*n, 5000U);
    expect_content(got, 4);
    // Another file of that name is another file.
    write_file(path, content(6, 10));
    const io::result<io::file_status> other = co_await io::stat(path);
    CO_REQUIRE(other);
    EXPECT_NE(other->inode, before->inode);
  };
  run_in(home_, body);
}

// Names come and go under the feet of those who look them up: each answer is one of the two.
TEST_P(changing_files, appearing_and_vanishing_all_the_time) {
  const std::string path = folder_ / "flicker";
  std::atomic<bool> over = false;
  std::thread changer([&] {
    while (!over) {
      write_file(folder_ / "next", content(8, 3000));
      std::rename((folder_ / "next").c_str(), path.c_str());
      std::this_thread::yield();
      ::unlink(path.c_str());
      std::this_thread::yield();
    }
  });
  const auto look = [&]() -> task<> {
    for (std::size_t i = 0; i < stress_amount(300); ++i) {
      const io::result<io::file> opened = co_await io::open(path, O_RDONLY);
      if (!opened) {
        EXPECT_EQ(errno_of(opened), ENOENT);
        continue;
      }
      std::vector<std::byte> got(4000);
      const io::result<std::size_t> n = co_await io::read_exactly(opened->native(), got, 0);
      CO_REQUIRE(n);
      EXPECT_EQ(*n, 3000U);
      expect_content(std::span(got).first(*n), 8);
    }
  };
  const auto body = [&]() -> task<> {
    std::vector<task<>> all;
    for (int i = 0; i < 4; ++i) all.push_back(look());
    co_await when_all(std::move(all));
  };
  const std::size_t before = open_descriptors();
  run_in(home_, body);
  over = true;
  changer.join();
  EXPECT_LE(open_descriptors(), before + 8);
}

// --- Special files.

TEST_P(changing_files, files_whose_size_is_not_what_stat_says) {
  const auto body = [&]() -> task<> {
    std::vector<std::byte> got(100'000);
    const io::result<io::file> process = co_await io::open("/proc/self/cmdline", O_RDONLY);
    CO_REQUIRE(process);
    const io::result<std::size_t> n = co_await io::read_exactly(process->native(), got, 0);
    CO_REQUIRE(n);
    EXPECT_EQ(std::vector(got.begin(), got.begin() + static_cast<std::ptrdiff_t>(*n)), read_file("/proc/self/cmdline"));
    const io::result<io::file> nothing = co_await io::open("/dev/null", O_RDWR);
    const io::result<io::file> zeros = co_await io::open("/dev/zero", O_RDONLY);
    CO_REQUIRE(nothing && zeros);
    const io::result<std::size_t> none = co_await io::read(nothing->native(), got, 0);
    CO_REQUIRE(none);
    EXPECT_EQ(*none, 0U);
    const io::result<std::size_t> swallowed = co_await io::write_all(nothing->native(), got, 0);
    CO_REQUIRE(swallowed);
    EXPECT_EQ(*swallowed, got.size());
    std::fill(got.begin(), got.end(), std::byte{1});
    const io::result<std::size_t> all = co_await io::read_exactly(zeros->native(), got, 0);
    CO_REQUIRE(all);
    EXPECT_EQ(*all, got.size());
    EXPECT_TRUE(std::all_of(got.begin(), got.end(), [](std::byte b) { return b == std::byte{0}; }));
  };
  run_in(home_, body);
}

PILFER_ON_BOTH_BACKENDS(changing_files);

}  // namespace
}  // namespace pilfer::test
