// The rooms of a pool, and what each of them is told of the others.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <string>

#include <pilfer/detail/scheduler.hpp>

#include "crew.hpp"
#include "events.hpp"
#include "execution.hpp"
#include "ready_set.hpp"
#include "rest.hpp"
#include "roster.hpp"
#include "search.hpp"
#include "sleep.hpp"
#include "stand_in.hpp"
#include "wait.hpp"
#include "worker_loop.hpp"

namespace pilfer::detail {

struct scheduler::rooms {
  //   Throws  as the constructor of the pool.
  rooms(scheduler& home, const pool_options& options, std::size_t count, std::string called, lane_maker make_lane,
        task_lane_maker make_task_lane);

  const std::string name;
  const std::function<void(std::exception_ptr)> on_error;
  const search thieves;
  const std::unique_ptr<ready_set> ready;
  detail::events events;
  const execution runs;
  stand_in places;
  sleep_room sleep;
  wait_room waits;
  worker_loop loop;
  guest_beds beds;
  ext::default_sync::atomic<std::uint64_t> suppressed_outside{0};  // exceptions that no worker has counted
  roster workers;                                                  // destroyed before what they refer to
  detail::crew crew;
};

}  // namespace pilfer::detail
