// Which threads sleep in waits, and what each of them waits for.
//
// A thread sleeps in its innermost wait. Every task on its stack needs that wait to end. So a wait whose target needs, over any
// number of sleeping threads, the waiting thread itself never ends. The thread that would close such a circle finds it here before it falls
// asleep. If its wait cannot fail, as that of a fork_join cannot, another wait of the circle is made to fail.
//
// All of it is guarded by one mutex of the process: a thread that sleeps has lost microseconds anyway. What belongs to a sleeping
// thread (its workers' stacks of tasks) does not change while the thread is in the graph.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

#include "worker.hpp"

namespace pilfer::detail {

struct wait_target {
  enum class kind : std::uint8_t { fork, group, future, coroutine, call, room, pool_end };
  kind what;
  const void* object;   // the job, group, task or pool
  const runtime* home;  // its pool
};

class sleepable;

// Can a wait end with an error? Where several waits of a circle can, one that waits for a group around its own task comes first.
enum class failing : std::uint8_t {
  never,
  at_last,  // if no other wait can: the error ends the program
  willing
};

struct sleeping_thread {
  const held_place* places;  // its workers
  wait_target target;
  latch_sleeper* bed;
  const sleepable* what;
  failing may_fail;
  bool limited;  // the wait ends by itself
  std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();
  bool is_doomed = false;    // another thread found that this wait never ends
  bool is_too_deep = false;  // or that no thread has room for what it waits for
  // The graph's own.
  sleeping_thread* newer = nullptr;
  sleeping_thread* older = nullptr;
  sleeping_thread* next_found = nullptr;
  sleeping_thread* found_from = nullptr;
  bool is_found = false;
};

class wait_graph {
 public:
  [[nodiscard]] static wait_graph& only();

  // Before the thread falls asleep. Returns false if the wait would never end, and is the one that is to fail; the thread is in the graph in
  // any case.
  [[nodiscard]] bool enlist(sleeping_thread& me) noexcept;
  void delist(sleeping_thread& me) noexcept;
  // No thread of that pool has room for the tasks that are left: one wait for a task that has not begun is to fail.
  // Returns false if there is none.
  bool refuse_depth(const runtime& home) noexcept;
  // Does a thread sleep, without a limit, for something of that pool?
  [[nodiscard]] bool has_waits(const runtime& home) noexcept;
  // One line for each thread that sleeps in a wait of that pool, or on one of its workers.
  //   Throws  std::bad_alloc
  [[nodiscard]] std::string describe(const runtime& home);

 private:
  [[nodiscard]] static bool needs(const wait_target& target, const sleeping_thread& other, std::size_t& looks) noexcept;
  [[nodiscard]] static unsigned fitness(const sleeping_thread& each) noexcept;
  // One of the waits of the circle that `me` closes, if it closes one. Null: none, or none that can fail.
  [[nodiscard]] sleeping_thread* find_victim(sleeping_thread& me) noexcept;

  std::mutex mutex_;
  sleeping_thread* newest_ = nullptr;
};

}  // namespace pilfer::detail
