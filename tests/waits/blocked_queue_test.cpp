// Tasks in the queue of a worker that blocks: when the last active thread leaves the pool, another one must come for them.
#include <atomic>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include <pilfer/pilfer.hpp>

#include "support/schedulers.hpp"
#include "waits/wait_checks.hpp"

namespace pilfer::test {
namespace {

class blocked_queue : public ::testing::Test {
 protected:
  static void wait_for_flag(const std::atomic<bool>& flag) {
    while (!flag) std::this_thread::yield();
  }
  struct steps {
    std::atomic<bool> task_began = false;
    std::atomic<bool> caller_is_back = false;
    std::atomic<bool> task_blocks = false;
    std::atomic<bool> awaited_ran = false;
  };
  // Begins on the pool's thread. When it enters its region the caller works, and no place is vacant.
  static void block_until_the_own_task_ran(pool& home, steps& now) {
    now.task_began = true;
    home.detach([&now] { now.awaited_ran = true; });
    wait_for_flag(now.caller_is_back);
    const blocking_region region;
    now.task_blocks = true;
    wait_for_flag(now.awaited_ran);
  }
};

TEST_F(blocked_queue, is_found_when_the_caller_leaves) {
  for (const std::string& scheduler : tested_schedulers()) {
    expect_end(scheduler, [&] {
      pool home(pool_options{.workers = 1, .scheduler = scheduler});
      for (int round = 0; round < 5; ++round) {
        steps now;
        home.run([&] {
          home.detach([&] { block_until_the_own_task_ran(home, now); });
          {
            const blocking_region region;  // the pool's thread has the place meanwhile
            wait_for_flag(now.task_began);
          }
          now.caller_is_back = true;
          wait_for_flag(now.task_blocks);
        });
        home.drain();
        EXPECT_TRUE(now.awaited_ran);
      }
    });
  }
}

// The same, where the caller does not leave but sleeps in a wait for the task that blocks.
TEST_F(blocked_queue, is_found_when_the_caller_sleeps) {
  for (const std::string& scheduler : tested_schedulers()) {
    expect_end(scheduler, [&] {
      pool home(pool_options{.workers = 1, .scheduler = scheduler});
      for (int round = 0; round < 5; ++round) {
        steps now;
        home.run([&] {
          auto blocking = home.submit([&] { block_until_the_own_task_ran(home, now); });
          {
            const blocking_region region;
            wait_for_flag(now.task_began);
          }
          now.caller_is_back = true;
          wait_for_flag(now.task_blocks);
          blocking.get();
        });
        EXPECT_TRUE(now.awaited_ran);
      }
    });
  }
}

// And where the caller blocks in another pool.
TEST_F(blocked_queue, is_found_when_the_caller_blocks_in_another_pool) {
  pool other(1);
  for (const std::string& scheduler : tested_schedulers()) {
    expect_end(scheduler, [&] {
      pool home(pool_options{.workers = 1, .scheduler = scheduler});
      for (int round = 0; round < 5; ++round) {
        steps now;
        home.run([&] {
          home.detach([&] { block_until_the_own_task_ran(home, now); });
          {
            const blocking_region region;
            wait_for_flag(now.task_began);
          }
          now.caller_is_back = true;
          other.run([&] {
            wait_for_flag(now.task_blocks);
            const blocking_region region;
            wait_for_flag(now.awaited_ran);
          });
        });
        home.drain();
      }
    });
  }
}

}  // namespace
}  // namespace pilfer::test
