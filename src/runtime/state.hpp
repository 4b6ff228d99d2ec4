// The scheduler's inside.
#pragma once

#include <array>
#include <chrono>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include <pilfer/detail/any_policy.hpp>
#include <pilfer/detail/level_summary.hpp>
#include <pilfer/detail/places.hpp>
#include <pilfer/detail/scheduler.hpp>
#include <pilfer/ext/machine_groups.hpp>
#include <pilfer/ext/random.hpp>

#include "age_list.hpp"
#include "crew.hpp"
#include "events.hpp"
#include "injector.hpp"
#include "rest.hpp"

namespace pilfer::detail {

using std::chrono::steady_clock;

// Chosen by the prices of QUEUES.md (a futex wake-up takes some 50 microseconds, a membarrier 11) and left there, because
// `pilfer bench fork-join` showed nothing that asked for more: not swept.
inline constexpr std::chrono::microseconds spin_before_park_us{50};       // idle: longer costs CPU, shorter wake-ups
inline constexpr std::chrono::microseconds spin_before_sleep_us{100};     // at a join
inline constexpr std::chrono::microseconds spin_within_limit_us{20};      // in a wait with a limit, which helps nobody
inline constexpr std::chrono::microseconds patience_us{20};               // before a thief interrupts an owner
inline constexpr std::chrono::microseconds nap_beside_private_us{100};    // work that nobody can get at
inline constexpr std::chrono::microseconds nap_without_barrier_us{1000};  // a wake-up may be missed
inline constexpr std::chrono::milliseconds nap_beside_busy_ms{100};  // no thread can be made; others may be blocked
inline constexpr std::chrono::milliseconds patience_when_stuck_ms{1000};  // no thread has room on its stack
inline constexpr std::chrono::microseconds patience_giving_way_us{
    1000000};  // in one wait; then the less urgent begins all the same
inline constexpr std::chrono::microseconds nap_beside_unattended_us{1000};  // events that no worker looks after
inline constexpr std::int64_t most_tombstones = 256;  // in a queue of tasks: 2 KiB that nobody misses
inline constexpr std::size_t few_tasks = 256;         // to go through when a queue says it is full
inline constexpr unsigned rounds_between_yields = 16;
inline constexpr unsigned looks_between_injected =
    61;  // so that outside work waits for no end of the inside: as Tokio's

// Edges: none. The rooms and the protocols have their own; everything here is a hint, or ordered by the parking's dekker.
struct scheduler_orders {
  static constexpr auto relaxed = std::memory_order_relaxed;
};

// What a thief remembers between two attempts.
struct worker::hunting {
  explicit hunting(victim::any_policy chosen, std::uint64_t seed) : policy(std::move(chosen)), random(seed) {}

  victim::any_policy policy;
  ext::random_source random;
  std::size_t workers_told = 0;  // to the policy
  // The request that is under way: to whom, and since when.
  const worker* asked = nullptr;
  steady_clock::time_point asked_at;
  bool called = false;  // out of a sleep, and has found nothing yet
  unsigned looks = 0;   // for work
  unsigned level = 0;   // at which it found the last one
  void note_theft(const worker& victim) {
    policy.stole(victim.index);
    asked = nullptr;
  }
  // With pool_options::count_inversions: what was published, by worker and level, when the scan began; injected ones last.
  std::vector<level_figures> published;
};

struct scheduler::state {
  using orders = scheduler_orders;
  template <class T>
  using atomic = ext::default_sync::atomic<T>;

  state(scheduler& s, const pool_options& options, std::size_t places, std::string n, lane_maker m, task_lane_maker t);

  // --- scheduler.cpp: threads and places
  [[nodiscard]] std::unique_ptr<worker> make_worker(unsigned index);
  void life_of(worker& self) noexcept;          // of a thread
  void retire(worker& self) noexcept;           // sleeps, if it is surplus
  void empty_seat(worker& seat) noexcept;       // before a caller leaves
  void give_away_tasks(worker& self) noexcept;  // to the injection queue
  static void bind(worker& self) noexcept;
  static void unbind(worker& self) noexcept;
  void stop() noexcept;

  // --- rest.cpp: a thread that sleeps, and work that only such threads can run
  [[nodiscard]] pool_places::vacated begin_block(worker& self, const pool_places::block& how) noexcept;
  bool end_block(worker& self) noexcept;                                    // true: it was recalled
  [[nodiscard]] bool may_run_strangers(const worker& self) const noexcept;  // has its stack room, and is it allowed?
  [[nodiscard]] job* look_for_strangers(worker& self) noexcept;
  enum class stranger : std::uint8_t { run, none, no_room };
  [[nodiscard]] stranger run_stranger(worker& self) noexcept;  // `none`: nothing that can be had was found
  void tell_of_standstill() noexcept;
  atomic<bool> has_told{false};
  [[nodiscard]] std::uint64_t count_started() const noexcept;  // tasks

  // --- levels.cpp: with several levels
  // Some workers, from one on.
  struct sight {
    std::size_t first;
    std::size_t count;
    std::size_t known;
  };
  [[nodiscard]] sight some_of(const worker& self, std::size_t first, std::size_t known) const noexcept;
  [[nodiscard]] job* look_by_level(worker& self, bool own_too) noexcept;
  [[nodiscard]] job* find_by_rule(worker& self, bool own_too) noexcept;
  [[nodiscard]] job* find_in_order(worker& self, const sight& others, bool own_too) noexcept;
  [[nodiscard]] job* find_at_global_level(worker& self, bool own_too) noexcept;
  [[nodiscard]] job* find_at(worker& self, unsigned level, const sight& others, bool own_too) noexcept;
  [[nodiscard]] job* steal_at(worker& self, worker& victim, unsigned level) noexcept;
  [[nodiscard]] bool is_urgent_waiting(const worker& self, unsigned level) const noexcept;  // more urgent than that
  [[nodiscard]] unsigned urgency_of(const worker& self, unsigned level) const noexcept;
  // To those, before a waiter begins a task of that level. `patience`: what the wait has left of it.
  void give_way(worker& self, unsigned level, std::chrono::nanoseconds& patience) noexcept;
  void sink_to(worker& self, unsigned level) noexcept;  // for the statistics
  void wake_global_level(unsigned level) noexcept;

  // --- rising.cpp
  void raise_old(worker& self) noexcept;
  void raise(worker& self, task& oldest, std::int64_t now_ns) noexcept;
  [[nodiscard]] bool move_up(worker& self, task& oldest, std::int64_t now_ns) noexcept;  // false: it was not found
  // Puts one more entry for it into the own queue of the level to which it has risen.
  void push_again(worker& self, task& work, unsigned level) noexcept;
  // Tombstones: an entry has become one, and has come out of a queue.
  void bury(const task& work) noexcept;
  void exhume(worker& from, task& work, unsigned level) noexcept;
  void tidy(worker& self, unsigned level) noexcept;
  void settle_own(worker& self, unsigned level) noexcept;  // queues above that level: drops tombstones on top

  // --- inversions.cpp
  void begin_scan(worker& self) noexcept;
  void end_scan(worker& self, unsigned level) noexcept;
  [[nodiscard]] bool has_missed(const worker& self, unsigned level) noexcept;

  [[nodiscard]] unsigned level_of(const job& work) const noexcept;
  void count_steal(worker& self, const job& work) noexcept {
    self.counts.steals_taken.add();
    self.counts.steals_of_level[level_of(work)].add();
  }

  // --- idle.cpp
  [[nodiscard]] job* look_for_work(worker& self) noexcept;  // own queue first
  [[nodiscard]] job* look_elsewhere(
      worker& self) noexcept;  // at a join, where the own queue holds only what was stolen
  [[nodiscard]] std::size_t choose_victim(worker& self, std::size_t known) noexcept;  // by the policy; npos: none
  void leave_requests(const worker& self) noexcept;
  void relay(worker& self) noexcept;  // one was called, and others sleep
  [[nodiscard]] job* steal_from(worker& self, worker& victim) noexcept;
  [[nodiscard]] job* steal_from(worker& self, worker& victim, lane& queue) noexcept;
  // One theft, with what is counted of it. `steal` is called again as long as the thief gets private work exposed.
  template <class Steal>
  [[nodiscard]] ext::steal_result<job*> try_steal(worker& self, worker& victim, lane& queue, std::uint64_t mark,
                                                  Steal&& steal) noexcept {
    for (;;) {
      const ext::steal_result<job*> result = steal();
      switch (result.status()) {
        case ext::steal_status::taken:
          count_steal(self, **result);
          if (queue.exposes()) self.counts.exposed.add();
          return result;
        case ext::steal_status::empty: self.counts.steals_empty.add(); return result;
        case ext::steal_status::lost: self.counts.steals_lost.add(); return result;
        case ext::steal_status::private_work:
          self.counts.steals_private.add();
          if (!press(self, victim, queue, mark)) return result;
      }
    }
  }
  [[nodiscard]] bool press(worker& self, worker& victim, lane& queue,
                           std::uint64_t mark) noexcept;  // after private_work
  void idle(worker& self) noexcept;
  static void kick(void* self, bool all) noexcept;  // those who sleep in the source
  void park(worker& self) noexcept;
  [[nodiscard]] bool anything_to_do(const worker& self) const noexcept;
  void execute(worker& self, job& work) noexcept;
  void execute_task(worker& self, task& work) noexcept;
  void inject(worker* by, job& work) noexcept;
  [[nodiscard]] job* take_injected(worker& self) noexcept;  // the most urgent
  [[nodiscard]] job* take_injected(worker& self, unsigned level) noexcept;
  [[nodiscard]] bool take_back_injected(job& work) noexcept;  // true: it was there, and is the caller's now

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

  [[nodiscard]] worker& at(std::size_t index) const noexcept { return crew.workers().at(index); }
  [[nodiscard]] std::size_t known_workers() const noexcept { return crew.workers().known(); }
  [[nodiscard]] std::size_t count_places() const noexcept { return crew.places(); }
  [[nodiscard]] bool is_surplus() const noexcept { return crew.is_surplus(); }
  [[nodiscard]] bool has_injected() const noexcept { return outside.has_any(); }
  [[nodiscard]] bool is_stopping() const noexcept { return crew.is_stopping(); }

  scheduler& home;
  const std::string name;
  const lane_maker make_lane;
  const task_lane_maker make_task_lane;
  const std::function<void(std::size_t)> on_worker_start;
  const std::function<void(std::size_t)> on_worker_stop;
  const std::function<void(std::exception_ptr)> on_error;
  const waiting wait_rule;
  const bool runs_strangers;  // where no thread can be made
  const unsigned levels;
  const priority_rule rule;
  age_list ages;
  const bool audited;
  const steady_clock::time_point made_at = steady_clock::now();
  const std::string victim_name;
  ext::machine_groups groups;
  static constexpr std::size_t most_workers = roster::most_workers;

  detail::events events;
  injector outside;

  // With several levels: an entry per worker.
  alignas(ext::isolation_bytes) std::array<level_entry<ext::default_sync>, most_workers> summary;
  atomic<unsigned> global_level{0};  // priority_rule::global

  [[nodiscard]] std::int64_t nanoseconds_now() const noexcept {
    return std::chrono::nanoseconds(steady_clock::now() - made_at).count();
  }

  atomic<std::uint64_t> suppressed_outside{0};  // exceptions that no worker has counted
  guest_beds beds;
  detail::crew crew;  // its workers are the first to be destroyed
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
