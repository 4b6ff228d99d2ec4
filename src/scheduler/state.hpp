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
#include <pilfer/detail/scheduler.hpp>
#include <pilfer/ext/machine_groups.hpp>
#include <pilfer/ext/random.hpp>

namespace pilfer::detail {

using std::chrono::steady_clock;

// Chosen by the prices of QUEUES.md (a futex wake-up takes some 50 microseconds, a membarrier 11) and left there, because
// `pilfer bench fork-join` showed nothing that asked for more: not swept.
inline constexpr std::chrono::microseconds spin_before_park_us{50};       // idle: longer costs CPU, shorter wake-ups
inline constexpr std::chrono::microseconds spin_before_sleep_us{100};     // at a join
inline constexpr std::chrono::microseconds patience_us{20};               // before a thief interrupts an owner
inline constexpr std::chrono::microseconds nap_beside_private_us{100};    // work that nobody can get at
inline constexpr std::chrono::microseconds nap_without_barrier_us{1000};  // a wake-up may be missed
inline constexpr unsigned rounds_between_yields = 16;
inline constexpr unsigned looks_between_injected =
    61;  // so that outside work waits for no end of the inside: as Tokio's

// Edges of this folder. The protocols have their own, in include/pilfer/detail/.
//   enlist    make_worker: stores of table and table_size -> at(), known_workers(): loads of them   a worker is whole before it is seen
//   stop      stop: store of stopping -> life_of: load of stopping        what the destructor's caller did before is visible
// Everything else is a hint, or ordered by the mutex or by the parking's dekker.
struct scheduler_orders {
  static constexpr ext::edge enlist{};
  static constexpr ext::edge stop{};
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
};

struct scheduler::state {
  using orders = scheduler_orders;
  template <class T>
  using atomic = ext::default_sync::atomic<T>;

  state(scheduler& s, const pool_options& options, std::string n, lane_maker m, task_lane_maker t);

  // Everybody that has a queue. Grows only; entries stay until the end.
  static constexpr std::size_t most_workers = std::size_t{1} << run_id::worker_bits;
  std::array<atomic<worker*>, most_workers> table;
  atomic<std::size_t> table_size{0};

  // --- scheduler.cpp: threads and places
  [[nodiscard]] worker* make_worker();  // under mutex; null: no room or no memory
  [[nodiscard]] bool start_thread();    // under mutex; false: it could not be created
  void life_of(worker& self) noexcept;  // of a thread
  enum class vacancy : std::uint8_t { for_spares, for_anyone };
  bool offer_place(vacancy place) noexcept;  // call a spare worker, or make one. False: nobody came
  void give_up_place() noexcept;             // at a join that will sleep
  void take_place_back() noexcept;
  [[nodiscard]] bool retire(worker& self) noexcept;  // true: was surplus, and slept
  void resize(std::size_t wanted);
  void empty_seat(worker& seat) noexcept;       // before a caller leaves
  void give_away_tasks(worker& self) noexcept;  // to the injection queue
  [[nodiscard]] bool has_threads() noexcept;
  static void bind(worker& self) noexcept;
  static void unbind(worker& self) noexcept;
  void stop() noexcept;

  // --- idle.cpp
  [[nodiscard]] job* look_for_work(worker& self) noexcept;  // own queue first
  [[nodiscard]] job* look_elsewhere(
      worker& self) noexcept;  // at a join, where the own queue holds only what was stolen
  void leave_requests(const worker& self) noexcept;
  void relay(worker& self) noexcept;  // one was called, and others sleep
  [[nodiscard]] job* steal_from(worker& self, worker& victim) noexcept;
  [[nodiscard]] job* steal_from(worker& self, worker& victim, lane& queue) noexcept;
  [[nodiscard]] bool press(worker& self, worker& victim, lane& queue,
                           std::uint64_t mark) noexcept;  // after private_work
  void idle(worker& self) noexcept;
  void park(worker& self) noexcept;
  [[nodiscard]] bool anything_to_do(const worker& self) const noexcept;
  void execute(worker& self, job& work) noexcept;
  void execute_task(worker& self, task& work) noexcept;
  void inject(worker* by, job& work) noexcept;
  [[nodiscard]] job* take_injected(worker& self) noexcept;
  [[nodiscard]] bool take_back_injected(job& work) noexcept;  // true: it was there, and is the caller's now

  // --- waiting.cpp
  [[nodiscard]] job* leapfrog(worker& self, run_id target, unsigned hops) noexcept;
  [[nodiscard]] job* leapfrog_from(worker& self, worker& thief, lane& queue, run_id target,
                                   std::uint64_t mark) noexcept;
  class awaited;
  bool wait(worker& self, awaited& what, std::chrono::nanoseconds limit) noexcept;

  [[nodiscard]] worker& at(std::size_t index) const noexcept { return *table[index].load(orders::enlist.acq); }
  [[nodiscard]] std::size_t known_workers() const noexcept { return table_size.load(orders::enlist.acq); }
  [[nodiscard]] std::size_t count_places() const noexcept { return places.load(orders::relaxed); }  // hint
  // Hints: who acts on them looks again under the mutex, or after a fence.
  [[nodiscard]] bool is_surplus() const noexcept {
    return active.load(orders::relaxed) > static_cast<std::ptrdiff_t>(count_places());
  }
  [[nodiscard]] bool has_vacancy() const noexcept {
    return active.load(orders::relaxed) < static_cast<std::ptrdiff_t>(count_places());
  }
  [[nodiscard]] bool has_injected() const noexcept { return injected_count.load(orders::relaxed) != 0; }
  [[nodiscard]] bool is_stopping() const noexcept { return stopping.load(orders::relaxed); }
  void count_active(std::ptrdiff_t change) noexcept { active.fetch_add(change, orders::relaxed); }

  scheduler& home;
  const std::string name;
  const lane_maker make_lane;
  const task_lane_maker make_task_lane;
  const std::function<void(std::size_t)> on_worker_start;
  const std::function<void(std::size_t)> on_worker_stop;
  const std::function<void(std::exception_ptr)> on_error;
  atomic<std::size_t> places;
  const waiting wait_rule;
  const std::string victim_name;
  ext::machine_groups groups;

  atomic<bool> stopping{false};
  atomic<std::ptrdiff_t> active{0};  // workers at work or idle; spare ones and those asleep at a join are not
  atomic<std::ptrdiff_t> injected_count{0};

  mutable std::mutex mutex;  // guards what follows
  job* first_injected = nullptr;
  job* last_injected = nullptr;
  std::vector<worker*> spares;      // threads that wait in their attic
  std::vector<worker*> free_seats;  // of callers who have left
  std::vector<std::unique_ptr<worker>> workers;
  std::vector<std::thread> threads;
  std::vector<std::unique_ptr<latch_sleeper>> guest_beds;
  std::vector<latch_sleeper*> free_beds;  // room for all of them
  std::size_t callers = 0;                // inside
  std::size_t threads_missing = 0;
  std::uint64_t suppressed_outside = 0;  // exceptions that no worker has counted
};

// Something that a worker can wait for.
class scheduler::state::awaited {
 public:
  awaited() = default;
  awaited(const awaited&) = delete;
  awaited& operator=(const awaited&) = delete;
  [[nodiscard]] virtual bool is_done() const noexcept = 0;
  // Who runs it, or a part of it.
  [[nodiscard]] virtual run_id runner() const noexcept = 0;
  // Runs a part of it. False: there is none to be had.
  virtual bool advance(worker& self, run_id runner) noexcept = 0;
  // Would sleeping be the end of it, because nobody runs it?
  [[nodiscard]] virtual bool may_sleep(run_id runner) const noexcept = 0;
  virtual void sleep(worker& self, std::chrono::nanoseconds limit) noexcept = 0;

 protected:
  ~awaited() = default;
};

}  // namespace pilfer::detail
