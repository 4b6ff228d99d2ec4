// What a task_group is inside: its unfinished tasks, their errors, and whether they are to stop.
//
// State        writer             reader   meaning
//   left       all                all      how many are unfinished, and the credits of the ledgers (completion.hpp)
//   ledgers_   their owners       same     tasks of the workers that spawn many, and their parts of the count (group_ledgers.hpp)
//   sharers_   under left.mutex() same     threads that wait while the ledgers are closed
//   newest_    under left.mutex() same     lists, by level, of the other tasks: what a waiter may run out of turn. Those that were in a
//                                          ledger may have been claimed, and stay until the list's reader drops them
//   listed_    under left.mutex() all      levels that have some
//   lifted_    under left.mutex() all      a task of that level waits for them
//   round_     under left.mutex() same     exceptions since the last wait
//   last_      under left.mutex() same     those before
//   number_    under left.mutex() waiters  rounds that have ended with errors, or after such a one
//   mixed_     all                waiters  1: in this round or the last there is an error, or one was cancelled
//   stopped_   all                all      1: tasks that have not begun do not begin
//   hint_      runners            waiters  a run of one of the tasks, for leapfrogging; old values do no harm. Runners with a ledger note it there
//   uses_      all                all      the group, and the scopes made in its tasks: they ask it whether they are to stop
//
// Edges
//   stop      request_stop: store of stopped_ -> is_stopped: load of stopped_   what was written before the request is visible
//   last      release: RMW of uses_           -> release: RMW of uses_          all have let go
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <stop_token>
#include <vector>

#include <pilfer/detail/immovable.hpp>
#include <pilfer/detail/protocol/completion.hpp>
#include <pilfer/detail/protocol/group_ledgers.hpp>
#include <pilfer/detail/protocol/level_summary.hpp>
#include <pilfer/pool_options.hpp>

#include "spawned_job.hpp"
#include "worker.hpp"

namespace pilfer::detail {

struct task_scope_orders {
  static constexpr ext::edge stop{};
  static constexpr ext::edge last{};
  static constexpr auto relaxed = std::memory_order_relaxed;
};

class level_waits;

// Has any part of this program ever made use of stopping? Until then no task asks its group.
inline constinit ext::default_sync::atomic<std::uint32_t> stopping_is_used{0};
[[nodiscard]] inline bool is_stopping_used() noexcept {
  return stopping_is_used.load(task_scope_orders::stop.acq) != 0;
}
// Called before anything is asked to stop.
void use_stopping() noexcept;

// Where a group keeps what it needs only sometimes.
struct group_memory {
  [[nodiscard]] static void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
    return allocate_task(bytes, alignment);
  }
  static void free(void* memory, std::size_t bytes, std::size_t alignment) noexcept {
    free_task(memory, bytes, alignment);
  }
};

class task_scope {
  using orders = task_scope_orders;
  template <class T>
  using atomic = ext::default_sync::atomic<T>;

 public:
  // A child of the scope that the calling task runs in. `outer` stops it, too, and so do the pool and that of the calling task.
  //   Throws  std::bad_alloc
  [[nodiscard]] static task_scope* make(runtime& home, std::stop_token outer, bool stop_on_error);
  // One use more, by a thread that has one; and less: the last one ends it.
  void keep() noexcept { uses_.fetch_add(1, orders::relaxed); }  // carried by how others learn of it
  void release() noexcept;

  // A task is about to be queued: counts it and lists it. A waiter may claim it at once. `by`: null, or the worker in whose queue it will lie.
  void admit(spawned_job& fresh, worker* by) noexcept {
    // A future's task is claimed by waiters that do not come across it in a list.
    if (by != nullptr && ledgers_.is_first(*by) && !fresh.has_future() && ledgers_.first().spawn(fresh)) [[likely]]
      return;
    admit_otherwise(fresh, by);
  }
  // The caller has claimed it, not out of a list. `by`: null, or the worker that has taken its entry out of a queue.
  void unlink(spawned_job& claimed, const worker* by) noexcept {
    if (!was_in_ledger(claimed)) {
      unlink_locked_out(claimed);
    } else if (by != nullptr && ledgers_.is_first(*by)) [[likely]] {
      if (ledgers_.first().unlink(claimed)) claimed.leave_ledger();
    } else if (by != nullptr) {
      unlink_from_other(claimed, *by);
    }
  }
  // A task has ended. `by`: null, or the worker of the pool that has run it. The group may be gone when this returns.
  void finish(const worker* by) noexcept {
    if (by != nullptr && ledgers_.is_first(*by) && ledgers_.first().finish()) [[likely]]
      return;
    finish_otherwise(by);
  }
  // Of the most urgent level, the newest that no thread has claimed, claimed for the caller. Null: none. By a waiter.
  [[nodiscard]] spawned_job* take_newest(const worker& self) noexcept;

  // Tasks that a worker spawns into a group are in its ledger, if it has one and that is open. A waiter that has run all it could finds those of
  // other workers by closing their ledgers: it collects them, as often as it likes, or it shares the group while it sleeps. Then all tasks
  // are in the lists, and `left` counts them alone; when it has only collected them, others may spawn and finish in their ledgers again.
  class sharing;
  // By a worker, in a wait: `left` counts no credits of its own, until it runs or spawns a task.
  void settle(const worker& self) noexcept {
    if (ledger* const own = ledger_of(&self)) static_cast<void>(own->settle());
  }
  // Do other workers use ledgers of theirs? A hint.
  [[nodiscard]] bool has_more_elsewhere(const worker& self) noexcept { return ledgers_.has_open_beside(self); }
  void collect(const worker& self) noexcept;
  // After a wait: lets go of tasks that others have run.
  void tidy(const worker& self) noexcept;
  // Is none unfinished? `self`: null, or the worker of the pool that asks.
  [[nodiscard]] bool is_done(const worker* self) noexcept;
  [[nodiscard]] std::size_t unfinished() const noexcept;  // a hint
  // Is there one in the lists? Not in a ledger.
  [[nodiscard]] bool has_unclaimed() noexcept;
  // Levels that have such tasks. A hint.
  [[nodiscard]] level_set waiting_levels() const noexcept { return level_set(listed_.load(orders::relaxed)); }  // hint
  // A task of that level waits for them, on that worker: less urgent ones rise, until the wait is over.
  void lift(level_waits& rules, worker& self, unsigned level) noexcept;
  void end_lift() noexcept;
  // The most urgent level of the tasks that wait for this group or for one around it, in the same pool. A hint.
  [[nodiscard]] unsigned lifted_level() const noexcept;

  void keep_error(std::exception_ptr error) noexcept;
  void count_cancelled() noexcept {
    cancelled_.fetch_add(1, orders::relaxed);  // carried by left
    mixed_.store(1, orders::relaxed);          // carried by left
  }

  struct summary {
    std::vector<std::exception_ptr> errors;  // in the order of their coming
    std::size_t unkept = 0;                  // errors beyond those, for which there was no memory
    std::size_t cancelled = 0;
    [[nodiscard]] bool is_clean() const noexcept { return errors.empty() && unkept == 0 && cancelled == 0; }
  };
  // A round is what is spawned between two waits. Ends the round that a wait began in, after all have finished. Several may wait for
  // the same one: the first of them has its errors to throw (true).
  [[nodiscard]] bool end_round(std::uint64_t begun) noexcept;
  [[nodiscard]] std::uint64_t round_number() const noexcept {
    return number_.load(orders::relaxed);
  }  // carried by left
  // Of the last round.
  [[nodiscard]] summary last_round();
  struct counts {
    std::size_t failed = 0;
    std::size_t cancelled = 0;
  };
  [[nodiscard]] counts count_last_round() noexcept;
  [[nodiscard]] std::exception_ptr first_error() noexcept;  // null: there was no memory for it

  bool request_stop() noexcept;
  [[nodiscard]] bool is_stopped() const noexcept;
  [[nodiscard]] std::stop_token token();

  // A worker of the pool has begun to run a task.
  void note_run(run_id id, const worker& by) noexcept {
    if (ledger* const own = ledger_of(&by)) {
      own->set_note(id.word());
    } else {
      hint_.store(id.word(), orders::relaxed);  // hint
    }
  }
  // Another one of those that workers have noted, as `turn` grows. A hint.
  [[nodiscard]] run_id some_run(unsigned turn) const noexcept;

  // The scope of the task that made it. Null: none.
  [[nodiscard]] const task_scope* parent() const noexcept { return parent_; }

  // What spawners read, apart from what others write.
  runtime& home;
  const run_id made_in;  // of the job that made it; none: it was no job

 private:
  task_scope(runtime& s, const worker* maker, std::stop_token outer, bool stop_on_error) noexcept;
  ~task_scope();

  [[nodiscard]] std::stop_source source();  // made on first use
  using all_ledgers = group_ledgers<ext::default_sync, spawned_job, worker, group_memory>;
  using ledger = all_ledgers::ledger;
  [[nodiscard]] ledger* ledger_of(const worker* by) noexcept { return by != nullptr ? ledgers_.of(*by) : nullptr; }
  // In a pool with several levels no task is, and what it says of itself may change meanwhile: it can have several entries.
  [[nodiscard]] bool was_in_ledger(const spawned_job& each) const noexcept {
    return may_have_ledgers_ && each.is_in_ledger();
  }
  void unlink_locked_out(spawned_job& claimed) noexcept;
  // Where the worker is not the first owner.
  void unlink_from_other(spawned_job& claimed, const worker& by) noexcept;
  // Not in the first ledger.
  void admit_otherwise(spawned_job& fresh, worker* by) noexcept;
  void finish_otherwise(const worker* by) noexcept;
  // Under the lock.
  void enlist(spawned_job& fresh, worker* by) noexcept;
  void unlink_locked(spawned_job& each) noexcept;
  void take_over(const all_ledgers::contents& had) noexcept;
  void drop_claimed() noexcept;

  task_scope* const parent_;  // kept alive; null: none
  const std::stop_token outer_;
  // Of pools that no parent asks: `home`, and the pool of the task that made it, if that is another one. Copies: a child may outlive them.
  const std::stop_token home_stop_;
  const std::stop_token maker_stop_;
  const bool stop_on_error_;
  const bool may_have_ledgers_;
  all_ledgers ledgers_;

 public:
  completion<ext::default_sync> left;

 private:
  unsigned sharers_ = 0;
  unsigned shared_ = 0;  // how often, since the lists were gone through
  std::array<spawned_job*, most_levels> newest_{};
  atomic<unsigned> lifted_{most_levels};
  summary round_;                              // this one
  summary last_;                               // the one that has ended
  std::stop_source source_{std::nostopstate};  // under the lock
  struct links;                                // to what stops it
  std::unique_ptr<links> links_;
  atomic<std::uint32_t> uses_{1};
  atomic<std::uint32_t> stopped_{0};
  atomic<std::uint32_t> mixed_{0};
  atomic<std::uint64_t> number_{0};
  atomic<std::size_t> cancelled_{0};
  atomic<std::uint64_t> hint_{0};
  atomic<std::uint32_t> listed_{0};
};

inline bool spawned_job::claim(const worker* self) noexcept {
  if (!mark_.claim()) return false;
  if (scope != nullptr) scope->unlink(*this, self);
  return true;
}

class task_scope::sharing : immovable {
 public:
  // `self`: null, or the worker of the pool that waits.
  sharing(task_scope& group, const worker* self) noexcept;
  ~sharing();
  // Have tasks come into the lists by this?
  [[nodiscard]] bool has_found_some() const noexcept { return has_found_some_; }

 private:
  task_scope& group_;
  const worker* const self_;
  bool has_found_some_ = false;
};

}  // namespace pilfer::detail
