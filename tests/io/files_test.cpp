// Files, on both backends: what is read is what read(2) gives, what is written is there, and errors are the kernel's own.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <pilfer/coro.hpp>
#include <pilfer/io.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/task_group.hpp>

#include "io/io_checks.hpp"

namespace pilfer::test {
namespace {

class files : public on_backend {
 protected:
  pool home_{2};
  temporary_folder folder_;
};

TEST_P(files, read_gives_what_pread_gives) {
  const auto body = [&]() -> task<> {
    std::uint64_t number = 0;
    for (const std::size_t size : {0U, 1U, 4095U, 4096U, 4097U, 100'003U, 1'048'579U}) {
      const std::string path = folder_ / std::to_string(++number);
      write_file(path, content(number, size));
      const io::result<io::file> opened = co_await io::open(path, O_RDONLY);
      CO_REQUIRE(opened);
      random_source random(base_seed() + number);
      for (std::size_t i = 0; i < stress_amount(200); ++i) {
        const std::uint64_t offset = random.one_in(8) ? size + random.below(10'000) : random.below(size + 1);
        const std::size_t length = random.below(random.one_in(4) ? 200'000 : 300);
        std::vector<std::byte> expected(length);
        std::vector<std::byte> got(length);
        const ssize_t there = ::pread(opened->native(), expected.data(), length, static_cast<off_t>(offset));
        const io::result<std::size_t> n = co_await io::read(opened->native(), got, offset);
        CO_REQUIRE(n);
        EXPECT_EQ(static_cast<ssize_t>(*n), there) << length << " bytes at " << offset << " of " << size;
        EXPECT_EQ(got, expected);  // what lies behind the end is left alone
        expect_content(std::span(got).first(*n), number, offset);
      }
    }
  };
  run_in(home_, body);
}

// As much at a time as the tasks want, from a file that is not in memory: the bytes come from the disk, where there is one.
TEST_P(files, reads_what_is_not_cached) {
  constexpr std::size_t part = 10'000;
  const std::size_t parts = stress_amount(300);
  const temporary_folder disk(temporary_folder::where::disk);
  const std::string path = disk / "cold";
  write_file(path, content(7, part * parts));
  {
    const descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    ::fsync(file.get());
    ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED);
  }
  const auto read_part = [](int file, std::uint64_t offset) -> task<std::vector<std::byte>> {
    std::vector<std::byte> bytes(part);
    const io::result<std::size_t> n = co_await io::read_exactly(file, bytes, offset);
    bytes.resize(n ? *n : 0);
    co_return bytes;
  };
  const auto body = [&]() -> task<> {
    const io::result<io::file> opened = co_await io::open(path, O_RDONLY);
    CO_REQUIRE(opened);
    std::vector<task<std::vector<std::byte>>> all;
    for (std::size_t i = 0; i < parts; ++i) all.push_back(read_part(opened->native(), i * part));
    const std::vector<std::vector<std::byte>> got = co_await when_all(std::move(all));
    for (std::size_t i = 0; i < parts; ++i) {
      EXPECT_EQ(got[i].size(), part);
      expect_content(got[i], 7, i * part);
    }
  };
  run_in(home_, body);
}

TEST_P(files, parts_written_in_any_order_make_the_whole) {
  const std::string path = folder_ / "out";
  random_source random(base_seed());
  struct piece {
    std::uint64_t offset;
    std::size_t length;
  };
  std::vector<piece> pieces;
  std::uint64_t end = 0;
  while (pieces.size() < stress_amount(500)) {
    const std::size_t length = 1 + random.below(random.one_in(10) ? 70'000 : 900);
    pieces.push_back({end, length});
    end += length;
  }
  for (std::size_t i = pieces.size(); i > 1; --i) std::swap(pieces[i - 1], pieces[random.below(i)]);
  const auto write_piece = [](int file, piece what) -> task<int> {
    const std::vector<std::byte> bytes = content(3, what.length, what.offset);
    const io::result<std::size_t> n = co_await io::write_all(file, bytes, what.offset);
    if (n) {
      EXPECT_EQ(*n, what.length);
    }
    co_return errno_of(n);
  };
  const auto body = [&]() -> task<> {
    const io::result<io::file> opened = co_await io::open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    CO_REQUIRE(opened);
    std::vector<task<int>> all;
    for (const piece& what : pieces) all.push_back(write_piece(opened->native(), what));
    const std::vector<int> errors = co_await when_all(std::move(all));
    for (const int error : errors) EXPECT_EQ(error, 0);
  };
  run_in(home_, body);
  const std::vector<std::byte> all = read_file(path);
  EXPECT_EQ(all.size(), end);
  expect_content(all, 3);
  struct stat status{};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_P(files, overwriting_leaves_the_rest) {
  const std::string path = folder_ / "patched";
  write_file(path, content(1, 10'000));
  const auto body = [&]() -> task<> {
    const io::result<io::file> opened = co_await io::open(path, O_RDWR);
    CO_REQUIRE(opened);
    const std::vector<std::byte> patch = content(2, 100);
    const io::result<std::size_t> n = co_await io::write(opened->native(), patch, 5000);
    EXPECT_EQ(errno_of(n), 0);
    const io::result<std::size_t> none = co_await io::write(opened->native(), {}, 20'000);
    EXPECT_EQ(errno_of(none), 0);
    if (none) {
      EXPECT_EQ(*none, 0U);
    }
  };
  run_in(home_, body);
  const std::vector<std::byte> all = read_file(path);
  ASSERT_EQ(all.size(), 10'000U);
  expect_content(std::span(all).first(5000), 1);
  expect_content(std::span(all).subspan(5000, 100), 2);
  expect_content(std::span(all).subspan(5100), 1, 5100);
}

// --- Errors are those of the system calls.

TEST_P(files, open_fails_as_open_does) {
  write_file(folder_ / "file", {});
  ::symlink("loop", (folder_ / "loop").c_str());
  ::symlink("nowhere", (folder_ / "dangling").c_str());
  struct attempt {
    std::string path;
    int flags;
  };
  const std::vector<attempt> attempts = {
      {folder_ / "nothing", O_RDONLY},
      {folder_ / "nothing/below", O_RDONLY},
      {folder_ / "file/below", O_RDONLY},
      {folder_ / "loop", O_RDONLY},
      {folder_ / "dangling", O_RDONLY},
      {folder_ / "dangling", O_RDONLY | O_NOFOLLOW},
      {folder_ / "file", O_RDONLY | O_DIRECTORY},
      {folder_ / "file", O_WRONLY | O_CREAT | O_EXCL},
      {folder_.path(), O_WRONLY},
      {folder_ / std::string(300, 'x'), O_RDONLY},
      {folder_ / std::string(5000, 'x'), O_RDONLY},
      {std::string(), O_RDONLY},
  };
  const auto body = [&]() -> task<> {
    for (const attempt& what : attempts) {
      errno = 0;
      const int number = ::open(what.path.c_str(), what.flags | O_CLOEXEC, 0600);
      const int expected = number < 0 ? errno : 0;
      if (number >= 0) ::close(number);
      EXPECT_NE(expected, 0) << what.path;
      const io::result<io::file> got = co_await io::open(what.path, what.flags, 0600);
      EXPECT_EQ(errno_of(got), expected) << what.path;
      if (!got) {
        EXPECT_EQ(got.error().category(), std::system_category());
      }
    }
  };
  const std::size_t before = open_descriptors();
  run_in(home_, body);
  run_in(home_, body);
  EXPECT_LE(open_descriptors(), before + 8) << "rings, but no files";
}

TEST_P(files, read_and_write_fail_as_the_system_calls_do) {
  write_file(folder_ / "file", content(1, 100));
  const auto body = [&]() -> task<> {
    std::vector<std::byte> buffer(64);
    const io::result<io::file> reading = co_await io::open(folder_ / "file", O_RDONLY);
    const io::result<io::file> writing = co_await io::open(folder_ / "file", O_WRONLY);
    const io::result<io::file> place = co_await io::open(folder_.path(), O_RDONLY | O_DIRECTORY);
    CO_REQUIRE(reading && writing && place);
    const io::result<std::size_t> directory = co_await io::read(place->native(), buffer, 0);
    EXPECT_EQ(errno_of(directory), EISDIR);
    const io::result<std::size_t> not_for_reading = co_await io::read(writing->native(), buffer, 0);
    EXPECT_EQ(errno_of(not_for_reading), EBADF);
    const io::result<std::size_t> not_for_writing = co_await io::write(reading->native(), buffer, 0);
    EXPECT_EQ(errno_of(not_for_writing), EBADF);
    const io::result<std::size_t> not_for_writing_all = co_await io::write_all(reading->native(), buffer, 0);
    EXPECT_EQ(errno_of(not_for_writing_all), EBADF);
    const io::result<std::size_t> no_file = co_await io::read(-1, buffer, 0);
    EXPECT_EQ(errno_of(no_file), EBADF);
    const io::result<std::size_t> closed = co_await io::read(1'000'000, buffer, 0);
    EXPECT_EQ(errno_of(closed), EBADF);
    const io::result<std::size_t> exactly = co_await io::read_exactly(1'000'000, buffer, 0);
    EXPECT_EQ(errno_of(exactly), EBADF);
    EXPECT_EQ(read_file(folder_ / "file"), content(1, 100));
  };
  run_in(home_, body);
}

TEST_P(files, a_full_disk_is_reported) {
  const auto body = [&]() -> task<> {
    const io::result<io::file> full = co_await io::open("/dev/full", O_WRONLY);
    CO_REQUIRE(full);
    const std::vector<std::byte> bytes = content(1, 10'000);
    const io::result<std::size_t> part = co_await io::write(full->native(), bytes, 0);
    EXPECT_EQ(errno_of(part), ENOSPC);
    const io::result<std::size_t> all = co_await io::write_all(full->native(), bytes, 0);
    EXPECT_EQ(errno_of(all), ENOSPC);
  };
  run_in(home_, body);
}

TEST_P(files, far_offsets) {
  const std::string path = folder_ / "sparse";
  const std::uint64_t far = std::uint64_t{1} << 40;
  const auto body = [&]() -> task<> {
    const io::result<io::file> opened = co_await io::open(path, O_RDWR | O_CREAT, 0600);
    CO_REQUIRE(opened);
    const std::vector<std::byte> bytes = content(5, 1000);
    const io::result<std::size_t> written = co_await io::write_all(opened->native(), bytes, far);
    EXPECT_EQ(errno_of(written), 0);
    std::vector<std::byte> got(2000);
    const io::result<std::size_t> n = co_await io::read_exactly(opened->native(), got, far - 500);
    CO_REQUIRE(n);
    EXPECT_EQ(*n, 1500U);
    EXPECT_TRUE(std::all_of(got.begin(), got.begin() + 500, [](std::byte b) { return b == std::byte{0}; }));
    expect_content(std::span(got).subspan(500, 1000), 5);
    const io::result<std::size_t> beyond = co_await io::read(opened->native(), got, far * 4);
    CO_REQUIRE(beyond);
    EXPECT_EQ(*beyond, 0U);
    // Where no file can have a byte.
    const std::uint64_t last = std::uint64_t{1} << 63;
    for (const std::uint64_t offset : {last - 1, last, last + 4096}) {
      errno = 0;
      const ssize_t there = ::pread(opened->native(), got.data(), got.size(), static_cast<off_t>(offset));
      const int expected = there < 0 ? errno : 0;
      const io::result<std::size_t> same = co_await io::read(opened->native(), got, offset);
      EXPECT_EQ(errno_of(same), expected) << offset;
      errno = 0;
      const ssize_t put = ::pwrite(opened->native(), got.data(), got.size(), static_cast<off_t>(offset));
      const int refused = put < 0 ? errno : 0;
      EXPECT_NE(refused, 0);
      const io::result<std::size_t> not_written = co_await io::write(opened->native(), got, offset);
      EXPECT_EQ(errno_of(not_written), refused) << offset;
    }
  };
  run_in(home_, body);
}

// --- Owners of descriptors.

TEST_P(files, a_file_is_closed_once_by_its_last_owner) {
  write_file(folder_ / "file", content(1, 10));
  const auto is_open = [](int number) { return ::fcntl(number, F_GETFD) >= 0; };
  const auto body = [&]() -> task<> {
    io::result<io::file> opened = co_await io::open(folder_ / "file", O_RDONLY);
    CO_REQUIRE(opened);
    io::file mine = std::move(*opened);
    EXPECT_FALSE(opened->is_open());
    EXPECT_TRUE(mine.is_open());
    const int number = mine.native();
    EXPECT_TRUE(is_open(number));
    EXPECT_NE(::fcntl(number, F_GETFD) & FD_CLOEXEC, 0) << "children would inherit it";
    {
      const io::file taken = std::move(mine);
      EXPECT_EQ(taken.native(), number);
      EXPECT_TRUE(is_open(number));
    }
    EXPECT_FALSE(is_open(number));

    io::result<io::file> second = co_await io::open(folder_ / "file", O_RDONLY);
    CO_REQUIRE(second);
    const int second_number = second->native();
    const io::result<void> closed = co_await io::close(std::move(*second));
    EXPECT_EQ(errno_of(closed), 0);
    EXPECT_FALSE(is_open(second_number));

    io::result<io::file> third = co_await io::open(folder_ / "file", O_RDONLY);
    CO_REQUIRE(third);
    const int released = third->release();
    EXPECT_FALSE(third->is_open());
    EXPECT_TRUE(is_open(released));
    ::close(released);
    io::file none;
    const io::result<void> not_closed = co_await io::close(std::move(none));
    EXPECT_EQ(errno_of(not_closed), EBADF);
  };
  run_in(home_, body);
}

TEST_P(files, a_result_is_a_value_or_an_error) {
  const auto body = [&]() -> task<> {
    const io::result<io::file> failed = co_await io::open(folder_ / "nothing", O_RDONLY);
    EXPECT_FALSE(failed);
    EXPECT_TRUE(failed.error() == std::errc::no_such_file_or_directory);
    try {
      static_cast<void>(failed.value());
      ADD_FAILURE() << "no exception";
    } catch (const std::system_error& error) {
      EXPECT_EQ(error.code(), failed.error());
    }
    const io::result<io::file> opened = co_await io::open(folder_.path(), O_RDONLY);
    CO_REQUIRE(opened);
    EXPECT_TRUE(opened.value().is_open());
    EXPECT_FALSE(opened.error());
  };
  run_in(home_, body);
}

// --- Named pipes: open waits for the other side, and is an end of the pipe once only. Somebody who waited saw one that came and went: he read
// the end at once, or wrote to nobody.

class named_pipes : public files {
 protected:
  named_pipes() { std::signal(SIGPIPE, SIG_IGN); }
  // A new one each time: the kernel may hold an end of the last one a moment longer, for an operation that has ended.
  void next_pipe() {
    path_ = folder_ / ("pipe" + std::to_string(++number_));
    ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  }
  task<> write_some() {
    const io::result<io::file> opened = co_await io::open(path_, O_WRONLY);
    EXPECT_EQ(errno_of(opened), 0);
    CO_REQUIRE(opened);
    const std::vector<std::byte> bytes = content(7, 100);
    const io::result<std::size_t> n = co_await io::write_all(opened->native(), bytes, io::at_position);
    EXPECT_EQ(errno_of(n), 0);
  }
  task<> read_some() {
    const io::result<io::file> opened = co_await io::open(path_, O_RDONLY);
    EXPECT_EQ(errno_of(opened), 0);
    CO_REQUIRE(opened);
    std::vector<std::byte> room(200);
    const io::result<std::size_t> n = co_await io::read_exactly(opened->native(), room, io::at_position);
    EXPECT_EQ(errno_of(n), 0);
    CO_REQUIRE(n && *n == 100);
    expect_content(std::span(room).first(100), 7);
  }
  static constexpr auto a_while = std::chrono::milliseconds(5);  // to be waiting by then, mostly
  int number_ = 0;
  std::string path_;
};

TEST_P(named_pipes, whose_reader_waits) {
  for (int round = 0; round < 5; ++round) {
    next_pipe();
    std::thread reader([&] {
      const descriptor mine(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
      std::vector<std::byte> room(200);
      std::size_t got = 0;
      for (ssize_t n = 1; n > 0 && got < room.size(); got += static_cast<std::size_t>(n)) {
        n = ::read(mine.get(), room.data() + got, room.size() - got);
        ASSERT_GE(n, 0);
      }
      EXPECT_EQ(got, 100U);
    });
    std::this_thread::sleep_for(a_while);
    wait_in(home_, write_some());
    reader.join();
  }
}

TEST_P(named_pipes, whose_writer_waits) {
  for (int round = 0; round < 5; ++round) {
    next_pipe();
    std::thread writer([&] {
      const descriptor mine(::open(path_.c_str(), O_WRONLY | O_CLOEXEC));
      const std::vector<std::byte> bytes = content(7, 100);
      EXPECT_EQ(::write(mine.get(), bytes.data(), bytes.size()), 100);
    });
    std::this_thread::sleep_for(a_while);
    wait_in(home_, read_some());
    writer.join();
  }
}

TEST_P(named_pipes, both_ends_of_which_are_ours) {
  for (int round = 0; round < 10; ++round) {
    next_pipe();
    task_group group(home_);
    group.spawn(round % 2 == 0 ? write_some() : read_some());
    if (round < 6) std::this_thread::sleep_for(a_while);
    group.spawn(round % 2 == 0 ? read_some() : write_some());
    group.wait();
  }
}

PILFER_ON_BOTH_BACKENDS(files);
PILFER_ON_BOTH_BACKENDS(named_pipes);

}  // namespace
}  // namespace pilfer::test
