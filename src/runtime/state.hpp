// The scheduler's inside.
#pragma once

#include <array>
#include <chrono>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include <pilfer/detail/places.hpp>
#include <pilfer/detail/scheduler.hpp>

#include "crew.hpp"
#include "events.hpp"
#include "ready_set.hpp"
#include "rest.hpp"
#include "roster.hpp"
#include "search.hpp"

namespace pilfer::detail {

using std::chrono::steady_clock;

// Chosen by the prices of QUEUES.md (a futex wake-up takes some 50 microseconds, a membarrier 11) and left there, because
// `pilfer bench fork-join` showed nothing that asked for more: not swept.
inline constexpr std::chrono::microseconds spin_before_park_us{50};       // idle: longer costs CPU, shorter wake-ups
inline constexpr std::chrono::microseconds spin_before_sleep_us{100};     // at a join
inline constexpr std::chrono::microseconds spin_within_limit_us{20};      // in a wait with a limit, which helps nobody
inline constexpr std::chrono::microseconds nap_beside_private_us{100};    // work that nobody can get at
inline constexpr std::chrono::microseconds nap_without_barrier_us{1000};  // a wake-up may be missed
inline constexpr std::chrono::milliseconds nap_beside_busy_ms{100};  // no thread can be made; others may be blocked
inline constexpr std::chrono::milliseconds patience_when_stuck_ms{1000};  // no thread has room on its stack
inline constexpr std::chrono::microseconds patience_giving_way_us{
    1000000};  // in one wait; then the less urgent begins all the same
inline constexpr std::chrono::microseconds nap_beside_unattended_us{1000};  // events that no worker looks after
inline constexpr unsigned rounds_between_yields = 16;

// Edges: none. The rooms and the protocols have their own; everything here is a hint, or ordered by the parking's dekker.
struct scheduler_orders {
  static constexpr auto relaxed = std::memory_order_relaxed;
};

struct scheduler::state {
  using orders = scheduler_orders;
  template <class T>
  using atomic = ext::default_sync::atomic<T>;

  state(scheduler& s, const pool_options& options, std::size_t places, std::string n, lane_maker m, task_lane_maker t);

  // --- scheduler.cpp: threads and places
  [[nodiscard]] std::unique_ptr<worker> make_worker(unsigned index);
  void life_of(worker& self) noexcept;     // of a thread
  void retire(worker& self) noexcept;      // sleeps, if it is surplus
  void empty_seat(worker& seat) noexcept;  // before a caller leaves
  static void bind(worker& self) noexcept;
  static void unbind(worker& self) noexcept;
  void stop() noexcept;

  // --- rest.cpp: a thread that sleeps, and work that only such threads can run
  [[nodiscard]] pool_places::vacated begin_block(worker& self, const pool_places::block& how) noexcept;
  bool end_block(worker& self) noexcept;                                    // true: it was recalled
  [[nodiscard]] bool may_run_strangers(const worker& self) const noexcept;  // has its stack room, and is it allowed?
  enum class stranger : std::uint8_t { run, none, no_room };
  [[nodiscard]] stranger run_stranger(worker& self) noexcept;  // `none`: nothing that can be had was found
  void tell_of_standstill() noexcept;
  atomic<bool> has_told{false};
  [[nodiscard]] std::uint64_t count_started() const noexcept;  // tasks

  // To more urgent tasks, before a waiter begins one of that level. `patience`: what the wait has left of it.
  void give_way(worker& self, unsigned level, std::chrono::nanoseconds& patience) noexcept;

  // --- idle.cpp
  void relay(worker& self) noexcept;                    // one was called, and others sleep
  [[nodiscard]] job* find_work(worker& self) noexcept;  // with an empty stack
  void idle(worker& self) noexcept;
  static void kick(void* self, bool all) noexcept;  // those who sleep in the source
  void park(worker& self) noexcept;
  [[nodiscard]] bool anything_to_do(const worker& self) const noexcept;
  void execute(worker& self, job& work) noexcept;         // on an empty stack
  void execute_nested(worker& self, job& work) noexcept;  // in a wait
  void execute_task(worker& self, task& work) noexcept;

  // --- waiting.cpp
  [[nodiscard]] job* leapfrog(worker& self, run_id target, unsigned hops) noexcept;
  [[nodiscard]] job* leapfrog_from(worker& self, worker& thief, lane& queue, run_id target,
                                   std::uint64_t mark) noexcept;
  class awaited;
  // With a limit it runs nothing, and ends in time: others have its place while it sleeps. 0: only looks. Below 0: none.
  wait_end wait(worker& self, awaited& what, std::chrono::nanoseconds limit) noexcept;
  wait_end wait_and_help(worker& self, awaited& what, std::chrono::nanoseconds limit) noexcept;
  void spin_until(worker& self, const awaited& what, steady_clock::time_point until) noexcept;

  // --- watchdog.cpp
  [[nodiscard]] std::uint64_t progress() const noexcept;  // changes when a task begins or ends; a hint
  // Of the registry, under its mutex.
  struct watching {
    std::chrono::nanoseconds patience{0};
    steady_clock::time_point since;
    std::uint64_t progress = 0;
    bool is_told = false;
  };
  watching watched;
  scheduler* next_pool = nullptr;

  [[nodiscard]] worker& at(std::size_t index) const noexcept { return workers.at(index); }
  [[nodiscard]] std::size_t known_workers() const noexcept { return workers.known(); }
  [[nodiscard]] std::size_t count_places() const noexcept { return crew.places(); }
  [[nodiscard]] bool is_surplus() const noexcept { return crew.is_surplus(); }
  [[nodiscard]] bool is_stopping() const noexcept { return crew.is_stopping(); }

  scheduler& home;
  const std::string name;
  const lane_maker make_lane;
  const std::function<void(std::size_t)> on_worker_start;
  const std::function<void(std::size_t)> on_worker_stop;
  const std::function<void(std::exception_ptr)> on_error;
  const waiting wait_rule;
  const bool runs_strangers;  // where no thread can be made
  const search thieves;
  const std::unique_ptr<ready_set> ready;
  detail::events events;
  atomic<std::uint64_t> suppressed_outside{0};  // exceptions that no worker has counted
  guest_beds beds;
  roster workers;  // destroyed before what they refer to
  detail::crew crew;
};

// Something that a worker of this pool can wait for.
class scheduler::state::awaited : public sleepable {
 public:
  // The execution of it, or of a part of it. None: it has not begun, or that is not known.
  [[nodiscard]] virtual run_id runner() const noexcept = 0;
  // Runs a part of it. False: there is none to be had.
  virtual bool advance(worker& self, run_id runner) noexcept = 0;
  // Would sleeping be the end of it, because no thread runs it?
  [[nodiscard]] virtual bool may_sleep(run_id runner) const noexcept = 0;

 protected:
  ~awaited() = default;
};

}  // namespace pilfer::detail
