// The instructions of a task that a worker spawns into its own group and runs while it waits: the figures of docs/adr/0029.
#include <gtest/gtest.h>

#include <pilfer/ext/sync.hpp>
#include <pilfer/pool.hpp>
#include <pilfer/task_group.hpp>

#include "lab/measure/single_step.hpp"

namespace {

using pilfer::lab::executed;
using pilfer::lab::single_step;

constexpr unsigned tasks = 100;

[[gnu::noinline]] void spawn_and_wait(pilfer::task_group& group) {
  for (unsigned i = 0; i < tasks; ++i) group.spawn([] {});
  group.wait();
}

TEST(executed_spawn, takes_two_locked_instructions_and_no_system_call) {
  if (!pilfer::ext::native_sync::asymmetric_fences()) GTEST_SKIP() << "membarrier(2) is refused here";
  pilfer::pool home(pilfer::pool_options{.workers = 1});
  executed counted;
  home.run([&] {
    pilfer::task_group group;
    for (int i = 0; i < 3; ++i) spawn_and_wait(group);  // memory is there, and symbols are found
    counted = single_step([&] { spawn_and_wait(group); });
  });
  constexpr unsigned of_the_wait = 10;
  EXPECT_EQ(counted.syscalls, 0U) << counted;
  EXPECT_EQ(counted.mfences, 0U) << counted;
  EXPECT_LE(counted.fences, tasks + of_the_wait) << "the queue's, when a task is taken: " << counted;
  EXPECT_LE(counted.exchanges, tasks + of_the_wait) << "the claim: " << counted;
  EXPECT_LE(counted.cas + counted.adds, of_the_wait) << counted;
  EXPECT_LE(counted.instructions, 300 * tasks) << counted;
}

}  // namespace
