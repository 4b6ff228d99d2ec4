#include "lab/priorities/measurement.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <span>
#include <thread>
#include <utility>

#include "lab/measure/interrupt.hpp"
#include "lab/measure/mapped.hpp"
#include "lab/measure/progress.hpp"
#include "lab/measure/registry.hpp"
#include "lab/measure/stopwatch.hpp"
#include "lab/measure/table.hpp"
#include "lab/priorities/scenario.hpp"

namespace pilfer::lab::priorities {
namespace {

constexpr std::chrono::milliseconds calms_down_in{1};  // idle workers go to sleep

// One pool, and the figures of all its runs.
class design_session {
 public:
  design_session(const program& what, const design& of, std::size_t workers)
      : pool_(of, workers, what.levels), runs_in_(what, pool_) {}

  double seconds() {
    runs_.push_back(runs_in_.run());
    std::this_thread::sleep_for(calms_down_in);
    return runs_.back().seconds;
  }

  [[nodiscard]] std::uint64_t steals_so_far() { return pool_.inside().statistics().total().steals_taken; }

  // Of all runs but the first, which warms up.
  [[nodiscard]] design_figures figures() {
    design_figures all{.name = pool_.name(),
                       .workers = pool_.workers(),
                       .levels = pool_.inside().levels(),
                       .level_seconds = std::vector<std::vector<double>>(pool_.levels()),
                       .processor_seconds = {},
                       .early = {},
                       .counted = {},
                       .steals_of_worker = {},
                       .inversions = {}};
    for (std::size_t i = 1; i < runs_.size(); ++i) {
      const run_figures& one = runs_[i];
      for (std::size_t level = 0; level < pool_.levels(); ++level) {
        all.level_seconds[level].push_back(one.level_seconds[level]);
      }
      all.processor_seconds.push_back(one.processor_seconds);
      all.early.push_back(one.early);
      all.steals_of_worker.resize(std::max(all.steals_of_worker.size(), one.of_workers.size()));
      for (std::size_t worker = 0; worker < one.of_workers.size(); ++worker) {
        all.counted += one.of_workers[worker];
        all.steals_of_worker[worker] += one.of_workers[worker].steals_taken;
      }
    }
    return all;
  }

 private:
  arena pool_;
  scenario runs_in_;
  std::vector<run_figures> runs_;
};

double seconds_serially(const program& what) {
  std::int64_t sum = 0;
  const double seconds = seconds_taken_by([&] { sum = sum_serially(what); });
  check_sum(sum, what, serial_name);
  return seconds;
}

std::uint64_t count_inversions(const program& what, const design& of, std::size_t workers, std::size_t runs) {
  arena pool(of, workers, what.levels, inversions::counted);
  scenario runs_in(what, pool);
  for (std::size_t i = 0; i < runs; ++i) {
    throw_if_interrupted();
    static_cast<void>(runs_in.run());
  }
  return pool.inside().statistics().total().inversions;
}

void count_all_inversions(program_result& result, const program& what, const std::vector<const design*>& who) {
  const std::string title = what.name + ", inversions";
  progress shown(title, result.figures.size());
  for (design_figures& each : result.figures) {
    shown.step(fmt::format("{}, {} workers", each.name, each.workers));
    if (each.levels == 1) continue;
    const design& of = **std::ranges::find(who, each.name, &design::name);
    each.inversions = count_inversions(what, of, each.workers, result.counted_runs);
  }
}

double per_run(std::uint64_t count, std::size_t runs) {
  return runs == 0 ? 0 : static_cast<double>(count) / static_cast<double>(runs);
}

double per_run(const program_result& result, std::uint64_t count) {
  return per_run(count, result.times.serial().seconds.size());
}

// Steals of each level in a run, on average; where there is one level, all of them.
std::vector<double> steals_by_level(const program_result& result, const design_figures& one) {
  if (one.levels == 1) return {per_run(result, one.counted.steals_taken)};
  return mapped(std::span(one.counted.steals_of_level).first(one.levels),
                [&](std::uint64_t count) { return per_run(result, count); });
}

std::vector<double> steals_by_worker(const program_result& result, const design_figures& one) {
  return mapped(one.steals_of_worker, [&](std::uint64_t count) { return per_run(result, count); });
}

std::vector<double> levels_done_ms(const design_figures& one) {
  return mapped(one.level_seconds,
                [](const std::vector<double>& seconds) { return median(in_unit(milliseconds, seconds)); });
}

double median_early(const design_figures& one) {
  const std::vector<double> values(one.early.begin(), one.early.end());
  return median(values);
}

double ns_per_task(const program_result& result, const measurement& one) {
  return median(one.seconds) * ns_per_second / static_cast<double>(result.tasks);
}

std::string joined(const std::vector<double>& values, const char* form) {
  const auto cells = mapped(values, [&](double value) { return fmt::format(fmt::runtime(form), value); });
  return fmt::format("{}", fmt::join(cells, " "));
}

std::string inversions_text(const program_result& result, const design_figures& one) {
  return one.inversions ? fmt::format("{:.4g}", per_run(*one.inversions, result.counted_runs)) : "-";
}

}  // namespace

const design_figures* program_result::find(std::string_view design, std::size_t workers) const {
  const auto found = std::ranges::find_if(
      figures, [&](const design_figures& one) { return one.name == design && one.workers == workers; });
  return found == figures.end() ? nullptr : &*found;
}

const program_result* find_program(const std::vector<program_result>& results, std::string_view name) {
  return find_by_name(results, name);
}

program_result measure_program(const program& what, const std::vector<const design*>& who, const sampling& how) {
  program_result result{.name = what.name,
                        .text = what.text,
                        .tasks = what.inputs.size(),
                        .levels = what.levels,
                        .full_size = what.full_size,
                        .counted_runs = how.counted_runs,
                        .times = {},
                        .figures = {}};
  std::vector<std::unique_ptr<design_session>> sessions;
  std::vector<candidate> candidates = {{serial_name, 0, [&what] { return seconds_serially(what); }}};
  for (const std::size_t workers : how.workers) {
    for (const design* one : who) {
      sessions.push_back(std::make_unique<design_session>(what, *one, workers));
      candidates.push_back({one->name, workers, [&mine = *sessions.back()] { return mine.seconds(); },
                            [&mine = *sessions.back()] { return mine.steals_so_far(); }});
    }
  }
  result.times = compare(candidates, how.repetitions, what.name);
  for (const auto& each : sessions) result.figures.push_back(each->figures());
  sessions.clear();
  count_all_inversions(result, what, who);
  return result;
}

std::vector<row> rows_of(const program_result& result) {
  std::vector<row> rows;
  const row_heading heading{
      .suite = suite_name, .name = result.name, .size = static_cast<std::int64_t>(result.tasks), .unit = milliseconds};
  for (const measurement& one : result.times.entries) {
    row r = row_of(heading, result.times, one);
    r.params["levels"] = result.levels;
    r.extra["ns_per_task"] = ns_per_task(result, one);
    if (const design_figures* const more = result.find(one.name, one.workers)) {
      r.extra["levels_done_ms"] = levels_done_ms(*more);
      r.extra["level0_ms"] = in_unit(milliseconds, more->level_seconds.front());
      r.extra["processor_ms"] = median(in_unit(milliseconds, more->processor_seconds));
      r.extra["begun_early"] = median_early(*more);
      r.extra["inversions"] = more->inversions ? json(*more->inversions) : json(nullptr);
      r.extra["counted_runs"] = more->inversions ? result.counted_runs : 0;
      r.extra["steals_by_level"] = steals_by_level(result, *more);
      r.extra["steals_by_worker"] = steals_by_worker(result, *more);
      r.extra["lost_share"] = more->counted.lost_share();
      r.extra["stealing_effort"] = more->counted.stealing_effort();
    }
    rows.push_back(std::move(r));
  }
  return rows;
}

std::string text_of(const program_result& result) {
  std::vector<table::column> columns = timing_columns("design", milliseconds);
  columns.insert(
      columns.end(),
      {{"ns/task"}, {"levels done after ms"}, {"early"}, {"inversions"}, {"steals by level"}, {"lost"}, {"effort"}});
  table t(std::move(columns));
  std::size_t last = 0;
  for (const measurement& one : result.times.entries) {
    if (std::exchange(last, one.workers) != one.workers) t.add_rule();
    std::vector<std::string> cells = timing_cells(milliseconds, result.times, one);
    cells.push_back(nanoseconds(ns_per_task(result, one)));
    if (const design_figures* const more = result.find(one.name, one.workers)) {
      cells.push_back(joined(levels_done_ms(*more), "{:.1f}"));
      cells.push_back(fmt::format("{:.0f}", median_early(*more)));
      cells.push_back(inversions_text(result, *more));
      cells.push_back(joined(steals_by_level(result, *more), "{:.0f}"));
      cells.push_back(percent(more->counted.lost_share()));
      cells.push_back(fmt::format("{:.1f}", more->counted.stealing_effort()));
    } else {
      cells.insert(cells.end(), 6, "-");
    }
    t.add(std::move(cells));
  }
  return fmt::format("{}: {}; {} samples each\n{}", result.name, result.text, result.times.serial().seconds.size(),
                     t.text());
}

std::string steals_text(const program_result& result) {
  table t({{"steals", align::left}, {"workers"}, {"by level", align::left}, {"by worker", align::left}});
  for (const design_figures& one : result.figures) {
    if (one.workers < 2) continue;
    t.add({one.name, fmt::format("{}", one.workers), joined(steals_by_level(result, one), "{:.0f}"),
           joined(steals_by_worker(result, one), "{:.0f}")});
  }
  return fmt::format("{}: steals in a run, on average\n{}", result.name, t.text());
}

}  // namespace pilfer::lab::priorities
