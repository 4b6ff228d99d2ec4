// What the tests of coroutines share.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <pilfer/coro/schedule.hpp>
#include <pilfer/coro/task.hpp>

#include "tasks/task_checks.hpp"

namespace pilfer::test {

// Goes on when it is true; meanwhile others have the worker.
template <class Condition>
task<void> until_true(Condition condition) {
  while (!condition()) co_await yield();
}

// Lets others go first that often.
inline task<std::size_t> number_after(std::size_t number, std::size_t turns) {
  for (std::size_t i = 0; i < turns; ++i) co_await yield();
  co_return number;
}

// Suspends for good, in turns: ends only by being cancelled.
inline task<void> until_stopped(std::atomic<bool>& ended, counted_object /*kept in the frame*/ = {}) {
  struct at_end {
    std::atomic<bool>& ended;
    ~at_end() { ended = true; }
  };
  const at_end note{ended};
  for (;;) co_await yield();
}

// How far down the stack has come.
class stack_depth {
 public:
  [[gnu::noinline]] void look() noexcept {
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    if (highest_ == 0 || here > highest_) highest_ = here;
    if (lowest_ == 0 || here < lowest_) lowest_ = here;
  }
  [[nodiscard]] std::size_t bytes() const noexcept { return highest_ - lowest_; }

 private:
  std::uintptr_t highest_ = 0;
  std::uintptr_t lowest_ = 0;
};

}  // namespace pilfer::test
