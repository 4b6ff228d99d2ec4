// What all pools share: workers and their threads, waiting at joins, parking, injection, shutdown. Knows queues only as lanes.
#pragma once

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <string>

#include <pilfer/detail/completion.hpp>
#include <pilfer/detail/event_source.hpp>
#include <pilfer/detail/parking.hpp>
#include <pilfer/detail/pool_stop.hpp>
#include <pilfer/detail/task.hpp>
#include <pilfer/detail/worker.hpp>
#include <pilfer/pool_options.hpp>
#include <pilfer/statistics.hpp>

namespace pilfer::detail {

// Pools larger than this are slips of the keyboard; spare workers need room in the table too.
struct scheduler_limits {
  static constexpr std::size_t most_places = 512;
};

// The option, or PILFER_WATCHDOG in seconds. In src/runtime/watchdog.cpp.
[[nodiscard]] std::chrono::nanoseconds watchdog_patience(std::chrono::nanoseconds option) noexcept;

class scheduler {
 public:
  using lane_maker = std::function<std::unique_ptr<lane>(worker&)>;
  using task_lane_maker = std::function<std::unique_ptr<task_lane>(worker&, unsigned level)>;

  // Starts the threads; fewer where they cannot be created, down to none: then callers work alone.
  //   Throws  std::invalid_argument for a bad number of workers or an unknown policy, std::bad_alloc.
  // No maker of task lanes: no tasks.
  scheduler(const pool_options& options, std::string name, lane_maker make_lane, task_lane_maker make_task_lane = {});
  // Makes it known to describe_pools() and to the watchdog. Once, after it is complete.
  //   Throws  std::bad_alloc, std::system_error
  void make_known(std::chrono::nanoseconds option);
  // Waits for tasks that nobody waits for. Requires that no caller is inside.
  ~scheduler();
  scheduler(const scheduler&) = delete;
  scheduler& operator=(const scheduler&) = delete;

  [[nodiscard]] std::size_t places() const noexcept;
  [[nodiscard]] unsigned levels() const noexcept { return levels_; }
  [[nodiscard]] bool callers_work() const noexcept { return callers_work_; }
  [[nodiscard]] bool has_company() const noexcept;  // is there more than one worker? A hint
  [[nodiscard]] pool_statistics statistics() const;
  // What every worker does and every wait waits for: for people to read.
  [[nodiscard]] std::string describe() const;

  // A caller from outside takes a place. Null: all are taken, or callers do not work; then run_elsewhere. `always` takes one all the same.
  [[nodiscard]] worker* enter(bool always);
  void leave(worker& seat) noexcept;
  // As many places from now on; those in excess become spare when they have nothing to do.
  //   Throws  std::invalid_argument as the constructor.
  void resize(std::size_t places);
  // Injects the job and returns when it has run. False: nobody could run it.
  [[nodiscard]] bool run_elsewhere(job& work);

  // After work was published in a queue that does not say so itself.
  void notify(worker& by) noexcept {
    if (parking_.notify()) [[unlikely]]
      by.counts.wakes.add();
  }
  // The same off the fork path.
  void notify_fenced(worker& by) noexcept {
    if (parking_.notify_fenced()) by.counts.wakes.add();
  }

  // Tasks. By a worker of this pool. Returns false if there is no room.
  [[nodiscard]] bool push_task(worker& self, task& work) noexcept;
  // By anyone else. False: nobody could run it.
  [[nodiscard]] bool inject_task(task& work) noexcept;
  void run_here(worker& self, task& work, bool entry_too) noexcept;
  // What the calling thread makes and forks has that level.
  static void enter_level(worker& self, task_level level) noexcept;
  static void leave_level(worker& self, task_level outer) noexcept;
  // Of who runs no task, and is in no such section.
  [[nodiscard]] task_level level_of_callers() const noexcept { return task_level::of_caller(levels() / 2); }
  void handle_error(std::exception_ptr error) noexcept;  // of a detached task
  void count_suppressed(worker* by) noexcept;            // null: by somebody outside
  // Waits, and runs the awaited tasks meanwhile. A negative limit means none. `is_end`: the group's destructor waits.
  wait_end wait(worker& self, task_scope& scope, std::chrono::nanoseconds limit, bool is_end) noexcept;
  wait_end wait(worker& self, task& work, completion<ext::default_sync>& done, std::chrono::nanoseconds limit) noexcept;
  // Tasks of no group that have not finished: the pool waits for them before it ends.
  completion<ext::default_sync> loose;
  // Whether all of its work is to stop.
  [[nodiscard]] pool_stop& stop() noexcept { return stop_; }
  [[nodiscard]] const pool_stop& stop() const noexcept { return stop_; }

  // What brings work besides tasks: the first one that is attached stays until the pool ends, and is returned.
  event_source& attach(std::unique_ptr<event_source> source) noexcept;
  [[nodiscard]] event_source* events() const noexcept;  // null: none

  // A join found its job stolen: returns when it is done. Runs only its descendants, unless told otherwise.
  void wait(worker& self, job& work) noexcept;

  struct rooms;  // in src/runtime/runtime.hpp
  [[nodiscard]] rooms& core() const noexcept { return *rooms_; }

 private:
  void wait_at_end() noexcept;  // of the destructor, for `loose`
  void stop_threads() noexcept;
  void empty_seat(worker& seat) noexcept;  // before a caller leaves

  parking<ext::default_sync> parking_;
  unsigned levels_ = 1;
  const bool callers_work_;
  bool is_watched_ = false;
  std::unique_ptr<rooms> rooms_;
  pool_stop stop_;
};

// A caller inside a pool. A thread that is a worker of the pool already, further out, is that worker again.
class visit {
 public:
  enum class place : std::uint8_t { if_free, additional, at_any_price };
  //   Throws  std::bad_alloc, at any price, if there is no memory for another worker.
  visit(scheduler& to, place wanted);
  ~visit();
  visit(const visit&) = delete;
  visit& operator=(const visit&) = delete;
  // False: no place was free.
  [[nodiscard]] explicit operator bool() const noexcept { return seat_ != nullptr; }

 private:
  scheduler& home_;
  worker* seat_ = nullptr;
  held_place again_;  // if it is a worker of the pool already
  void* outer_deque_ = nullptr;
};

}  // namespace pilfer::detail
