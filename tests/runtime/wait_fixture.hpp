// For tests of the waits of one worker. The calling thread holds no place, so its sleeps give none up: rest_test.cpp has
// that. The ready set, the queues and the events are stand-ins; the crew has no threads.
#pragma once

#include <chrono>

#include <gtest/gtest.h>

#include "runtime/bare_pool.hpp"
#include "src/runtime/wait.hpp"
#include "support/watchdog.hpp"

namespace pilfer::test {

class wait_fixture : public ::testing::Test {
 protected:
  static constexpr std::chrono::nanoseconds no_limit{-1};

  detail::wait_room make(waiting rule) {
    return detail::wait_room({.home = *pool_,
                              .workers = pool_->workers,
                              .ready = pool_.ready(),
                              .completions = pool_->events,
                              .members = pool_->crew,
                              .runs = pool_->runs,
                              .places = pool_->places},
                             rule);
  }
  bare_pool pool_{{.levels = 4}};
  counting_source& from_ = pool_.attach_source();
  detail::worker& self_ = pool_.add_worker();
  detail::worker& thief_ = pool_.add_worker();
  detail::worker& third_ = pool_.add_worker();
  detail::wait_room waits_ = make(waiting::descendants);

 private:
  watchdog dog_{std::chrono::seconds(60), "a wait"};
};

}  // namespace pilfer::test
