// What a task_group is inside: its unfinished tasks, their errors, and whether they are to stop.
//
// State        writer             reader   meaning
//   left       all                all      how many are unfinished (completion.hpp)
//   newest_    under left.mutex() same     lists, by level, of the tasks that nobody has claimed: what a waiter may run out of turn
//   listed_    under left.mutex() all      levels that have some
//   lifted_    under left.mutex() all      a task of that level waits for them
//   round_     under left.mutex() same     exceptions since the last wait
//   last_      under left.mutex() same     those before
//   number_    under left.mutex() waiters  rounds that have ended with errors, or after such a one
//   mixed_     all                waiters  1: in this round or the last there is an error, or one was cancelled
//   stopped_   all                all      1: tasks that have not begun do not begin
//   hint_      runners            waiters  a run of one of the tasks, for leapfrogging; old values do no harm
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

#include <pilfer/detail/protocol/completion.hpp>
#include <pilfer/detail/protocol/level_summary.hpp>
#include <pilfer/pool_options.hpp>

#include "spawned_job.hpp"

namespace pilfer::detail {

struct task_scope_orders {
  static constexpr ext::edge stop{};
  static constexpr ext::edge last{};
  static constexpr auto relaxed = std::memory_order_relaxed;
};

class level_waits;
struct worker;

// Called before anything is asked to stop: until then no task asks its group.
void use_stopping() noexcept;

class task_scope {
  using orders = task_scope_orders;
  template <class T>
  using atomic = ext::default_sync::atomic<T>;

 public:
  // A child of the scope that the calling task runs in. `outer` stops it, too, and so do the pool and that of the calling task.
  //   Throws  std::bad_alloc
  [[nodiscard]] static task_scope* make(runtime& home, std::stop_token outer, bool stop_on_error);
  // One use less; the last one ends it.
  void release() noexcept;

  // A task, counted already, is about to be queued. Who waits may claim it at once.
  void enlist(spawned_job& fresh, worker* by) noexcept;
  void unlink(spawned_job& claimed) noexcept;
  // Of the most urgent level, the newest that nobody has claimed, claimed for the caller. Null: none.
  [[nodiscard]] spawned_job* take_newest() noexcept;
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

  void note_run(run_id id) noexcept { hint_.store(id.word(), orders::relaxed); }                  // hint
  [[nodiscard]] run_id some_run() const noexcept { return run_id(hint_.load(orders::relaxed)); }  // hint

  // The scope of the task that made it. Null: none.
  [[nodiscard]] const task_scope* parent() const noexcept { return parent_; }

  runtime& home;
  const run_id made_in;  // of the job that made it; none: it was no job
  completion<ext::default_sync> left;

 private:
  task_scope(runtime& s, const worker* maker, std::stop_token outer, bool stop_on_error) noexcept;
  ~task_scope();

  [[nodiscard]] std::stop_source source();  // made on first use
  void unlink_locked(spawned_job& each) noexcept;

  task_scope* const parent_;  // kept alive; null: none
  const bool stop_on_error_;
  const std::stop_token outer_;
  // Of pools that no parent asks: `home`, and the pool of the task that made it, if that is another one. Copies: a child may outlive them.
  const std::stop_token home_stop_;
  const std::stop_token maker_stop_;
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

}  // namespace pilfer::detail
