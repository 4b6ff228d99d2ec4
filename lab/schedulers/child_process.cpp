#include "lab/schedulers/child_process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace pilfer::lab::schedulers {
namespace {

[[noreturn]] void fail(int error, const char* what) { throw std::system_error(error, std::generic_category(), what); }

struct pipe_ends {
  int read = -1;
  int write = -1;
  pipe_ends() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail(errno, "pipe2");
    read = ends[0];
    write = ends[1];
  }
};

}  // namespace

child_process::child_process(const std::vector<std::string>& arguments, complaints what_it_says) {
  const pipe_ends to;
  const pipe_ends from;
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, to.read, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, from.write, STDOUT_FILENO);
  if (what_it_says == complaints::dropped) {
    ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  }
  std::vector<std::string> copies = arguments;
  std::vector<char*> argv;
  argv.reserve(copies.size() + 1);
  for (std::string& one : copies) argv.push_back(one.data());
  argv.push_back(nullptr);
  const int error = ::posix_spawnp(&pid_, argv[0], &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(to.read);
  ::close(from.write);
  to_ = to.write;
  from_ = from.read;
  if (error != 0) {
    ::close(to_);
    ::close(from_);
    fail(error, arguments[0].c_str());
  }
}

child_process::~child_process() {
  ::close(to_);
  ::close(from_);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::string child_process::read_to_end() {
  std::string text;
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t got = ::read(from_, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

void child_process::say(std::string_view line) {
  std::string rest = std::string(line) + "\n";
  while (!rest.empty()) {
    const ssize_t written = ::write(to_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw std::runtime_error("a peer's program ended");
    rest.erase(0, static_cast<std::size_t>(written));
  }
}

std::string child_process::ask(std::string_view line) {
  say(line);
  return read_line();
}

std::string child_process::read_line() {
  std::string answer;
  for (char c = 0;;) {
    const ssize_t got = ::read(from_, &c, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw std::runtime_error("a peer's program ended");
    if (c == '\n') return answer;
    answer += c;
  }
}

}  // namespace pilfer::lab::schedulers
