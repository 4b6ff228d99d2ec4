// What the tests of pilfer::io share: both backends as a parameter, folders that vanish, contents that can be told from one another.
#pragma once

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <pilfer/coro.hpp>
#include <pilfer/io.hpp>
#include <pilfer/pool.hpp>

#include "support/environment.hpp"
#include "support/watchdog.hpp"

namespace pilfer::test {

// --- Contents.

// The byte at `offset` of file or stream number `of`: no two streams agree for long, and no part of one repeats.
[[nodiscard]] inline std::byte content_at(std::uint64_t of, std::uint64_t offset) {
  const std::uint64_t word = random_source(of * 0x1'0000'0001 + offset / 8)();
  return static_cast<std::byte>(word >> (offset % 8 * 8));
}
[[nodiscard]] inline std::vector<std::byte> content(std::uint64_t of, std::size_t bytes, std::uint64_t from = 0) {
  std::vector<std::byte> made(bytes);
  for (std::size_t i = 0; i < bytes; ++i) made[i] = content_at(of, from + i);
  return made;
}
// Where it begins to differ; its size: nowhere.
[[nodiscard]] inline std::size_t first_difference(std::span<const std::byte> got, std::uint64_t of,
                                                  std::uint64_t from = 0) {
  std::size_t i = 0;
  while (i < got.size() && got[i] == content_at(of, from + i)) ++i;
  return i;
}
inline void expect_content(std::span<const std::byte> got, std::uint64_t of, std::uint64_t from = 0) {
  EXPECT_EQ(first_difference(got, of, from), got.size()) << "content " << of << " from " << from;
}
[[nodiscard]] inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

// --- Files.

// Gone with everything in it at the end. In memory, where that can be had: making thousands of files on a busy disk takes its time.
class temporary_folder {
 public:
  enum class where : std::uint8_t { memory, disk };
  explicit temporary_folder(where kind = where::memory) {
    const bool memory = kind == where::memory && ::access("/dev/shm", W_OK) == 0;
    const std::filesystem::path parent = memory ? "/dev/shm" : std::filesystem::temp_directory_path();
    std::string name = (parent / "pilfer_io_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::system_error(errno, std::generic_category(), name);
    path_ = name;
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline void write_file(const std::string& path, std::span<const std::byte> what) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(what.data()), static_cast<std::streamsize>(what.size()));
  if (!out.flush()) throw std::runtime_error("cannot write " + path);
}
[[nodiscard]] inline std::vector<std::byte> read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string all((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const auto bytes = bytes_of(all);
  return {bytes.begin(), bytes.end()};
}

// A descriptor made by the test's own system calls.
class descriptor {
 public:
  explicit descriptor(int number) : number_(number) {
    if (number < 0) throw std::system_error(errno, std::generic_category(), "descriptor");
  }
  descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~descriptor() { close(); }
  void close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }
  [[nodiscard]] int get() const { return number_; }

 private:
  int number_;
};

struct both_ends {
  descriptor first;   // of a pipe: the one to read
  descriptor second;  // of a pipe: the one to write
};
[[nodiscard]] inline both_ends make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe2");
  return {descriptor(ends[0]), descriptor(ends[1])};
}

// As many descriptors as this process may have.
inline std::size_t raise_descriptor_limit() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  ::getrlimit(RLIMIT_NOFILE, &limit);
  return static_cast<std::size_t>(limit.rlim_cur);
}
[[nodiscard]] inline std::size_t open_descriptors() {
  std::size_t n = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    static_cast<void>(entry);
    ++n;
  }
  return n;
}

[[nodiscard]] inline double processor_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

// --- Pools and coroutines.

// What went wrong, as errno says it; 0: nothing.
template <class T>
[[nodiscard]] int errno_of(const io::result<T>& got) {
  return got ? 0 : got.error().value();
}

// A coroutine cannot leave by ASSERT_*: that returns.
#define CO_REQUIRE(condition)                      \
  do {                                             \
    if (!(condition)) {                            \
      ADD_FAILURE() << "not true: " << #condition; \
      co_return;                                   \
    }                                              \
  } while (false)

// On a thread of the pool: what a caller's own thread begins goes to the threads, whichever backend is tested. By gettid, because a compiler
// may take pthread_self for the same on both sides of a suspension.
template <class T>
task<T> on_pool_thread(pool& home, pid_t caller, task<T> what) {
  do {
    co_await home.schedule();
  } while (::gettid() == caller);
  co_return co_await std::move(what);
}
template <class T>
T wait_in(pool& home, task<T> what) {
  return sync_wait(home, on_pool_thread(home, ::gettid(), std::move(what)));
}

// Calls body(), which is a coroutine, in that pool. It lives until the coroutine has ended, so it may be a lambda with captures.
template <class F>
auto run_in(pool& home, F body) {
  return wait_in(home, body());
}

// Operations that a ring has done. Not `ring_entries`: the entry that wakes a worker is among those.
[[nodiscard]] inline std::uint64_t done_by_rings(pool& home) {
  const io::statistics now = io::statistics_of(home);
  return now.reaped + now.reaped_by_others;
}
// Begun, and not done at once.
[[nodiscard]] inline std::uint64_t begun_to_wait(pool& home) {
  const io::statistics now = io::statistics_of(home);
  return now.operations - now.inline_done;
}

// Both backends; that of the ring is skipped where there is none.
class on_backend : public ::testing::TestWithParam<std::string> {
 protected:
  on_backend() { ::setenv("PILFER_IO", GetParam().c_str(), 1); }
  ~on_backend() override { ::unsetenv("PILFER_IO"); }
  void SetUp() override {
    if (GetParam() != "uring") return;
    ::setenv("PILFER_IO", "auto", 1);
    pool probe(1);
    if (io::backend_of(probe) != io::backend::uring) GTEST_SKIP() << io::describe_backend(probe);
    ::setenv("PILFER_IO", "uring", 1);
  }
  watchdog dog_{std::chrono::seconds(100),
                std::string(::testing::UnitTest::GetInstance()->current_test_info()->name())};
  ::testing::ScopedTrace seed_{__FILE__, __LINE__, describe_seed()};
};
#define PILFER_ON_BOTH_BACKENDS(suite)                                             \
  INSTANTIATE_TEST_SUITE_P(backends, suite, ::testing::Values("uring", "threads"), \
                           [](const auto& which) { return std::string(which.param); })

template <class Condition>
void sleep_until_true(Condition condition) {
  while (!condition()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace pilfer::test
