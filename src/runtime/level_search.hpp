// How a worker of a pool with several levels looks for work: what can be taken at the most urgent level first.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>

#include <pilfer/pool_options.hpp>

#include "level_queues.hpp"
#include "search.hpp"

namespace pilfer::detail {

class level_search : immovable {
 public:
  struct neighbours {
    level_queues& queues;
    const roster& workers;
    const search& thieves;
    std::function<std::size_t()> places;  // how many there are; a hint
  };
  level_search(neighbours told, unsigned levels, priority_rule rule);
  virtual ~level_search() = default;

  // By the rule. `own_too`: in the own queues of tasks as well. Null: nothing was found.
  [[nodiscard]] virtual job* find(worker& self, bool own_too) noexcept;
  // All levels above are empty, as far as this worker can see: for the statistics.
  void sink_to(worker& self, unsigned level) const noexcept;
  // The level of a task, or of a fork that the caller has stolen.
  [[nodiscard]] static unsigned level_of(const job& work) noexcept {
    switch (work.type.kind) {
      case job_kind::forked: return task_level::from_bits(static_cast<const forked_job&>(work).level).number();
      case job_kind::spawned: return static_cast<const spawned_job&>(work).level();
      case job_kind::resumed: break;
    }
    return static_cast<const resume_job&>(work).where.level;
  }

 protected:
  // Some workers, from one on.
  struct sight {
    std::size_t first;
    std::size_t count;
    std::size_t known;
  };
  [[nodiscard]] sight all() const noexcept;
  [[nodiscard]] job* find_at(worker& self, unsigned level, const sight& others, bool own_too) noexcept;
  [[nodiscard]] unsigned levels() const noexcept { return levels_; }

 private:
  [[nodiscard]] sight some(const worker_face& self, std::size_t first) const noexcept;
  [[nodiscard]] job* find_in_order(worker& self, const sight& others, bool own_too) noexcept;
  [[nodiscard]] job* steal_at(worker& self, const worker_face& victim, unsigned level) noexcept;
  [[nodiscard]] job* steal_at(worker& self, const worker_face& victim, unsigned level, lane& queue,
                              bool of_tasks) noexcept;

  const neighbours told_;
  const unsigned levels_;
  const bool is_relaxed_;
  const std::chrono::steady_clock::time_point made_at_ = std::chrono::steady_clock::now();
};

}  // namespace pilfer::detail
