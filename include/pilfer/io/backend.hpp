// Who does the I/O of a pool.
//
//   uring     io_uring: one ring per worker
//   threads   threads that block, for files, and one that waits for all sockets
//
// Chosen when the pool first does I/O: io_uring where the kernel lets us. PILFER_IO=auto|uring|threads chooses, too; options, for one
// pool, before its first operation.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <pilfer/pool.hpp>

namespace pilfer::io {

enum class backend : std::uint8_t { uring, threads };
[[nodiscard]] std::string_view name_of(backend which) noexcept;

enum class backend_choice : std::uint8_t { automatic, uring, threads };

struct options {
  backend_choice choice = backend_choice::automatic;  // automatic: as PILFER_IO says
  unsigned ring_entries = 256;                        // of each worker's ring: submissions at a time
  bool attempt_inline = true;  // what does not have to wait is done by the worker itself, at once
};

// Before the pool's first operation.
//   Throws  std::logic_error if that is over; std::system_error if io_uring is wanted and refused; std::invalid_argument for a
//           PILFER_IO that is none of the three.
void configure(pool& home, const options& wanted);

// Chooses, if nobody has yet. Throws as configure.
[[nodiscard]] backend backend_of(pool& home);
// As "io_uring, one ring of 256 entries per worker", or "threads: io_uring_queue_init: Operation not permitted".
[[nodiscard]] std::string describe_backend(pool& home);

// Since the pool has a backend. `uring` ones are of the rings, the others of all pools that use threads.
struct statistics {
  std::uint64_t operations = 0;    // begun
  std::uint64_t inline_done = 0;   // at once, without suspending
  std::uint64_t cancelled = 0;     // ended with ECANCELED
  std::uint64_t rings = 0;         // made
  std::uint64_t ring_enters = 0;   // io_uring_enter
  std::uint64_t ring_entries = 0;  // submitted by them
  std::uint64_t reaped = 0;        // completions taken by the ring's worker
  std::uint64_t reaped_by_others = 0;
  std::uint64_t threads_jobs = 0;   // done by a blocking thread
  std::uint64_t polled = 0;         // waited for by the polling thread
  std::uint64_t threads_stuck = 0;  // now: blocking threads that a cancelled operation left behind in its system call
};
[[nodiscard]] statistics statistics_of(pool& home);

}  // namespace pilfer::io
