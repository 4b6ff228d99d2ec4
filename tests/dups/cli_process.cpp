#include "cli_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <thread>

namespace pilfer::test {
namespace {

constexpr std::chrono::seconds patience{60};

[[noreturn]] void become_dups(const std::string& folder, const std::vector<std::string>& arguments) {
  if (::chdir(folder.c_str()) != 0) ::_exit(125);
  std::vector<std::string> words = {PILFER_TOOL, "dups"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(argv[0], argv.data());
  ::_exit(127);
}

int code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

std::string drain(int fd) {
  std::string text;
  char buffer[4096];
  ssize_t n = 0;
  while ((n = ::read(fd, buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR)) {
    if (n > 0) text.append(buffer, static_cast<std::size_t>(n));
  }
  ::close(fd);
  return text;
}

struct pipe_ends {
  int read = -1;
  int write = -1;
  pipe_ends() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe2");
    read = ends[0];
    write = ends[1];
  }
};

}  // namespace

outcome run_dups(const std::vector<std::string>& arguments, const dups_run& how) {
  const pipe_ends in;
  const pipe_ends out;
  const pipe_ends err;
  const pid_t child = ::fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) {
    ::dup2(in.read, STDIN_FILENO);
    ::dup2(out.write, STDOUT_FILENO);
    ::dup2(err.write, STDERR_FILENO);
    for (const auto& [name, value] : how.environment) ::setenv(name.c_str(), value.c_str(), 1);
    constexpr uid_t nobody = 65534;
    if (how.as_nobody && ::geteuid() == 0 && (::setgid(nobody) != 0 || ::setuid(nobody) != 0)) ::_exit(124);
    become_dups(how.folder, arguments);
  }
  ::close(in.read);
  ::close(out.write);
  ::close(err.write);
  outcome result;
  {
    const std::jthread errors([&] { result.err = drain(err.read); });
    const std::jthread writer([&] {
      std::signal(SIGPIPE, SIG_IGN);  // it need not read what it is given
      [[maybe_unused]] const ssize_t n = ::write(in.write, how.input.data(), how.input.size());
      ::close(in.write);
    });
    result.out = drain(out.read);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.exit_code = code_of(status);
  return result;
}

terminal_session::terminal_session(const std::string& folder, const std::vector<std::string>& arguments) {
  const winsize size{.ws_row = 24, .ws_col = 100, .ws_xpixel = 0, .ws_ypixel = 0};
  child_ = ::forkpty(&terminal_, nullptr, nullptr, &size);
  if (child_ < 0) throw std::system_error(errno, std::generic_category(), "forkpty");
  if (child_ == 0) become_dups(folder, arguments);
}

terminal_session::~terminal_session() {
  if (child_ > 0) {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
  if (terminal_ >= 0) ::close(terminal_);
}

bool terminal_session::read_some(std::chrono::steady_clock::time_point until) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
  pollfd input{.fd = terminal_, .events = POLLIN, .revents = 0};
  if (left.count() <= 0 || ::poll(&input, 1, static_cast<int>(left.count())) <= 0) return false;
  char buffer[4096];
  const ssize_t n = ::read(terminal_, buffer, sizeof buffer);
  if (n <= 0) return false;  // EIO: nobody has the other end any more
  output_.append(buffer, static_cast<std::size_t>(n));
  return true;
}

bool terminal_session::wait_for(const std::string& text) {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (!has(output_, text)) {
    if (!read_some(until)) return false;
  }
  return true;
}

void terminal_session::type(const std::string& text) const {
  if (::write(terminal_, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    throw std::system_error(errno, std::generic_category(), "write");
}

int terminal_session::finish() {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (read_some(until)) {
  }
  int status = 0;
  while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
  }
  child_ = -1;
  return code_of(status);
}

std::string put(const scratch_folder& in, const std::string& name, const std::string& content) {
  const std::string path = in.file(name);
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream file(path, std::ios::binary);
  file << content;
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
  return path;
}

}  // namespace pilfer::test
