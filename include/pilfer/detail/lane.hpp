// One worker's queue as the scheduler sees it, whatever queue it is. Virtual, because nothing here is on the fork path.
#pragma once

#include <cstddef>
#include <cstdint>

#include <pilfer/detail/job.hpp>
#include <pilfer/ext/steal_result.hpp>

namespace pilfer::detail {

// What a thief did to get at private work.
struct effort {
  bool signal = false;
  bool barrier = false;
  std::size_t exposed = 0;
};

class lane {
 public:
  lane() = default;
  lane(const lane&) = delete;
  lane& operator=(const lane&) = delete;
  virtual ~lane() = default;

  // By thieves.
  virtual ext::steal_result<job*> steal(std::uint64_t random) noexcept = 0;
  // Nothing less urgent than that level, as far as the queue can tell.
  virtual ext::steal_result<job*> steal_urgent(std::uint64_t random, unsigned /*level*/) noexcept {
    return steal(random);
  }
  // Nothing older than the mark; `empty` always, where the queue knows no marks.
  virtual ext::steal_result<job*> steal_from(std::uint64_t mark) noexcept = 0;
  // After private_work: asks for exposure. Cheap first, and harder when it went unanswered for long.
  virtual effort ask() noexcept { return {}; }
  virtual effort insist(std::uint64_t /*mark*/) noexcept { return {}; }
  // Before a thief goes to sleep: the owner's next push or pop must notice it. Not needed where every push looks by itself.
  virtual void leave_request() noexcept {}
  // Is there anything, exposed or not? Decides whether a thief may sleep.
  [[nodiscard]] virtual bool has_items() const noexcept = 0;
  [[nodiscard]] virtual bool sample(std::uint64_t random) const noexcept = 0;
  [[nodiscard]] virtual std::size_t size_hint() const noexcept = 0;
  // Does work have to be exposed before it can be stolen?
  [[nodiscard]] virtual bool exposes() const noexcept { return false; }

  // By the owner.
  [[nodiscard]] virtual std::uint64_t mark() const noexcept { return 0; }
  // Its next job, when it has nothing else to do.
  [[nodiscard]] virtual job* take() noexcept = 0;
  // It has nothing in here, and will not look for a while: what it says of private work must be true. A split deque notices that
  // its private part is empty when a pop finds nothing, and thieves would not sleep beside one that says otherwise.
  virtual void rest() noexcept {}
  // A thread becomes the owner, and ceases to be.
  virtual void bind() noexcept = 0;
  virtual void unbind() noexcept = 0;
};

// A worker's queue of spawned tasks, beside its queue of forks: tasks are not joined, so any order will do and nobody looks for
// his own among them.
class task_lane : public lane {
 public:
  // False: no room, the job was not queued.
  [[nodiscard]] virtual bool push(job& work) noexcept = 0;
  // May there be items that thieves cannot have until the owner pushes or pops again: private ones, a block that is in use?
  [[nodiscard]] virtual bool hides_some() const noexcept = 0;
  [[nodiscard]] virtual bool is_shared() const noexcept = 0;     // by all workers
  [[nodiscard]] virtual bool newest_first() const noexcept = 0;  // by the owner
};

}  // namespace pilfer::detail
