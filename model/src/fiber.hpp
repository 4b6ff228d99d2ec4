// A stack of its own for each thread of a scenario, and the switch between them. All of them run on one OS thread, and
// an execution that is given up leaves its fibers where they stand: nothing is unwound.
#pragma once

#include <cstddef>

namespace pilfer::model {

class fiber {
 public:
  fiber() = default;
  ~fiber();
  fiber(const fiber&) = delete;
  fiber& operator=(const fiber&) = delete;

  // The next switch to this fiber begins `entry(argument)`, which never returns. Forgets what it did before.
  void begin(void (*entry)(void*), void* argument);
  // Continues `to`; returns when somebody switches to this one again. A fiber without a stack of its own, one on which
  // begin() was never called, stands for the OS thread's.
  void switch_to(fiber& to);

 private:
  friend void fiber_entered(fiber& self);
  friend void fiber_trampoline();
  void start();

  static constexpr std::size_t stack_bytes = std::size_t{64} << 10;
  void* saved_ = nullptr;  // its stack pointer while it does not run
  std::byte* stack_ = nullptr;
  void (*entry_)(void*) = nullptr;
  void* argument_ = nullptr;
  // For sanitizers: the stack as they know it.
  [[maybe_unused]] const void* bottom_ = nullptr;
  [[maybe_unused]] std::size_t size_ = 0;
  [[maybe_unused]] void* fake_stack_ = nullptr;
  [[maybe_unused]] void* tsan_ = nullptr;
};

}  // namespace pilfer::model
