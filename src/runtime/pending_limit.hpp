// How many tasks of a pool may wait for their beginning, and what becomes of one for which there is no room: pool_options::max_pending.
//
// A task takes room when it is made, before its callable is touched, and gives it back when it begins. A pool with a limit pays a mutex for
// both; a pool without one asks nothing. A thread that waits for room sleeps as one that waits for a future (rest.hpp, completion.hpp), and is
// given the room by the thread that gives it back, first come, first served.
//
// State       writer            reader   meaning
//   pending_  under the mutex   same     tasks that have room
//   first_    under the mutex   same     threads that wait, in the order of their coming
//   is_open_  under the mutex   same     no thread waits any more: the pool is to stop
//
// Invariants
//   I1  pending_ <= most_, but for tasks that were let in because their maker's stack had no room to run them.
//   I2  While a thread waits, pending_ >= most_: room that becomes free is given away under the mutex.
//   I3  A thread waits only where another one will begin tasks: no worker does, and none where the pool can have no thread.
//
// Sources    ours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

#include <pilfer/detail/immovable.hpp>
#include <pilfer/pool_options.hpp>

namespace pilfer::detail {

struct runtime;

class pending_limit : immovable {
 public:
  // `most`: 0 is none.
  pending_limit(std::size_t most, overflow when_full) noexcept : most_(most), when_full_(when_full) {}

  [[nodiscard]] bool is_set() const noexcept { return most_ != 0; }
  [[nodiscard]] std::size_t most() const noexcept { return most_; }

  // All where it is set. By the thread that makes a task of that pool. Returns false if the caller is to run the task.
  //   Throws  too_many_tasks
  [[nodiscard]] bool enter(runtime& home);
  // A task that has room begins, or never will.
  void leave() noexcept;
  // No thread waits from now on, and those that do are woken. After the pool's stop was requested.
  void open() noexcept;

  struct figures {
    std::size_t pending = 0;
    std::uint64_t blocked = 0;
    std::uint64_t run_inline = 0;
    std::uint64_t refused = 0;
  };
  [[nodiscard]] figures count() const noexcept;

 private:
  struct blocked;  // a thread that waits
  [[nodiscard]] bool wait_for_room(runtime& home);

  const std::size_t most_;
  const overflow when_full_;
  mutable std::mutex mutex_;  // guards what follows
  std::size_t pending_ = 0;
  blocked* first_ = nullptr;
  blocked* last_ = nullptr;
  bool is_open_ = false;
  figures counted_;
};

}  // namespace pilfer::detail
