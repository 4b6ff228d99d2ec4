// What all pools share: workers and their threads, waiting at joins, parking, injection, shutdown. Knows queues only as lanes.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include <pilfer/detail/parking.hpp>
#include <pilfer/detail/worker.hpp>
#include <pilfer/pool_options.hpp>
#include <pilfer/statistics.hpp>

namespace pilfer::detail {

// Pools larger than this are slips of the keyboard; spare workers need room in the table too.
struct scheduler_limits {
  static constexpr std::size_t most_places = 512;
};

class scheduler {
 public:
  using lane_maker = std::function<std::unique_ptr<lane>(worker&)>;

  // Starts the threads; fewer where they cannot be created, down to none: then callers work alone.
  //   Throws  std::invalid_argument for a bad number of workers or an unknown policy, std::bad_alloc.
  scheduler(const pool_options& options, std::string name, lane_maker make_lane);
  // Requires that no caller is inside.
  ~scheduler();
  scheduler(const scheduler&) = delete;
  scheduler& operator=(const scheduler&) = delete;

  [[nodiscard]] std::size_t places() const noexcept;
  [[nodiscard]] pool_statistics statistics() const;

  // A caller from outside takes a place. Null: all are taken; then run_elsewhere. `always` takes one all the same.
  [[nodiscard]] worker* enter(bool always);
  void leave(worker& seat) noexcept;
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

  // A join found its job stolen: returns when it is done. Runs only its descendants, unless told otherwise.
  void wait(worker& self, job& work) noexcept;

  struct state;

 private:
  friend struct state;

  parking<ext::default_sync> parking_;
  std::unique_ptr<state> state_;
};

// A caller inside a pool.
class visit {
 public:
  enum class place : std::uint8_t { if_free, additional, at_any_price };
  //   Throws  std::bad_alloc, at any price, if there is no memory for another worker.
  visit(scheduler& to, place wanted) : home_(to), seat_(to.enter(wanted != place::if_free)) {
    if (seat_ == nullptr && wanted == place::at_any_price) fail();
  }
  ~visit() {
    if (seat_ != nullptr) home_.leave(*seat_);
  }
  visit(const visit&) = delete;
  visit& operator=(const visit&) = delete;
  // False: no place was free.
  [[nodiscard]] explicit operator bool() const noexcept { return seat_ != nullptr; }

 private:
  [[noreturn, gnu::cold]] static void fail();  // in src/scheduler/scheduler.cpp
  scheduler& home_;
  worker* seat_;
};

}  // namespace pilfer::detail
