// Counting priority inversions, as docs/guarantees.md defines them: pool_options::count_inversions.
//
// What came into a queue is counted. A worker that reads `published` before it looks for work, and the queue's size and then `begun` after
// it, can tell that a task has lain there all the while: begun - size have left at most.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <pilfer/statistics.hpp>

#include "research/job_lane.hpp"
#include "src/runtime/several_levels.hpp"

namespace pilfer::research {

using detail::injector;
using detail::level_queues;
using detail::roster;
using detail::worker_face;

class inversion_count final : public detail::level_observer {
  using orders = detail::level_orders;

 public:
  inversion_count(const roster& workers, const injector& outside, level_queues& queues, unsigned levels);

  // By a worker, before and after it looks for work. The second one with the level that it is going to work at.
  void begin_scan(const worker& self) noexcept;
  void end_scan(worker& self, unsigned level) noexcept;

  void before_push(const worker_face* to, unsigned level) noexcept override;
  void after_push(const worker_face* to, unsigned level, bool pushed) noexcept override;

 private:
  struct entry {
    ext::default_sync::atomic<std::uint64_t> begun{0};
    ext::default_sync::atomic<std::uint64_t> published{0};
  };
  using entries = std::array<entry, most_levels>;
  [[nodiscard]] entries& entries_of(const worker_face* to) noexcept { return of_[to != nullptr ? to->index : most_]; }
  [[nodiscard]] bool has_missed(const worker& self, unsigned level) noexcept;

  static constexpr std::size_t most_ = roster::most_workers;
  const roster& workers_;
  const injector& outside_;
  level_queues& queues_;
  const unsigned levels_;
  std::vector<entries> of_;                            // by worker; of the injection queue the last
  std::vector<std::vector<level_figures>> published_;  // by worker, of its scan: the same when the scan began
};

class counting_levels final : public detail::several_levels {
 public:
  counting_levels(const pool_options& options, neighbours told, searcher make_search);
  [[nodiscard]] detail::wait_rules& rules() noexcept override { return waits_; }

 private:
  // The same rules, with a scan around each look.
  class counting_waits final : public detail::level_waits {
   public:
    counting_waits(level_queues& queues, detail::ageing& ages, const pool_options& options,
                   inversion_count& count) noexcept
        : detail::level_waits(queues, ages, options.levels, options.rule == priority_rule::strict), count_(count) {}
    [[nodiscard]] next_task next_of(worker& self, detail::task_scope& awaited, group_look& look) noexcept override;

   private:
    inversion_count& count_;
  };
  [[nodiscard]] job* look(worker& self, bool own_too) noexcept override;

  inversion_count count_;
  counting_waits waits_;
};

}  // namespace pilfer::research
