// A source of events that does what a test tells it, and keeps count.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>
#include <utility>

#include "src/runtime/event_source.hpp"
#include "src/runtime/worker.hpp"

namespace pilfer::test {

struct counting_source final : detail::event_source {
  void flush(detail::worker& /*self*/) noexcept override { ++flushes; }
  std::size_t reap(detail::worker& /*self*/) noexcept override {
    ++reaps;
    return std::exchange(comes, 0);
  }
  std::size_t reap_others(detail::worker& /*self*/) noexcept override {
    ++looks_at_others;
    return std::exchange(comes_for_others, 0);
  }
  [[nodiscard]] bool has_come(const detail::worker& /*self*/) const noexcept override {
    return comes != 0 || shows_more;
  }
  [[nodiscard]] bool waits(const detail::worker& /*self*/) const noexcept override { return is_waited_for; }
  [[nodiscard]] others others_wait(const detail::worker& /*self*/) const noexcept override { return of_others; }
  void sleep(detail::worker& /*self*/, std::chrono::nanoseconds /*limit*/) noexcept override {
    ++sleeps;
    while (kicks < kicks_until_awake) std::this_thread::yield();
  }
  void kick(detail::worker_face& /*sleeper*/) noexcept override { ++kicks; }

  std::size_t comes = 0;
  std::size_t comes_for_others = 0;
  bool is_waited_for = false;
  bool shows_more = false;    // what it will not give
  int kicks_until_awake = 0;  // how long it sleeps
  others of_others = others::nothing;
  std::atomic<int> flushes = 0;
  std::atomic<int> reaps = 0;
  std::atomic<int> looks_at_others = 0;
  std::atomic<int> sleeps = 0;
  std::atomic<int> kicks = 0;
};

}  // namespace pilfer::test
