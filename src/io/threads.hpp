// I/O without io_uring, for all pools and for threads of none: threads that block, for files, and one that waits for everything
// that can be waited for by epoll. Made on first use, never destroyed: the threads may outlive every static object.
// A child of fork(2) makes its own (process_wide.hpp).
//
// An operation is under way with exactly one of these. The thread that takes it out of a list, under that list's mutex, completes it.
//
// No thread can be called back out of a system call that waits: open(2) of a named pipe waits for another process, and a path may lead to a server that does
// not answer. An operation that is cancelled then leaves its thread behind in the call (`errand`): it ends with ECANCELED at once, and the thread, which
// uses nothing of the operation's, closes what it gets later. Such threads are counted and bounded.
#pragma once

#include <array>
#include <climits>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include <pilfer/io/file_status.hpp>
#include <pilfer/io/operation.hpp>

#include "../runtime/counter.hpp"

namespace pilfer::io::detail {

using pilfer::detail::shared_counter;

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

// A system call of a blocking thread, with copies of all that it uses: the operation may leave it behind. It lies on the thread's stack.
struct errand {
  // Outside of the mutex. False: it cannot be copied; then the operation waits for its end.
  [[nodiscard]] bool prepare(const request& wanted) noexcept;
  // Under the mutex: the operation gets what came.
  void deliver() noexcept;
  // Nobody wants what came.
  void discard() noexcept;

  operation* whom = nullptr;  // null: it has left; under the mutex
  request what{.code = opcode::open};
  std::int64_t outcome = 0;
  descriptor folder;  // that the path begins at, opened again
  file_status status;
  std::array<char, PATH_MAX> path;
};

class blocking_threads {
 public:
  [[nodiscard]] static blocking_threads& all();
  // False: done already.
  bool start(operation& wanted) noexcept;
  [[nodiscard]] static std::uint64_t jobs() noexcept { return jobs_.value(); }
  // Threads that were left behind in a system call, and are there still.
  [[nodiscard]] std::size_t stuck() noexcept;

  static constexpr std::size_t most_threads = 32;  // that wait for devices: what these can do at a time is much less
  // Threads left behind that others replace. Beyond these they count among the 32; when none of those is left, operations end with EAGAIN.
  static constexpr std::size_t most_replaced = 64;

 private:
  static void cancel(operation& whom) noexcept;
  bool add_thread() noexcept;
  [[nodiscard]] operation* leave(errand& behind) noexcept;
  void work() noexcept;
  void serve(operation& next) noexcept;
  bool run(errand& mine, operation& next) noexcept;
  void come_back() noexcept;

  std::mutex mutex_;
  std::condition_variable called_;
  // All under the mutex.
  operation_list waiting_;
  std::size_t count_ = 0;    // of those
  std::size_t idle_ = 0;     // threads without an operation
  std::size_t threads_ = 0;  // without those left behind
  std::size_t stuck_ = 0;    // those
  static inline constinit shared_counter jobs_;
};

class poller {
 public:
  [[nodiscard]] static poller& only();
  // Of what would have to wait now. False: done already.
  bool start(operation& wanted) noexcept;
  [[nodiscard]] static std::uint64_t polled() noexcept { return polled_.value(); }

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
  static inline constinit shared_counter polled_;
};

// As threads do it: at once, if nobody has to be waited for, or by one of these. False: done already.
bool start_on_threads(operation& wanted) noexcept;

}  // namespace pilfer::io::detail
