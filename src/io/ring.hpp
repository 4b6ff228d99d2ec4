// The io_uring of one worker. That thread alone prepares and submits; whoever has the lock of the completion side takes what has come.
//
// State         writer                reader   meaning
//   placed_     owner                 owner    entries written so far; operation::serial is its number among them
//   begun_      owner                 all      operations among them
//   ended_      who has the lock      all      operations whose completion was taken
//   taken_      owner                 all      entries that the kernel has consumed
//   unsent_     under cancels_mutex_  owner    operations to be cancelled that the kernel did not have yet, or did not find
//   lock_       all                   all      1: somebody takes completions, or the owner sleeps
//   kicked_     who has the lock      owner    a kick was taken by somebody else than the owner
//
// Edges
//   begun       start: store of begun_       -> take: load of begun_       the operation is whole; the kernel's part of the way is unseen by tools
//   lock        unlock: store of lock_       -> try_lock: exchange         the completion queue's head, kicked_
//   dekker      owner: taken_, unsent_count_ || cancel: unsent_count_, taken_   one of them sends the cancellation
//
// Cancelling goes by IORING_REGISTER_SYNC_CANCEL, from any thread: the owner may be asleep at a join. An operation is known to exist
// meanwhile: its coroutine is resumed after the stop_callback has returned, and after it was taken off the list of those unsent.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

#include <liburing.h>

#include <pilfer/detail/counter.hpp>
#include <pilfer/ext/sync.hpp>
#include <pilfer/io/operation.hpp>

#include "threads.hpp"

namespace pilfer::io::detail {

class ring {
 public:
  ring() = default;
  ~ring();
  ring(const ring&) = delete;
  ring& operator=(const ring&) = delete;
  // By its owner. 0, or -errno; and what could not be done.
  [[nodiscard]] int open(unsigned wanted_entries, std::string& what);
  // Of an open one: does the kernel know all that we ask of it? 0, or -errno, and what is missing.
  [[nodiscard]] int check_features(std::string& what);
  // Of an open one, by its owner. Stays until that thread ends.
  void give_short_name() noexcept;

  // By its owner.
  bool start(operation& wanted) noexcept;  // false: it could not be prepared, and is as it was
  void flush() noexcept {
    if (placed_ != submitted_ || unsent_count_.load(std::memory_order_relaxed) != 0)
      submit();  // rechecked under the mutex
  }
  void sleep(std::chrono::nanoseconds limit) noexcept;

  // By any worker of the pool. How many operations have ended.
  std::size_t reap(bool by_owner) noexcept;
  [[nodiscard]] bool has_come() const noexcept {
    return __atomic_load_n(ring_.cq.ktail, __ATOMIC_ACQUIRE) != __atomic_load_n(ring_.cq.khead, __ATOMIC_ACQUIRE);
  }
  [[nodiscard]] bool waits() const noexcept {
    return begun_.load(std::memory_order_acquire) != ended_.load(std::memory_order_acquire);
  }
  [[nodiscard]] bool is_slept_in() const noexcept { return asleep_.load(std::memory_order_acquire) != 0; }
  void kick() const noexcept;

  pilfer::detail::counter operations, inline_done, enters, entries;  // by its owner
  ext::default_sync::atomic<std::uint64_t> reaped{0}, reaped_by_others{0}, cancelled{0};

 private:
  template <class T>
  using atomic = ext::default_sync::atomic<T>;
  struct arrival {
    std::uint64_t whose;
    std::int32_t outcome;
    std::uint32_t flags;
  };

  static void cancel(operation& whom) noexcept;
  bool send_cancel(const operation& whom) const noexcept;
  void send_unsent() noexcept;
  [[nodiscard]] io_uring_sqe* next_entry() noexcept;
  void place(io_uring_sqe* filled, std::uint64_t whose) noexcept;
  void arm_kick() noexcept;
  void submit() noexcept;
  int call(unsigned to_submit, unsigned to_wait_for, unsigned flags, void* argument, std::size_t size) noexcept;
  int enter(unsigned to_submit, unsigned to_wait_for, std::chrono::nanoseconds limit) noexcept;
  void note_taken() noexcept;
  [[nodiscard]] bool try_lock() noexcept { return lock_.exchange(1, std::memory_order_acquire) == 0; }
  void unlock() noexcept { lock_.store(0, std::memory_order_release); }
  void end(operation& done, std::int32_t outcome) noexcept;

  io_uring ring_{};
  bool is_open_ = false;
  int event_ = -1;     // an eventfd: written to kick
  int enter_fd_ = -1;  // the ring, as its owner calls it
  unsigned enter_flags_ = 0;
  std::uint32_t tail_ = 0;  // of the submission queue
  std::uint64_t placed_ = 0;
  std::uint64_t submitted_ = 0;  // the same as taken_, for its owner
  bool kick_lost_ = false;       // under the lock: the kick has to be armed anew

  alignas(ext::isolation_bytes) atomic<std::uint64_t> begun_{0};
  atomic<std::uint64_t> taken_{0};
  atomic<std::uint32_t> asleep_{0};
  alignas(ext::isolation_bytes) atomic<std::uint64_t> ended_{0};
  atomic<std::uint32_t> lock_{0};
  bool kicked_ = false;
  std::mutex cancels_mutex_;
  operation_list unsent_;
  atomic<std::uint32_t> unsent_count_{0};
};

// Whether this kernel, and who watches over us, lets us have one. 0, or -errno, and what failed.
[[nodiscard]] int probe_rings(unsigned entries, std::string& what);

}  // namespace pilfer::io::detail
