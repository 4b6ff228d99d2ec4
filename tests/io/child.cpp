// What needs a process of its own. PILFER_TEST_CHILD says which; the exit status, whether it went well.
//
//   no-setup      io_uring_setup is refused, with PILFER_TEST_ERROR: threads are chosen, say why, and do everything
//   no-enter      the same for io_uring_enter, which is refused only after rings can be made
//   no-register   io_uring_register is refused: whichever backend is chosen, it works
//   no-preadv2    reads cannot be tried without waiting
//   demanded      PILFER_IO=uring where it is refused: an error that says so
//   full-ring     the kernel takes no entry of a ring that has room for one: threads do what it has no room for
//   forked        a child of fork has none of the threads that wait for files, sockets and times, and starts its own
//   no-thread     no thread can be made: the caller does what ends by itself, and what may wait for ever ends with an error
//   stuck         a thread that was left behind in open(2) does not keep the process from its end
//   permissions   somebody without rights meets files and folders that are not for everybody
//   clients       of the test of connections
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <grp.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pilfer/coro.hpp>
#include <pilfer/io.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/task_group.hpp>

#include "io/child.hpp"
#include "io/io_checks.hpp"
#include "io/refusals.hpp"
#include "io/walk_log.hpp"
#include "support/environment.hpp"
#include "support/watchdog.hpp"

namespace pilfer::test {
namespace {

// Here is no test to fail: say what is wrong and leave.
#define REQUIRE(condition)                                                           \
  do {                                                                               \
    if (!(condition)) {                                                              \
      std::fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
      std::_Exit(1);                                                                 \
    }                                                                                \
  } while (false)

[[nodiscard]] std::string setting(const char* name) {
  const char* text = std::getenv(name);
  return text != nullptr ? text : "";
}

// --- A little of everything, to be right whoever does it.

task<> files_work(std::string path) {
  const std::vector<std::byte> bytes = content(1, 70'000);
  const io::result<io::file> out = co_await io::open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
  REQUIRE(out);
  const io::result<std::size_t> written = co_await io::write_all(out->native(), bytes, 0);
  REQUIRE(written && *written == bytes.size());
  std::vector<std::byte> room(80'000);
  const io::result<std::size_t> got = co_await io::read_exactly(out->native(), room, 0);
  REQUIRE(got && *got == bytes.size());
  REQUIRE(first_difference(std::span(room).first(*got), 1) == *got);
  const io::result<io::file_status> status = co_await io::stat(path);
  REQUIRE(status && status->size == bytes.size());
  const io::result<io::file> nothing = co_await io::open(path + "x", O_RDONLY);
  REQUIRE(errno_of(nothing) == ENOENT);
}

task<> connect_and_send(io::address where) {
  io::result<io::socket> mine = co_await io::connect(where);
  REQUIRE(mine);
  const std::vector<std::byte> bytes = content(2, 300'000);
  const io::result<std::size_t> sent = co_await io::send_all(*mine, bytes);
  REQUIRE(sent);
}
task<> accept_and_receive(io::socket& listening) {
  io::result<io::socket> accepted = co_await io::accept(listening);
  REQUIRE(accepted);
  std::vector<std::byte> room(300'001);
  const io::result<std::size_t> got = co_await io::receive_exactly(*accepted, room);
  REQUIRE(got && *got == 300'000);
  REQUIRE(first_difference(std::span(room).first(*got), 2) == *got);
}

task<int> read_for_ever(int from) {
  std::vector<std::byte> room(10);
  const io::result<std::size_t> n = co_await io::read(from, room, io::at_position);
  co_return errno_of(n);
}

void everything_works() {
  const temporary_folder folder;
  pool home(2);
  task_group group(home);
  for (int i = 0; i < 20; ++i) group.spawn(files_work(folder / std::to_string(i)));
  io::result<io::socket> listening = io::listen(io::address("127.0.0.1:0"));
  REQUIRE(listening);
  group.spawn(accept_and_receive(*listening));
  group.spawn(connect_and_send(*io::local_address(*listening)));
  group.wait();
  walk_log log;
  sync_wait(home, io::walk(folder.path(), {}, log));
  REQUIRE(log.entries().size() == 20 && log.problems().empty());
  const both_ends pipe = make_pipe();
  std::stop_source source;
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    source.request_stop();
  });
  REQUIRE(sync_wait(home, with_stop(source.get_token(), read_for_ever(pipe.first.get()))) == ECANCELED);
  stopper.join();
}

// What one pipe has no room for does not keep another one waiting.
void a_full_pipe_stops_nobody() {
  pool home(2);
  const both_ends full = make_pipe();
  const both_ends other = make_pipe();
  constexpr std::size_t bytes = 300'000;
  std::atomic<bool> is_other_done = false;
  const auto write_much = [&]() -> task<> {
    const std::vector<std::byte> all = content(3, bytes);
    const io::result<std::size_t> n = co_await io::write_all(full.second.get(), all, io::at_position);
    REQUIRE(n && *n == bytes);
  };
  const auto read_little = [&]() -> task<> {
    std::vector<std::byte> room(10);
    const io::result<std::size_t> n = co_await io::read_exactly(other.first.get(), room, io::at_position);
    REQUIRE(n && first_difference(room, 4) == 10);
    is_other_done = true;
  };
  home.detach(write_much());
  int lying = 0;
  sleep_until_true([&] { return ::ioctl(full.first.get(), FIONREAD, &lying) == 0 && lying >= 60'000; });
  home.detach(read_little());
  const std::vector<std::byte> little = content(4, 10);
  REQUIRE(::write(other.second.get(), little.data(), little.size()) == 10);
  sleep_until_true([&] { return is_other_done.load(); });
  std::vector<std::byte> room(bytes);
  for (std::size_t got = 0; got < bytes;) {
    const ssize_t n = ::read(full.first.get(), room.data() + got, bytes - got);
    REQUIRE(n > 0);
    got += static_cast<std::size_t>(n);
  }
  REQUIRE(first_difference(room, 3) == bytes);
}

// --- Refusals.

void refuse(long call, int error) {
  if (!refuse_system_call(call, error)) std::_Exit(child_cannot_do_that_here);
}

[[nodiscard]] int chosen_error() {
  const std::string name = setting("PILFER_TEST_ERROR");
  return name == "ENOSYS" ? ENOSYS : name == "ENOMEM" ? ENOMEM : EPERM;
}

void expect_threads_because_of(int error) {
  pool home(2);
  REQUIRE(io::backend_of(home) == io::backend::threads);
  const std::string said = io::describe_backend(home);
  std::printf("%s\n", said.c_str());
  REQUIRE(said.rfind("threads", 0) == 0);
  REQUIRE(said.find(std::strerror(error)) != std::string::npos);
  pool other(1);
  REQUIRE(io::describe_backend(other) == said);
  everything_works();
}

void demanded_but_refused() {
  refuse(SYS_io_uring_setup, EPERM);
  pool home(2);
  bool thrown = false;
  try {
    static_cast<void>(io::backend_of(home));
  } catch (const std::system_error& error) {
    thrown = true;
    std::printf("%s\n", error.what());
    REQUIRE(error.code().value() == EPERM);
    REQUIRE(std::strstr(error.what(), "io_uring") != nullptr);
  }
  REQUIRE(thrown);
  // Also where an operation is the first to ask; and again, each time.
  for (int i = 0; i < 2; ++i) {
    thrown = false;
    try {
      sync_wait(home, files_work("/tmp/never"));
    } catch (const std::system_error& error) {
      thrown = error.code().value() == EPERM;
    }
    REQUIRE(thrown);
  }
}

void full_ring() {
  pool_options options;
  options.workers = 2;
  options.on_worker_start = [](std::size_t) { refuse(SYS_io_uring_enter, EBUSY); };
  pool home(options);
  io::configure(home, {.ring_entries = 1, .attempt_inline = false});
  if (io::backend_of(home) != io::backend::uring) std::_Exit(child_cannot_do_that_here);
  const temporary_folder folder;
  task_group group(home);
  for (int i = 0; i < 20; ++i) group.spawn(on_pool_thread(home, ::gettid(), files_work(folder / std::to_string(i))));
  group.wait();
  const io::statistics after = io::statistics_of(home);
  REQUIRE(after.rings >= 1 && after.ring_entries == 0);
  REQUIRE(after.threads_jobs > 0);
}

// --- Children that are no other program.

task<> sleep_a_little() { co_await sleep_for(std::chrono::milliseconds(1)); }

void io_and_times_work() {
  for (const char* backend : {"threads", "auto"}) {
    ::setenv("PILFER_IO", backend, 1);
    everything_works();
  }
  pool home(2);
  sync_wait(home, sleep_a_little());
}

void forked() {
  if (under_tsan) std::_Exit(child_cannot_do_that_here);  // which refuses threads there
  io_and_times_work();
  for (int generation = 0; generation < 2; ++generation) {
    const pid_t pid = ::fork();
    if (pid != 0) {
      REQUIRE(pid > 0 && status_of_child(pid) == 0);
      if (generation != 0) std::_Exit(0);
      io_and_times_work();
      return;
    }
    ::alarm(60);  // the watchdog is not here
    io_and_times_work();
  }
  std::_Exit(0);
}

// --- Threads that were left behind.

void stuck() {
  const temporary_folder folder;
  const std::string path = folder / "fifo";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  pool home(2);
  const auto body = [&]() -> task<int> {
    const io::result<io::file> got = co_await io::open(path, O_RDONLY);
    co_return errno_of(got);
  };
  // More than once on a machine so busy that the thread was not there yet.
  while (io::statistics_of(home).threads_stuck == 0) {
    std::stop_source source;
    const std::uint64_t jobs = io::statistics_of(home).threads_jobs;
    std::thread stopper([&] {
      sleep_until_true([&] { return io::statistics_of(home).threads_jobs > jobs; });
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      source.request_stop();
    });
    const int error = sync_wait(home, with_stop(source.get_token(), body()));
    stopper.join();
    REQUIRE(error == ECANCELED);
  }
}

void no_thread() {
  const temporary_folder folder;
  const std::string path = folder / "fifo";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  write_file(folder / "file", content(1, 10));
  refuse(SYS_clone3, EAGAIN);
  refuse(SYS_clone, EAGAIN);
  pool home(1);
  const auto body = [&](std::string what) -> task<int> {
    const io::result<io::file> got = co_await io::open(what, O_RDONLY);
    co_return errno_of(got);
  };
  REQUIRE(sync_wait(home, body(folder / "file")) == 0);
  REQUIRE(sync_wait(home, body(path)) == EAGAIN);
  REQUIRE(sync_wait(home, body(folder / "nothing")) == ENOENT);
}

// --- Permissions.

task<> forbidden_files(std::string secret, std::string place) {
  std::vector<std::byte> room(10);
  const io::result<io::file> reading = co_await io::open(secret, O_RDONLY);
  REQUIRE(errno_of(reading) == EACCES);
  const io::result<io::file> writing = co_await io::open(secret, O_WRONLY | O_TRUNC);
  REQUIRE(errno_of(writing) == EACCES);
  const io::result<io::file> making = co_await io::open(place + "/new", O_WRONLY | O_CREAT, 0600);
  REQUIRE(errno_of(making) == EACCES);
  const io::result<io::file_status> inside = co_await io::stat(place + "/closed/inside");
  REQUIRE(errno_of(inside) == EACCES);
  const io::result<io::file_status> status = co_await io::stat(secret);
  REQUIRE(status && status->size == 100);
  const io::result<std::vector<io::directory_entry>> closed = co_await io::read_directory(place + "/closed");
  REQUIRE(errno_of(closed) == EACCES);
}

void permissions() {
  if (::geteuid() != 0) std::_Exit(child_cannot_do_that_here);
  const temporary_folder folder;
  REQUIRE(::chmod(folder.path().c_str(), 0755) == 0);
  write_file(folder / "secret", content(1, 100));
  REQUIRE(::chmod((folder / "secret").c_str(), 0600) == 0);
  for (const char* name : {"open", "closed", "names_only", "no_names"}) {
    std::filesystem::create_directories(folder / (std::string(name) + "/inside"));
    write_file(folder / (std::string(name) + "/file"), {});
  }
  REQUIRE(::chmod((folder / "closed").c_str(), 0700) == 0);
  REQUIRE(::chmod((folder / "names_only").c_str(), 0744) == 0);  // can be listed, not entered
  REQUIRE(::chmod((folder / "no_names").c_str(), 0711) == 0);    // can be entered, not listed

  constexpr uid_t nobody = 65534;
  const gid_t groups = nobody;
  REQUIRE(::setgroups(1, &groups) == 0 && ::setresgid(nobody, nobody, 0) == 0 && ::setresuid(nobody, nobody, 0) == 0);
  {
    pool home(2);
    walk_log log;
    sync_wait(home, io::walk(folder.path(), {}, log));
    // All that may be seen is seen; each folder that may not be is one problem, and has its name.
    for (const char* name : {"secret", "open", "open/inside", "open/file", "closed", "names_only", "names_only/inside",
                             "names_only/file", "no_names"}) {
      REQUIRE(log.entries().contains(folder / name));
    }
    REQUIRE(log.entries().size() == 9);
    for (const char* name : {"closed", "no_names", "names_only/inside"}) {
      REQUIRE(log.problems().contains(folder / name));
      REQUIRE(log.problems().at(folder / name).second == EACCES);
    }
    REQUIRE(log.problems().size() == 3);
    sync_wait(home, forbidden_files(folder / "secret", folder.path()));
  }
  REQUIRE(::setresuid(0, 0, 0) == 0);
  REQUIRE(first_difference(read_file(folder / "secret"), 1) == 100);
}

// --- Clients.

task<int> connect_some(io::address where, std::span<io::socket> mine) {
  for (io::socket& one : mine) {
    io::result<io::socket> connected = co_await io::connect(where);
    if (!connected) co_return errno_of(connected);
    one = std::move(*connected);
  }
  co_return 0;
}

task<> ask(const io::socket& mine, std::uint64_t number, std::atomic<std::size_t>& right) {
  const std::uint64_t asked = number;
  std::uint64_t answered = ~number;
  const io::result<std::size_t> sent = co_await io::send_all(mine, std::as_bytes(std::span(&asked, 1)));
  REQUIRE(sent);
  const io::result<std::size_t> got =
      co_await io::receive_exactly(mine, std::as_writable_bytes(std::span(&answered, 1)));
  REQUIRE(got && *got == sizeof(answered));
  REQUIRE(answered == asked);
  ++right;
}

void clients() {
  raise_descriptor_limit();
  const io::address where(setting("PILFER_TEST_ADDRESS"));
  const auto count = static_cast<std::size_t>(std::stoul(setting("PILFER_TEST_COUNT")));
  const descriptor ready(std::stoi(setting("PILFER_TEST_READY")));
  const descriptor go(std::stoi(setting("PILFER_TEST_GO")));
  pool home(2);
  std::vector<io::socket> all(count);
  // Not all at once: the queue of those who want to connect is limited.
  const std::size_t part = (count + 99) / 100;
  std::vector<task<int>> connecting;
  for (std::size_t from = 0; from < count; from += part) {
    connecting.push_back(connect_some(where, std::span(all).subspan(from, std::min(part, count - from))));
  }
  const std::vector<int> errors = sync_wait(home, when_all(std::move(connecting)));
  for (const int error : errors) REQUIRE(error == 0);
  const auto ask_all = [&] {
    std::atomic<std::size_t> right = 0;
    task_group group(home);
    for (std::size_t i = 0; i < count; ++i) group.spawn(ask(all[i], i, right));
    group.wait();
    REQUIRE(right == count);
  };
  ask_all();
  char sign = 'r';
  REQUIRE(::write(ready.get(), &sign, 1) == 1);
  REQUIRE(::read(go.get(), &sign, 1) == 1);
  ask_all();
}

int do_task(const std::string& what) {
  if (what == "no-setup") {
    refuse(SYS_io_uring_setup, chosen_error());
    expect_threads_because_of(chosen_error());
  } else if (what == "no-enter") {
    refuse(SYS_io_uring_enter, EPERM);
    expect_threads_because_of(EPERM);
  } else if (what == "no-register") {
    refuse(SYS_io_uring_register, EPERM);
    everything_works();
  } else if (what == "no-preadv2") {
    refuse(SYS_preadv2, ENOSYS);
    refuse(SYS_pwritev2, ENOSYS);
    everything_works();
    ::setenv("PILFER_IO", "threads", 1);
    everything_works();
    a_full_pipe_stops_nobody();
  } else if (what == "demanded") {
    demanded_but_refused();
  } else if (what == "full-ring") {
    full_ring();
  } else if (what == "forked") {
    forked();
  } else if (what == "no-thread") {
    no_thread();
    std::_Exit(0);  // LeakSanitizer would make a thread
  } else if (what == "stuck") {
    stuck();
  } else if (what == "permissions") {
    permissions();
  } else if (what == "clients") {
    clients();
  } else {
    std::fprintf(stderr, "PILFER_TEST_CHILD=%s: unknown\n", what.c_str());
    return 2;
  }
  return ::testing::Test::HasFailure() ? 1 : 0;
}

}  // namespace
}  // namespace pilfer::test

int main() {
  const std::string what = pilfer::test::setting("PILFER_TEST_CHILD");
  const pilfer::test::watchdog dog(std::chrono::seconds(100), "child: " + what);
  return pilfer::test::do_task(what);
}
