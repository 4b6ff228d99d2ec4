#include "lab/tune/child_run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <thread>

#include "lab/measure/interrupt.hpp"

namespace pilfer::lab::tune {
namespace {

using clock = std::chrono::steady_clock;

[[noreturn]] void fail(int error, const std::string& what) {
  throw std::system_error(error, std::generic_category(), what);
}

// A file descriptor that is closed at the end.
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
    // Its grandchildren may keep it open for ever: nobody waits for its end.
    ::fcntl(read.get(), F_SETFL, O_NONBLOCK);  // NOLINT(cppcoreguidelines-pro-type-vararg)
  }
};

class spawn_actions {
 public:
  spawn_actions() { check(::posix_spawn_file_actions_init(&actions_)); }
  ~spawn_actions() { ::posix_spawn_file_actions_destroy(&actions_); }
  spawn_actions(const spawn_actions&) = delete;
  spawn_actions& operator=(const spawn_actions&) = delete;

  void open_null(int as, int how) { check(::posix_spawn_file_actions_addopen(&actions_, as, "/dev/null", how, 0)); }
  void copy(int from, int as) { check(::posix_spawn_file_actions_adddup2(&actions_, from, as)); }
  [[nodiscard]] const posix_spawn_file_actions_t* get() const noexcept { return &actions_; }

 private:
  static void check(int error) {
    if (error != 0) fail(error, "posix_spawn_file_actions");
  }
  posix_spawn_file_actions_t actions_{};
};

// A process group of its own, so that it can be killed with all that it has started; and the signals as a shell would leave
// them, whatever this process does with them.
class spawn_attributes {
 public:
  spawn_attributes() {
    ::posix_spawnattr_init(&attributes_);
    sigset_t signals;
    sigemptyset(&signals);
    ::posix_spawnattr_setsigmask(&attributes_, &signals);
    for (const int each : {SIGINT, SIGTERM, SIGPIPE}) sigaddset(&signals, each);
    ::posix_spawnattr_setsigdefault(&attributes_, &signals);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~spawn_attributes() { ::posix_spawnattr_destroy(&attributes_); }
  spawn_attributes(const spawn_attributes&) = delete;
  spawn_attributes& operator=(const spawn_attributes&) = delete;
  [[nodiscard]] const posix_spawnattr_t* get() const noexcept { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

// "NAME=value" strings of this process, with these changes.
std::vector<std::string> changed_environment(const environment& changes) {
  std::vector<std::string> all;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view text(*each);
    const bool changed = std::ranges::any_of(changes, [&](const auto& change) {
      return text.starts_with(change.first) && text.substr(change.first.size()).starts_with('=');
    });
    if (!changed) all.emplace_back(text);
  }
  for (const auto& [name, value] : changes) {
    if (!value.empty()) all.push_back(fmt::format("{}={}", name, value));
  }
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (std::string& each : strings) pointers.push_back(each.data());
  pointers.push_back(nullptr);
  return pointers;
}

// A program that does not know its scheduler ends by abort(), once for each run: no core files for that.
class without_core_files {
 public:
  without_core_files() noexcept {
    if (::getrlimit(RLIMIT_CORE, &before_) != 0) return;
    rlimit none = before_;
    none.rlim_cur = 0;
    changed_ = ::setrlimit(RLIMIT_CORE, &none) == 0;
  }
  ~without_core_files() {
    if (changed_) ::setrlimit(RLIMIT_CORE, &before_);
  }
  without_core_files(const without_core_files&) = delete;
  without_core_files& operator=(const without_core_files&) = delete;

 private:
  rlimit before_{};
  bool changed_ = false;
};

// One that has been started. Its end is seen by a thread that does nothing else, and so not a moment late; the process stays a
// zombie until collect(), so that its number cannot mean another one meanwhile.
class running_child {
 public:
  running_child(pid_t pid, pipe_ends& ended) : pid_(pid), ended_(ended) {
    try {
      watcher_ = std::jthread([this] { watch(); });
    } catch (...) {  // no thread
      kill();
      while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
      }
      throw;
    }
  }
  ~running_child() {
    if (pid_ < 0) return;
    kill();
    static_cast<void>(collect());
  }
  running_child(const running_child&) = delete;
  running_child& operator=(const running_child&) = delete;

  [[nodiscard]] int ended_descriptor() const noexcept { return ended_.read.get(); }
  void kill() const noexcept { ::kill(-pid_, SIGKILL); }

  struct result {
    int status = 0;
    rusage used{};
    clock::time_point end;
  };
  [[nodiscard]] result collect() {
    watcher_.join();
    result found;
    while (::wait4(pid_, &found.status, 0, &found.used) < 0 && errno == EINTR) {
    }
    found.end = end_;
    pid_ = -1;
    return found;
  }

 private:
  void watch() {
    siginfo_t about{};
    while (::waitid(P_PID, static_cast<id_t>(pid_), &about, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
    }
    end_ = clock::now();
    ended_.write.reset();  // the other end becomes readable
  }

  pid_t pid_;
  pipe_ends& ended_;
  clock::time_point end_;
  std::jthread watcher_;
};

// What comes out of a pipe: a fingerprint, and the last of it.
class reader {
 public:
  explicit reader(std::size_t kept) : kept_(kept) {}

  // All that is there. False: there will be no more.
  bool read_from(int fd) {
    std::array<char, 65536> buffer{};
    for (;;) {
      const ssize_t got = ::read(fd, buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return errno == EAGAIN;
      if (got == 0) return false;
      add({buffer.data(), static_cast<std::size_t>(got)});
    }
  }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::uint64_t hash() const noexcept { return hash_; }
  [[nodiscard]] const std::string& last() const noexcept { return last_; }

 private:
  void add(std::string_view text) {
    bytes_ += text.size();
    for (const char c : text) hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 0x100000001b3U;  // FNV-1a
    last_.append(text.substr(text.size() - std::min(text.size(), kept_)));
    if (last_.size() > kept_) last_.erase(0, last_.size() - kept_);
  }
  std::size_t kept_;
  std::uint64_t bytes_ = 0;
  std::uint64_t hash_ = 0xcbf29ce484222325U;
  std::string last_;
};

constexpr std::size_t text_kept = 4096;
constexpr auto between_looks = std::chrono::milliseconds(50);  // for Ctrl-C, which may have met another thread

// Reads what it writes until it ends or its time is over. False: it had to be killed.
bool accompany(running_child& child, clock::time_point deadline, const pipe_ends& out, reader& output,
               const pipe_ends& err, reader& complaints) {
  std::array<pollfd, 3> watched = {pollfd{.fd = child.ended_descriptor(), .events = POLLIN, .revents = 0},
                                   pollfd{.fd = err.read.get(), .events = POLLIN, .revents = 0},
                                   pollfd{.fd = out.read.get(), .events = POLLIN, .revents = 0}};
  const auto read_what_is_ready = [&] {
    for (auto [at, into] : {std::pair(1, &complaints), std::pair(2, &output)}) {
      pollfd& each = watched[static_cast<std::size_t>(at)];
      if (each.fd >= 0 && !into->read_from(each.fd)) each.fd = -1;  // poll passes over it
    }
  };
  bool in_time = true;
  while (watched[0].revents == 0) {
    if (interrupt_signal() != 0 || clock::now() >= deadline) {
      child.kill();
      in_time = false;
      break;
    }
    ::poll(watched.data(), watched.size(), static_cast<int>(between_looks.count()));
    read_what_is_ready();
  }
  read_what_is_ready();
  throw_if_interrupted();
  return in_time;
}

pid_t start(const std::vector<std::string>& command, const environment& variables, const pipe_ends& out,
            const pipe_ends& err, bool keeps_output) {
  if (command.empty()) throw std::invalid_argument("there is no command to run");
  spawn_actions actions;
  actions.open_null(STDIN_FILENO, O_RDONLY);
  if (keeps_output) {
    actions.copy(out.write.get(), STDOUT_FILENO);
  } else {
    actions.open_null(STDOUT_FILENO, O_WRONLY);
  }
  actions.copy(err.write.get(), STDERR_FILENO);
  const spawn_attributes attributes;
  std::vector<std::string> arguments = command;
  std::vector<std::string> environment_strings = changed_environment(variables);
  const without_core_files quietly;
  pid_t pid = -1;
  const int error = ::posix_spawnp(&pid, command[0].c_str(), actions.get(), attributes.get(),
                                   pointers_to(arguments).data(), pointers_to(environment_strings).data());
  if (error != 0) fail(error, fmt::format("cannot run '{}'", command[0]));
  return pid;
}

std::string name_of_signal(int signal) {
  const char* const description = ::sigdescr_np(signal);
  return fmt::format("signal {} ({})", signal, description != nullptr ? description : "of its own");
}

double seconds_of(const timeval& time) noexcept {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

}  // namespace

std::string child_run::describe_ending(std::chrono::duration<double> limit) const {
  switch (how) {
    case ending::exited: return fmt::format("exit code {}", code);
    case ending::killed_by_signal: return name_of_signal(code);
    case ending::out_of_time: return fmt::format("it did not end within {:g} s", limit.count());
  }
  return "?";
}

std::int64_t peak_kilobytes_of_this_process() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    constexpr std::string_view key = "VmHWM:";
    if (line.starts_with(key)) return std::strtoll(line.c_str() + key.size(), nullptr, 10);
  }
  return usage_so_far().peak_kilobytes;
}

child_run run_child(const std::vector<std::string>& command, const run_conditions& under) {
  throw_if_interrupted();
  pipe_ends out;
  pipe_ends err;
  pipe_ends ended;
  const std::int64_t own_peak = peak_kilobytes_of_this_process();
  const auto begin = clock::now();
  running_child child(start(command, under.variables, out, err, under.keeps_output), ended);
  out.write.reset();
  err.write.reset();
  reader output(text_kept);
  reader complaints(text_kept);
  const auto deadline = begin + std::chrono::duration_cast<clock::duration>(under.limit);
  const bool in_time = accompany(child, deadline, out, output, err, complaints);
  const running_child::result found = child.collect();

  child_run result;
  result.seconds = std::chrono::duration<double>(found.end - begin).count();
  if (!in_time) {
    result.how = ending::out_of_time;
  } else if (WIFSIGNALED(found.status)) {
    result.how = ending::killed_by_signal;
    result.code = WTERMSIG(found.status);
  } else {
    result.code = WEXITSTATUS(found.status);
  }
  result.used = {.processor_seconds = seconds_of(found.used.ru_utime) + seconds_of(found.used.ru_stime),
                 .voluntary_switches = found.used.ru_nvcsw,
                 .involuntary_switches = found.used.ru_nivcsw,
                 .peak_kilobytes = found.used.ru_maxrss};
  result.peak_is_a_bound = result.used.peak_kilobytes <= own_peak;
  result.complaints_end = complaints.last();
  result.output_bytes = output.bytes();
  result.output_hash = output.hash();
  result.output_end = output.last();
  return result;
}

}  // namespace pilfer::lab::tune
