#include "lab/serve/process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace pilfer::lab::serve {
namespace {

[[noreturn]] void fail(int error, const std::string& what) {
  throw std::system_error(error, std::generic_category(), what);
}

struct pipe_ends {
  std::array<int, 2> ends{};
  pipe_ends() {
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail(errno, "pipe2");
  }
};

}  // namespace

process::process(const std::vector<std::string>& command) {
  const pipe_ends to;
  const pipe_ends from;
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, to.ends[0], STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, from.ends[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<std::string> copies = command;
  std::vector<char*> arguments;
  for (std::string& one : copies) arguments.push_back(one.data());
  arguments.push_back(nullptr);
  const int error = ::posix_spawnp(&pid_, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(to.ends[0]);
  ::close(from.ends[1]);
  to_ = to.ends[1];
  from_ = from.ends[0];
  if (error == 0 && ::clock_getcpuclockid(pid_, &clock_) == 0) return;
  ::close(to_);
  ::close(from_);
  if (error != 0) fail(error, command[0]);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  throw std::runtime_error(command[0] + " ended at once");
}

process::~process() {
  ::close(to_);
  ::close(from_);
  signal(SIGTERM);
  constexpr std::chrono::milliseconds step{1};
  constexpr int patience = 8000;  // steps: a server that is to end has some seconds for its clients
  for (int i = 0; i < patience && !has_ended(); ++i) std::this_thread::sleep_for(step);
  if (has_ended()) return;
  signal(SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool process::has_ended() noexcept {
  reaped_ = reaped_ || ::waitpid(pid_, nullptr, WNOHANG) == pid_;
  return reaped_;
}

void process::signal(int which) const noexcept {
  if (!reaped_) ::kill(pid_, which);
}

double process::processor_seconds() const {
  timespec time{};
  if (::clock_gettime(clock_, &time) != 0) fail(errno, "processor time of another program");
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

std::string process::read_to_end() {
  std::string text;
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t got = ::read(from_, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

std::string process::read_line() {
  std::string text;
  for (char c = 0;;) {
    const ssize_t got = ::read(from_, &c, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw std::runtime_error("a server ended before it said where it listens");
    if (c == '\n') return text;
    text += c;
  }
}

}  // namespace pilfer::lab::serve
