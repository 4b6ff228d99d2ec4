// For tests of how a thread sleeps in a wait. The room reaches its neighbours through the pools of the thread's workers, so
// these are bare pools: their threads do nothing, their ready sets and events are stand-ins. What is awaited is a stand-in,
// too: its sleep runs a function of the test on the waiting thread.
#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/bare_pool.hpp"
#include "src/runtime/rest.hpp"
#include "support/watchdog.hpp"

namespace pilfer::test {

class rest_fixture : public ::testing::Test {
 protected:
  static constexpr std::chrono::nanoseconds no_limit{-1};

  class awaited final : public detail::sleepable {
   public:
    explicit awaited(bare_pool& home)
        : target_{.what = detail::wait_target::kind::call, .object = this, .home = &*home} {}
    [[nodiscard]] bool is_done() const noexcept override { return done; }
    [[nodiscard]] detail::latch_sleeper& bed() noexcept override { return bed_; }
    void sleep(std::chrono::nanoseconds limit) noexcept override {
      limits.push_back(limit);
      if (while_asleep) while_asleep();
      if (!done) static_cast<void>(bed_.sleep_once(limit));
    }
    [[nodiscard]] detail::wait_target target() const noexcept override { return target_; }
    [[nodiscard]] detail::failing may_fail() const noexcept override { return fails; }
    void leave() noexcept override { ++leaves; }
    [[nodiscard]] bool can_give_up() const noexcept override { return gives_up; }
    void wait_for(const detail::job& work) {
      target_.what = detail::wait_target::kind::fork;
      target_.object = &work;
    }

    bool done = false;
    bool gives_up = false;
    detail::failing fails = detail::failing::willing;
    int leaves = 0;
    std::vector<std::chrono::nanoseconds> limits;  // of each sleep
    std::function<void()> while_asleep;

   private:
    detail::wait_target target_;
    detail::latch_sleeper bed_;
  };
  // The calling thread is a worker of that pool.
  class seated {
   public:
    explicit seated(bare_pool& home) : home_(home), self_(*home->visitors.enter(true)) {}
    ~seated() { home_->visitors.leave(self_); }
    seated(const seated&) = delete;
    seated& operator=(const seated&) = delete;
    detail::worker& operator*() { return self_; }
    detail::worker* operator->() { return &self_; }

   private:
    bare_pool& home_;
    detail::worker& self_;
  };
  // A worker that could be robbed, if this thread looked there: the ready set decides what it finds.
  void show_work_in(bare_pool& pool) { forks_of(pool.add_worker()).jobs.push_back(&shown_); }

 private:
  lone_fork shown_;
  watchdog dog_{std::chrono::seconds(60), "a rest"};
};

}  // namespace pilfer::test
