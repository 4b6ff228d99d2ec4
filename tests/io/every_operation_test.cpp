// Every operation, told to stop before it begins, while it waits, when it has ended, and at any moment: it ends with ECANCELED, and then it has taken
// nothing, or with its result. No descriptor is lost, and no number of the kernel's internals comes out.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <pilfer/coro.hpp>
#include <pilfer/io.hpp>
#include <pilfer/pool.hpp>

#include "io/io_checks.hpp"

namespace pilfer::test {
namespace {

using namespace std::chrono_literals;

// One operation with what it works on. It lives until the test has looked at everything.
struct staged {
  std::function<task<int>()> run;               // gives an errno, or 0
  std::function<void()> release = [] {};        // the other side's part: afterwards the operation does not wait
  std::function<void(int)> check = [](int) {};  // after `release` and the end with that errno
  int when_stopped_before = ECANCELED;          // `close` and `walk` end as always
  bool waits = false;                           // until `release`
};

constexpr std::size_t sent_bytes = 64;

void write_to(int end, std::uint64_t which) {
  const std::vector<std::byte> bytes = content(which, sent_bytes);
  ASSERT_EQ(::write(end, bytes.data(), bytes.size()), static_cast<ssize_t>(sent_bytes));
}
// What was sent is either in `room` or still to be read from `end`.
void expect_delivered_or_left(int error, const std::vector<std::byte>& room, int end, std::uint64_t which) {
  std::vector<std::byte> got = room;
  if (error != 0) {
    got.resize(sent_bytes + 1);
    ASSERT_EQ(::read(end, got.data(), got.size()), static_cast<ssize_t>(sent_bytes)) << "bytes were lost";
    got.resize(sent_bytes);
  }
  expect_content(got, which);
}
// All that lies there; never waits.
[[nodiscard]] std::size_t drained(int end) {
  ::fcntl(end, F_SETFL, ::fcntl(end, F_GETFL) | O_NONBLOCK);
  std::vector<std::byte> room(65536);
  std::size_t all = 0;
  for (ssize_t n = ::read(end, room.data(), room.size()); n > 0; n = ::read(end, room.data(), room.size())) {
    all += static_cast<std::size_t>(n);
  }
  return all;
}
[[nodiscard]] std::size_t filled(int end) {
  ::fcntl(end, F_SETFL, ::fcntl(end, F_GETFL) | O_NONBLOCK);
  const std::vector<std::byte> piece(4096);
  std::size_t all = 0;
  for (ssize_t n = ::write(end, piece.data(), piece.size()); n > 0; n = ::write(end, piece.data(), piece.size())) {
    all += static_cast<std::size_t>(n);
  }
  ::fcntl(end, F_SETFL, ::fcntl(end, F_GETFL) & ~O_NONBLOCK);
  return all;
}
[[nodiscard]] std::pair<int, int> socket_pair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throw std::runtime_error("socketpair");
  return {ends[0], ends[1]};
}
// --- The operations. `must_wait` is for those that can be made to wait in more than one way.

using maker = staged (*)(const temporary_folder&, bool must_wait);

template <bool Exactly, bool WithOffset = false>
staged reads_a_pipe(const temporary_folder& /*where*/, bool /*must_wait*/) {
  struct state {
    both_ends pipe = make_pipe();
    std::vector<std::byte> room = std::vector<std::byte>(sent_bytes);
  };
  auto s = std::make_shared<state>();
  return {.run = [s]() -> task<int> {
            const std::uint64_t offset = WithOffset ? 0 : io::at_position;
            if constexpr (Exactly) {
              const io::result<std::size_t> n = co_await io::read_exactly(s->pipe.first.get(), s->room, offset);
              co_return errno_of(n);
            } else {
              const io::result<std::size_t> n = co_await io::read(s->pipe.first.get(), s->room, offset);
              co_return errno_of(n);
            }
          },
          .release = [s] { write_to(s->pipe.second.get(), 1); },
          .check = [s](int error) { expect_delivered_or_left(error, s->room, s->pipe.first.get(), 1); },
          .waits = true};
}

// Something that has offsets, as far as the kernel is concerned, and makes wait all the same.
staged reads_an_eventfd(const temporary_folder& /*where*/, bool /*must_wait*/) {
  struct state {
    descriptor event{::eventfd(0, EFD_CLOEXEC)};
    std::uint64_t got = 0;
  };
  auto s = std::make_shared<state>();
  return {.run = [s]() -> task<int> {
            const auto room = std::as_writable_bytes(std::span(&s->got, 1));
            const io::result<std::size_t> n = co_await io::read(s->event.get(), room, 0);
            co_return errno_of(n);
          },
          .release =
              [s] {
                const std::uint64_t seven = 7;
                ASSERT_EQ(::write(s->event.get(), &seven, sizeof seven), 8);
              },
          .check =
              [s](int error) {
                if (error != 0) {
                  EXPECT_EQ(::read(s->event.get(), &s->got, sizeof s->got), 8);
                }
                EXPECT_EQ(s->got, 7U);
              },
          .waits = true};
}

template <bool Exactly>
staged reads_a_file(const temporary_folder& where, bool /*must_wait*/) {
  write_file(where / "read", content(2, 5000));
  struct state {
    descriptor file;
    std::vector<std::byte> room = std::vector<std::byte>(4000);
  };
  auto s = std::make_shared<state>(state{descriptor(::open((where / "read").c_str(), O_RDONLY | O_CLOEXEC))});
  return {.run = [s]() -> task<int> {
            if constexpr (Exactly) {
              const io::result<std::size_t> n = co_await io::read_exactly(s->file.get(), s->room, 100);
              co_return errno_of(n);
            } else {
              const io::result<std::size_t> n = co_await io::read(s->file.get(), s->room, 100);
              co_return errno_of(n);
            }
          },
          .check =
              [s](int error) {
                if (error == 0) expect_content(s->room, 2, 100);
              }};
}

template <bool All>
staged writes_into_a_full_pipe(const temporary_folder& /*where*/, bool /*must_wait*/) {
  struct state {
    both_ends pipe = make_pipe();
    std::vector<std::byte> bytes = std::vector<std::byte>(100);
    std::size_t before = 0;
    std::size_t out = 0;
  };
  auto s = std::make_shared<state>();
  s->before = filled(s->pipe.second.get());
  return {
      .run = [s]() -> task<int> {
        if constexpr (All) {
          const io::result<std::size_t> n = co_await io::write_all(s->pipe.second.get(), s->bytes, io::at_position);
          co_return errno_of(n);
        } else {
          const io::result<std::size_t> n = co_await io::write(s->pipe.second.get(), s->bytes, io::at_position);
          co_return errno_of(n);
        }
      },
      .release = [s] { s->out = drained(s->pipe.first.get()); },
      .check = [s](int error) { EXPECT_EQ(s->out + drained(s->pipe.first.get()), s->before + (error == 0 ? 100 : 0)); },
      .waits = true};
}

template <bool All>
staged writes_a_file(const temporary_folder& where, bool /*must_wait*/) {
  struct state {
    std::string path;
    descriptor file;
    std::vector<std::byte> bytes = content(3, 4000);
  };
  const std::string path = where / "write";
  auto s = std::make_shared<state>(
      state{path, descriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600))});
  return {.run = [s]() -> task<int> {
            if constexpr (All) {
              const io::result<std::size_t> n = co_await io::write_all(s->file.get(), s->bytes, 0);
              co_return errno_of(n);
            } else {
              const io::result<std::size_t> n = co_await io::write(s->file.get(), s->bytes, 0);
              co_return errno_of(n);
            }
          },
          .check =
              [s](int error) {
                const std::vector<std::byte> there = read_file(s->path);
                EXPECT_EQ(there.size(), error == 0 ? 4000U : 0U);
                expect_content(there, 3);
              }};
}

// A named pipe makes open wait for its other side.
template <int Flags, bool At = false>
staged opens_a_named_pipe(const temporary_folder& where, bool /*must_wait*/) {
  struct state {
    std::string folder;
    std::string path;
    descriptor parent;
    std::vector<descriptor> other;
    io::file opened;
  };
  const std::string path = where / "fifo";
  ::unlink(path.c_str());
  if (::mkfifo(path.c_str(), 0600) != 0) throw std::runtime_error("mkfifo");
  auto s = std::make_shared<state>(
      state{where.path(), path, descriptor(::open(where.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)), {}, {}});
  return {.run = [s]() -> task<int> {
            if constexpr (At) {
              io::result<io::file> got = co_await io::open_at(s->parent.get(), "fifo", Flags);
              s->parent.close();  // a thread that is left behind must not use this number
              if (got) s->opened = std::move(*got);
              co_return errno_of(got);
            } else {
              io::result<io::file> got = co_await io::open(s->path, Flags);
              if (got) s->opened = std::move(*got);
              co_return errno_of(got);
            }
          },
          // Both sides at once: no side is waited for.
          .release = [s] { s->other.emplace_back(::open(s->path.c_str(), O_RDWR | O_CLOEXEC)); },
          .check = [s](int error) { EXPECT_EQ(s->opened.is_open(), error == 0); },
          .waits = true};
}

staged opens_a_file(const temporary_folder& where, bool /*must_wait*/) {
  write_file(where / "there", content(4, 10));
  auto opened = std::make_shared<io::file>();
  return {.run = [opened, path = where / "there"]() -> task<int> {
            io::result<io::file> got = co_await io::open(path, O_RDONLY);
            if (got) *opened = std::move(*got);
            co_return errno_of(got);
          },
          .check = [opened](int error) { EXPECT_EQ(opened->is_open(), error == 0); }};
}

staged makes_a_file(const temporary_folder& where, bool /*must_wait*/) {
  const std::string path = where / "made";
  ::unlink(path.c_str());
  auto opened = std::make_shared<io::file>();
  return {.run = [opened, path]() -> task<int> {
            io::result<io::file> got = co_await io::open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
            if (got) *opened = std::move(*got);
            co_return errno_of(got);
          },
          .check =
              [opened, path](int error) {
                EXPECT_EQ(opened->is_open(), error == 0);
                std::this_thread::sleep_for(100us);
                EXPECT_EQ(::access(path.c_str(), F_OK) == 0, error == 0) << "made by an open that was cancelled";
              }};
}

template <bool Path>
staged asks_for_a_status(const temporary_folder& where, bool /*must_wait*/) {
  write_file(where / "stat", content(5, 321));
  struct state {
    std::string path;
    descriptor file;
    std::uint64_t size = 0;
  };
  const std::string path = where / "stat";
  auto s = std::make_shared<state>(state{path, descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC))});
  return {.run = [s]() -> task<int> {
            if constexpr (Path) {
              const io::result<io::file_status> got = co_await io::stat(s->path);
              if (got) s->size = got->size;
              co_return errno_of(got);
            } else {
              const io::result<io::file_status> got = co_await io::stat(s->file.get());
              if (got) s->size = got->size;
              co_return errno_of(got);
            }
          },
          .check = [s](int error) { EXPECT_EQ(s->size, error == 0 ? 321U : 0U); }};
}

staged syncs_a_file(const temporary_folder& where, bool /*must_wait*/) {
  auto file = std::make_shared<descriptor>(::open((where / "sync").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  return {.run = [file]() -> task<int> {
    const io::result<void> got = co_await io::sync(file->get());
    co_return errno_of(got);
  }};
}

staged closes_a_file(const temporary_folder& where, bool /*must_wait*/) {
  const int number = ::open((where / "close").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  auto file = std::make_shared<io::file>(number);
  return {.run = [file]() -> task<int> {
            const io::result<void> got = co_await io::close(std::move(*file));
            co_return errno_of(got);
          },
          .check = [file](int error) { EXPECT_EQ(error, 0) << "close is done in any case"; },
          .when_stopped_before = 0};
}

staged accepts(const temporary_folder& /*where*/, bool /*must_wait*/) {
  struct state {
    io::socket listener = io::listen(io::address("127.0.0.1:0")).value();
    std::vector<descriptor> client;
    io::socket accepted;
  };
  auto s = std::make_shared<state>();
  return {.run = [s]() -> task<int> {
            io::result<io::socket> got = co_await io::accept(s->listener);
            if (got) s->accepted = std::move(*got);
            co_return errno_of(got);
          },
          .release =
              [s] {
                const io::address to = io::local_address(s->listener).value();
                s->client.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
                ASSERT_EQ(::connect(s->client.back().get(), static_cast<const sockaddr*>(to.data()), to.size()), 0);
              },
          .check =
              [s](int error) {
                if (error == 0) {
                  EXPECT_TRUE(s->accepted.is_open());
                  return;
                }
                const int late = ::accept4(s->listener.native(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
                EXPECT_GE(late, 0) << "a connection was lost";
                if (late >= 0) ::close(late);
              },
          .waits = true};
}

// A listener whose queue is full drops those who want to connect. It is not released: the kernel tries again after a second.
staged connects(const temporary_folder& /*where*/, bool must_wait) {
  struct state {
    io::socket listener;
    std::vector<descriptor> queued;
    io::socket connected;
  };
  auto s = std::make_shared<state>();
  s->listener = io::listen(io::address("127.0.0.1:0"), io::listen_options{.backlog = must_wait ? 0 : 100}).value();
  const io::address to = io::local_address(s->listener).value();
  for (int i = 0; must_wait && i < 8; ++i) {
    s->queued.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    static_cast<void>(::connect(s->queued.back().get(), static_cast<const sockaddr*>(to.data()), to.size()));
  }
  return {.run = [s, to]() -> task<int> {
            io::result<io::socket> got = co_await io::connect(to);
            if (got) s->connected = std::move(*got);
            co_return errno_of(got);
          },
          .check = [s](int error) { EXPECT_EQ(s->connected.is_open(), error == 0); },
          .waits = must_wait};
}

template <bool Exactly>
staged receives(const temporary_folder& /*where*/, bool /*must_wait*/) {
  struct state {
    explicit state(std::pair<int, int> ends) : mine(ends.first), other(ends.second) {}
    io::socket mine;
    io::socket other;
    std::vector<std::byte> room = std::vector<std::byte>(sent_bytes);
  };
  auto s = std::make_shared<state>(socket_pair());
  return {.run = [s]() -> task<int> {
            if constexpr (Exactly) {
              const io::result<std::size_t> n = co_await io::receive_exactly(s->mine, s->room);
              co_return errno_of(n);
            } else {
              const io::result<std::size_t> n = co_await io::receive(s->mine, s->room);
              co_return errno_of(n);
            }
          },
          .release = [s] { write_to(s->other.native(), 6); },
          .check = [s](int error) { expect_delivered_or_left(error, s->room, s->mine.native(), 6); },
          .waits = true};
}

template <bool All>
staged sends(const temporary_folder& /*where*/, bool /*must_wait*/) {
  struct state {
    explicit state(std::pair<int, int> ends) : mine(ends.first), other(ends.second) {}
    io::socket mine;
    io::socket other;
    std::vector<std::byte> bytes = std::vector<std::byte>(100);
    std::size_t before = 0;
    std::size_t out = 0;
  };
  auto s = std::make_shared<state>(socket_pair());
  s->before = filled(s->mine.native());
  return {
      .run = [s]() -> task<int> {
        if constexpr (All) {
          const io::result<std::size_t> n = co_await io::send_all(s->mine, s->bytes);
          co_return errno_of(n);
        } else {
          const io::result<std::size_t> n = co_await io::send(s->mine, s->bytes);
          co_return errno_of(n);
        }
      },
      .release = [s] { s->out = drained(s->other.native()); },
      .check = [s](int error) { EXPECT_EQ(s->out + drained(s->other.native()), s->before + (error == 0 ? 100 : 0)); },
      .waits = true};
}

staged reads_a_folder(const temporary_folder& where, bool /*must_wait*/) {
  write_file(where / "entry", {});
  auto entries = std::make_shared<std::size_t>(0);
  return {.run = [entries, path = where.path()]() -> task<int> {
            const auto got = co_await io::read_directory(path);
            if (got) *entries = got->size();
            co_return errno_of(got);
          },
          .check = [entries](int error) { EXPECT_EQ(*entries > 0, error == 0); }};
}

class counting_visitor final : public io::walk_visitor {
 public:
  void folder(const io::walk_folder& /*where*/, std::span<io::walk_entry> /*entries*/) override { ++folders_; }
  void problem(const std::string& path, io::walk_problem /*what*/, std::error_code error) override {
    ADD_FAILURE() << path << ": " << error.message();
  }

 private:
  std::atomic<std::size_t> folders_ = 0;
};
staged walks(const temporary_folder& where, bool /*must_wait*/) {
  std::filesystem::create_directories(where / "a/b/c");
  auto visitor = std::make_shared<counting_visitor>();
  return {.run = [visitor, path = where.path()]() -> task<int> {
            co_await io::walk(path, {}, *visitor);
            co_return 0;
          },
          .when_stopped_before = 0};
}

struct named_operation {
  std::string_view name;
  maker make;
  bool can_wait = false;
};
constexpr named_operation operations[] = {
    {"read_of_a_pipe", reads_a_pipe<false>, true},
    {"read_of_a_pipe_with_an_offset", reads_a_pipe<false, true>, true},
    {"read_of_an_eventfd_with_an_offset", reads_an_eventfd, true},
    {"read_exactly_of_a_pipe", reads_a_pipe<true>, true},
    {"read_of_a_file", reads_a_file<false>},
    {"read_exactly_of_a_file", reads_a_file<true>},
    {"write_into_a_full_pipe", writes_into_a_full_pipe<false>, true},
    {"write_all_into_a_full_pipe", writes_into_a_full_pipe<true>, true},
    {"write_of_a_file", writes_a_file<false>},
    {"write_all_of_a_file", writes_a_file<true>},
    {"open_of_a_pipe_to_read", opens_a_named_pipe<O_RDONLY>, true},
    {"open_of_a_pipe_to_write", opens_a_named_pipe<O_WRONLY>, true},
    {"open_of_a_pipe_that_would_be_made", opens_a_named_pipe<O_WRONLY | O_CREAT | O_TRUNC>, true},
    {"open_at_of_a_pipe", opens_a_named_pipe<O_RDONLY, true>, true},
    {"open_of_a_file", opens_a_file},
    {"open_that_makes_a_file", makes_a_file},
    {"stat_of_a_path", asks_for_a_status<true>},
    {"stat_of_a_descriptor", asks_for_a_status<false>},
    {"sync", syncs_a_file},
    {"close", closes_a_file},
    {"accept", accepts, true},
    {"connect", connects, true},
    {"receive", receives<false>, true},
    {"receive_exactly", receives<true>, true},
    {"send", sends<false>, true},
    {"send_all", sends<true>, true},
    {"read_directory", reads_a_folder},
    {"walk", walks},
};

// Those that a test or an operation could have opened: not the rings, nor what wakes them.
[[nodiscard]] std::size_t open_files() {
  std::size_t n = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const std::string to = std::filesystem::read_symlink(entry.path(), gone).string();
    if (!gone && !to.starts_with("anon_inode:")) ++n;
  }
  return n;
}

class every_operation : public ::testing::TestWithParam<std::tuple<std::string, named_operation>> {
 protected:
  [[nodiscard]] static std::string backend() { return std::get<0>(GetParam()); }
  staged make(bool must_wait) { return std::get<1>(GetParam()).make(folder_, must_wait); }

  void SetUp() override {
    home_ = std::make_unique<pool>(2);
    const bool ring = backend() == "uring";
    try {
      io::configure(
          *home_, {.choice = ring ? io::backend_choice::uring : io::backend_choice::threads, .attempt_inline = false});
    } catch (const std::system_error& refused) {
      GTEST_SKIP() << refused.what();
    }
    files_before_ = open_files();
  }
  void TearDown() override {
    if (IsSkipped()) return;
    sleep_until_true([&] { return open_files() <= files_before_; });
  }
  // A thread that was left behind may still be on its way into the system call: the other side stays until it is through.
  void finish(const staged& what, int error) {
    what.check(error);
    sleep_until_true([&] { return io::statistics_of(*home_).threads_stuck == 0; });
  }

  // On a thread of the pool, which has a ring, or on the calling thread, which has none.
  enum class place : std::uint8_t { pool_thread, caller };
  int run(const staged& what, std::stop_token token, place where) {
    auto stopped = with_stop(std::move(token), what.run());
    return where == place::caller ? sync_wait(*home_, std::move(stopped)) : wait_in(*home_, std::move(stopped));
  }
  template <class Stop>
  int run_while(const staged& what, const std::stop_token& token, place where, Stop stop) {
    const std::uint64_t begun = begun_to_wait(*home_);
    std::thread stopper([&] {
      sleep_until_true([&] { return begun_to_wait(*home_) > begun; });
      stop();
    });
    const int error = run(what, token, where);
    stopper.join();
    return error;
  }

  std::unique_ptr<pool> home_;
  temporary_folder folder_;
  std::size_t files_before_ = 0;
  watchdog dog_{std::chrono::seconds(100),
                std::string(::testing::UnitTest::GetInstance()->current_test_info()->name())};
  ::testing::ScopedTrace seed_{__FILE__, __LINE__, describe_seed()};
};

TEST_P(every_operation, stopped_before_it_begins) {
  for (const place where : {place::pool_thread, place::caller}) {
    const staged what = make(true);
    std::stop_source source;
    source.request_stop();
    EXPECT_EQ(run(what, source.get_token(), where), what.when_stopped_before);
    what.release();
    finish(what, what.when_stopped_before);
  }
}

// Those that can be made to wait for long.
class waiting_operation : public every_operation {};

TEST_P(waiting_operation, stopped_while_it_waits) {
  for (const place where : {place::pool_thread, place::caller, place::pool_thread}) {
    const staged what = make(true);
    ASSERT_TRUE(what.waits);
    std::stop_source source;
    const int error = run_while(what, source.get_token(), where, [&] {
      std::this_thread::sleep_for(5ms);
      source.request_stop();
    });
    EXPECT_EQ(error, ECANCELED);
    what.release();
    finish(what, error);
  }
}

TEST_P(every_operation, stopped_when_it_has_ended) {
  for (const place where : {place::pool_thread, place::caller}) {
    const staged what = make(false);
    std::stop_source source;
    int error = 0;
    if (what.waits) {
      error = run_while(what, source.get_token(), where, [&] { what.release(); });
    } else {
      error = run(what, source.get_token(), where);
    }
    source.request_stop();
    EXPECT_EQ(error, 0);
    finish(what, error);
  }
}

TEST_P(every_operation, stopped_at_any_moment) {
  random_source random(base_seed());
  const std::size_t rounds = stress_amount(40);
  for (std::size_t round = 0; round < rounds; ++round) {
    const staged what = make(false);
    std::stop_source source;
    const std::uint64_t wait_us = random.below(random.one_in(2) ? 20 : 300);
    const std::uint64_t spins = random.below(2000);
    const bool waiting = what.waits && random.one_in(2);
    const std::uint64_t begun = begun_to_wait(*home_);
    std::thread stopper([&] {
      while (waiting && begun_to_wait(*home_) == begun) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::microseconds(wait_us));
      source.request_stop();
    });
    std::thread other([&] {
      while (waiting && begun_to_wait(*home_) == begun) std::this_thread::yield();
      for (std::uint64_t i = 0; i < spins; ++i) std::atomic_signal_fence(std::memory_order_seq_cst);
      what.release();
    });
    const int error = run(what, source.get_token(), random.one_in(3) ? place::caller : place::pool_thread);
    stopper.join();
    other.join();
    ASSERT_TRUE(error == 0 || error == ECANCELED) << error << " in round " << round;
    finish(what, error);
  }
}

[[nodiscard]] std::vector<named_operation> those_that_wait() {
  std::vector<named_operation> all;
  for (const named_operation& each : operations) {
    if (each.can_wait) all.push_back(each);
  }
  return all;
}
const auto name_of_both = [](const auto& which) {
  return std::get<0>(which.param) + "_" + std::string(std::get<1>(which.param).name);
};
INSTANTIATE_TEST_SUITE_P(backends, every_operation,
                         ::testing::Combine(::testing::Values("uring", "threads"), ::testing::ValuesIn(operations)),
                         name_of_both);
INSTANTIATE_TEST_SUITE_P(backends, waiting_operation,
                         ::testing::Combine(::testing::Values("uring", "threads"),
                                            ::testing::ValuesIn(those_that_wait())),
                         name_of_both);

}  // namespace
}  // namespace pilfer::test
