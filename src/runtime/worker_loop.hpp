// What the thread of a worker does, from its first look for work to the end of the pool.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>

#include "crew.hpp"
#include "events.hpp"
#include "execution.hpp"
#include "ready_set.hpp"
#include "sleep.hpp"

namespace pilfer::detail {

// The calling thread becomes that worker, and ceases to be it. The second one requires that the worker's queues are empty.
void bind(worker& self) noexcept;
void unbind(worker& self) noexcept;

class worker_loop : immovable {
 public:
  struct neighbours {
    crew& members;
    ready_set& ready;
    events& completions;
    const execution& runs;
    sleep_room& sleep;
    parking<ext::default_sync>& sleepers;
    std::string name = {};                             // of the threads; empty: that of the thread that makes them
    std::function<void(std::size_t worker)> on_start;  // may be empty
    std::function<void(std::size_t worker)> on_stop;
  };
  explicit worker_loop(neighbours told) : told_(std::move(told)) {}

  void run(worker& self) noexcept;

 private:
  void retire_if_surplus(worker& self, idle& now) noexcept;
  void work_once(worker& self, idle& now) noexcept;
  void run_in_a_row(worker& self, job& first) noexcept;
  [[nodiscard]] job* find_job(worker& self) noexcept;

  const neighbours told_;
};

}  // namespace pilfer::detail
