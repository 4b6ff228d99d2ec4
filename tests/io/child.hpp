// Starts io_child, for what needs a process of its own: it lies beside this program.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace pilfer::test {

inline constexpr int child_cannot_do_that_here = 77;

// Its settings are words NAME=VALUE of the environment. It has a watchdog of its own.
[[nodiscard]] inline pid_t start_child(const std::string& task, const std::vector<std::string>& settings) {
  char self[4096];
  const ssize_t length = ::readlink("/proc/self/exe", self, sizeof(self));
  if (length <= 0) return -1;
  std::string path(self, static_cast<std::size_t>(length));
  path = path.substr(0, path.rfind('/')) + "/io_child";
  // Made before the fork: another thread may hold the lock of the memory.
  const std::string chosen = "PILFER_TEST_CHILD=" + task;
  std::vector<char*> environment;
  environment.push_back(const_cast<char*>(chosen.c_str()));
  for (const std::string& setting : settings) environment.push_back(const_cast<char*>(setting.c_str()));
  for (char** word = environ; *word != nullptr; ++word) {
    if (std::strncmp(*word, "PILFER_", 7) != 0) environment.push_back(*word);
  }
  environment.push_back(nullptr);
  char* const arguments[] = {path.data(), nullptr};
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::execve(path.c_str(), arguments, environment.data());
    ::_exit(126);
  }
  return pid;
}

// The exit status; -1: it was killed.
[[nodiscard]] inline int status_of_child(pid_t pid) {
  int status = 0;
  pid_t ended = -1;
  do {
    ended = ::waitpid(pid, &status, 0);
  } while (ended < 0 && errno == EINTR);
  return ended == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

inline void expect_child_succeeds(const std::string& task, const std::vector<std::string>& settings = {}) {
  const pid_t pid = start_child(task, settings);
  ASSERT_GT(pid, 0) << std::strerror(errno);
  const int status = status_of_child(pid);
  if (status == child_cannot_do_that_here) GTEST_SKIP() << task << ": not possible here";
  EXPECT_EQ(status, 0) << task;
}

}  // namespace pilfer::test
