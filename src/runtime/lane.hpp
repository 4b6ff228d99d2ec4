// One worker's queue as the runtime sees it, whatever queue it is. Virtual, because nothing here is on the fork path. A thief has a `lane`, which
// cannot do what only the owner may do.
#pragma once

#include <cstddef>
#include <cstdint>

#include <pilfer/detail/fork/fork_path.hpp>
#include <pilfer/detail/fork/job.hpp>
#include <pilfer/detail/immovable.hpp>
#include <pilfer/ext/steal_result.hpp>
#include <pilfer/queue/chase_lev_deque.hpp>
#include <pilfer/queue/fork_deque.hpp>

namespace pilfer::detail {

struct worker;

using fork_deque = queue::fork_deque<job*>;
using task_deque = queue::chase_lev_deque<job*>;

// What a thief did to get at private work.
struct effort {
  bool signal = false;
  bool barrier = false;
  std::size_t exposed = 0;
};

// By thieves.
class lane : immovable {
 public:
  virtual ~lane() = default;

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
};

// The same, and what its owner does with it. All by the owner.
class owned_lane : public lane {
 public:
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

// A worker's queue of forks.
class fork_lane : public owned_lane {
 public:
  // What pilfer::fork_join works on. Null: another fork_join knows the queue.
  [[nodiscard]] virtual fork_deque* deque() noexcept { return nullptr; }
};

// A worker's queue of spawned tasks, beside its queue of forks: tasks are not joined, so any order will do, and the owner looks for none of
// them there.
class task_lane : public owned_lane {
 public:
  // Returns false if there is no room: the job was not queued.
  [[nodiscard]] virtual bool push(job& work) noexcept = 0;
  // May there be items that thieves cannot have until the owner pushes or pops again: private ones, a block that is in use?
  [[nodiscard]] virtual bool hides_some() const noexcept = 0;
  [[nodiscard]] virtual bool is_shared() const noexcept = 0;     // by all workers
  [[nodiscard]] virtual bool newest_first() const noexcept = 0;  // by the owner
  // The deque, if the queue is nothing else. Null: it is another queue.
  [[nodiscard]] virtual task_deque* deque() noexcept { return nullptr; }
};

// Where the fast path of pilfer::fork_join ends: what the deque that it works on has for a companion. By the owner.
class fork_slow_path : immovable {
 public:
  explicit fork_slow_path(worker& owner) noexcept : owner_(owner) {}
  virtual ~fork_slow_path() = default;

  [[nodiscard]] static fork_slow_path& of(const fork_stack& deque) noexcept {
    return *static_cast<fork_slow_path*>(deque.companion());
  }
  [[nodiscard]] worker& owner() const noexcept { return owner_; }

  [[nodiscard]] virtual fork_slot* fork(fork_slot* at, forked_job& work) noexcept = 0;  // returns the next position
  // Returns false if a thief ran it: it is done.
  [[nodiscard]] virtual bool join(fork_slot* at, forked_job& work) noexcept = 0;
  // Would a thief take work from here now? A hint.
  [[nodiscard]] virtual bool is_wanted() const noexcept = 0;

 private:
  worker& owner_;
};

}  // namespace pilfer::detail
