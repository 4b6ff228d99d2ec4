// What the runtime knows of a task: a job with memory of its own, which is not joined by its place in a queue.
#pragma once

#include <cstdint>
#include <new>

#include <pilfer/detail/fork/job.hpp>
#include <pilfer/detail/protocol/claim.hpp>
#include <pilfer/detail/protocol/run_id.hpp>
#include <pilfer/detail/task.hpp>
#include <pilfer/ext/sync.hpp>

#include "latch.hpp"

namespace pilfer::detail {

struct worker;

class spawned_job : public job {
 public:
  spawned_job(const job_class& t, const task_target& to, std::uint32_t uses) noexcept
      : job(t),
        scope(to.group),
        home_(to.home),
        mark_(uses),
        level_(to.level),
        ties_(uses == task::uses_with_future ? future : 0) {}

  [[nodiscard]] task& whole() noexcept { return task::of(*this); }
  void run() noexcept { type.run(*this); }
  // Who runs it. No thread sleeps on this latch.
  [[nodiscard]] latch run_latch() const noexcept { return latch(runs_); }

  // Returns true if the caller is to run it. By a thread that has it from elsewhere than from its group's lists. `self`: null, or a worker of its
  // pool that has taken its entry out of a queue.
  [[nodiscard]] bool claim(const worker* self = nullptr) noexcept;
  [[nodiscard]] bool try_mark() noexcept { return mark_.claim(); }  // the same, by the group itself
  [[nodiscard]] bool is_claimed() const noexcept { return mark_.is_claimed(); }
  void let_go(std::uint32_t uses = 1) noexcept {
    if (mark_.let_go(uses)) dispose();
  }
  // Another entry will stand for it, too, and lets go of it by itself. Before the task can be seen, or under its group's lock; or by
  // the holder of such an entry or of its future.
  void add_entry() noexcept {
    if ((ties_ & (future | entries)) == 0) ties_ |= entries;  // written once: the last case's others may be reading it
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
  // After its run: tells its group, or its pool if it has none. `entry_too`: the caller has it out of a queue. `self`: null, or the worker of
  // its pool that has run it.
  void end(bool entry_too, const worker* self) noexcept;

  // By its group's ledger.
  void begin_listed(std::uint32_t epoch) noexcept {
    ledger_epoch = epoch;
    ties_ |= ledger;
    mark_.keep_unseen();
  }
  [[nodiscard]] std::uint32_t listed_in() const noexcept { return ledger_epoch; }
  void end_listed() noexcept { let_go(); }
  [[nodiscard]] bool is_in_ledger() const noexcept { return (ties_ & ledger) != 0; }  // in a pool with one level
  // The owner has claimed it and unlinked it. Mostly it is the last one to refer to the task.
  void leave_ledger() noexcept {
    ties_ &= static_cast<std::uint8_t>(~ledger);
    if (ties_ != 0) let_go();
  }
  [[nodiscard]] bool has_future() const noexcept { return (ties_ & future) != 0; }
  // After its run, by its runner, which had its entry: is nothing left to do but to free its memory, a block of a worker's?
  [[nodiscard]] bool is_mere_memory() const noexcept { return type.destroy == nullptr && ties_ == 0; }

  // It is not to run any more: as if its group had been stopped. By a thread that has claimed it.
  void withdraw() noexcept { is_withdrawn_ = true; }
  [[nodiscard]] bool is_withdrawn() const noexcept { return is_withdrawn_; }
  [[nodiscard]] bool is_cancelled() const noexcept;

  // The worker in whose queue it lies, in a pool with several levels; none: it was injected. A hint.
  static constexpr unsigned injected = 0xffff;
  [[nodiscard]] unsigned queued_at() const noexcept { return queued_at_.load(claim_orders::relaxed); }  // hint
  void note_queue(unsigned index) noexcept {
    queued_at_.store(static_cast<std::uint16_t>(index), claim_orders::relaxed);  // hint
  }

  // By a caller that waits for it, instead of a worker. Set before it can be seen.
  void leave_to_workers() noexcept { callers_may_run_ = false; }
  [[nodiscard]] bool callers_may_run() const noexcept { return callers_may_run_; }
  union {
    std::int64_t rises_ns = 0;   // in a pool with several levels, with ageing, under that lock: when it rises
    std::uint32_t ledger_epoch;  // in a pool with one level: when it was listed in its group's ledger
  };
  spawned_job* next_by_age;  // with ageing, under that lock: in the pool's list by age

  task_scope* const scope;  // its group, which may be gone once the task has been claimed; null: none
  run_id maker;             // the job that made the group; none: there is no group, or no job made it
  // The list that it is in: of its group, or of the group's ledger.
  ext::default_sync::cell<spawned_job*> newer;
  ext::default_sync::cell<spawned_job*> older;

 private:
  // Destroys it. What it has captured or returned may hold the last use of another task, and so on, however long that chain is.
  void dispose() noexcept;

  runtime& home_;
  mutable latch::word runs_{0};
  claim_mark<ext::default_sync> mark_;
  ext::default_sync::atomic<std::uint16_t> queued_at_{injected};
  ext::default_sync::atomic<std::uint8_t> level_;
  std::uint8_t listed_ = 0;  // the level it began at
  // What refers to it beside the entry that it began with and its run.
  static constexpr std::uint8_t future = 1;
  static constexpr std::uint8_t entries = 2;
  static constexpr std::uint8_t ledger = 4;  // the list in which it is, or was when it was claimed, is the ledger's
  std::uint8_t ties_;
  bool callers_may_run_ = true;
  bool is_withdrawn_ = false;

 public:
  bool is_injected = false;  // under the pool's lock, with several levels
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

}  // namespace pilfer::detail
