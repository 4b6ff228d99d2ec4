// The runtime of a pool: its rooms, and what each of them is told of the others. Nothing is done here but to make and to end them.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <string>

#include <pilfer/detail/protocol/completion.hpp>
#include <pilfer/pool_options.hpp>
#include <pilfer/statistics.hpp>

#include "crew.hpp"
#include "events.hpp"
#include "execution.hpp"
#include "intake.hpp"
#include "pending_limit.hpp"
#include "pool_stop.hpp"
#include "ready_set.hpp"
#include "rest.hpp"
#include "roster.hpp"
#include "schedulers.hpp"
#include "search.hpp"
#include "sleep.hpp"
#include "stand_in.hpp"
#include "visitors.hpp"
#include "wait.hpp"
#include "worker_loop.hpp"

namespace pilfer::detail {

struct runtime : immovable {
  // Starts the threads; fewer where they cannot be created, down to none: then callers work alone.
  //   Throws  std::invalid_argument for an option that is not allowed, std::bad_alloc.
  runtime(const pool_options& given, std::string called, lane_makers makers);
  // Waits for the tasks that no caller waits for. Requires that no caller is inside.
  ~runtime();

  void resize(std::size_t wanted);
  [[nodiscard]] bool has_company() const noexcept { return workers.known() > 1; }  // more than one worker; a hint
  [[nodiscard]] pool_statistics statistics() const;
  // What every worker does and every wait waits for: for people to read. In watchdog.cpp.
  [[nodiscard]] std::string describe() const;
  void handle_error(std::exception_ptr error) noexcept;  // of a detached task
  void count_suppressed(worker* by) noexcept;            // `by` is null if the caller is not a worker

  const std::string name;         // the scheduler's
  const std::string thread_name;  // what the names of the threads begin with
  const bool callers_work;
  const bool has_terms;  // a task asks for something when it is made: callers do not work, or there is a limit
  pending_limit limit;
  const std::function<void(std::exception_ptr)> on_error;
  pool_parking sleepers;
  const search thieves;
  const std::unique_ptr<ready_set> ready;
  detail::events events;
  const execution runs;
  stand_in places;
  sleep_room sleep;
  wait_room waits;
  worker_loop loop;
  detail::intake intake;
  detail::visitors visitors;
  completion<ext::default_sync> loose;  // tasks of no group that have not finished
  pool_stop stop;                       // whether all work is to stop
  shared_counter suppressed_outside;    // exceptions that no worker has counted
  roster workers;                       // destroyed before what they refer to
  detail::crew crew;

 private:
  struct checked {};
  runtime(const pool_options& options, std::string called, lane_makers makers, checked);
  void stop_threads() noexcept;
};

}  // namespace pilfer::detail
