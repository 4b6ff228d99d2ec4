// What needs a process of its own. PILFER_TEST_CHILD says which; the exit status, whether it went well.
//
//   static-objects   fork_join in constructors and destructors of static objects
//   static-pool      a pool that is a static object
//   exit             exit() while the default pool's threads idle
//   small-stack      trees and waits on stacks of 256 KiB
//   no-membarrier    forks reach sleeping workers where the kernel refuses membarrier
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <pilfer/fork_join.hpp>
#include <pilfer/pool.hpp>

#include "scheduler/any_pool.hpp"
#include "scheduler/child.hpp"
#include "scheduler/programs.hpp"
#include "support/environment.hpp"
#include "support/watchdog.hpp"

namespace pilfer::test {
namespace {

// Here is no test to fail: say what is wrong and leave.
#define REQUIRE(condition)                                                           \
  do {                                                                               \
    if (!(condition)) {                                                              \
      std::fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
      std::_Exit(1);                                                                 \
    }                                                                                \
  } while (false)

[[nodiscard]] std::string task() {
  const char* text = std::getenv("PILFER_TEST_CHILD");
  return text != nullptr ? text : "";
}

long plain_fib(int n) {
  if (n < 2) return n;
  const auto [a, b] = fork_join([n] { return plain_fib(n - 1); }, [n] { return plain_fib(n - 2); });
  return a + b;
}

// Two of them: one is constructed before, one after the library's own static objects, whatever the order of linking.
struct busy {
  busy() {
    if (task() == "static-objects") REQUIRE(plain_fib(15) == 610);
  }
  ~busy() {
    if (task() == "static-objects") REQUIRE(plain_fib(15) == 610);
  }
};
[[gnu::init_priority(101)]] const busy first_of_all;
const busy like_any_other;

struct pool_owner {
  std::optional<pool> mine;
  pool_owner() {
    if (task() != "static-pool") return;
    mine.emplace(3);
    REQUIRE(mine->run([] { return plain_fib(15); }) == 610);
  }
  ~pool_owner() {
    if (mine) REQUIRE(mine->run([] { return plain_fib(15); }) == 610);
  }
};
pool_owner static_pool;

// --- Small stacks. The limit of the process decides about stacks of threads, from exec on.

void small_stack() {
  constexpr rlim_t limit = (under_tsan || under_asan ? 2048 : 256) * rlim_t{1024};
  rlimit now{};
  REQUIRE(::getrlimit(RLIMIT_STACK, &now) == 0);
  if (now.rlim_cur != limit) {
    now.rlim_cur = limit;
    REQUIRE(::setrlimit(RLIMIT_STACK, &now) == 0);
    ::execl("/proc/self/exe", "scheduler_child", static_cast<char*>(nullptr));
    REQUIRE(false);
  }
  // Each leaf waits for its own second half, which another worker has stolen, while all others' leaves could be had:
  // a waiter that took one of those would wait again on top of itself, and so on.
  for (const pool_kind& kind : distinct_kinds()) {
    const watchdog dog(std::chrono::seconds(60), "small stacks: " + kind.label);
    const auto pool = kind(4);
    const auto leaf = [&] {
      std::atomic<bool> started = false;
      pool->fork(
          [&] {
            for (int i = 0; i < 10 && !started; ++i) std::this_thread::yield();
          },
          [&] {
            started = true;
            for (int i = 0; i < 2; ++i) std::this_thread::yield();
          });
    };
    struct grower {
      any_pool& pool;
      task_ref leaf;
      void operator()(std::size_t leaves) const {
        if (leaves == 1) return leaf();
        pool.fork([&] { (*this)(leaves / 2); }, [&] { (*this)(leaves - leaves / 2); });
      }
    };
    pool->run([&] { grower{*pool, leaf}(kind.scheduler == "default" ? stress_amount(20'000) : stress_amount(2000)); });
    long f = 0;
    pool->run([&] { f = fib(*pool, 15); });
    REQUIRE(f == 610);
  }
}

// --- No membarrier.

void no_membarrier() {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offsetof(seccomp_data, nr))),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1U),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{static_cast<unsigned short>(std::size(program)), program};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
    std::_Exit(child_cannot_do_that_here);
  }
  REQUIRE(::syscall(SYS_membarrier, 0, 0, 0) == -1);
  for (const pool_kind& kind : distinct_kinds()) {
    const watchdog dog(std::chrono::seconds(60), "no membarrier: " + kind.label);
    const auto pool = kind(2);
    for (std::size_t round = 0; more_stress(round, 100); ++round) {
      if (round % 4 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      std::atomic<bool> first = false;
      std::atomic<bool> second = false;
      pool->run([&] {
        pool->fork(
            [&] {
              first = true;
              wait_forking(*pool, [&] { return second.load(); });
            },
            [&] {
              second = true;
              wait_spinning([&] { return first.load(); });
            });
      });
    }
    numbered_tree tree(1000);
    pool->run([&] { tree.run(*pool, shape::random); });
    tree.expect_each_once();
    REQUIRE(!::testing::Test::HasFailure());
  }
}

}  // namespace
}  // namespace pilfer::test

int main() {
  using namespace pilfer::test;  // NOLINT(google-build-using-namespace)
  const std::string what = task();
  if (what == "static-objects" || what == "static-pool") return 0;
  const watchdog dog(std::chrono::seconds(100), "child: " + what);
  if (what == "exit") {
    REQUIRE(plain_fib(15) == 610);
    std::exit(0);  // NOLINT(concurrency-mt-unsafe): that is the test
  }
  if (what == "small-stack") {
    small_stack();
  } else if (what == "no-membarrier") {
    no_membarrier();
  } else {
    std::fprintf(stderr, "PILFER_TEST_CHILD=%s: unknown\n", what.c_str());
    return 2;
  }
  return 0;
}
