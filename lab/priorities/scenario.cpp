#include "lab/priorities/scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <stdexcept>

#include "lab/measure/stopwatch.hpp"
#include "lab/priorities/countdown.hpp"
#include "lab/priorities/starting_gate.hpp"
#include "lab/programs/fib.hpp"

namespace pilfer::lab::priorities {
namespace {

constexpr double seconds_per_ns = 1e-9;

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

worker_statistics difference(const worker_statistics& after, const worker_statistics& before) {
  worker_statistics d;
  d.steals_taken = after.steals_taken - before.steals_taken;
  d.steals_empty = after.steals_empty - before.steals_empty;
  d.steals_lost = after.steals_lost - before.steals_lost;
  d.steals_private = after.steals_private - before.steals_private;
  d.tasks = after.tasks - before.tasks;
  d.inversions = after.inversions - before.inversions;
  for (std::size_t level = 0; level < most_levels; ++level) {
    d.steals_of_level[level] = after.steals_of_level[level] - before.steals_of_level[level];
    d.tasks_of_level[level] = after.tasks_of_level[level] - before.tasks_of_level[level];
  }
  return d;
}

}  // namespace

std::vector<worker_statistics> counted_between(const pool_statistics& before, const pool_statistics& after) {
  std::vector<worker_statistics> all;
  for (std::size_t i = 0; i < after.of_worker.size(); ++i) {
    if (after.of_worker[i].tasks == 0) continue;  // a seat that no caller has taken
    all.push_back(i < before.of_worker.size() ? difference(after.of_worker[i], before.of_worker[i])
                                              : after.of_worker[i]);
  }
  return all;
}

scenario::scenario(const program& what, arena& where, calculation f)
    : what_(what), where_(where), calculate_(f), logs_(what.inputs.size()) {
  std::size_t next = 0;
  for (const share& mine : what.shares(where.workers())) {
    share_begins_.push_back(next);
    for (const planned_task& each : mine) logs_[next++].plan = each;
  }
  share_begins_.push_back(next);
}

void scenario::run_task(task_log& mine) {
  mine.begun_ns = now_ns() - released_at_;
  mine.result = calculate_(mine.plan.n);
  mine.runs.fetch_add(1, std::memory_order_relaxed);
  mine.ended_ns = now_ns() - released_at_;
}

run_figures scenario::run() {
  for (task_log& each : logs_) {
    each.runs.store(0, std::memory_order_relaxed);
    each.result = 0;
  }
  starting_gate inside(where_.workers());
  starting_gate seeded(where_.workers());
  countdown left(logs_.size());
  pool_statistics before;
  pool_statistics after;
  double processor_before = 0;
  double processor_after = 0;

  const auto finish = [&] {
    if (!left.finish()) return;
    // At once: idle workers go on looking, and counting what they do not find.
    processor_after = processor_seconds();
    after = where_.inside().statistics();
    left.open();
  };
  const auto release = [&] {
    before = where_.inside().statistics();
    processor_before = processor_seconds();
    released_at_ = now_ns();
  };
  {
    task_group group(where_.inside());
    const auto seed = [&](std::size_t worker) {
      for (std::size_t i = share_begins_[worker]; i < share_begins_[worker + 1]; ++i) {
        where_.spawn(group, logs_[i].plan.level, [this, &finish, &mine = logs_[i]] {
          run_task(mine);
          finish();
        });
      }
      seeded.pass(release);
    };
    spawn_on_each_worker(where_, group, inside, seed);
    wait_as_outsider(left, group);
  }
  check_logs(logs_, what_, fmt::format("{} with {} workers", where_.name(), where_.workers()));
  run_figures found = figures_of(logs_, what_.levels);
  found.processor_seconds = processor_after - processor_before;
  found.of_workers = counted_between(before, after);
  return found;
}

run_figures figures_of(const std::vector<task_log>& logs, unsigned levels) {
  std::vector<std::int64_t> last_begun(levels, 0);
  std::vector<std::int64_t> last_ended(levels, 0);
  for (const task_log& each : logs) {
    const unsigned level = each.plan.level;
    last_begun[level] = std::max(last_begun[level], each.begun_ns);
    last_ended[level] = std::max(last_ended[level], each.ended_ns);
  }
  run_figures found;
  found.seconds = static_cast<double>(std::ranges::max(last_ended)) * seconds_per_ns;
  for (const std::int64_t ns : last_ended) found.level_seconds.push_back(static_cast<double>(ns) * seconds_per_ns);
  for (const task_log& each : logs) {
    const std::span more_urgent(last_begun.begin(), each.plan.level);
    if (!more_urgent.empty() && each.begun_ns < std::ranges::max(more_urgent)) ++found.early;
  }
  return found;
}

void check_logs(const std::vector<task_log>& logs, const program& what, const std::string& who) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    const task_log& each = logs[i];
    if (const auto runs = each.runs.load(std::memory_order_relaxed); runs != 1) {
      throw std::runtime_error(fmt::format("{}: {} ran task {} {} times", what.name, who, i, runs));
    }
    if (const std::int64_t right = programs::fib_number(each.plan.n); each.result != right) {
      throw std::runtime_error(
          fmt::format("{}: {} gave {} instead of {} for task {}", what.name, who, each.result, right, i));
    }
    sum += each.result;
  }
  check_sum(sum, what, who);
}

void check_sum(std::int64_t sum, const program& what, const std::string& who) {
  if (sum == what.sum) return;
  throw std::runtime_error(fmt::format("{}: {} gave {} instead of {}", what.name, who, sum, what.sum));
}

std::int64_t sum_serially(const program& what) {
  std::int64_t sum = 0;
  for (const int n : what.inputs) sum += fib_of(n);
  return sum;
}

}  // namespace pilfer::lab::priorities
