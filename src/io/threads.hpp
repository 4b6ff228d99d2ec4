// I/O without io_uring, for all pools and for threads of none: threads that block, for files, and one that waits for everything
// that can be waited for by epoll. Made on first use, never destroyed: the threads may outlive every static object.
// A child of fork(2) makes its own (process_wide.hpp).
//
// An operation is under way with exactly one of these. Whoever takes it out of a list, under that list's mutex, completes it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include <pilfer/ext/sync.hpp>
#include <pilfer/io/operation.hpp>

namespace pilfer::io::detail {

// The last to touch an operation that is under way.
void complete(operation& done, std::int64_t outcome) noexcept;
// How many of those were cancelled, for the statistics.
[[nodiscard]] std::uint64_t cancelled_on_threads() noexcept;

// Operations in the order of their coming.
class operation_list {
 public:
  [[nodiscard]] operation* first() const noexcept { return first_; }
  void append(operation& one) noexcept;
  void remove(operation& one) noexcept;

 private:
  operation* first_ = nullptr;
  operation* last_ = nullptr;
};

class blocking_threads {
 public:
  [[nodiscard]] static blocking_threads& all();
  // False: done already.
  bool start(operation& wanted) noexcept;
  [[nodiscard]] static std::uint64_t jobs() noexcept { return jobs_.load(std::memory_order_relaxed); }  // statistics

 private:
  static constexpr std::size_t most_threads = 32;  // that wait for devices: what these can do at a time is much less
  static void cancel(operation& whom) noexcept;
  bool add_thread() noexcept;
  void work() noexcept;

  std::mutex mutex_;
  std::condition_variable called_;
  operation_list waiting_;
  std::size_t count_ = 0;
  std::size_t idle_ = 0;
  std::size_t threads_ = 0;
  static inline constinit ext::default_sync::atomic<std::uint64_t> jobs_{0};
};

class poller {
 public:
  [[nodiscard]] static poller& only();
  // Of what would have to wait now. False: done already.
  bool start(operation& wanted) noexcept;
  [[nodiscard]] static std::uint64_t polled() noexcept {
    return polled_.load(std::memory_order_relaxed);
  }  // statistics

 private:
  // Of one descriptor.
  struct watched {
    operation_list readers;
    operation_list writers;
  };
  static void cancel(operation& whom) noexcept;
  static std::int64_t proceed(operation& one) noexcept;
  // Under the mutex. 0, or -errno: then the next one tries again.
  int launch() noexcept;
  // Under the mutex. 0, or -errno.
  int arm(int descriptor, const watched& what) const noexcept;
  void work() noexcept;
  void serve(int descriptor, std::uint32_t events, std::vector<operation*>& done) noexcept;

  std::mutex mutex_;
  std::vector<watched> table_;  // by descriptor
  int epoll_ = -1;
  bool is_running_ = false;
  static inline constinit ext::default_sync::atomic<std::uint64_t> polled_{0};
};

// As threads do it: at once, if nobody has to be waited for, or by one of these. False: done already.
bool start_on_threads(operation& wanted) noexcept;

}  // namespace pilfer::io::detail
