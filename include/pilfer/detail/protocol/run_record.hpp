// Which job a worker runs at one nesting level, for those who wait for it.
//
// A waiter may steal from the worker that runs its job, the thief, what that job has forked: the items from the mark on, as long
// as the job runs. Whether it still ran is decided after the steal. The record belongs to the worker, not to the job, so
// others may look at it at any time; what they found is valid if the serial number is still the one they were told.
//
// State        writer   reader   meaning
//   serial_    worker   all      odd while a job runs here; grows with each start and each end
//   mark_      worker   all      the worker's bottom when the job started: what lies before is none of its descendants
//   task_mark_ worker   all      the same of its queue of tasks
//   waits_     worker   all      run_id of what the job waits for at a join; 0: nothing
//
// Invariants
//   I1  A job ends after all it has forked. So if the serial number is unchanged after a steal from the mark on, what was stolen
//       is a descendant; if it has changed, what was stolen is a stranger, because a descendant would have kept the job alive.
//   I2  When a job has ended, the change of serial_ is published with everything that its worker pushes afterwards.
//
// Edges
//   begin     start: store of serial_     -> runs: load of serial_     mark_ and task_mark_ are this run's
//   chain     wait_for: store of waits_   -> waits: load of waits_     that run's record is visible
//
// Sources    leapfrogging: Wagner and Calder 1993; the mark and the check afterwards: ours.
#pragma once

#include <cstdint>

#include <pilfer/detail/protocol/run_id.hpp>
#include <pilfer/ext/sync.hpp>

namespace pilfer::detail {

struct run_orders {
  static constexpr ext::edge begin{};
  static constexpr ext::edge chain{};
  static constexpr auto relaxed = std::memory_order_relaxed;
};

template <class Sync, class Orders = run_orders>
class alignas(64) run_record {
  template <class T>
  using atomic = typename Sync::template atomic<T>;

 public:
  // The worker: a job starts here. Returns its serial number.
  std::uint64_t start(std::uint64_t mark, std::uint64_t task_mark = 0) noexcept {
    const std::uint64_t serial = serial_.load(Orders::relaxed) + 1;  // own variable
    mark_.store(mark, Orders::relaxed);                              // carried by begin
    task_mark_.store(task_mark, Orders::relaxed);                    // carried by begin
    serial_.store(serial, Orders::begin.rel);
    return serial;
  }
  // The worker: the job is over. Before its latch says so.
  void end(std::uint64_t serial) noexcept { serial_.store(serial + 1, Orders::relaxed); }  // carried by the queue: I2
  void wait_for(run_id other) noexcept { waits_.store(other.word(), Orders::chain.rel); }

  // Anyone.
  [[nodiscard]] bool runs(std::uint64_t serial) const noexcept { return serial_.load(Orders::begin.acq) == serial; }
  // After a steal: had it ended before, the steal's own edge brings the news.
  [[nodiscard]] bool still_runs(std::uint64_t serial) const noexcept {
    return serial_.load(Orders::relaxed) == serial;  // carried by the queue: I2
  }
  [[nodiscard]] std::uint64_t serial() const noexcept { return serial_.load(Orders::begin.acq); }
  [[nodiscard]] std::uint64_t mark() const noexcept { return mark_.load(Orders::relaxed); }  // carried by begin
  [[nodiscard]] std::uint64_t task_mark() const noexcept {
    return task_mark_.load(Orders::relaxed);  // carried by begin
  }
  [[nodiscard]] run_id waits() const noexcept { return run_id(waits_.load(Orders::chain.acq)); }

 private:
  atomic<std::uint64_t> serial_{0, "serial"};
  atomic<std::uint64_t> mark_{0, "mark"};
  atomic<std::uint64_t> task_mark_{0, "task_mark"};
  atomic<std::uint64_t> waits_{0, "waits"};
};

}  // namespace pilfer::detail
