#include "lab/forkjoin/measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "lab/measure/table.hpp"

namespace pilfer::lab::forkjoin {
namespace {

constexpr double ns_per_second = 1e9;
constexpr std::uint64_t fewest_forks_for_a_price = 1000;  // of the late leaf's 8 forks none is what takes the time

// Nanoseconds per fork: of the whole time, and of what serial code does not need.
struct price {
  double whole = 0;
  double extra = 0;
};

std::optional<price> price_of(const program_result& result, const measurement& one) {
  if (result.forks < fewest_forks_for_a_price) return std::nullopt;
  const double per_fork = ns_per_second / static_cast<double>(result.forks);
  const double serial = median(result.times.serial().seconds);
  const double taken = median(one.seconds);
  return price{taken * per_fork, (taken - serial) * per_fork};
}

}  // namespace

const program_result* find_program(const std::vector<program_result>& results, program what) {
  const auto found = std::ranges::find_if(results, [&](const program_result& one) { return one.what.what == what; });
  return found == results.end() ? nullptr : &*found;
}

program_result measure_program(const workload& what, const std::vector<const schedulers::entry*>& who,
                               const std::vector<std::size_t>& workers, std::size_t repetitions) {
  const double right = programs::answer_of(what);  // found out before anything is timed
  static_cast<void>(right);

  std::vector<std::unique_ptr<schedulers::session>> sessions;
  std::vector<candidate> candidates;
  const auto add = [&](const schedulers::entry& one, std::size_t count) {
    sessions.push_back(one.make(std::max<std::size_t>(count, 1)));
    candidates.push_back({one.name, count, [&mine = *sessions.back(), what] { return mine.seconds_of(what); },
                          [&mine = *sessions.back()] { return mine.steals_so_far(); }});
  };
  for (const schedulers::entry* one : who) {
    if (!one->make || !one->runs(what.what)) continue;
    if (one->of == schedulers::family::serial) {
      add(*one, 0);
    } else {
      for (const std::size_t count : workers) add(*one, count);
    }
  }
  return {.what = what,
          .forks = programs::forks_of(what),
          .times = compare(candidates, repetitions, programs::name_of(what.what))};
}

std::vector<row> rows_of(const program_result& result) {
  std::vector<row> rows;
  const row_heading heading{
      .suite = "fork-join", .name = std::string(programs::name_of(result.what.what)), .size = result.what.size};
  for (const measurement& one : result.times.entries) {
    row r = row_of(heading, result.times, one);
    r.extra["forks"] = result.forks;
    const std::optional<price> paid = price_of(result, one);
    r.extra["ns_per_fork"] = paid ? json(paid->whole) : json(nullptr);
    r.extra["extra_ns_per_fork"] = paid ? json(paid->extra) : json(nullptr);
    rows.push_back(std::move(r));
  }
  return rows;
}

std::string text_of(const program_result& result) {
  std::vector<table::column> columns = timing_columns("scheduler", milliseconds);
  columns.insert(columns.end(), {{"ns/fork"}, {"extra ns/fork"}});
  table t(std::move(columns));
  for (const measurement& one : result.times.entries) {
    const std::optional<price> paid = price_of(result, one);
    std::vector<std::string> cells = timing_cells(milliseconds, result.times, one);
    cells.push_back(paid ? nanoseconds(paid->whole) : "-");
    cells.push_back(paid && one.workers > 0 ? fmt::format("{:.2f}", paid->extra) : "-");
    t.add(std::move(cells));
  }
  return fmt::format("{}: {} forks, {} samples each\n{}", programs::text_of(result.what), result.forks,
                     result.times.entries.front().seconds.size(), t.text());
}

}  // namespace pilfer::lab::forkjoin
