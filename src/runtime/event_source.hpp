// What brings work to a pool besides its tasks: completions of I/O. A pool has at most one source, and knows nothing else of it.
//
// A worker that has nothing to do submits, reaps, and sleeps in the source instead of in the pool's parking if it waits for
// something there: whatever comes first wakes it, a completion or new work. Completions of a worker that is busy, or asleep at a join,
// are reaped by the others.
//
// Only threads of the pool (worker::is_thread) may own something in the source: what a caller's thread submits would be cancelled
// by the kernel when that thread ends.
#pragma once

#include <chrono>
#include <cstddef>

#include <pilfer/detail/immovable.hpp>

namespace pilfer::detail {

struct worker;
class worker_face;

class event_source : immovable {
 public:
  virtual ~event_source() = default;  // after the pool's threads have ended

  // All by the worker itself, but `kick`.

  // Submits what it has prepared. Called before it blocks, looks for other work, or gives up its place.
  virtual void flush(worker& self) noexcept = 0;
  // Takes what has come for it and queues it by resume_completed. Returns how many.
  virtual std::size_t reap(worker& self) noexcept = 0;
  // The same of the others: by one that has nothing else to do.
  virtual std::size_t reap_others(worker& self) noexcept = 0;
  // Has something come that this worker could reap, its own or of others? After it has announced that it will sleep.
  [[nodiscard]] virtual bool has_come(const worker& self) const noexcept = 0;

  // Does it wait for something of its own?
  [[nodiscard]] virtual bool waits(const worker& self) const noexcept = 0;
  // For what do others wait? `unattended`: for something, and one of them is neither asleep in the source nor spare: it may not look for long.
  enum class others { nothing, attended, unattended };
  [[nodiscard]] virtual others others_wait(const worker& self) const noexcept = 0;

  // Submits, and sleeps until something has come for it, or it was kicked, or the time ran out (negative: never does). A kick that came before
  // counts.
  virtual void sleep(worker& self, std::chrono::nanoseconds limit) noexcept = 0;
  // By anyone: wakes that worker. Called only for one that is about to sleep here, or does.
  virtual void kick(worker_face& sleeper) noexcept = 0;
};

}  // namespace pilfer::detail
