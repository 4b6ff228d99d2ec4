// Workers without work: how long they look, how they sleep, and how one that was called calls the next. README.md has the argument.
#pragma once

#include <chrono>

#include "crew.hpp"
#include "events.hpp"
#include "ready_set.hpp"
#include "roster.hpp"
#include "search.hpp"
#include "worker.hpp"

namespace pilfer::detail {

class sleep_room : immovable {
 public:
  struct neighbours {
    const roster& workers;
    const search& thieves;
    const ready_set& ready;
    const crew& members;
    events& completions;
    pool_parking& sleepers;
  };
  explicit sleep_room(const neighbours& told) noexcept : told_(told) {}

  // Would a worker that sleeps now miss anything? It may be private work, which it cannot get at. A hint, but after the fence of a
  // sleep, or after the worker has held the mutex of the places.
  [[nodiscard]] bool anything_to_do(const worker_face& self) const noexcept;
  // By any thread: wakes a worker that sleeps in the event source, or all of them.
  void kick(bool all) const noexcept;

 private:
  friend class idle;

  // Returns true if the worker was called.
  bool park(worker& self) noexcept;
  void relay(worker& self) noexcept;

  const neighbours told_;
};

// What the thread of a worker holds while it has no job: a look begins, goes on for a while, and ends with a job or a sleep.
class idle : immovable {
 public:
  idle(sleep_room& room, worker& self) noexcept : room_(room), self_(self) {}

  void begin() noexcept;
  // After nothing was found. Returns false if this look is over: the worker has slept, is surplus, or the pool ends.
  [[nodiscard]] bool look_again() noexcept;
  // The look has found a job, or the worker becomes spare. If the worker was called, others may still sleep: calls the next one.
  void end_with_job() noexcept;
  void end_as_spare() noexcept;

 private:
  [[nodiscard]] bool sleep() noexcept;

  sleep_room& room_;
  worker& self_;
  std::chrono::steady_clock::time_point since_;
  unsigned round_ = 0;
  bool was_called_ = false;  // out of a sleep, and has found nothing yet
};

}  // namespace pilfer::detail
