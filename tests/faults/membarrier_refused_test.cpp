// A kernel that refuses membarrier(2), in whole or in part: asymmetric_deque and pools fall back to fences and work.
//
// Each test runs in a child process with a seccomp filter, because a filter cannot be taken off again, and because the library
// asks the kernel once per process. The parent therefore never asks, and has no threads. Of the child only its exit status counts.
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/membarrier.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <pilfer/pool.hpp>
#include <pilfer/queue/asymmetric_deque.hpp>
#include <pilfer/task_group.hpp>

#include "support/environment.hpp"
#include "support/items.hpp"

namespace pilfer::test {
namespace {

using queue::asymmetric_deque;
using queue::fencing;

constexpr int every_command = -1;

// Which command of membarrier is refused, and how.
struct refusal {
  const char* name;
  int command;
  int error;
};

// The calling process never gets anything but `error` from the refused command. False: no filters here.
bool install(const refusal& what) {
  const auto command = static_cast<std::uint32_t>(what.command);
  const auto error = static_cast<std::uint32_t>(what.error) & SECCOMP_RET_DATA;
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offsetof(seccomp_data, nr))),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
               static_cast<std::uint32_t>(offsetof(seccomp_data, args))),  // little-endian: its low half
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, command, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  if (what.command == every_command) program[3] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, command, 0, 0);
  const sock_fprog filter{static_cast<unsigned short>(std::size(program)), program};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

// In the child there is no test to fail: say what is wrong and leave.
#define REQUIRE(condition)                                                           \
  do {                                                                               \
    if (!(condition)) {                                                              \
      std::fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
      std::_Exit(1);                                                                 \
    }                                                                                \
  } while (false)

// Owner and thief in turn, each item once.
void identity_run(asymmetric_deque<item16>& q) {
  constexpr std::uint64_t items = 5000;
  std::vector<int> seen(items);
  random_source random(1);
  std::uint64_t next = 0;
  while (next < items || q.size_hint() > 0) {
    const std::uint64_t choice = random.below(5);
    if (choice < 3 && next < items) {
      REQUIRE(q.owner().push(make_item<item16>(next)));
      ++next;
    } else if (choice == 3) {
      if (const auto got = q.owner().pop()) ++seen.at(id_of(*got));
    } else {
      const auto got = q.thief().steal();
      REQUIRE(got.status() != ext::steal_status::lost);
      if (got) ++seen.at(id_of(*got));
    }
  }
  for (const int n : seen) REQUIRE(n == 1);
}

// Tasks of a group's owner, run by it and by a thief, while another thread looks and waits.
void group_run() {
  pool home(2);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::atomic<int>> runs(200);
    task_group group(home);
    std::thread other([&] {
      while (!group.wait_for(std::chrono::microseconds(50)) || runs.back() == 0) {
      }
    });
    home.run([&] {
      for (std::atomic<int>& each : runs) group.spawn([&each] { ++each; });
      group.wait();
    });
    other.join();
    for (const std::atomic<int>& each : runs) REQUIRE(each == 1);
  }
}

constexpr int no_filters_here = 77;

[[noreturn]] void child(const refusal& what) {
  if (!install(what)) std::_Exit(no_filters_here);
  const int tried = what.command == every_command ? MEMBARRIER_CMD_QUERY : what.command;
  errno = 0;
  REQUIRE(::syscall(SYS_membarrier, tried, 0, 0) == -1 && errno == what.error);

  REQUIRE(!ext::os::membarrier_works());
  REQUIRE(!ext::native_sync::asymmetric_fences());
  REQUIRE(!ext::native_sync::heavy_fence());
  for (const fencing choice : {fencing::automatic, fencing::always}) {
    asymmetric_deque<item16> q(2, choice);
    REQUIRE(!q.uses_membarrier());
    identity_run(q);
  }
  group_run();
  std::_Exit(0);
}

class membarrier_refused : public ::testing::TestWithParam<refusal> {};

TEST_P(membarrier_refused, deques_and_groups_fall_back_to_fences) {
  const pid_t pid = ::fork();
  ASSERT_GE(pid, 0) << std::strerror(errno);
  if (pid == 0) child(GetParam());
  int status = 0;
  pid_t ended = -1;
  do {
    ended = ::waitpid(pid, &status, 0);
  } while (ended < 0 && errno == EINTR);
  ASSERT_EQ(ended, pid);
  ASSERT_TRUE(WIFEXITED(status)) << "the child died of signal " << WTERMSIG(status);
  if (WEXITSTATUS(status) == no_filters_here) GTEST_SKIP() << "seccomp filters are not available";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

INSTANTIATE_TEST_SUITE_P(
    kernels, membarrier_refused,
    ::testing::Values(refusal{"sandbox", every_command, EPERM}, refusal{"old_kernel", every_command, ENOSYS},
                      refusal{"no_registration", MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, EPERM},
                      refusal{"registers_but_does_not_work", MEMBARRIER_CMD_PRIVATE_EXPEDITED, EINVAL}),
    [](const ::testing::TestParamInfo<refusal>& parameter) { return std::string(parameter.param.name); });

}  // namespace
}  // namespace pilfer::test
