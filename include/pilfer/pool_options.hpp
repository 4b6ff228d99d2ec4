// How a pool is made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>

namespace pilfer {

// What a worker may do while a join waits for work that was stolen.
enum class waiting : std::uint8_t {
  descendants,  // run only what the waited-for task has forked: no surprises under a mutex, no deeper stack
  any_work,     // run anything: more throughput for some programs, none of those promises
};

struct pool_options {
  // Threads that work at a time, a caller inside included; 0: as many as this process may use (affinity mask, cgroup
  // quota, PILFER_WORKERS).
  std::size_t workers = 0;
  // By name: "default", "ws-chase-lev", "bwos-lifo", …; empty: PILFER_SCHEDULER, else the default.
  std::string scheduler = {};  // NOLINT(readability-redundant-member-init): g++ warns without
  // Victim policy by name: "rand", "seq", "last", "best_of_two", "best_of_many", "numa", or "probabilistic-" and one of
  // them; empty: PILFER_VICTIM, else "rand".
  std::string victim = {};  // NOLINT(readability-redundant-member-init): g++ warns without
  waiting wait = waiting::descendants;
  // Called by each thread of the pool when it starts and before it ends, with its worker_index(); not for callers. Must not throw.
  std::function<void(std::size_t)> on_worker_start = {};  // NOLINT(readability-redundant-member-init)
  std::function<void(std::size_t)> on_worker_stop = {};   // NOLINT(readability-redundant-member-init)
  // Gets what a detached task throws; may be called by several threads at a time. None: std::terminate.
  std::function<void(std::exception_ptr)> on_error = {};  // NOLINT(readability-redundant-member-init)
};

}  // namespace pilfer
