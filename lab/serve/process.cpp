#include "lab/serve/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
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
  arguments.reserve(copies.size() + 1);
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

process::context_switches process::switches() const {
  context_switches sum;
  const auto number_in = [](const std::string& line) {
    return std::strtoll(line.c_str() + line.find(':') + 1, nullptr, 10);
  };
  std::error_code gone;  // a thread may end while we look
  for (const auto& thread : std::filesystem::directory_iterator("/proc/" + std::to_string(pid_) + "/task", gone)) {
    std::ifstream status(thread.path() / "status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("voluntary_ctxt_switches:")) sum.voluntary += number_in(line);
      if (line.starts_with("nonvoluntary_ctxt_switches:")) sum.involuntary += number_in(line);
    }
  }
  return sum;
}

bool process::await_handler(int which) const {
  constexpr std::chrono::milliseconds step{1};
  constexpr int patience = 10'000;  // steps
  const std::string path = "/proc/" + std::to_string(pid_) + "/status";
  const std::string title = "SigCgt:";
  for (int i = 0; i < patience; ++i) {
    std::ifstream status(path);
    std::string line;
    bool is_over = false;  // but nobody has waited for it yet
    while (std::getline(status, line) && !line.starts_with(title)) is_over = is_over || line.starts_with("State:\tZ");
    if (is_over || !line.starts_with(title)) return false;
    const std::uint64_t caught = std::strtoull(line.c_str() + title.size(), nullptr, 16);
    if ((caught >> (which - 1) & 1) != 0) return true;
    std::this_thread::sleep_for(step);
  }
  return false;
}

bool process::read_more(std::string& to) {
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t got = ::read(from_, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to.append(buffer.data(), static_cast<std::size_t>(got));
    return true;
  }
}

std::string process::read_to_end() {
  std::string text;
  while (read_more(text)) {
  }
  return text;
}

std::string process::read_to_end(int which) {
  constexpr int between_signals = 50;  // ms
  std::string text;
  signal(which);
  for (;;) {
    pollfd more{.fd = from_, .events = POLLIN, .revents = 0};
    const int ready = ::poll(&more, 1, between_signals);
    if (ready == 0) signal(which);  // who speaks has heard
    if (ready > 0 && !read_more(text)) return text;
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
