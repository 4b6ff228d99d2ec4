#include "run_tool.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>
#include <thread>

#include <gtest/gtest.h>

namespace pilfer::test {
namespace {

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

struct pipe_ends {
  int read = -1;
  int write = -1;
  pipe_ends() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) fail("pipe2");
    read = ends[0];
    write = ends[1];
  }
};

std::string drain(int fd) {
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    text.append(buffer, static_cast<std::size_t>(n));
  }
  ::close(fd);
  return text;
}

[[noreturn]] void become_tool(const std::vector<std::string>& arguments, const conditions& under, int out, int err) {
  if (under.close_stdout) {
    ::close(STDOUT_FILENO);
  } else if (!under.stdout_to.empty()) {
    const int fd = ::open(under.stdout_to.c_str(), O_WRONLY);
    if (fd < 0 || ::dup2(fd, STDOUT_FILENO) < 0) ::_exit(126);
  } else if (::dup2(out, STDOUT_FILENO) < 0) {
    ::_exit(126);
  }
  if (::dup2(err, STDERR_FILENO) < 0) ::_exit(126);
  std::vector<char*> argv;
  std::string program = PILFER_TOOL;
  argv.push_back(program.data());
  std::vector<std::string> copies = arguments;
  for (std::string& argument : copies) argv.push_back(argument.data());
  argv.push_back(nullptr);
  ::execv(program.c_str(), argv.data());
  ::_exit(127);
}

}  // namespace

outcome run_tool(const std::vector<std::string>& arguments, const conditions& under) {
  pipe_ends out;
  pipe_ends err;
  const pid_t child = ::fork();
  if (child < 0) fail("fork");
  if (child == 0) become_tool(arguments, under, out.write, err.write);
  ::close(out.write);
  ::close(err.write);

  std::jthread interrupter;
  if (under.interrupt_after.count() > 0) {
    interrupter = std::jthread([&] {
      std::this_thread::sleep_for(under.interrupt_after);
      ::kill(child, SIGINT);
    });
  }
  outcome result;
  std::jthread errors([&] { result.err = drain(err.read); });
  result.out = drain(out.read);
  errors.join();
  if (interrupter.joinable()) interrupter.join();  // before the child's number is given away
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) fail("waitpid");
  }
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

scratch_folder::scratch_folder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "pilfer-cli-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) fail("mkdtemp");
  path_ = pattern;
}

scratch_folder::~scratch_folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::vector<std::string> scratch_folder::files() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path_))
    names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void expect_bench_refuses(const std::string& suite, const std::vector<std::string>& options,
                          const std::string& message) {
  std::vector<std::string> arguments = {"bench", suite};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const outcome o = run_tool(arguments);
  EXPECT_EQ(o.exit_code, 2) << message;
  EXPECT_EQ(o.out, "") << message;
  EXPECT_TRUE(has(o.err, message)) << o.err;
}

}  // namespace pilfer::test
