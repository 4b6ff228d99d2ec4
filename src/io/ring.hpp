// The io_uring of one worker. That thread alone prepares and submits; the thread that has the lock of the completion side takes what has come.
//
// How operations are cancelled, and how the lock works, is in pilfer/detail/protocol/ring_cancel.hpp, which `pilfer verify ring-cancel` checks.
//
// State         writer                reader   meaning
//   placed_     owner                 owner    entries written so far; operation::serial is its number among them
//   submitted_  owner                 owner    entries that the kernel has consumed
//   begun_      owner                 all      operations among them
//   ended_      who has the lock      all      operations whose completion was taken
//   asleep_     owner                 all      1: the owner sleeps in the ring
//
// Edges
//   begun       start: store of begun_       -> reap, waits: load of begun_     the operation is whole. The kernel orders this, too, but unseen by tools
//   ended       reap: store of ended_        -> waits: load of ended_           no more than a hint: the loop of a worker looks again
//   asleep      sleep: stores of asleep_     -> is_slept_in: load of asleep_    the same
//   kernel      the kernel's heads and tails: its stores and loads are the other halves
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include <liburing.h>

#include <pilfer/detail/protocol/ring_cancel.hpp>
#include <pilfer/ext/sync.hpp>
#include <pilfer/io/operation.hpp>

#include "../runtime/counter.hpp"

namespace pilfer::io::detail {

using pilfer::detail::shared_counter;

struct ring_side_orders {
  static constexpr ext::edge begun{};
  static constexpr ext::edge ended{};
  static constexpr ext::edge asleep{};
  static constexpr auto relaxed = std::memory_order_relaxed;
  // For the words that the kernel shares, which are no objects of C++.
  static constexpr int kernel_rel = __ATOMIC_RELEASE;
  static constexpr int kernel_acq = __ATOMIC_ACQUIRE;
  static constexpr int kernel_relaxed = __ATOMIC_RELAXED;
};

class ring : pilfer::detail::immovable {
  using Orders = ring_side_orders;

 public:
  ~ring();
  // By its owner. 0, or -errno; and what could not be done.
  [[nodiscard]] int open(unsigned wanted_entries, std::string& what);
  // Of an open one: does the kernel know all that we ask of it? 0, or -errno, and what is missing.
  [[nodiscard]] int check_features(std::string& what);
  // Of an open one, by its owner. Stays until that thread ends.
  void give_short_name() noexcept;

  // By its owner.
  bool start(operation& wanted) noexcept;  // false: it could not be prepared, and is as it was
  void flush() noexcept {
    if (placed_ != submitted_ || cancels_.any()) submit();
  }
  void sleep(std::chrono::nanoseconds limit) noexcept;

  // By any worker of the pool. How many operations have ended.
  std::size_t reap(bool by_owner) noexcept;
  [[nodiscard]] bool has_come() const noexcept {
    return __atomic_load_n(ring_.cq.ktail, Orders::kernel_acq) != __atomic_load_n(ring_.cq.khead, Orders::kernel_acq);
  }
  [[nodiscard]] bool waits() const noexcept { return begun_.load(Orders::begun.acq) != ended_.load(Orders::ended.acq); }
  [[nodiscard]] bool is_slept_in() const noexcept { return asleep_.load(Orders::asleep.acq) != 0; }
  void kick() const noexcept;
  // By any worker of the pool: what the kernel did not find, or the owner has not sent, because it sleeps elsewhere or computes.
  void send_cancels_again() noexcept {
    if (cancels_.any()) [[unlikely]]
      cancels_.send_again(sender{*this});
  }

  pilfer::detail::counter operations, inline_done, enters, entries;  // by its owner
  shared_counter reaped, reaped_by_others, cancelled;

 private:
  template <class T>
  using atomic = ext::default_sync::atomic<T>;
  struct arrival {
    std::uint64_t whose;
    std::int32_t outcome;
  };

  struct sender {
    const ring& by;
    bool operator()(const operation& whom) const noexcept { return by.send_cancel(whom); }
  };

  static void cancel(operation& whom) noexcept;
  bool send_cancel(const operation& whom) const noexcept;
  [[nodiscard]] io_uring_sqe* next_entry() noexcept;
  void place(io_uring_sqe* filled, std::uint64_t whose) noexcept;
  void arm_kick() noexcept;
  void submit() noexcept;
  int call(unsigned to_submit, unsigned to_wait_for, unsigned flags, void* argument, std::size_t size) noexcept;
  int enter(unsigned to_submit, unsigned to_wait_for, std::chrono::nanoseconds limit) noexcept;
  void note_taken() noexcept;
  void end(operation& done, std::int32_t outcome) noexcept;

  io_uring ring_{};
  bool is_open_ = false;
  int event_ = -1;     // an eventfd: written to kick
  int enter_fd_ = -1;  // the ring, as its owner calls it
  unsigned enter_flags_ = 0;
  std::uint32_t tail_ = 0;  // of the submission queue
  std::uint64_t placed_ = 0;
  std::uint64_t submitted_ = 0;
  bool kick_lost_ = false;  // under the lock: the kick has to be armed anew

  alignas(ext::isolation_bytes) atomic<std::uint64_t> begun_{0};
  atomic<std::uint32_t> asleep_{0};
  alignas(ext::isolation_bytes) atomic<std::uint64_t> ended_{0};
  pilfer::detail::ring_lock<ext::default_sync> lock_;
  pilfer::detail::ring_cancel<ext::default_sync, operation> cancels_;
};

// Whether this kernel, and who watches over us, lets us have one. 0, or -errno, and what failed.
[[nodiscard]] int probe_rings(unsigned entries, std::string& what);

}  // namespace pilfer::io::detail
