// What the runtime knows of a task: a job with memory of its own, which is not joined by its place in a queue.
#pragma once

#include <cstdint>
#include <new>

#include <pilfer/detail/fork/job.hpp>
#include <pilfer/detail/protocol/claim.hpp>
#include <pilfer/detail/protocol/run_id.hpp>
#include <pilfer/detail/task.hpp>

#include "latch.hpp"

namespace pilfer::detail {

class spawned_job : public job {
 public:
  spawned_job(task::function f, task::destroyer d, const task_target& to, std::uint32_t uses) noexcept
      : job(type_of_tasks),
        scope(to.group),
        run_(f),
        home_(to.home),
        destroy_(d),
        mark_(uses),
        level_(to.level),
        has_future_(uses == task::uses_with_future) {}

  [[nodiscard]] task& whole() noexcept { return task::of(*this); }
  void run() noexcept { run_(*this); }
  // Who runs it. No thread sleeps on this latch.
  [[nodiscard]] latch run_latch() const noexcept { return latch(runs_); }

  // True: the caller runs it; it is in no list of its group's any more.
  [[nodiscard]] bool claim() noexcept;
  [[nodiscard]] bool try_mark() noexcept { return mark_.claim(); }  // the same, by the group itself under its lock
  [[nodiscard]] bool is_claimed() const noexcept { return mark_.is_claimed(); }
  void let_go(std::uint32_t uses = 1) noexcept {
    if (mark_.let_go(uses)) dispose();
  }
  // Another entry will stand for it, too, and lets go of it by itself. Before the task can be seen, or under its group's lock; or by
  // the holder of such an entry or of its future.
  void add_entry() noexcept {
    if (!has_future_ && !several_entries_)
      several_entries_ = true;  // written once: the last case's others may be reading it
    mark_.keep();
  }
  [[nodiscard]] runtime& home() const noexcept { return home_; }
  // Before it can be seen.
  void begin_at(unsigned level) noexcept {
    set_level(level);
    listed_ = static_cast<std::uint8_t>(level);
  }
  [[nodiscard]] unsigned first_level() const noexcept { return listed_; }
  // May rise until it is claimed.
  [[nodiscard]] unsigned level() const noexcept { return level_.load(claim_orders::relaxed); }  // hint
  void set_level(unsigned level) noexcept {
    level_.store(static_cast<std::uint8_t>(level), claim_orders::relaxed);  // hint
  }
  // After its run: tells its group, or its pool if it has none. `entry_too`: the caller has it out of a queue.
  void end(bool entry_too) noexcept;

  // It is not to run any more: as if its group had been stopped. By a thread that has claimed it.
  void withdraw() noexcept { is_withdrawn_ = true; }
  [[nodiscard]] bool is_cancelled() const noexcept;

  // The worker in whose queue it lies, in a pool with several levels; none: it was injected. A hint.
  static constexpr unsigned injected = 0xffff;
  [[nodiscard]] unsigned queued_at() const noexcept { return queued_at_.load(claim_orders::relaxed); }  // hint
  void note_queue(unsigned index) noexcept {
    queued_at_.store(static_cast<std::uint16_t>(index), claim_orders::relaxed);  // hint
  }

  bool is_injected = false;  // under the pool's lock, with several levels
  // By a caller that waits for it, instead of a worker. Set before it can be seen.
  void leave_to_workers() noexcept { callers_may_run_ = false; }
  [[nodiscard]] bool callers_may_run() const noexcept { return callers_may_run_; }
  // With ageing, under that lock: when it rises, and the next in the pool's list by age.
  std::int64_t rises_ns = 0;
  spawned_job* next_by_age = nullptr;

  task_scope* const scope;  // its group, which may be gone once the task has been claimed; null: none
  run_id maker;             // the job that made the group; none: there is no group, or no job made it
  // The group's list of tasks that have not been claimed.
  spawned_job* newer = nullptr;
  spawned_job* older = nullptr;

 private:
  // Destroys it. What it has captured or returned may hold the last use of another task, and so on, however long that chain is.
  void dispose() noexcept;

  static constexpr job_class type_of_tasks{job_kind::spawned, nullptr};

  const task::function run_;
  runtime& home_;
  const task::destroyer destroy_;
  mutable latch::word runs_{0};
  claim_mark<ext::default_sync> mark_;
  ext::default_sync::atomic<std::uint16_t> queued_at_{injected};
  ext::default_sync::atomic<std::uint8_t> level_;
  std::uint8_t listed_ = 0;  // the level it began at
  const bool has_future_;
  bool several_entries_ = false;
  bool callers_may_run_ = true;
  bool is_withdrawn_ = false;
};

// A tombstone is an entry of a task that was claimed already: whoever takes it out of a queue lets go of it.
[[nodiscard]] inline spawned_job* as_task(job& work) noexcept {
  return work.type.kind == job_kind::spawned ? static_cast<spawned_job*>(&work) : nullptr;
}
[[nodiscard]] inline bool is_tombstone(job& work) noexcept {
  const spawned_job* const spawned = as_task(work);
  return spawned != nullptr && spawned->is_claimed();
}
[[nodiscard]] inline bool drop_if_tombstone(job& work) noexcept {
  if (!is_tombstone(work)) return false;
  static_cast<spawned_job&>(work).let_go();
  return true;
}

inline spawned_job& task::queued() noexcept { return *std::launder(reinterpret_cast<spawned_job*>(room_)); }

// Gives it to its pool. Runs it at once if the queue has no room, or if no thread of the pool could run it.
void launch(spawned_job& work) noexcept;
// The same behind everything that waits: to the injection queue.
void launch_last(spawned_job& work) noexcept;

}  // namespace pilfer::detail
