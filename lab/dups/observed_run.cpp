// A shell makes a copy of itself and ends. The copy is ours to wait for then, because this process takes in orphans meanwhile;
// told so, it becomes the program. Why not directly: the kernel counts what a process had in memory before its exec to its
// peak. That would be this process's memory, and is a small shell's this way.
#include "lab/dups/observed_run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "lab/measure/interrupt.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): not every header has it

namespace pilfer::lab::dups {
namespace {

using clock = std::chrono::steady_clock;

constexpr const char* launcher =
    R"(exec 3<&0; out=$1; err=$2; shift 2; { read -r go <&3; exec "$@" >"$out" 2>"$err" </dev/null 3<&-; } & echo $!)";

[[noreturn]] void fail(int error, const std::string& what) {
  throw std::system_error(error, std::generic_category(), what);
}

class descriptor {
 public:
  explicit descriptor(int fd = -1) noexcept : fd_(fd) {}
  ~descriptor() { reset(); }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  void reset(int fd = -1) noexcept {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }
  [[nodiscard]] int get() const noexcept { return fd_; }

 private:
  int fd_;
};

struct pipe_ends {
  descriptor read;
  descriptor write;
  pipe_ends() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail(errno, "pipe2");
    read.reset(ends[0]);
    write.reset(ends[1]);
  }
};

// Orphans of this process's descendants become its children.
class takes_in_orphans {
 public:
  takes_in_orphans() {
    if (::prctl(PR_GET_CHILD_SUBREAPER, &before_) != 0 || ::prctl(PR_SET_CHILD_SUBREAPER, 1L) != 0)
      fail(errno, "prctl");
  }
  ~takes_in_orphans() { ::prctl(PR_SET_CHILD_SUBREAPER, static_cast<long>(before_)); }
  takes_in_orphans(const takes_in_orphans&) = delete;
  takes_in_orphans& operator=(const takes_in_orphans&) = delete;

 private:
  int before_ = 0;
};

int wait_for(pid_t pid, rusage* used = nullptr) {
  int status = 0;
  while (::wait4(pid, &status, 0, used) < 0 && errno == EINTR) {
  }
  return status;
}

// A process that nobody has waited for yet; killed if nobody does.
class child {
 public:
  explicit child(pid_t pid) noexcept : pid_(pid) {}
  ~child() {
    if (pid_ < 0) return;
    ::kill(pid_, SIGKILL);
    wait_for(pid_);
  }
  child(const child&) = delete;
  child& operator=(const child&) = delete;
  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  int wait(rusage* used = nullptr) { return wait_for(std::exchange(pid_, -1), used); }

 private:
  pid_t pid_;
};

pid_t start_shell(const std::vector<std::string>& command, const run_place& where, const pipe_ends& to,
                  const pipe_ends& from) {
  std::vector<std::string> arguments = {"/bin/sh", "-c", launcher, "sh", where.output, where.complaints};
  arguments.insert(arguments.end(), command.begin(), command.end());
  std::vector<char*> pointers;
  pointers.reserve(arguments.size() + 1);
  for (std::string& one : arguments) pointers.push_back(one.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  if (const int error = ::posix_spawn_file_actions_init(&actions); error != 0) fail(error, "posix_spawn");
  ::posix_spawn_file_actions_adddup2(&actions, to.read.get(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, from.write.get(), STDOUT_FILENO);
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, "/bin/sh", &actions, nullptr, pointers.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) fail(error, "cannot run /bin/sh");
  return pid;
}

pid_t read_pid(int fd) {
  std::string line;
  for (char letter = 0;;) {
    const ssize_t got = ::read(fd, &letter, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || letter == '\n') break;
    line += letter;
  }
  const long pid = std::strtol(line.c_str(), nullptr, 10);
  if (pid <= 0) throw std::runtime_error("a shell did not start what it was told to");
  return static_cast<pid_t>(pid);
}

void wait_for_end(const child& of, clock::time_point deadline) {
  // No wrapper in the C library before 2.36.
  const descriptor process(static_cast<int>(::syscall(SYS_pidfd_open, of.pid(), 0)));
  if (process.get() < 0) fail(errno, "pidfd_open");
  pollfd watched{.fd = process.get(), .events = POLLIN, .revents = 0};
  constexpr int ms_between_looks = 50;  // for Ctrl-C, which may have met another thread
  while (::poll(&watched, 1, ms_between_looks) <= 0) {
    throw_if_interrupted();
    if (clock::now() >= deadline) throw std::runtime_error("it did not end in time");
  }
}

void read_counters(pid_t pid, observed_run& into) {
  std::ifstream file(fmt::format("/proc/{}/io", pid));
  std::string key;
  for (std::uint64_t value = 0; file >> key >> value;) {
    if (key == "rchar:") into.bytes_read = value;
    if (key == "read_bytes:") into.bytes_from_disk = value;
  }
}

double seconds_of(const timeval& time) noexcept {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

}  // namespace

observed_run observe(const std::vector<std::string>& command, const run_place& where) {
  if (command.empty()) throw std::invalid_argument("there is no command to run");
  throw_if_interrupted();
  const takes_in_orphans meanwhile;
  pipe_ends to;
  pipe_ends from;
  child shell(start_shell(command, where, to, from));
  to.read.reset();
  from.write.reset();
  const pid_t copy = read_pid(from.read.get());
  shell.wait();  // from now on the copy is ours
  child program(copy);
  const auto begin = clock::now();
  if (::write(to.write.get(), "go\n", 3) != 3) fail(errno, "cannot talk to /bin/sh");
  wait_for_end(program, begin + std::chrono::duration_cast<clock::duration>(where.limit));
  const auto end = clock::now();

  observed_run result;
  result.seconds = std::chrono::duration<double>(end - begin).count();
  read_counters(program.pid(), result);  // it is still there, because nobody has waited for it
  rusage used{};
  const int status = program.wait(&used);
  constexpr int signalled = 128;
  result.exit_code = WIFSIGNALED(status) ? signalled + WTERMSIG(status) : WEXITSTATUS(status);
  result.used = {.processor_seconds = seconds_of(used.ru_utime) + seconds_of(used.ru_stime),
                 .voluntary_switches = used.ru_nvcsw,
                 .involuntary_switches = used.ru_nivcsw,
                 .peak_kilobytes = used.ru_maxrss};
  return result;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace pilfer::lab::dups
