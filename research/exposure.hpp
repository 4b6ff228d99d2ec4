// How a thief gets at work that its owner keeps private. One per queue; the scheduler calls it after a steal that said
// private_work.
#pragma once

#include <cstdint>
#include <memory>

#include <pilfer/queue/split_deque.hpp>

#include "research/lane_base.hpp"

namespace pilfer::research {

// The owner notices at its next push or pop, and not before (004, section 3).
template <class Queue>
class polled : public open_to_all<Queue> {
 public:
  using open_to_all<Queue>::open_to_all;
  static effort ask(Queue& queue) noexcept {
    queue.thief().request();
    return {};
  }
  static effort insist(Queue& queue, std::uint64_t /*mark*/) noexcept { return ask(queue); }
};

// The owner's thread is interrupted by a signal, whose handler exposes (004, section 4). In signal_line.cpp.
class signal_line {
 public:
  signal_line();
  ~signal_line();
  signal_line(const signal_line&) = delete;
  signal_line& operator=(const signal_line&) = delete;

  using handler = void (*)(void* queue) noexcept;
  void bind(handler expose, void* queue) noexcept;
  void unbind() noexcept;
  [[nodiscard]] bool request() noexcept;  // true: a signal was sent
  void answered() noexcept;

 private:
  struct inside;
  std::unique_ptr<inside> inside_;
};

template <class Queue, queue::exposure_rule Rule>
class signalled {
 public:
  explicit signalled(Queue& /*queue*/) {}
  effort ask(Queue& /*queue*/) noexcept { return {.signal = line_.request()}; }
  effort insist(Queue& queue, std::uint64_t /*mark*/) noexcept {
    line_.answered();  // the last signal brought nothing: the owner had nothing to give then
    return ask(queue);
  }
  void answered() noexcept { line_.answered(); }
  void bind(Queue& queue) noexcept { line_.bind(&expose, &queue); }
  void unbind() noexcept { line_.unbind(); }

 private:
  static void expose(void* queue) noexcept {
    auto owner = static_cast<Queue*>(queue)->owner();
    owner.expose(queue::amount_to_expose(Rule, owner.private_size()));
  }

  signal_line line_;
};

}  // namespace pilfer::research
