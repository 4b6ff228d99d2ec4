// One program in one pool: every worker begins with its share in its own queue, all are released together, and every task writes down
// when it ran and what came out.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <pilfer/statistics.hpp>

#include "lab/priorities/design.hpp"
#include "lab/priorities/program.hpp"

namespace pilfer::lab::priorities {

// What became of a task. A line of its own: two workers write two of them at a time.
struct alignas(64) task_log {
  planned_task plan;
  std::atomic<std::uint32_t> runs{0};
  std::int64_t result = 0;
  std::int64_t begun_ns = 0;  // since the release
  std::int64_t ended_ns = 0;
};

struct run_figures {
  double seconds = 0;                         // from the release to the end of the last task
  double processor_seconds = 0;               // of all threads, in that time
  std::vector<double> level_seconds;          // as seconds, of each level's last task
  std::uint64_t early = 0;                    // tasks that began before one of a more urgent level did
  std::vector<worker_statistics> of_workers;  // counted in that time; of those that had a task
};

using calculation = std::int64_t (*)(int n);

class scenario {
 public:
  scenario(const program& what, arena& where, calculation f = &fib_of);

  //   Throws  std::runtime_error if a task's result is wrong, or it did not run exactly once, or not all workers came.
  run_figures run();

 private:
  void run_task(task_log& mine);

  const program& what_;
  arena& where_;
  calculation calculate_;
  std::vector<std::size_t> share_begins_;  // of each worker in logs_, and the end
  std::vector<task_log> logs_;
  std::int64_t released_at_ = 0;
};

// The figures that follow from the logs alone.
[[nodiscard]] run_figures figures_of(const std::vector<task_log>& logs, unsigned levels);

// Each ran exactly once, and its result is right; all of the program's are there.
//   Throws  std::runtime_error that names `who`.
void check_logs(const std::vector<task_log>& logs, const program& what, const std::string& who);
void check_sum(std::int64_t sum, const program& what, const std::string& who);

// The same work in a loop; the sum of the results.
[[nodiscard]] std::int64_t sum_serially(const program& what);

// What was counted in between.
[[nodiscard]] std::vector<worker_statistics> counted_between(const pool_statistics& before,
                                                             const pool_statistics& after);

}  // namespace pilfer::lab::priorities
