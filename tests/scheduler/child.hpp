// Starts scheduler_child, for what needs a process of its own: it lies beside this program.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace pilfer::test {

inline constexpr int child_cannot_do_that_here = 77;

// The child is told its task by the environment, so that static objects know it too. It has a watchdog of its own.
inline void expect_child_succeeds(const std::string& task) {
  char self[4096];
  const ssize_t length = ::readlink("/proc/self/exe", self, sizeof(self));
  ASSERT_GT(length, 0);
  std::string path(self, static_cast<std::size_t>(length));
  path = path.substr(0, path.rfind('/')) + "/scheduler_child";
  const pid_t pid = ::fork();
  ASSERT_GE(pid, 0) << std::strerror(errno);
  if (pid == 0) {
    ::setenv("PILFER_TEST_CHILD", task.c_str(), 1);
    ::execl(path.c_str(), path.c_str(), static_cast<char*>(nullptr));
    std::_Exit(126);
  }
  int status = 0;
  pid_t ended = -1;
  do {
    ended = ::waitpid(pid, &status, 0);
  } while (ended < 0 && errno == EINTR);
  ASSERT_EQ(ended, pid);
  ASSERT_TRUE(WIFEXITED(status)) << task << ": the child died of signal " << WTERMSIG(status);
  if (WEXITSTATUS(status) == child_cannot_do_that_here) GTEST_SKIP() << task << ": not possible here";
  EXPECT_EQ(WEXITSTATUS(status), 0) << task;
}

}  // namespace pilfer::test
