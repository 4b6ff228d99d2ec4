// How a thread sleeps in a wait.
//
// It gives up the places that it holds, in every pool (places.hpp). Where no other thread can take one, and no other worker of that
// pool is active, the waiter stands in: it runs something that it does not wait for, and then sleeps again. The same happens when work
// comes while all workers of a pool sleep: one of them is recalled.
#pragma once

#include <chrono>
#include <cstdint>

#include <pilfer/detail/protocol/completion.hpp>

#include "wait_graph.hpp"
#include "worker.hpp"

namespace pilfer::detail {

// How a wait ended.
enum class wait_end : std::uint8_t {
  done,
  time_over,
  own,      // not at all: it would wait for itself
  too_deep  // not yet: no thread has room on its stack for the tasks that it waits for
};
// Throws std::logic_error for `own`, std::runtime_error for `too_deep`, with all waits of that pool.
void throw_unless_ended(wait_end how, const runtime& home);
// The same for a wait that must not throw: prints the sentence and terminates.
void terminate_unless_ended(wait_end how) noexcept;

// What a thread can sleep for.
class sleepable : immovable {
 public:
  [[nodiscard]] virtual bool is_done() const noexcept = 0;
  // Where the thread sleeps; any other thread that is told of it may wake it.
  [[nodiscard]] virtual latch_sleeper& bed() noexcept = 0;
  // Returns when it is done, or when the bed was woken for another reason, or when the time is over. A negative limit means none.
  virtual void sleep(std::chrono::nanoseconds limit) noexcept = 0;
  [[nodiscard]] virtual wait_target target() const noexcept = 0;
  [[nodiscard]] virtual failing may_fail() const noexcept { return failing::willing; }
  // After is_done(), by rest_until_done(): returns when the thread that has ended it is through with it. Then it may be destroyed.
  virtual void leave() noexcept {}
  // Has something of it not begun, so that the waiter can prevent it? Also by other threads, while the waiter sleeps.
  [[nodiscard]] virtual bool can_give_up() const noexcept { return false; }

 protected:
  ~sleepable() = default;

 private:
  friend class rest_of_thread;
  bool was_in_vain_ = false;  // nothing that could be run was found, although there was work
  // The worker of the thread in whose pool no thread has room for what there is. Null: none.
  worker* stuck_ = nullptr;
  std::chrono::steady_clock::time_point stuck_since_;
  std::uint64_t started_before_ = 0;  // tasks of that pool that had begun then
};

// Until none is unfinished.
class awaited_completion : public sleepable {
 public:
  awaited_completion(completion<ext::default_sync>& done, const wait_target& target,
                     failing may_fail = failing::willing) noexcept
      : done_(done), target_(target), may_fail_(may_fail) {}
  [[nodiscard]] bool is_done() const noexcept override { return done_.is_done(); }
  [[nodiscard]] latch_sleeper& bed() noexcept override { return me_.bed; }
  void sleep(std::chrono::nanoseconds limit) noexcept override { static_cast<void>(done_.sleep(limit, me_)); }
  void leave() noexcept override { done_.leave(); }
  [[nodiscard]] wait_target target() const noexcept override { return target_; }
  [[nodiscard]] failing may_fail() const noexcept override { return may_fail_; }

 private:
  completion<ext::default_sync>& done_;
  completion<ext::default_sync>::waiter me_;
  const wait_target target_;
  const failing may_fail_;
};

enum class rested : std::uint8_t {
  slept,    // until it is done, the time is over, or for no reason
  helped,   // something else was run instead
  own,      // the wait would never end
  too_deep  // no thread has room for what it waits for
};
// Sleeps once, at most so long. By any thread.
[[nodiscard]] rested rest(sleepable& what, std::chrono::nanoseconds limit) noexcept;
// Until it is done, or the time is over.
[[nodiscard]] wait_end rest_until_done(sleepable& what, std::chrono::nanoseconds limit) noexcept;

// The calling thread becomes that worker, and ceases to be it.
void hold_place(held_place& place) noexcept;
void drop_place(const held_place& place) noexcept;
// The worker that the calling thread is in that pilfer::pool. Null: none.
[[nodiscard]] worker* own_worker_in(const runtime& home) noexcept;

// The calling thread, which is that worker already, works as it until the end of the block, whatever pools it has entered since.
class reentry : immovable {
 public:
  explicit reentry(worker& self) noexcept;
  ~reentry();

 private:
  held_place place_;
  fork_stack* const outer_deque_;
};

// A seat for the calling thread, which is not a worker of that pool and is going to wait for something of it: if it is no worker at all and
// a place is free, so that it can help; in any case if the pool has no thread and can make none, so that it can be recalled. Null: neither.
[[nodiscard]] worker* seat_for_wait(runtime& home) noexcept;
// The second reason alone.
[[nodiscard]] worker* seat_without_threads(runtime& home) noexcept;

// While the calling thread blocks in a call that is not ours: other threads have its places, in every pool.
void begin_blocking() noexcept;
void end_blocking() noexcept;

}  // namespace pilfer::detail
